"""Touch, print and strong magnification: the same truth by finger, on paper, and at 400 %."""

import re
from typing import Literal

import pytest
from playwright.sync_api import expect

from layout import Layout
from layout.address import Address, write
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import middle_of, peers
from tests.browser.test_access import violations
from tests.browser.test_scale import moved

PHONE = {"width": 390, "height": 844, "has_touch": True}
LARGE = Address(tp=8, cp=1, dp=128, pp=16)


def test_a_tap_shows_and_pins_and_a_second_tap_unpins(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(**PHONE)
    layout = Layout(tp=2, cp=2, dp=2, pp=2)
    placement = explorer.placement(layout)
    explorer.grid.tap(position=middle_of(13, placement, (0, 0)))
    explorer.wait_for_query("pin=13")
    assert explorer.lit(placement) == peers(layout, 13)
    assert explorer.card(".ra-card-title") == "Rank 13"
    picture, card = explorer.grid.bounding_box(), explorer.page.locator(".ra-card").bounding_box()
    assert picture and card and card["y"] >= picture["y"] + picture["height"]  # a sheet below it
    assert card["width"] > 340
    explorer.grid.tap(position=middle_of(9, placement, (0, 0)))
    explorer.wait_for_query("pin=9")
    assert explorer.lit(placement) == peers(layout, 9)
    explorer.page.get_by_label("Find rank").fill("13")  # the way to compare without a pointer
    explorer.page.get_by_label("Find rank").press("Enter")
    expect(explorer.page.locator(".ra-find-answer")).to_contain_text("Ranks 9 and 13 share")
    explorer.grid.tap(position=middle_of(9, placement, (0, 0)))
    explorer.wait_for_query("")
    assert explorer.card(".ra-card-title") == "Point at a GPU"
    assert violations(explorer.page) == []


def test_one_finger_scrolls_the_page_and_two_look_closer(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(write(LARGE), **PHONE)
    page = explorer.page
    into_view = "document.querySelector('.ra-picture').scrollIntoView({ block: 'center' })"
    page.evaluate(into_view)
    box = explorer.grid.bounding_box()
    assert box
    x, y = box["x"] + 150, box["y"] + 150
    touch = page.context.new_cdp_session(page)

    def move(kind: str, *points: tuple[float, float]) -> None:
        touched = [{"x": left, "y": top, "id": place} for place, (left, top) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

    top = "document.querySelector('[data-testid=stMain]').scrollTop"
    before = page.evaluate(top)
    move("touchStart", (x, y))
    for step in range(1, 11):
        move("touchMove", (x, y - 12 * step))
    move("touchEnd")
    page.wait_for_function(f"(before) => {top} > before + 50", arg=before)
    assert explorer.query == write(LARGE)  # and pins nothing
    page.wait_for_timeout(1500)  # the page glides on for a while
    page.evaluate(into_view)
    page.wait_for_timeout(300)
    box = explorer.grid.bounding_box()
    assert box
    x, y = box["x"] + 150, box["y"] + 120
    rested = page.evaluate(top)
    move("touchStart", (x - 20, y), (x + 20, y))
    for step in range(1, 11):
        move("touchMove", (x - 20 - 9 * step, y), (x + 20 + 9 * step, y))
    move("touchEnd")
    page.wait_for_timeout(500)
    looks = explorer.placements(LARGE)
    tile = 5.5 * looks[0].tile
    closer = min(looks, key=lambda look: abs(look.tile - tile))
    assert closer.tile > looks[0].tile
    away = moved(explorer)
    assert away != (0, 0) and page.evaluate(top) == rested
    ranks = explorer.drawn
    left, upper = closer.corners_of(ranks)
    seen = ranks[
        (left >= away[0] + 20)
        & (left < away[0] + 200)
        & (upper >= away[1] + 20)
        & (upper < away[1] + 100)
    ]
    rank = int(seen[len(seen) // 2])
    explorer.grid.tap(position=middle_of(rank, closer, away))
    explorer.wait_for_query(f"{write(LARGE)}&pin={rank}")
    lit = explorer.lit(closer, seen, moved=away)
    model = peers(LARGE.layout(), rank)
    assert lit == {axis: sorted(set(group) & set(seen.tolist())) for axis, group in model.items()}


@pytest.mark.parametrize(("paper", "scheme"), [("A4", "light"), ("Letter", "dark")])
def test_on_paper_are_the_picture_the_pinned_rank_and_the_summary(
    open_explorer: OpenExplorer, paper: str, scheme: Literal["light", "dark"]
) -> None:
    explorer = open_explorer("tp=4&pp=4&pin=13", width=1700, color_scheme=scheme, fresh=True)
    page = explorer.page
    printed = page.pdf(format=paper)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 2
    page.emulate_media(media="print", color_scheme=scheme)
    page.set_viewport_size({"width": 794 - 90, "height": 1000})
    page.wait_for_timeout(500)
    for seen in (".ra-picture", ".ra-card", ".st-key-summary table", "[data-testid=stMain] h1"):
        expect(page.locator(seen).first).to_be_visible()
    for unseen in (
        "[data-testid=stSidebar]",
        ".st-key-view",
        ".ra-find",
        ".ra-tools",
        ".st-key-groups",
    ):
        expect(page.locator(unseen).first).to_be_hidden()
    box = explorer.grid.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 704
    assert explorer.card(".ra-card-title") == "Rank 13"
    words = page.locator(".st-key-summary table").inner_text()
    assert "Each of the 16 TP groups stays inside one node." in words
    ink = "getComputedStyle(document.querySelector('.st-key-summary td')).color"
    assert page.evaluate(ink) == "rgb(0, 0, 0)"


def test_at_400_percent_nothing_is_lost_sideways(open_explorer: OpenExplorer) -> None:
    # A window of 1440 x 900 pixels at 400 % is one of 360 x 225.
    explorer = open_explorer(write(LARGE.with_(pin=1300)), width=360, height=225)
    page = explorer.page
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 360
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".ra-group-purpose, .ra-comparison, .ra-group-ranks")]
            .filter((part) => part.scrollHeight > part.clientHeight + 1).map((part) => part.textContent)"""
    )
    assert cut == []
    explorer.grid.press("End")
    expect(page.locator(".ra-card-title")).to_have_text("Rank 1300")
    assert explorer.page.locator(".ra-ring").get_attribute("d") != ""
    assert violations(page) == []
