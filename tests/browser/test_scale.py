"""The picture at real scale: closer looks, parts, both arrangements, up to 131,072 ranks."""

import io
import random

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from layout import Layout
from layout.address import FOLDS, Address, write
from pages.figures.palette import base_colours
from pages.figures.placement import Placement
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import ExplorerPage, peers

LARGE = Address(tp=8, cp=1, dp=128, pp=16)  # 16,384 ranks
LARGEST = Address(tp=8, cp=1, dp=2048, pp=8)  # 131,072 ranks


def moved(explorer: ExplorerPage) -> tuple[int, int]:
    """How far the picture is moved under its frame."""
    matrix = "getComputedStyle(document.querySelector('.ra-numbers').parentNode).transform"
    x, y = explorer.page.evaluate(f"(({{ e, f }}) => [e, f])(new DOMMatrix({matrix}))")
    return -int(x), -int(y)


def in_view(placement: Placement, away: tuple[int, int], explorer: ExplorerPage) -> np.ndarray:
    """The drawn ranks whose tiles lie wholly inside the picture's frame, labels left out."""
    box = explorer.grid.bounding_box()
    assert box
    x, y = placement.corners_of(explorer.drawn)
    left, top = x - away[0], y - away[1]
    inside = (left >= placement.bands[0]) & (top >= placement.bands[1])
    inside &= (left + placement.tile <= box["width"]) & (top + placement.tall <= box["height"])
    found: np.ndarray = explorer.drawn[inside]
    return found


def assert_lit_is_the_model(
    explorer: ExplorerPage, layout: Layout, placement: Placement, *, num: int, seed: int
) -> None:
    """Hovers some ranks in view and compares what is painted, as far as it is in view, with the model."""
    away = moved(explorer)
    seen = in_view(placement, away, explorer)
    for rank in random.Random(seed).sample(seen.tolist(), k=num):
        explorer.hover(rank, placement, away)
        expect(explorer.page.locator(".ra-card-title")).to_have_text(f"Rank {rank}")
        lit = explorer.lit(placement, seen, moved=away)
        model = {
            axis: sorted(set(group) & set(seen.tolist()))
            for axis, group in peers(layout, rank).items()
        }
        assert lit == model, rank


def zoom_to(
    explorer: ExplorerPage, looks: tuple[Placement, ...], level: int, *, by: str
) -> Placement:
    """Looks closer, one level at a time, by wheel, buttons or keys."""
    width = explorer.page.evaluate("document.querySelector('.ra-picture').clientWidth")
    if by == "wheel":
        explorer.grid.hover(position={"x": width / 3, "y": 100})
    for _ in range(level):
        if by == "button":
            explorer.page.get_by_role("button", name="Closer").click()
        elif by == "key":
            explorer.grid.press("+")
        else:
            explorer.page.keyboard.down("Control")
            explorer.page.mouse.wheel(0, -100)
            explorer.page.keyboard.up("Control")
    explorer.page.wait_for_function(
        "(width) => +document.querySelector('.ra-plot').layout.width !== width", arg=looks[0].width
    )
    explorer.page.wait_for_timeout(200)
    return looks[level]


@pytest.mark.parametrize("arrange", ["node", "coordinate"])
def test_closer_looks_light_the_peers_and_are_exact(
    open_explorer: OpenExplorer, arrange: str
) -> None:
    address = LARGE.with_(arrange=arrange)
    explorer = open_explorer(write(address))
    looks = explorer.placements(address)
    layout = address.layout()
    assert_lit_is_the_model(explorer, layout, looks[0], num=5, seed=0)
    for level, by in ((2, "wheel"), (2, "button"), (2, "key")):
        placement = zoom_to(explorer, (looks[0], *looks[level:]), level, by=by) and looks[level]
        assert_lit_is_the_model(explorer, layout, placement, num=4, seed=level)
        explorer.page.mouse.move(2, 2)
        assert_heatmap_is_under_the_overlay(explorer, layout, placement)
        explorer.page.get_by_role("button", name="Whole picture").click()
        explorer.page.wait_for_timeout(200)
    placement = zoom_to(explorer, looks, len(looks) - 1, by="key")
    numbers = explorer.page.locator(".ra-numbers text")
    assert numbers.count() > 20
    assert_lit_is_the_model(explorer, layout, placement, num=4, seed=9)


def assert_heatmap_is_under_the_overlay(
    explorer: ExplorerPage, layout: Layout, placement: Placement
) -> None:
    """With nothing lit, the colour in each tile's middle is its stage's shade."""
    picture = Image.open(io.BytesIO(explorer.grid.screenshot())).convert("RGB")
    away = moved(explorer)
    low, high = (
        np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
        for colour in (base_colours(8, theme="light")[0], base_colours(8, theme="light")[-1])
    )
    seen = in_view(placement, away, explorer)
    x, y = placement.corners_of(seen)
    stages = layout.coordinate_of(seen)["pp"]
    for left, top, stage in list(zip(x, y, stages, strict=True))[::37]:
        at = int(left + placement.tile // 2 - away[0]), int(top + placement.tall - 3 - away[1])
        shade = low + (high - low) * (stage * 99 // 15) / 99
        assert np.abs(np.array(picture.getpixel(at)) - shade).max() <= 3, (at, stage)


def test_131_072_ranks_light_their_peers_in_both_arrangements(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(write(LARGEST))
    layout = LARGEST.layout()
    assert_lit_is_the_model(explorer, layout, explorer.placements(LARGEST)[0], num=6, seed=1)
    explorer.page.get_by_role("radio", name="by coordinate").click()
    explorer.wait_for_query(write(LARGEST.with_(arrange="coordinate")))
    by_coordinate = explorer.placements(LARGEST.with_(arrange="coordinate"))
    assert_lit_is_the_model(explorer, layout, by_coordinate[0], num=6, seed=2)
    explorer.choose("Light up", "TP×DP×PP")  # with CP 1 that is the whole world
    explorer.hover(70_000, by_coordinate[0])
    lit = explorer.lit(by_coordinate[0], light="tp-dp-pp")
    assert lit == peers(layout, 70_000, ["tp-dp-pp"])
    assert len(lit["tp-dp-pp"]) == 131_071
    assert "131,072 ranks" in explorer.card()


@pytest.mark.parametrize("arrange", ["node", "coordinate"])
@pytest.mark.parametrize("fold", ["replica", "stage", "copy"])
def test_a_part_is_drawn_and_the_card_counts_what_is_not(
    open_explorer: OpenExplorer, fold: str, arrange: str
) -> None:
    address = Address(tp=4, cp=3, dp=5, pp=7, order="tp-dp-cp-pp", fold=fold, arrange=arrange)
    explorer = open_explorer(write(address))
    layout = address.layout()
    for pin in (None, 123, 419):
        if pin is not None:
            field = explorer.page.get_by_label("Find rank")
            explorer.grid.press("Escape")
            explorer.settle()
            field.fill(str(pin))
            field.press("Enter")
            explorer.settle()
        shown = address.with_(pin=pin)
        part = shown.part()
        assert part
        placement = explorer.placements(shown)[0]
        assert (
            f"{part.size} GPUs × {part.num_parts}"
            in explorer.page.locator("[data-testid=stMain]").inner_text()
        )
        rank = pin if pin is not None else int(part.ranks[len(part.ranks) // 2])
        explorer.hover(rank, placement)
        drawn = set(part.ranks.tolist())
        model = peers(layout, rank)
        assert explorer.lit(placement) == {
            axis: sorted(drawn.intersection(group)) for axis, group in model.items()
        }
        sets = {"TP": ["tp"], "CP": ["cp"], "DP": ["dp"], "PP": ["pp"], "DP×CP": ["dp", "cp"]}
        outside = {
            name: len(set(layout.group_of(rank, *axes).tolist()) - drawn)
            for name, axes in sets.items()
        }
        listed = ", ".join(f"{num} of {name}" for name, num in outside.items() if num)
        assert explorer.card(".ra-outside") == f"Not drawn: {listed}."
        for name, axes in sets.items():  # the groups themselves are listed whole
            index = layout.group_index_of(rank, *axes)
            assert f"{name} group #{index} of" in explorer.card(".ra-blocks")


def test_another_part_is_chosen_and_a_pinned_rank_outside_is_said_to_be(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer("dp=4&fold=replica&pin=5")  # rank 5 is in replica 1
    which = explorer.page.get_by_role("spinbutton", name="Replica")
    expect(which).to_have_value("1")
    which.fill("3")
    which.press("Enter")
    explorer.wait_for_query("dp=4&fold=replica&which=3&pin=5")
    said = explorer.card(".ra-outside")
    assert (
        said
        == "Rank 5 is outside the picture. Not drawn: 2 of TP, 2 of CP, 3 of DP, 2 of PP, 6 of DP×CP."
    )
    address = Address(dp=4, fold="replica", which=3, pin=5)
    lit = explorer.lit(explorer.placements(address)[0])
    assert lit == {"tp": [], "cp": [], "dp": [13], "pp": [], "self": []}
    field = explorer.page.get_by_label("Find rank")
    field.fill("13")
    field.press("Enter")
    answer = "Ranks 5 and 13 share TP 1, CP 0, PP 0 and differ in DP. Both are in DP #1"
    expect(explorer.page.locator(".ra-find-answer")).to_contain_text(answer)


def test_parts_are_offered_where_the_whole_is_too_large(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=8&dp=4096&pp=8")
    assert "524,288 GPUs are more than the picture draws at once" in (
        explorer.page.locator("[data-testid=stMain]").inner_text()
    )
    buttons = explorer.page.locator("[data-testid=stMain] [data-testid=stButton] button")
    expect(buttons).to_have_text(["one replica", "one stage", "one weight copy"])
    buttons.first.click()
    explorer.page.locator(".ra-grid").wait_for()
    explorer.settle()
    address = Address(tp=8, dp=4096, pp=8, fold="replica")
    placement = explorer.placements(address)[0]
    explorer.hover(3, placement)
    drawn = set(address.part().ranks.tolist())  # type: ignore[union-attr]
    model = peers(address.layout(), 3)
    assert explorer.lit(placement) == {a: sorted(drawn.intersection(g)) for a, g in model.items()}
    assert set(FOLDS) == {"none", "replica", "stage", "copy"}


def test_the_wheel_and_a_drag_never_trap_the_page(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(write(LARGE), height=600)
    looks = explorer.placements(LARGE)
    page = explorer.page
    top = "document.querySelector('[data-testid=stMain]').scrollTop"
    explorer.grid.hover(position={"x": 200, "y": 60})
    page.mouse.wheel(0, 100)
    page.wait_for_function(f"() => {top} > 0")  # without Ctrl or focus the page scrolls
    assert page.evaluate("document.querySelector('.ra-plot').layout.width") == looks[0].width
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 0")
    zoom_to(explorer, looks, 4, by="key")  # with the focus on the grid
    before = moved(explorer)
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 0")
    explorer.grid.hover(position={"x": 200, "y": 60})
    page.mouse.wheel(0, 120)
    page.wait_for_timeout(300)
    assert moved(explorer) == (before[0], before[1] + 120)
    box = explorer.grid.bounding_box()
    assert box
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 250, box["y"] + 170, steps=5)
    page.mouse.up()
    page.wait_for_timeout(300)
    assert moved(explorer) == (before[0] + 50, before[1] + 120 + 30)
    assert explorer.query == write(LARGE)  # the drag has pinned nothing
    assert_lit_is_the_model(explorer, LARGE.layout(), looks[4], num=4, seed=3)
    page.mouse.move(box["x"] + 300, box["y"] + 60)  # a press whose end the picture does not see
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] - 40)
    page.mouse.up()
    before = moved(explorer)
    page.mouse.move(box["x"] + 300, box["y"] + 90)
    page.mouse.move(box["x"] + 360, box["y"] + 150)
    page.wait_for_timeout(300)
    sheet = "getComputedStyle(document.querySelector('.ra-sheet')).transform"
    assert page.evaluate(sheet) == "none"
    explorer.grid.press("End")  # keys faster than the picture is drawn
    keys = "['End', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft']"
    page.evaluate(
        f"""() => {keys}.forEach((key) => document.querySelector(".ra-picture").dispatchEvent(
            new KeyboardEvent("keydown", {{ key, code: key, bubbles: true }})))"""
    )
    expect(page.locator(".ra-card-title")).to_have_text("Rank 16380")
    assert page.evaluate("document.querySelector('.ra-picture').scrollLeft") == 0
    page.get_by_role("button", name="Closer").focus()
    page.keyboard.press("Shift+Tab")  # back into the picture, to where the keys were
    expect(page.locator(".ra-card-title")).to_have_text("Rank 16380")
    before = moved(explorer)
    explorer.grid.press("Home")
    page.wait_for_timeout(300)
    before = moved(explorer)
    explorer.grid.press("Shift+ArrowRight")
    page.wait_for_timeout(300)
    assert moved(explorer)[0] > before[0] + 200
    explorer.grid.press("End")  # brings the last rank into view
    page.wait_for_timeout(300)
    expect(page.locator(".ra-card-title")).to_have_text("Rank 16383")
    assert 16383 in in_view(looks[4], moved(explorer), explorer)
    explorer.grid.press("0")
    page.wait_for_timeout(300)
    assert moved(explorer) == (0, 0)


def test_tiles_glide_between_the_arrangements_unless_less_motion_is_wanted(
    open_explorer: OpenExplorer,
) -> None:
    watch = """() => { window.glides = 0; new MutationObserver((changes) => changes.forEach((change) =>
        change.addedNodes.forEach((node) => glides += node.className === "ra-glide"))).observe(
        document.querySelector(".ra-sheet"), { childList: true }); }"""
    for motion, glides in (("no-preference", 1), ("reduce", 0)):
        explorer = open_explorer("dp=4", reduced_motion=motion)
        explorer.page.evaluate(watch)
        explorer.page.get_by_role("radio", name="by coordinate").click()
        explorer.wait_for_query("dp=4&arrange=coordinate")
        assert explorer.page.evaluate("glides") == glides
        assert explorer.page.locator(".ra-glide").count() == 0
        address = Address(dp=4, arrange="coordinate")
        placement = explorer.placements(address)[0]
        explorer.hover(21, placement)
        assert explorer.lit(placement) == peers(address.layout(), 21)
        labels = explorer.page.locator(".ra-labels text").all_text_contents()
        assert {"TP 0", "TP 1", "CP 0", "CP 1", "DP 0", "DP 3", "PP 0", "PP 1"} <= set(labels)
