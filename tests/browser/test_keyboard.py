"""Without a mouse: the grid by keys, and what a screen reader is told."""

import random

from playwright.sync_api import expect

from layout import Layout
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import ExplorerPage, peers

SIXTEEN = Layout(tp=2, cp=2, dp=2, pp=2)


def pointed(explorer: ExplorerPage) -> str:
    return explorer.card(".ra-card-title")


def test_arrows_move_by_tile_and_light_the_peers(open_explorer: OpenExplorer) -> None:
    layout = Layout(tp=3, cp=2, dp=5, pp=2)
    explorer = open_explorer("tp=3&dp=5")
    placement = explorer.placement(layout)
    explorer.grid.focus()
    explorer.page.keyboard.press("Home")
    rank, chance = 0, random.Random(1)
    x, y = placement.corners_of(0)
    for _ in range(50):
        key = chance.choice(["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"])
        explorer.page.keyboard.press(key)
        if key in ("ArrowRight", "ArrowLeft"):
            rank = min(max(rank + (1 if key == "ArrowRight" else -1), 0), layout.world_size - 1)
        else:
            x, y = placement.corners_of(rank)
            column = [
                (int(placement.corners_of(r)[1]), r)
                for r in range(layout.world_size)
                if placement.corners_of(r)[0] == x
            ]
            beyond = [pair for pair in column if (pair[0] < y if key == "ArrowUp" else pair[0] > y)]
            if beyond:
                rank = (max(beyond) if key == "ArrowUp" else min(beyond))[1]
        assert pointed(explorer) == f"Rank {rank}", key
        assert explorer.lit(placement) == peers(layout, rank)


def test_digits_go_round_the_peers_of_an_axis(open_explorer: OpenExplorer) -> None:
    layout = Layout(tp=2, cp=3, dp=2, pp=4)
    explorer = open_explorer("cp=3&pp=4")
    explorer.grid.focus()
    explorer.page.keyboard.press("End")
    rank = layout.world_size - 1
    for key, axis in (("1", "tp"), ("2", "cp"), ("3", "dp"), ("4", "pp")):
        group = layout.group_of(rank, axis).tolist()
        for _ in group:
            rank = group[(group.index(rank) + 1) % len(group)]
            explorer.page.keyboard.press(key)
            assert pointed(explorer) == f"Rank {rank}"
        explorer.page.keyboard.press(f"Shift+{key}")
        rank = group[group.index(rank) - 1]
        assert pointed(explorer) == f"Rank {rank}"


def test_a_move_is_announced_in_one_sentence(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    explorer.grid.focus()
    explorer.page.keyboard.press("End")
    spoken = explorer.page.locator(".ra-spoken")
    expect(spoken).to_have_attribute("aria-live", "polite")
    expect(spoken).to_have_text("Rank 15: TP 1, CP 1, DP 1, PP 1; node 1, local rank 7.")
    explorer.page.keyboard.press("i")
    expect(spoken).to_contain_text("CP group #7 of #0–#7: 13, 15 (2 ranks, step 2); 1 node.")


def test_hovering_is_not_announced(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    explorer.hover(5, explorer.placement(SIXTEEN))
    expect(explorer.page.locator(".ra-spoken")).to_have_text("")


def test_enter_pins_and_escape_unpins(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    explorer.grid.focus()
    for key in ("Home", "ArrowRight", "Enter"):
        explorer.page.keyboard.press(key)
    explorer.wait_for_query("pin=1")
    explorer.page.keyboard.press("End")
    assert "Ranks 1 and 15 share TP 1 and differ in CP, DP, PP." in explorer.card(".ra-comparison")
    explorer.page.keyboard.press("Escape")
    explorer.wait_for_query("")
    assert pointed(explorer) == "Rank 15"


def test_tab_reaches_the_grid_and_leaves_it(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    explorer.page.get_by_role("radio", name="by coordinate").focus()
    reached = []
    for _ in range(4):
        explorer.page.keyboard.press("Tab")
        reached.append(explorer.page.evaluate("document.activeElement.className"))
    assert any("ra-picture" in name for name in reached) and "ra-picture" not in reached[-1]


def test_letters_of_streamlits_shortcuts_are_left_alone(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    explorer.grid.focus()
    explorer.page.keyboard.press("End")
    for key in ("c", "r"):
        explorer.page.keyboard.press(key)
    assert pointed(explorer) == "Rank 15"
    keys = explorer.page.locator(".ra-keys").inner_text()
    assert {"Home", "End", "Enter", "Esc", "1 2 3 4"} <= {
        k for k in ("Home", "End", "Enter", "Esc", "1 2 3 4") if k in keys
    }


def test_the_grid_has_a_name_a_role_and_its_keys_as_description(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer()
    grid = explorer.page.get_by_role("application", name="One tile for each rank")
    expect(grid).to_be_visible()
    described = grid.get_attribute("aria-describedby")
    expect(explorer.page.locator(f"#{described}")).to_be_visible()


def test_a_move_away_from_the_pinned_rank_is_announced_with_the_comparison(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer("pin=13")
    explorer.grid.focus()
    explorer.page.keyboard.press("Home")
    spoken = explorer.page.locator(".ra-spoken")
    expect(spoken).to_contain_text("Rank 0: TP 0, CP 0, DP 0, PP 0; node 0, local rank 0.")
    expect(spoken).to_contain_text("Ranks 13 and 0 share CP 0 and differ in TP, DP, PP.")
    explorer.page.keyboard.press("Shift+I")
    expect(spoken).to_contain_text("DP×CP group #0 of #0–#3")
