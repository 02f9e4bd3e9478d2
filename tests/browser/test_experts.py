"""The dense grid and the experts': each lights what the model names, in whichever one points."""

import random
from pathlib import Path

import pytest
from playwright.sync_api import expect

from assets.page import EMBED_HEIGHT
from layout import DENSE_AXES, EXPERT_AXES, Layout
from layout.__main__ import main
from layout.address import EXPERT_LIGHTS, Address, write
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import ExplorerPage, peers
from tests.browser.test_access import violations

BOTH = Address(moe="on", ep=4, etp=1, grid="both")
LAYOUTS = {
    "sixteen": BOTH,
    "etp-is-tp": Address(tp=2, cp=1, dp=4, pp=2, moe="on", ep=2, grid="both"),
    "primes": Address(tp=3, cp=5, dp=7, pp=2, gpn=5, moe="on", ep=35, etp=3, grid="both"),
    "ep-beyond-dp": Address(tp=4, cp=3, dp=2, pp=3, moe="on", ep=24, etp=1, grid="both"),
    "by-coordinate": Address(
        tp=2, cp=3, dp=4, pp=2, moe="on", ep=6, etp=1, arrange="coordinate", grid="both"
    ),
    "pp-in-the-middle": Address(
        tp=2, cp=1, dp=4, pp=2, order="tp-cp-ep-pp-dp", moe="on", ep=2, etp=1, grid="both"
    ),
    "large": Address(tp=8, cp=2, dp=16, pp=8, moe="on", ep=64, etp=1, grid="both"),
    "one-stage": BOTH.with_(tp=4, dp=4, fold="stage", which=1),
    "one-copy": BOTH.with_(tp=4, dp=4, fold="copy", which=3),
}


def assert_both_light_the_model(explorer: ExplorerPage, address: Address, num: int) -> None:
    """Points at ranks in either grid and compares what both light, as far as they draw it."""
    dense, experts = explorer.dense, explorer.experts
    fit = {grid: grid.placements(address)[0] for grid in (dense, experts)}
    models = {dense: address.layout().grid, experts: address.expert_grid().grid}
    chance = random.Random(address.ep)
    for here in (dense, experts):
        last = here.drawn.tolist()[-1]
        for rank in [last, *chance.choices(here.drawn.tolist(), k=num)]:
            here.hover(rank, fit[here])
            for grid, model in models.items():
                seen = set(grid.drawn.tolist())
                lit = peers(model, rank, grid.colours)
                # What another part holds is lit as far as it reaches into this one.
                wanted = {axis: sorted(set(group) & seen) for axis, group in lit.items()}
                assert grid.lit(fit[grid]) == wanted, (rank, grid.colours.keys())
                assert grid.card(".ra-card-title") == f"Rank {rank}"


@pytest.mark.parametrize("name", LAYOUTS)
def test_pointing_in_either_grid_lights_the_peers_in_both(
    open_explorer: OpenExplorer, name: str
) -> None:
    address = LAYOUTS[name]
    assert_both_light_the_model(open_explorer(write(address)), address, num=12)


@pytest.mark.parametrize("light", [light for light in EXPERT_LIGHTS if light != "axes"])
def test_a_set_of_experts_lights_as_a_whole(open_explorer: OpenExplorer, light: str) -> None:
    address = Address(tp=2, cp=3, dp=2, pp=2, moe="on", ep=3, light=light, grid="both")
    explorer = open_explorer(write(address))
    dense, experts = explorer.dense, explorer.experts
    here, there = experts.placements(address)[0], dense.placements(address)[0]
    for rank in (0, 17, 23):
        dense.hover(rank, there)
        assert experts.lit(here, light=light) == peers(address.expert_grid(), rank, [light])
        assert dense.lit(there) == peers(address.layout(), rank)  # has no such set


def test_a_pin_in_one_is_a_pin_in_both(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(write(BOTH))
    dense, experts = explorer.dense, explorer.experts
    here, there = experts.placements(BOTH)[0], dense.placements(BOTH)[0]
    experts.click(13, here)
    explorer.wait_for_query(write(BOTH.with_(pin=13)))
    dense.hover(2, there)
    assert dense.lit(there) == peers(BOTH.layout(), 13)
    assert experts.lit(here) == peers(BOTH.expert_grid(), 13, EXPERT_AXES)
    assert experts.card(".ra-comparison") == (
        "Ranks 13 and 2 share ETP 0 and differ in EP, EDP, PP. "
        "No group that Megatron makes of these axes holds both. Different nodes (node 1, node 0)."
    )
    dense.click(13, there)
    explorer.wait_for_query(write(BOTH))
    explorer.page.mouse.move(2, 2)
    for grid, fit in ((dense, there), (experts, here)):
        assert not any(grid.lit(fit).values())


def test_the_cards_tell_what_the_model_says(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(write(BOTH.with_(pin=13)))
    experts = explorer.experts
    assert experts.card(".ra-coordinate").split() == [
        *("ETP", "0", "EP", "1"),
        *("EDP", "1", "PP", "1"),
    ]
    told = [group.split("\n") for group in experts.within.locator(".ra-group").all_inner_texts()]
    assert [(title, ranks, nodes) for title, nodes, ranks, _ in told] == [
        ("ETP group #13 of #0–#15", "13 alone", "1 node"),
        ("EP group #3 of #0–#3", "12, 13, 14, 15 (4 ranks, step 1)", "1 node"),
        ("EDP group #5 of #0–#7", "9, 13 (2 ranks, step 4)", "1 node"),
        ("PP group #5 of #0–#7", "5, 13 (2 ranks, step 8)", "2 nodes"),
        ("ETP×EP group #3 of #0–#3", "12, 13, 14, 15 (4 ranks, step 1)", "1 node"),
        ("ETP×EP×PP group #1 of #0–#1", "4–7, 12–15 (8 ranks)", "2 nodes"),
    ]
    assert told[0][-1] == "ETP is 1: nothing is split or exchanged along it."
    assert explorer.dense.card(".ra-also") == (
        "Also in TP×PP #2, TP×CP #3, TP×DP #2, TP×DP×CP #1, embedding #5."
    )
    expect(explorer.page.get_by_text("EP adds no GPUs")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390, 320])
def test_nothing_is_cut_and_nothing_twice(open_explorer: OpenExplorer, width: int) -> None:
    address = Address(
        tp=8, cp=4, dp=8, pp=8, pin=1999, light="tp-dp-pp", moe="on", ep=32, etp=2, grid="both"
    )
    explorer = open_explorer(write(address), width=width)
    explorer.dense.grid.focus()
    explorer.page.keyboard.press("ArrowLeft")
    cut = explorer.page.evaluate(
        """() => [...document.querySelectorAll(
                ".ra-group-purpose, .ra-comparison, .ra-group-ranks, .ra-also")]
            .filter((part) => part.scrollHeight > part.clientHeight + 1).map((part) => part.textContent)"""
    )
    assert cut == []
    ids = explorer.page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    assert (
        explorer.page.locator(".ra-find").count() == explorer.page.locator(".ra-keys").count() == 1
    )
    boxes = [grid.grid.bounding_box() for grid in (explorer.dense, explorer.experts)]
    assert boxes[0] and boxes[1]
    if width == 1440:  # beside each other, and level
        assert boxes[1]["x"] > boxes[0]["x"] + boxes[0]["width"] and boxes[1]["y"] == boxes[0]["y"]
        cards = [card.bounding_box() for card in explorer.page.locator(".ra-card").all()]
        assert cards[0] and cards[1] and cards[0]["y"] == cards[1]["y"]
    else:
        assert boxes[1]["y"] > boxes[0]["y"] + boxes[0]["height"]
    main_part = explorer.page.get_by_test_id("stMain")
    assert main_part.evaluate("(main) => main.scrollWidth") <= width


def test_keys_in_the_expert_grid_go_along_its_axes(open_explorer: OpenExplorer) -> None:
    address = Address(tp=2, cp=2, dp=3, pp=2, moe="on", ep=3, etp=2, grid="both")
    explorer = open_explorer(write(address))
    experts, grid = explorer.experts, address.expert_grid().grid
    experts.grid.focus()
    explorer.page.keyboard.press("Home")
    rank = 0
    for key, axis in zip("1234", EXPERT_AXES, strict=True):
        for _ in range(grid.size_of(axis)):
            group = grid.group_of(rank, axis).tolist()
            rank = group[(group.index(rank) + 1) % len(group)]
            explorer.page.keyboard.press(key)
            for each in (experts, explorer.dense):
                expect(each.within.locator(".ra-card-title")).to_have_text(f"Rank {rank}")
    explorer.page.keyboard.press("End")
    expect(experts.within.locator(".ra-spoken")).to_have_text(
        "Rank 23: ETP 1, EP 2, EDP 1, PP 1; node 2, local rank 7."
    )
    explorer.page.keyboard.press("i")
    expect(experts.within.locator(".ra-spoken")).to_contain_text("EP group #7 of #0–#7: 19, 21, 23")


def test_the_grids_are_chosen_above_and_are_in_the_link(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(write(Address(ep=4, etp=1)))
    expect(explorer.page.get_by_role("radiogroup", name="Grid")).to_have_count(0)
    explorer = open_explorer(write(BOTH.with_(grid="dense")))
    choice = explorer.page.get_by_role("radiogroup", name="Grid")
    for grid, num_pictures in (("experts", 1), ("both", 2), ("dense", 1), ("experts", 1)):
        choice.get_by_role("radio", name=grid).click()
        explorer.wait_for_query(write(BOTH.with_(grid=grid)))
        expect(explorer.grid).to_have_count(num_pictures)
    chosen = BOTH.with_(grid="experts", light="etp-ep")
    explorer.choose("Light up", "ETP×EP")
    explorer.wait_for_query(write(chosen))
    alone = explorer.experts
    placement = alone.placements(chosen)[0]
    alone.hover(6, placement)
    lit = alone.lit(placement, light="etp-ep")
    assert lit == peers(chosen.expert_grid(), 6, ["etp-ep"])
    expect(explorer.page.locator(".ra-find")).to_be_visible()
    explorer.page.reload()
    explorer.settle()
    assert explorer.query == write(chosen)
    expect(explorer.grid).to_have_count(1)


@pytest.mark.parametrize(
    ("address", "said", "fix", "fixed"),
    [
        (
            BOTH.with_(ep=3),
            "ETP 1 × EP 3 × PP 2 = 6, which does not divide a world of 16",
            "EP 4",
            BOTH,
        ),
        (
            BOTH.with_(order="tp-cp-dp-pp"),
            "With EP 4 the order has to name ep; tp-cp-dp-pp does not",
            "order tp-cp-ep-dp-pp",
            BOTH,
        ),
    ],
)
def test_an_expert_grid_that_cannot_be_made_says_why(
    open_explorer: OpenExplorer, address: Address, said: str, fix: str, fixed: Address
) -> None:
    explorer = open_explorer(write(address))
    expect(explorer.page.get_by_test_id("stAlert")).to_contain_text(said)
    expect(explorer.grid).to_have_count(1)
    dense = explorer.dense
    placement = dense.placements(address)[0]
    dense.hover(5, placement)
    assert dense.lit(placement) == peers(address.layout(), 5)
    explorer.page.get_by_role("button", name=fix, exact=True).click()
    explorer.wait_for_query(write(fixed))
    expect(explorer.grid).to_have_count(2)


def test_the_tables_have_the_experts_rows_and_kinds(
    open_explorer: OpenExplorer, capsys: pytest.CaptureFixture[str]
) -> None:
    explorer = open_explorer(write(BOTH))
    summary = explorer.page.locator(".st-key-summary tbody tr").all_inner_texts()
    assert [row.split("\t")[:4] for row in summary[4:]] == [
        ["ETP", "16", "1", "1"],
        ["EP", "4", "4", "1"],
        ["EDP", "8", "2", "4"],
    ]
    kinds = explorer.page.get_by_label("Kind of group")
    caption = explorer.page.locator(".ra-table caption")
    for kind in ("ep", "expt_tp", "expt_dp", "tp_ep", "tp_ep_pp"):
        kinds.select_option(kind)
        explorer.wait_for_query(write(BOTH.with_(table=kind)))
    expect(caption).to_have_text("2 ETP×EP×PP groups, 8 ranks each")
    name = explorer.page.locator(".ra-table-megatron")
    expect(name).to_have_text("In Megatron’s logs:EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP")
    rows = explorer.page.locator(".ra-table tbody tr").all_inner_texts()
    assert [row.split("\t")[1] for row in rows] == ["0–3, 8–11 (8 ranks)", "4–7, 12–15 (8 ranks)"]
    degrees = [f"--{axis}=2" for axis in DENSE_AXES]
    asked = [*degrees, "--ep=4", "--etp=1", f"--order={BOTH.order}", "--groups=tp_ep_pp"]
    for form, name_of_form in (("JSON", "json"), ("CSV", "csv"), ("Markdown", "markdown")):
        with explorer.page.expect_download() as download:
            explorer.page.get_by_role("link", name=form, exact=True).click()
        there = Path(download.value.path()).read_bytes()
        assert main([*asked, f"--format={name_of_form}"]) == 0
        assert there == capsys.readouterr().out.encode(), form


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_beside_two_grids(
    open_explorer: OpenExplorer, scheme: str, width: int
) -> None:
    explorer = open_explorer(write(BOTH.with_(pin=13)), width=width, color_scheme=scheme)
    assert violations(explorer.page) == []
    explorer = open_explorer(write(BOTH.with_(ep=3)), width=width, color_scheme=scheme)
    assert violations(explorer.page) == []


@pytest.mark.parametrize("grid", ["experts", "both"])
def test_an_embed_has_room_for_what_it_shows(open_explorer: OpenExplorer, grid: str) -> None:
    address = Address(tp=8, cp=1, dp=16, pp=8, moe="on", ep=32, etp=1, pin=3, grid=grid)
    explorer = open_explorer(write(address), width=1440)
    snippet = explorer.page.locator(".ra-share textarea").input_value()
    height = EMBED_HEIGHT * len(address.grids)
    assert f'height="{height}"' in snippet
    explorer = open_explorer(f"{write(address)}&embed=true", width=360, height=height)
    for width in (360, 700, 1100):
        explorer.page.set_viewport_size({"width": width, "height": height})
        explorer.page.wait_for_timeout(700)
        explorer.settle()
        end = explorer.page.get_by_test_id("stMainBlockContainer").bounding_box()
        assert end and end["y"] + end["height"] <= height, width


def test_a_slider_keeps_both_grids_right(open_explorer: OpenExplorer) -> None:
    address = BOTH.with_(dp=4)
    explorer = open_explorer(write(address))
    explorer.slide("CP context, common values", "ArrowRight", "ArrowRight")
    after = address.with_(cp=4)
    explorer.wait_for_query(write(after))
    assert Layout(tp=2, cp=4, dp=4, pp=2, order=after.order) == after.layout()
    assert_both_light_the_model(explorer, after, num=4)
