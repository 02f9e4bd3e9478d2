"""Pinning, comparing and finding."""

from playwright.sync_api import expect

from layout import Layout
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import peers

SIXTEEN = Layout(tp=2, cp=2, dp=2, pp=2)


def test_a_click_pins_and_the_peers_stay_lit_while_the_pointer_travels(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer()
    placement = explorer.placement(SIXTEEN)
    explorer.click(13, placement)
    explorer.wait_for_query("pin=13")
    for rank in (0, 6, 11):
        explorer.hover(rank, placement)
        assert explorer.lit(placement) == peers(SIXTEEN, 13)
        assert explorer.card(".ra-card-title") == "Rank 13"
    explorer.page.mouse.move(5, 5)
    assert explorer.lit(placement) == peers(SIXTEEN, 13)


def test_a_second_click_unpins(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("pin=13")
    explorer.click(13, explorer.placement(SIXTEEN))
    explorer.wait_for_query("")


def test_while_pinned_another_rank_is_compared(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("pin=13")
    placement = explorer.placement(SIXTEEN)
    cases = {
        # 13 is TP 1, CP 0, DP 1, PP 1
        5: "Ranks 13 and 5 share TP 1, CP 0, DP 1 and differ in PP. Both are in PP #5, TP×PP #2. "
        "Different nodes (node 1, node 0).",
        9: "Ranks 13 and 9 share TP 1, CP 0, PP 1 and differ in DP. Both are in DP #5, DP×CP #3, "
        "TP×DP #2, TP×DP×CP #1. Same node (node 1).",
        2: "Ranks 13 and 2 share no coordinate. No group that Megatron makes of these axes holds both. "
        "Different nodes (node 1, node 0).",
    }
    for rank, said in cases.items():
        explorer.hover(rank, placement)
        assert explorer.card(".ra-comparison") == said


def test_a_pin_survives_a_change_of_degrees_while_its_rank_exists(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer("pin=13")
    explorer.slide("DP data, common values", "ArrowRight")
    larger = Layout(tp=2, cp=2, dp=3, pp=2)
    assert explorer.lit(explorer.placement(larger)) == peers(larger, 13)
    explorer.wait_for_query("dp=3&pin=13")
    explorer.slide("DP data, common values", "Home")
    explorer.wait_for_query("dp=1")
    assert explorer.card(".ra-card-title") == "Point at a GPU"
    assert explorer.page.locator(".ra-pin").get_attribute("d") == ""


def test_find_pins_a_rank_or_says_which_there_are(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    field = explorer.page.get_by_label("Find rank")
    for typed in ("16", "-1", "1.5", "many", ""):
        field.fill(typed)
        field.press("Enter")
        expect(explorer.page.locator(".ra-find-answer")).to_contain_text("ranks go from 0 to 15")
        expect(field).to_have_value(typed)
        expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("13")
    field.press("Enter")
    explorer.wait_for_query("pin=13")
    assert explorer.lit(explorer.placement(SIXTEEN)) == peers(SIXTEEN, 13)
    expect(explorer.page.locator(".ra-find-answer")).to_contain_text("Rank 13: TP 1")
    field.fill("9")
    field.press("Enter")
    assert "Ranks 13 and 9 share" in explorer.card(".ra-comparison")
    explorer.set_degree("tp", 4)  # what was found holds no longer
    assert explorer.page.locator(".ra-find-answer").inner_text() == ""
