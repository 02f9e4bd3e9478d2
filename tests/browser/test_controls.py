"""The controls: sliding, typing, presets, the world, the order."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenExplorer


def test_common_degrees_are_one_step_apart(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=1&cp=1&dp=1&pp=1")
    slider = explorer.page.get_by_role("slider", name="TP tensor, common values")
    slider.focus()
    seen = [slider.get_attribute("aria-valuetext")]
    for _ in range(9):
        slider.press("ArrowRight")
        seen.append(slider.get_attribute("aria-valuetext"))
    assert seen == ["1", "2", "3", "4", "6", "8", "12", "16", "24", "32"]
    explorer.settle()
    assert explorer.headline.startswith("32 GPUs = TP 32 × CP 1")


def test_a_degree_that_is_not_common_is_typed_kept_and_left_by_a_step(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer()
    explorer.set_degree("dp", 35)
    assert explorer.headline.startswith("280 GPUs = TP 2 × CP 2 × DP 35 × PP 2")
    slider = explorer.page.get_by_role("slider", name="DP data, common values")
    expect(slider).to_have_attribute("aria-valuetext", "35")
    explorer.slide("TP tensor, common values", "ArrowRight")
    assert "DP 35" in explorer.headline
    explorer.slide("DP data, common values", "ArrowLeft")
    assert "TP 3 × CP 2 × DP 32 × PP 2" in explorer.headline


@pytest.mark.parametrize("typed", ["0", "-3", "1.5", "", "99999999999"])
def test_what_is_no_degree_is_said_and_kept(open_explorer: OpenExplorer, typed: str) -> None:
    explorer = open_explorer()
    field = explorer.page.get_by_label("CP context", exact=True)
    field.fill(typed)
    field.press("Tab")
    expect(explorer.page.locator("#ra-degree-message-cp")).to_contain_text("Still showing 2.")
    expect(field).to_have_value(typed)
    explorer.slide("TP tensor, common values", "ArrowRight")
    expect(field).to_have_value(typed)
    assert "TP 3 × CP 2" in explorer.headline
    field.fill("4")
    field.press("Tab")
    explorer.settle()
    expect(explorer.page.locator("#ra-degree-message-cp")).to_be_empty()
    assert "CP 4" in explorer.headline


def test_dragging_a_slider_is_followed_and_ends_where_it_is_left(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer()
    # Several drags: an answer may arrive in the middle of the next one, and must not break it off.
    for length in (8, 12, 10, 14, 9, 15):
        box = explorer.page.get_by_role("slider", name="PP pipeline, common values").bounding_box()
        assert box
        y = box["y"] + box["height"] / 2
        explorer.page.mouse.move(box["x"] + 20, y)
        explorer.page.mouse.down()
        for step in range(1, length):
            explorer.page.mouse.move(box["x"] + 20 + step * 6, y)
        explorer.page.mouse.up()
        shown = explorer.page.locator("#ra-degree-pp").input_value()
        explorer.wait_for_query(f"pp={shown}")
        assert int(shown) > 4 and f"PP {shown} on" in explorer.headline


def test_quick_changes_of_two_degrees_both_hold(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    for axis, degree in (("tp", "4"), ("cp", "3"), ("dp", "5")):
        explorer.page.locator(f"#ra-degree-{axis}").fill(degree)
    explorer.page.locator("#ra-degree-dp").press("Enter")
    explorer.wait_for_query("tp=4&cp=3&dp=5")
    explorer.settle()
    assert explorer.headline.startswith("120 GPUs = TP 4 × CP 3 × DP 5 × PP 2")


def test_a_preset_moves_every_control(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    explorer.page.get_by_role("combobox", name="Preset").click()
    explorer.page.get_by_role("option", name="BLOOM 176B").click()
    explorer.wait_for_query("tp=4&cp=1&dp=8&pp=12")
    explorer.settle()
    values = [
        explorer.page.locator(f"#ra-degree-{axis}").input_value()
        for axis in ("tp", "cp", "dp", "pp")
    ]
    assert values == ["4", "1", "8", "12"]
    expect(explorer.page.get_by_text("Order assumed")).to_be_visible()


def test_knowing_the_world_derives_dp_and_mends_what_does_not_divide(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer()
    explorer.page.get_by_text("I know my world size").click()
    expect(explorer.page.locator("#ra-degree-world")).to_have_value("16")
    explorer.settle()
    assert explorer.page.locator("#ra-degree-dp").count() == 0
    explorer.set_degree("tp", 3)
    expect(
        explorer.page.get_by_text("TP 3 × CP 2 × PP 2 = 12, which does not divide a world of 16.")
    ).to_be_visible()
    assert explorer.query == "tp=3&world=16"
    explorer.page.get_by_role("button", name="12 GPUs").click()
    explorer.wait_for_query("tp=3&world=12")
    explorer.settle()
    assert explorer.headline.startswith("12 GPUs = TP 3 × CP 2 × DP 1 × PP 2")


def test_the_order_is_typed_or_picked(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    explorer.page.get_by_role("radio", name="Llama 3").click()
    explorer.wait_for_query("order=tp-cp-pp-dp")
    expect(explorer.page.get_by_text("Megatron would not start this job")).to_be_visible()
    field = explorer.page.get_by_role("textbox", name="Order (fastest axis first)")
    expect(field).to_have_value("tp-cp-pp-dp")
    field.fill("PP-DP-CP-TP")
    field.press("Enter")
    explorer.wait_for_query("order=PP-DP-CP-TP")  # as typed: a rule looks at the case
    explorer.settle()
    assert (
        "rank = pp + 2·dp + 4·cp + 8·tp"
        in explorer.page.locator("[data-testid=stMain]").inner_text()
    )


def test_the_table_below_says_what_crosses_a_node(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("gpn=4")
    rows = explorer.page.locator(".st-key-summary tbody tr").all_inner_texts()
    assert [row.split("\t") for row in rows] == [
        ["TP", "8", "2", "1", "0 of 8", "Each of the 8 TP groups stays inside one node."],
        ["CP", "8", "2", "2", "0 of 8", "Each of the 8 CP groups stays inside one node."],
        ["DP", "8", "2", "4", "8 of 8", "Each of the 8 DP groups spans 2 nodes."],
        ["PP", "8", "2", "8", "8 of 8", "Each of the 8 PP groups spans 2 nodes."],
    ]


@pytest.mark.parametrize("gap_ms", [15, 33, 60])
def test_a_slider_key_held_down_is_followed_to_the_end(
    open_explorer: OpenExplorer, gap_ms: int
) -> None:
    explorer = open_explorer()
    slider = explorer.page.get_by_role("slider", name="DP data, common values")
    slider.focus()
    for _ in range(9):
        slider.press("ArrowRight", no_wait_after=True)
        explorer.page.wait_for_timeout(gap_ms)
    explorer.wait_for_query("dp=48")
    assert "DP 48" in explorer.headline
    explorer.slide("TP tensor, common values", "ArrowRight")
    explorer.wait_for_query("tp=3&dp=48")


def test_a_refused_number_goes_when_something_else_sets_the_degree(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer()
    field = explorer.page.locator("#ra-degree-tp")
    field.fill("0")
    field.press("Enter")
    expect(explorer.page.locator("#ra-degree-message-tp")).to_contain_text("Still showing 2.")
    explorer.page.get_by_role("combobox", name="Preset").click()
    explorer.page.get_by_role("option", name="BLOOM 176B").click()
    explorer.wait_for_query("tp=4&cp=1&dp=8&pp=12")
    expect(field).to_have_value("4")
    expect(explorer.page.locator("#ra-degree-message-tp")).to_be_empty()
