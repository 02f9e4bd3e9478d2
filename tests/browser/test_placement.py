"""Placement: the drawn rows are the model's, settings change them, the link holds them."""

from typing import Any

import pytest
from playwright.sync_api import expect

from assets.page import EMBED_HEIGHT
from assets.text import Words
from layout import shares_of_key
from layout.address import Address, write
from layout.reach import often
from pages import placement
from pages.kinds import job_of
from pages.visit import Visit
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import ExplorerPage

WORDS = Words("en")
LLAMA = Address(tp=8, cp=1, dp=128, pp=16, order="tp-cp-pp-dp")
EXPERTS = Address(tp=4, cp=4, dp=16, pp=4, gpn=4, nvl=72, moe="on", ep=64, etp=1, hcp="2,2")
ODD = Address(tp=3, cp=5, dp=7, pp=2, gpn=3, nvl=9)
LARGE = Address(tp=8, cp=2, dp=8192, pp=32, gpn=4, nvl=72)  # 4,194,304 ranks

# What is drawn of each row: the widths of the parts of its bar, its words, and where its section says it is.
READ_ROWS = """() => [...document.querySelectorAll(".ra-reach-row")].map((row) => ({
    key: row.dataset.key,
    section: row.parentElement.className.replace("ra-reach-", ""),
    parts: Object.fromEntries([...row.querySelectorAll(".ra-reach-part")].map((part) =>
        [part.className.split("ra-reach-part ra-reach-")[1], part.getBoundingClientRect().width])),
    bar: row.querySelector(".ra-reach-bar").getBoundingClientRect().width,
    leave: row.querySelector(".ra-reach-leave").textContent,
    marks: row.querySelectorAll(".ra-reach-mark").length,
}))"""


def rows(explorer: ExplorerPage) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = explorer.page.evaluate(READ_ROWS)
    return found


def check_rows(explorer: ExplorerPage, address: Address) -> None:
    """The rows on the page are those of the model, in its order, with its counts and shares."""
    visit = Visit(address=address, remarks=[])
    wanted = [row for row in placement.rows_of(visit)[0] if row.size > 1]
    leaving = [row for row in wanted if row.shares.beyond]
    listed = [*leaving, *(row for row in wanted if row not in leaving)]
    drawn = rows(explorer)
    assert [row["key"] for row in drawn] == [row.kind.key for row in listed]
    for row, shown in zip(listed, drawn, strict=True):
        shares = shares_of_key(
            job_of(visit),
            row.kind.key,
            gpus_per_node=address.gpn,
            nvlink_domain=address.nvlink_domain,
        )
        assert shown["section"] == ("leaving" if shares.beyond else "staying")
        assert shown["leave"] == f"{shares.beyond:,} of {shares.num_groups:,} leave"
        numbers = {
            "in_node": shares.in_node,
            "in_domain": shares.in_domain,
            "beyond": shares.beyond,
        }
        assert set(shown["parts"]) == {part for part, number in numbers.items() if number}
        for part, width in shown["parts"].items():
            share = numbers[part] / shares.num_groups
            assert width == pytest.approx(share * shown["bar"], abs=10), (row.kind.key, part)
        assert shown["marks"] > 0


@pytest.mark.parametrize("address", [Address(), LLAMA, EXPERTS, ODD, LARGE])
def test_the_drawn_rows_are_the_model_s(open_explorer: OpenExplorer, address: Address) -> None:
    explorer = open_explorer(write(address), path="placement")
    check_rows(explorer, address)


def test_a_change_of_settings_changes_the_rows_and_the_link(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=16", path="placement")
    check_rows(explorer, Address(tp=16))
    explorer.page.get_by_role("radio", name="NVL72").click()
    explorer.wait_for_query("tp=16&gpn=4&nvl=72")
    check_rows(explorer, Address(tp=16, gpn=4, nvl=72))
    field = explorer.page.get_by_role("spinbutton", name="GPUs per NVLink domain")
    field.fill("64")
    field.press("Enter")
    explorer.wait_for_query("tp=16&gpn=4&nvl=64")
    explorer.set_degree("tp", 4)
    check_rows(explorer, Address(tp=4, gpn=4, nvl=64))
    explorer.page.get_by_role("radio", name="HGX").click()
    explorer.wait_for_query("tp=4")
    check_rows(explorer, Address(tp=4))


def test_the_link_brings_everything_back(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(write(EXPERTS), path="placement", fresh=True)
    said = explorer.page.locator(".ra-reach-table").inner_text()
    levels = explorer.page.locator(".ra-levels").inner_text()
    explorer.page.reload()
    explorer.settle()
    assert explorer.query == write(EXPERTS).replace(",", "%2C")
    assert explorer.page.locator(".ra-reach-table").inner_text() == said
    assert explorer.page.locator(".ra-levels").inner_text() == levels


def test_pointing_at_a_row_and_pressing_its_name_say_the_same(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(write(EXPERTS), path="placement")
    page, more = explorer.page, explorer.page.locator(".ra-reach-more")
    expect(more).to_have_text(WORDS("reach.hint"))
    page.locator("[data-key=ep]").hover()
    expect(more).to_contain_text("tokens to their experts and back")
    expect(more).to_contain_text("Drawn: group #1, ranks 64–127, on 2 domains.")
    page.get_by_role("button", name="PP", exact=True).focus()
    expect(more).to_contain_text("small point-to-point messages")


def test_the_table_is_one_for_a_screen_reader_at_any_width(open_explorer: OpenExplorer) -> None:
    for width in (1440, 390):
        explorer = open_explorer(write(LLAMA), path="placement", width=width)
        table = explorer.page.get_by_role("table", name=WORDS("reach.table"))
        expect(table.get_by_role("columnheader")).to_have_count(4)
        row = table.get_by_role("row").filter(
            has=explorer.page.get_by_role("button", name="TP", exact=True)
        )
        expect(row.get_by_role("cell")).to_have_count(3)
        expect(row).to_contain_text("All 2,048 TP groups stay inside a node.")
        expect(row).to_contain_text("ranks 0–7, 1 domain")


def test_levels_are_cut_by_a_button(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=8&cp=4&nvl=16", path="placement")
    explorer.page.get_by_role("button", name="2 × 2: level 1 inside the domain").click()
    explorer.wait_for_query("tp=8&cp=4&nvl=16&hcp=2%2C2")
    groups = """() => [...document.querySelectorAll(".ra-level")].map((level) =>
        [...level.querySelectorAll(".ra-level-group")].map((group) =>
            [...group.querySelectorAll("b")].map((rank) => Number(rank.textContent))))"""
    assert explorer.page.evaluate(groups) == [[[0, 8], [16, 24]], [[0, 16], [8, 24]]]
    assert [row["key"] for row in rows(explorer) if often(row["key"]) == "layer"] == [
        *("cp", "hcp_1"),
        *("tp", "hcp_0"),
    ]
    near, far = explorer.page.locator(".ra-level-reach").all_inner_texts()
    assert (near, far) == ("inside the domain", "leaves the domain")


@pytest.mark.parametrize("address", [LLAMA, EXPERTS])
def test_an_embed_shows_the_table_and_fits(open_explorer: OpenExplorer, address: Address) -> None:
    explorer = open_explorer(
        f"{write(address)}&embed=true", path="placement", width=360, height=EMBED_HEIGHT
    )
    page = explorer.page
    for width in (360, 720, 1100):
        page.set_viewport_size({"width": width, "height": EMBED_HEIGHT})
        page.wait_for_timeout(300)
        reached = page.evaluate(
            """() => { const main = document.querySelector("[data-testid=stMain]");
                const end = document.querySelector("[data-testid=stMainBlockContainer]");
                return [main.scrollWidth, end.getBoundingClientRect().bottom]; }"""
        )
        assert reached[0] <= width and reached[1] <= EMBED_HEIGHT, (width, reached)
    assert page.locator("[data-testid=stMain] :is(input, select):visible").count() == 0
    link = page.get_by_role("link", name="Open in Rank Atlas")
    assert "/placement?" in link.evaluate("(link) => link.href")


def test_nothing_moves_sideways_on_a_phone(open_explorer: OpenExplorer) -> None:
    for address in (LLAMA, EXPERTS, LARGE):
        explorer = open_explorer(write(address), path="placement", width=390, height=844)
        for scrolled in (
            "document.documentElement",
            "document.querySelector('[data-testid=stMain]')",
        ):
            assert explorer.page.evaluate(f"{scrolled}.scrollWidth") <= 390


def test_paper_has_the_table_and_no_controls(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(write(LLAMA), path="placement", fresh=True)
    explorer.page.emulate_media(media="print")
    expect(explorer.page.locator(".ra-reach-table")).to_be_visible()
    expect(explorer.page.get_by_role("spinbutton", name="GPUs per NVLink domain")).to_be_hidden()
    expect(explorer.page.get_by_role("link", name="Derivation")).to_be_hidden()
