"""The page Orders: a rank lights its own groups in each order, and a change of order moves the tiles."""

import random

import pytest
from playwright.sync_api import expect

from layout import Layout
from layout.address import Address, write
from layout.orders import dense_order
from pages.figures.placement import Placement
from pages.orders import HEIGHT
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import ExplorerPage, peers
from tests.browser.test_access import violations

ADDRESSES = {
    "sixteen": Address(),
    "primes": Address(tp=3, cp=5, dp=7, pp=2, gpn=5, vs="pp-dp-cp-tp"),
    "three": Address(
        tp=4, cp=2, dp=4, pp=4, order="tp-cp-pp-dp", vs="dp-tp-cp-pp", vs3="pp-tp-dp-cp"
    ),
    "largest": Address(tp=8, cp=4, dp=8, pp=8),
    "one": Address(tp=1, cp=1, dp=1, pp=1),
}

# Counts the pictures that glide from now on.
WATCH = """() => { window.glides = 0; new MutationObserver((changes) => changes.forEach((change) =>
    change.addedNodes.forEach((node) => glides += node.className === "ra-glide"))).observe(
    document.querySelector("[data-testid=stMain]"), { childList: true, subtree: true }); }"""

WHERE_TILES_WERE = """async ([[axes, sizes], [otherAxes, otherSizes]]) => {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const imported = (end) => import(loaded.find((name) => name.endsWith(end)));
    const { Grid } = await imported("assets/ranks.js");
    const { asItWas } = await imported("rank_grid/reorder.js");
    const [before, now] = [new Grid(axes, sizes), new Grid(otherAxes, otherSizes)];
    const was = asItWas({ tile: 1, cornerOf: (rank) => rank }, before, now);
    return Array.from({ length: now.worldSize }, (_, rank) => was.cornerOf(rank));
}"""


def panels(page: ExplorerPage, address: Address) -> list[tuple[ExplorerPage, Layout, Placement]]:
    """Each picture as a page of its own, with the layout and the places that the model gives it."""
    found = []
    for number, order in enumerate(address.orders().values()):
        panel = ExplorerPage(page.page, page.page.locator(".ra-grid").nth(number))
        own = address.with_(order=order)
        found.append((panel, own.layout(), panel.placements(own, height=HEIGHT)[0]))
    return found


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_rank_lights_its_own_groups_in_each_order(open_explorer: OpenExplorer, name: str) -> None:
    address = ADDRESSES[name]
    page = open_explorer(write(address), path="orders")
    shown = panels(page, address)
    world = address.layout().world_size
    for place, rank in enumerate([0, world - 1, *random.Random(name).choices(range(world), k=12)]):
        pointed, _, placement = shown[place % len(shown)]
        pointed.hover(rank, placement)
        for panel, layout, where in shown:
            assert panel.lit(where) == peers(layout, rank), (layout.order, rank)
            assert panel.card(".ra-card-title") == f"Rank {rank}"
            place_in_words = [f"{a.upper()} {p}" for a, p in layout.coordinate_of(rank).items()]
            boxes = panel.within.locator(".ra-position").all_inner_texts()
            assert sorted(boxes) == sorted(place_in_words)


def test_the_card_is_a_line_for_each_axis(open_explorer: OpenExplorer) -> None:
    page = open_explorer(path="orders")
    shown = panels(page, Address())
    shown[1][0].hover(13, shown[1][2])
    lines = [
        [
            " ".join(line.split())
            for line in panel.within.locator(".ra-group:visible").all_inner_texts()
        ]
        for panel, *_ in shown
    ]
    assert lines[0][2:] == [
        "DP 1 node 9, 13 (2 ranks, step 4)",
        "PP 2 nodes 5, 13 (2 ranks, step 8)",
    ]
    assert lines[1][2:] == [
        "DP 2 nodes 5, 13 (2 ranks, step 8)",
        "PP 1 node 9, 13 (2 ranks, step 4)",
    ]
    expect(
        page.page.locator(".ra-find:visible, .ra-tools:visible, .ra-comparison:visible")
    ).to_have_count(0)


def test_a_pin_in_one_order_is_one_in_all_and_in_the_link(open_explorer: OpenExplorer) -> None:
    page = open_explorer("tp=4", path="orders")
    address = Address(tp=4)
    shown = panels(page, address)
    shown[1][0].click(21, shown[1][2])
    page.wait_for_query("tp=4&pin=21")
    page.page.mouse.move(2, 2)
    for panel, layout, where in shown:
        assert panel.lit(where) == peers(layout, 21)


def test_keys_in_one_order_light_the_others(open_explorer: OpenExplorer) -> None:
    page = open_explorer("dp=4", path="orders")
    (first, *_), (second, layout, where) = panels(page, Address(dp=4))
    first.grid.focus()
    page.page.keyboard.press("End")
    page.page.keyboard.press("3")  # round to the first of its DP group: 19, in the first order
    expect(second.within.locator(".ra-card-title")).to_have_text("Rank 19")
    assert second.lit(where) == peers(layout, 19)
    described = [panel.grid.get_attribute("aria-describedby") for panel in (first, second)]
    assert len(set(described)) == 2
    assert page.page.locator(f"#{described[0]}").count() == 1


@pytest.mark.parametrize(("motion", "glides"), [("no-preference", 1), ("reduce", 0)])
def test_a_change_of_order_moves_the_tiles_of_its_panel(
    open_explorer: OpenExplorer, motion: str, glides: int
) -> None:
    page = open_explorer("tp=4", path="orders", reduced_motion=motion)
    page.page.evaluate(WATCH)
    page.choose("Compared with", "dp-pp-tp-cp")
    page.wait_for_query("tp=4&vs=dp-pp-tp-cp")
    assert page.page.evaluate("glides") == glides
    expect(page.page.locator(".ra-glide")).to_have_count(0)
    shown = panels(page, Address(tp=4, vs="dp-pp-tp-cp"))
    shown[0][0].hover(9, shown[0][2])
    for panel, layout, where in shown:
        assert panel.lit(where) == peers(layout, 9)
    page.page.reload()
    page.settle()
    assert page.query == "tp=4&vs=dp-pp-tp-cp"
    expect(page.page.get_by_role("combobox", name="Compared with")).to_have_value("dp-pp-tp-cp")


def test_a_tile_moves_from_the_rank_its_coordinate_had(open_explorer: OpenExplorer) -> None:
    page = open_explorer(path="orders").page
    for before, now in [("tp-cp-dp-pp", "pp-dp-cp-tp"), ("dp-tp-pp-cp", "tp-cp-pp-dp")]:
        layouts = [Layout(tp=2, cp=3, dp=5, pp=7, order=order) for order in (before, now)]
        grids = [[layout.axes, [layout.degree_of(a) for a in layout.axes]] for layout in layouts]
        was, is_now = layouts
        assert page.evaluate(WHERE_TILES_WERE, grids) == [
            was.rank_at(is_now.coordinate_of(rank)) for rank in range(was.world_size)
        ]


def test_the_readers_own_order_changes_on_every_page(open_explorer: OpenExplorer) -> None:
    page = open_explorer(path="orders", fresh=True)
    page.choose("Your order", "tp-cp-pp-dp · Llama 3")
    page.wait_for_query("order=tp-cp-pp-dp")
    other = page.page.get_by_role("combobox", name="Compared with")
    expect(other).to_have_value("tp-cp-dp-pp · Megatron-LM")  # Llama 3's stands beside Megatron's
    page.page.get_by_role("link", name="Explorer").click()
    page.page.wait_for_url("**/?order=tp-cp-pp-dp")
    page.settle()
    layout = Layout(tp=2, cp=2, dp=2, pp=2, order="tp-cp-pp-dp")
    placement = page.placement(layout)
    page.hover(13, placement)
    assert page.lit(placement) == peers(layout, 13)


def test_an_order_to_compare_with_that_is_none_is_named(open_explorer: OpenExplorer) -> None:
    page = open_explorer("tp=4&vs=tp-xx&pin=3", path="orders")
    expect(page.page.get_by_test_id("stAlert")).to_contain_text("ignored: vs=tp-xx")
    assert page.query == "tp=4&pin=3"
    assert len(panels(page, Address(tp=4))) == 2


def test_panels_stand_below_each_other_on_a_phone_and_nothing_moves_sideways(
    open_explorer: OpenExplorer,
) -> None:
    page = open_explorer(
        "tp=8&cp=4&dp=8&pp=8&vs3=pp-dp-cp-tp", path="orders", width=390, height=844
    )
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.page.evaluate(f"{main}.scrollWidth") <= 390
    boxes = [page.page.locator(".ra-picture").nth(n).bounding_box() for n in range(3)]
    assert all(box and box["width"] <= 390 for box in boxes)
    tops = [box["y"] for box in boxes if box]
    assert tops[0] < tops[1] < tops[2]


@pytest.mark.parametrize("width", [360, 900])
def test_an_embed_has_panels_and_tables_only(open_explorer: OpenExplorer, width: int) -> None:
    page = open_explorer("tp=4&embed=true", path="orders", width=width, height=1100).page
    expect(page.locator(".ra-picture")).to_have_count(2)
    expect(page.locator(".st-key-axes table")).to_have_count(4)
    expect(page.get_by_role("combobox")).to_have_count(0)
    expect(page.locator(".st-key-changes, .st-key-who")).to_have_count(0)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width
    expect(page.get_by_role("link", name="Open in Rank Atlas")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_axe_finds_nothing_in_the_other_pairs(
    open_explorer: OpenExplorer, width: int, scheme: str
) -> None:
    page = open_explorer(
        "tp=4&vs3=pp-dp-cp-tp&pin=13", path="orders", width=width, color_scheme=scheme
    )
    assert violations(page.page) == []


def test_on_paper_panels_stand_below_each_other(open_explorer: OpenExplorer) -> None:
    page = open_explorer("tp=8&dp=8&pp=4", path="orders", fresh=True).page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720, "height": 1000})
    boxes = [page.locator(".ra-picture").nth(n).bounding_box() for n in range(2)]
    assert boxes[0] and boxes[1] and boxes[1]["y"] > boxes[0]["y"] + boxes[0]["height"]
    assert all(box and box["x"] + box["width"] <= 720 for box in boxes)


def test_orders_in_upper_case_are_shown_as_they_are_read(open_explorer: OpenExplorer) -> None:
    page = open_explorer("vs=TP-PP-CP-DP", path="orders")
    other = page.page.get_by_role("combobox", name="Compared with")
    expect(other).to_have_value(dense_order("TP-PP-CP-DP"))
