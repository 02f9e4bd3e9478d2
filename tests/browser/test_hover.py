"""Hovering: the tiles that light up are exactly the peers that the model names."""

import io
import random

import pytest
from PIL import Image

from layout import Layout
from layout.address import LIGHTS, Address, write
from pages.figures.palette import AXIS_COLOURS
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import peers

LAYOUTS = {
    "sixteen": Address(),
    "primes": Address(tp=3, cp=5, dp=7, pp=2, gpn=5),
    "llama-3-order": Address(tp=4, cp=2, dp=4, pp=4, order="tp-cp-pp-dp"),
    "reversed": Address(tp=2, cp=3, dp=4, pp=5, order="pp-dp-cp-tp", gpn=7),
    "one": Address(tp=1, cp=1, dp=1, pp=1),
    "largest": Address(tp=8, cp=4, dp=8, pp=8),
    "one-axis": Address(tp=1, cp=1, dp=2048, pp=1),
    "rack": Address(tp=4, cp=3, dp=6, pp=4, gpn=72),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_lit_tiles_are_the_peers(open_explorer: OpenExplorer, name: str) -> None:
    address = LAYOUTS[name]
    layout = address.layout()
    explorer = open_explorer(write(address))
    placement = explorer.placement(layout, gpus_per_node=address.gpn)
    chosen = random.Random(name).choices(range(layout.world_size), k=50)
    for rank in [0, layout.world_size - 1, *chosen]:
        explorer.hover(rank, placement)
        assert explorer.lit(placement) == peers(layout, rank), rank
        assert explorer.card(".ra-card-title") == f"Rank {rank}"


@pytest.mark.parametrize("light", [light for light in LIGHTS if light != "axes"])
def test_a_set_lights_as_a_whole(open_explorer: OpenExplorer, light: str) -> None:
    address = Address(tp=2, cp=3, dp=2, pp=3, light=light)
    explorer = open_explorer(write(address))
    placement = explorer.placement(address.layout())
    for rank in (0, 17, 35):
        explorer.hover(rank, placement)
        lit = explorer.lit(placement, light=light)
        assert lit == peers(address.layout(), rank, [light])


def test_lit_tiles_follow_a_slider(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=4&dp=4")
    for key, cp in (("ArrowRight", 3), ("ArrowRight", 4), ("Home", 1)):
        explorer.slide("CP context, common values", key)
        layout = Layout(tp=4, cp=cp, dp=4, pp=2)
        placement = explorer.placement(layout)
        for rank in random.Random(cp).choices(range(layout.world_size), k=10):
            explorer.hover(rank, placement)
            assert explorer.lit(placement) == peers(layout, rank)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lit_tiles_are_painted_in_the_colour_of_their_axis(
    open_explorer: OpenExplorer, scheme: str
) -> None:
    explorer = open_explorer(color_scheme=scheme)
    layout = Layout(tp=2, cp=2, dp=2, pp=2)
    placement = explorer.placement(layout)
    explorer.hover(13, placement)
    picture = Image.open(io.BytesIO(explorer.grid.screenshot())).convert("RGB")

    def colour_of(rank: int) -> str:
        x, y = placement.corners_of(rank)
        pixel = picture.getpixel((int(x) + placement.tile - 4, int(y) + placement.tile - 4))
        return "#{:02X}{:02X}{:02X}".format(*pixel)  # type: ignore[misc]

    for axis, colour in AXIS_COLOURS.items():
        (peer,) = set(layout.group_of(13, axis).tolist()) - {13}
        assert colour_of(peer) == colour, axis
    unlit = set(range(16)) - {rank for ranks in peers(layout, 13).values() for rank in ranks}
    assert not {colour_of(rank) for rank in unlit} & set(AXIS_COLOURS.values())
    assert colour_of(13) == {"light": "#12151C", "dark": "#E8EAEE"}[scheme]


def test_hovering_asks_nothing_of_the_server(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    placement = explorer.placement(Layout(tp=2, cp=2, dp=2, pp=2))
    sent: list[str] = []
    explorer.page.on("request", lambda request: sent.append(request.url))
    state = "document.querySelector('[data-testid=stApp]').dataset.testScriptState"
    watch = f"window.states = new Set(); setInterval(() => states.add({state}), 1)"
    explorer.page.evaluate(watch)
    for rank in range(16):
        explorer.hover(rank, placement)
    assert explorer.page.evaluate("[...window.states]") == ["notRunning"]
    assert sent == []


def test_the_card_keeps_its_place_and_size(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=16&cp=2&dp=8&pp=4")
    placement = explorer.placement(Layout(tp=16, cp=2, dp=8, pp=4))
    parts = """() => [...document.querySelectorAll(".ra-card, .ra-card > *, .ra-group, .ra-group > *")]
        .map((part) => { const b = part.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })"""
    explorer.hover(0, placement)
    boxes = explorer.page.evaluate(parts)
    for rank in (1, 517, 1023):
        explorer.hover(rank, placement)
        assert explorer.page.evaluate(parts) == boxes
    explorer.page.mouse.move(5, 5)
    assert explorer.page.evaluate(parts) == boxes


def test_nothing_is_lit_between_the_nodes_and_outside(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer()
    placement = explorer.placement(Layout(tp=2, cp=2, dp=2, pp=2))
    explorer.hover(3, placement)
    explorer.grid.hover(position={"x": 100, "y": 3})
    assert all(ranks == [] for ranks in explorer.lit(placement).values())
    assert explorer.card(".ra-card-title") == "Point at a GPU"


def test_the_card_tells_what_the_model_says(open_explorer: OpenExplorer) -> None:
    address = Address(tp=4, cp=2, dp=2, pp=4)
    explorer = open_explorer(write(address))
    explorer.hover(13, explorer.placement(address.layout()))
    assert explorer.card(".ra-card-place") == "node 1 · local rank 5"
    assert explorer.card(".ra-coordinate").split() == ["TP", "1", "CP", "1", "DP", "1", "PP", "0"]
    groups = explorer.page.locator(".ra-group").all_inner_texts()
    expected = [
        ("TP group #3 of #0–#15", "12, 13, 14, 15 (4 ranks, step 1)", "1 node"),
        ("CP group #5 of #0–#31", "9, 13 (2 ranks, step 4)", "1 node"),
        ("DP group #5 of #0–#31", "5, 13 (2 ranks, step 8)", "2 nodes"),
        ("PP group #13 of #0–#15", "13, 29, 45, 61 (4 ranks, step 16)", "4 nodes"),
        ("DP×CP group #1 of #0–#15", "1, 5, 9, 13 (4 ranks, step 4)", "2 nodes"),
    ]
    for words, (title, ranks, nodes) in zip(groups, expected, strict=True):
        assert {title, ranks, nodes} <= set(words.split("\n")), words


@pytest.mark.parametrize(
    ("address", "rank", "light", "said"),
    [
        (
            Address(tp=8, dp=8, pp=8, light="tp-pp"),
            0,
            "TP×PP",
            "0–7, 128–135, … 896–903 (64 ranks)",
        ),
        (Address(tp=8, cp=4, dp=8), 77, "DP×CP", "5, 13, 21, 29, … 253 (32 ranks, step 8)"),
        (Address(tp=1, cp=3), 4, "TP", "4 alone"),
        (
            Address(tp=2, cp=1, dp=1, pp=2, light="tp-pp"),
            1,
            "TP×PP",
            "0, 1, 2, 3 (4 ranks, step 1)",
        ),
    ],
)
def test_many_ranks_are_shortened_sensibly(
    open_explorer: OpenExplorer, address: Address, rank: int, light: str, said: str
) -> None:
    explorer = open_explorer(write(address.with_(pin=rank)))
    groups = explorer.page.locator(".ra-group").all_inner_texts()
    lines = [
        words.split("\n") for words in groups if words.startswith((f"{light} group", f"{light}:"))
    ]
    assert said in lines[0]


def test_an_axis_of_degree_one_promises_nothing(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=1&pin=0")
    purposes = explorer.page.locator(".ra-group-purpose").all_inner_texts()
    assert purposes[0] == "TP is 1: nothing is split or exchanged along it."
    assert "nothing" not in purposes[1]


@pytest.mark.parametrize(
    ("width", "light"), [(1440, "tp-dp-pp"), (1440, "tp-cp"), (390, "tp-cp-pp"), (320, "tp-dp-pp")]
)
def test_nothing_on_the_card_is_cut(open_explorer: OpenExplorer, width: int, light: str) -> None:
    address = Address(tp=8, cp=4, dp=8, pp=8, pin=1999, light=light)
    explorer = open_explorer(write(address), width=width)
    explorer.grid.focus()
    explorer.page.keyboard.press("ArrowLeft")  # to 1998, which differs in TP: in the most groups
    cut = explorer.page.evaluate(
        """() => [...document.querySelectorAll(".ra-group-purpose, .ra-comparison, .ra-group-ranks")]
            .filter((part) => part.scrollHeight > part.clientHeight + 1).map((part) => part.textContent)"""
    )
    assert cut == []
