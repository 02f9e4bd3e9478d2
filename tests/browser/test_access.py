"""Everyone is welcome: axe-core finds nothing, in either theme, at either width, in each state."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from layout import Layout
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import peers

STATES = {
    "first page": ("", ""),
    "pinned, a set lit": ("tp=4&light=tp-pp&pin=13&colour=none", ""),
    "largest": ("tp=8&cp=4&dp=8&pp=8", ""),
    "does not divide": ("world=16&tp=3", ""),
    "too many": ("dp=1024", ""),
    "rubbish": ("tp=many", ""),
    "checked": ("", "checked"),
    "derivation, first step": ("", "derivation"),
    "orders": ("pin=13", "orders"),
    "orders, three, one of them none": ("tp=4&vs=tp-dp-pp&vs3=pp-dp-cp-tp&light=tp-pp", "orders"),
    "derivation, a part": ("tp=8&cp=16&dp=8&pp=16&step=7", "derivation"),
    "placement": ("", "placement"),
    "placement, experts and levels": (
        "tp=4&cp=4&dp=16&pp=4&moe=on&ep=64&etp=1&gpn=4&nvl=72&hcp=2,2",
        "placement",
    ),
}


def violations(page: Any) -> list[str]:
    only = {"resultTypes": ["violations"]}  # the rest would be written out at length
    found = Axe().run(page, options=only).response["violations"]
    return [
        f"{entry['id']}: {entry['help']}: {[node['html'][:200] for node in entry['nodes']]}"
        for entry in found
    ]


# Every state in both themes and at both widths, in two runs each: pairs, not every combination.
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing(
    open_explorer: OpenExplorer, state: str, width: int, scheme: str
) -> None:
    query, path = STATES[state]
    explorer = open_explorer(query, path=path, width=width, color_scheme=scheme)
    assert violations(explorer.page) == []


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_axe_finds_nothing_on_the_first_page_in_the_other_pairs(
    open_explorer: OpenExplorer, width: int, scheme: str
) -> None:
    assert violations(open_explorer("pin=13", width=width, color_scheme=scheme).page) == []


def test_nothing_moves_sideways_on_a_phone(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=8&cp=4&dp=8&pp=8", width=390, height=844)
    assert explorer.page.evaluate("document.documentElement.scrollWidth") <= 390
    main = "document.querySelector('[data-testid=stMain]')"
    assert explorer.page.evaluate(f"{main}.scrollWidth") <= 390
    picture, card = explorer.grid.bounding_box(), explorer.page.locator(".ra-card").bounding_box()
    assert picture and card and card["y"] > picture["y"] + picture["height"]
    assert card["width"] <= 390 and picture["width"] <= 390


def test_the_controls_of_a_phone_are_behind_one_button(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(width=390, height=844)
    expect(explorer.page.locator("#ra-degree-tp")).not_to_be_in_viewport()
    explorer.page.get_by_test_id("stExpandSidebarButton").click()
    expect(explorer.page.locator("#ra-degree-tp")).to_be_in_viewport()
    assert violations(explorer.page) == []


def test_a_theme_change_repaints_the_picture(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(color_scheme="light", fresh=True)
    image = "document.querySelector('.ra-plot image').getAttribute('href')"
    light = explorer.page.evaluate(image)
    explorer.page.emulate_media(color_scheme="dark")
    explorer.page.wait_for_function(f"(before) => {image} !== before", arg=light)


def test_forced_colours_keep_the_picture(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(forced_colors="active")
    layout = Layout(tp=2, cp=2, dp=2, pp=2)
    placement = explorer.placement(layout)
    explorer.hover(13, placement)
    assert explorer.lit(placement) == peers(layout, 13)
    ground = "getComputedStyle(document.querySelector('.ra-picture')).backgroundColor"
    assert explorer.page.evaluate(ground) == "rgb(255, 255, 255)"
    assert violations(explorer.page) == []
