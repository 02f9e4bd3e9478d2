"""The derivation: at each step every tile stands where the model says, with the number it says."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from playwright.sync_api import expect

from assets.page import EMBED_HEIGHT
from assets.text import Words
from layout import DENSE_AXES, Layout, excerpt_of, rank_in_copy
from layout.address import Address, write
from pages.derivation import bracketed, steps_in_words
from tests.browser.conftest import OpenExplorer
from tests.browser.derivation import DerivationPage, Label, Tile
from tests.browser.test_access import violations

TINTS = 8
IN_LEAPS = (2, 1, 3, 5, 7, 4, 6)  # a step that is not the next one is there at once
LAYOUTS = [
    Address(),
    Address(tp=1, cp=2, dp=1, pp=1),
    Address(tp=4, cp=3, dp=2, pp=2),
    Address(tp=3, cp=5, dp=2, pp=1, gpn=4),
    Address(tp=2, cp=4, dp=2, pp=4, order="tp-cp-pp-dp", gpn=72),
    Address(tp=1, cp=7, dp=3, pp=2, order="cp-dp-tp-pp", gpn=3),
    Address(tp=2, cp=2, dp=5, pp=3, order="tp-dp-pp-cp"),
    Address(tp=8, cp=2, dp=2, pp=2, gpn=4),
    Address(tp=2, cp=3, dp=1, pp=4, order="pp-tp-cp-dp", gpn=1),
    Address(tp=5, cp=2, dp=1, pp=3, order="dp-pp-cp-tp", gpn=16),
    Address(tp=2, cp=12, dp=2, pp=2),
    Address(tp=1, cp=1, dp=3, pp=5),
    Address(tp=31, cp=2, dp=2, pp=1),  # TP in several lines
]


OpenDerivation = Callable[..., DerivationPage]


@pytest.fixture
def open_derivation(open_explorer: OpenExplorer) -> OpenDerivation:
    """`open_derivation(query, width=390)` shows the derivation at a link."""

    def opened(query: str = "", **options: object) -> DerivationPage:
        return DerivationPage(open_explorer(query, path="derivation", **options))

    return opened


def reading_order(tiles: list[Tile]) -> list[Tile]:
    """Tiles line by line, as words are read."""
    return sorted(tiles, key=lambda tile: (round(tile.box[1]), tile.box[0]))


def check_labels(layout: Layout, labels: list[Label], tiles: dict[int, Tile]) -> None:
    """Each label of the block names the coordinate of the tiles that it stands over, or beside."""
    without = layout.with_(cp=1)
    for label in labels:
        said = re.fullmatch(r"(\w\w) (\+?)(\d+)(?:–(\d+))?", label.text or "")
        assert said
        axis, first, last = said[1].lower(), int(said[3]), int(said[4] or said[3])
        if said[
            2
        ]:  # a column of an axis in several lines: so many further than where a line begins
            lines = {
                position
                for other in labels
                if (match := re.fullmatch(rf"{said[1]} (\d+)–\d+", other.text or ""))
                for position in [int(match[1])]
            }
            allowed = {line + first for line in lines}
        else:
            allowed = set(range(first, last + 1))
        left, top, width, height = label.box
        for tile in tiles.values():
            (x, y), near = tile.middle, tile.box[2] / 4
            away = y - (top + height / 2) if label.anchor == "end" else x - (left + width / 2)
            if abs(away) < near:
                assert without.coordinate_of(tile.place)[axis] in allowed, (label, tile)


def check_nodes(address: Address, frames: list[Label], tiles: dict[int, Tile]) -> None:
    """Each tile stands in the frame of its node, and in a frame the numbers ascend."""
    box_of = {int((frame.text or "").removeprefix("node ")): frame.box for frame in frames}
    seen: dict[int, list[Tile]] = {}
    for tile in tiles.values():
        node = int(tile.number or -1) // address.gpn
        seen.setdefault(node, []).append(tile)
        left, top, width, height = box_of[node]
        x, y = tile.middle
        assert left < x < left + width and top < y < top + height, (node, tile)
    assert set(seen) == set(box_of)
    for held in seen.values():
        numbers = [int(tile.number or -1) for tile in reading_order(held)]
        assert numbers == sorted(numbers)


def check_step(page: DerivationPage, address: Address, step: int) -> None:
    layout = address.layout()
    n0 = layout.world_size // layout.cp
    drawn = page.read()
    tiles = drawn.tiles
    where = {index: divmod(index, n0) for index in tiles}  # (copy, r0)
    expected = {
        1: {i: r0 for i, (_, r0) in where.items()},
        4: {i: copy * n0 + r0 for i, (copy, r0) in where.items()},
        5: {i: rank_in_copy(layout, r0, copy, "cp") for i, (copy, r0) in where.items()},
    }[{2: 1, 3: 1, 6: 5, 7: 5}.get(step, step)]
    assert {i: int(tile.number or -1) for i, tile in tiles.items()} == expected, step
    assert all(tile.tint == where[i][0] % TINTS for i, tile in tiles.items())
    assert set(tiles) == set(range(n0 if step <= 2 else layout.world_size))
    boxes = [tile.box for tile in tiles.values()]
    assert len({(x, y) for x, y, *_ in boxes}) == len(boxes)  # no two in one place
    if step <= 2:
        assert [tile.place for tile in reading_order(list(tiles.values()))] == list(range(n0))
        check_labels(layout, drawn.labels, tiles)
        assert drawn.labels or n0 == 1
    elif step in (3, 6):
        first = [tiles[place].box for place in range(n0)]
        for copy in range(layout.cp):
            own = [tiles[copy * n0 + place].box for place in range(n0)]
            ways = {
                (round(a[0] - b[0]), round(a[1] - b[1])) for a, b in zip(own, first, strict=True)
            }
            assert len(ways) == 1  # each copy is the first one, moved
        corner = {i: tile.corner for i, tile in tiles.items()}
        if step == 6 and None not in corner.values():
            assert corner == {i: str(r0) for i, (_, r0) in where.items()}
    else:
        check_nodes(address, drawn.frames, tiles)
        for i, tile in tiles.items():
            assert tile.corner in (None, f"c{where[i][0]}")


@pytest.mark.parametrize("address", LAYOUTS, ids=write)
def test_numbers_and_places_at_each_step_are_the_models(
    open_derivation: OpenDerivation, address: Address
) -> None:
    page = open_derivation(write(address))
    words = steps_in_words(address.layout(), address.gpn, Words("en"))
    for step in IN_LEAPS[: 7 if address.cp > 1 else 2]:
        page.go(step)
        check_step(page, address, step)
        assert page.title == f"{step}. {words[step - 1]['title']}"
        said = words[step - 1]["caption"].replace("\u00a0", " ")
        assert page.caption.replace("\u00a0", " ") == said


def test_all_orders_of_one_job(open_derivation: OpenDerivation) -> None:
    page = open_derivation("tp=3&step=5", reduced_motion="reduce")
    for order in permutations(DENSE_AXES):
        address = Address(tp=3, order="-".join(order), step=5)
        page.page.get_by_label("Order", exact=True).select_option(address.order)
        page.explorer.wait_for_query(write(address))
        page.rest(5)
        check_step(page, address, 5)
        page.seek(page.length)
        check_step(page, address, 7)
        layout = address.layout()
        for axis in DENSE_AXES:
            assert page.groups(axis) == [
                f"#{index} {bracketed(group)}"
                for index, group in enumerate(layout.groups(axis).tolist())
            ]
        page.go(5)


def test_hovering_lights_the_images_and_gives_both_numbers(open_derivation: OpenDerivation) -> None:
    address = Address(tp=2, cp=3, dp=2, pp=2, step=6)
    page = open_derivation(write(address))
    layout = address.layout()
    n0 = layout.world_size // layout.cp
    for index in (0, 7, 13, 23):
        page.hover(index)
        copy, r0 = divmod(index, n0)
        rank = rank_in_copy(layout, r0, copy, "cp")
        group = layout.group_of(rank, "cp").tolist()
        lit = {tile.place: (tile.lit, tile.number, tile.corner) for tile in page.tiles().values()}
        for other in range(layout.cp):
            kind = "self" if other == copy else "cp"
            assert lit[other * n0 + r0] == (kind, str(group[other]), str(r0))
        assert sum(kind is not None for kind, *_ in lit.values()) == layout.cp
        assert f"Position r0 = {r0} in every copy" in page.sentence and str(group) in page.sentence
        current = page.page.locator(".ra-list.ra-edge-cp li[aria-current]").inner_text()
        assert current == f"#{layout.group_index_of(rank, 'cp')} {group}"


def test_at_the_first_step_the_weight_copy_is_outlined(open_derivation: OpenDerivation) -> None:
    page = open_derivation("tp=2&dp=3&pp=2&order=tp-dp-cp-pp")
    without = Layout(tp=2, dp=3, pp=2, order="tp-dp-pp")
    for r0 in range(12):
        page.hover(r0)
        holding = without.group_of(r0, "tp", "pp").tolist()
        assert {t.place for t in page.tiles().values() if t.lit} == set(holding)
        assert f"Its weight copy: {holding}." in page.sentence


def test_at_the_last_step_all_peers_are_lit(open_derivation: OpenDerivation) -> None:
    address = Address(tp=2, cp=3, dp=2, pp=2, order="tp-dp-cp-pp", step=7)
    page = open_derivation(write(address))
    layout = address.layout()
    for index in (3, 20):
        page.hover(index)
        tiles = page.tiles()
        rank = int(tiles[index].number or -1)
        for axis in DENSE_AXES:
            lit = sorted(int(t.number or -1) for t in tiles.values() if t.lit == axis)
            assert lit == [peer for peer in layout.group_of(rank, axis).tolist() if peer != rank]


def test_the_formula_shows_the_digits_before_and_after(open_derivation: OpenDerivation) -> None:
    page = open_derivation("tp=4&cp=3&dp=2&pp=2&step=5")
    page.hover(2 * 16 + 13)  # copy 2, r0 = 13 = PP 1, DP 1, TP 1
    assert page.page.locator(".ra-before").inner_text().split() == (
        ["r0", "=", "13", "PP", "1", "×8", "DP", "1", "×4", "TP", "1", "×1"]
    )
    assert page.page.locator(".ra-after").inner_text().split() == (
        ["r", "=", "45", "PP", "1", "×24", "DP", "1", "×12", "CP", "2", "×4", "TP", "1", "×1"]
    )
    assert "r = (13 // 4)·4·3 + 2·4 + (13 mod 4) = 45." in page.sentence
    page.go(4)
    page.hover(2 * 16 + 13)
    assert page.page.locator(".ra-after").inner_text().split() == (
        ["r", "=", "45", "CP", "2", "×16", "PP", "1", "×8", "DP", "1", "×4", "TP", "1", "×1"]
    )
    assert "r = 2·16 + 13 = 45. CP group in this numbering: [13, 29, 45]." in page.sentence


def test_a_time_shows_the_same_however_it_was_reached(open_derivation: OpenDerivation) -> None:
    page = open_derivation("cp=3")
    times = [share * page.length for share in (0.05, 0.21, 0.29, 0.42, 0.61, 0.78, 0.83, 0.97)]
    there = []
    for time in times:
        page.seek(time)
        there.append(page.read())
    for time, before in reversed(list(zip(times, there, strict=True))):
        page.seek(time)
        assert page.read() == before
    page.page.reload()
    page.explorer.settle()
    page.seek(times[4])
    assert page.read() == there[4]
    assert there[4] != there[3]


def test_playing_needs_no_server_and_ends_in_the_link(open_derivation: OpenDerivation) -> None:
    page = open_derivation("cp=3&dp=1", fresh=True)
    sent: list[object] = []
    page.page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame))
    )
    page.page.reload()
    page.explorer.settle()
    page.page.get_by_label("Speed").select_option("4")
    page.seek(page.length * 0.55)
    page.page.wait_for_timeout(1000)
    sent.clear()
    page.page.get_by_role("button", name="Play", exact=True).click()
    page.page.wait_for_function(
        "() => document.querySelector('.ra-derivation').dataset.step === '6'"
    )
    assert sent == [] and "step=6" not in page.explorer.query
    page.rest(7)
    assert page.explorer.query == "cp=3&dp=1&step=7" and sent
    check_step(page, Address(cp=3, dp=1), 7)
    page.page.get_by_role("button", name="Play again").click()
    page.page.wait_for_function(
        "() => document.querySelector('.ra-derivation').dataset.step === '1'"
    )
    page.page.get_by_role("button", name="Pause").click()
    page.rest(1)


def test_keys_play_step_and_point_and_let_the_reader_go(open_derivation: OpenDerivation) -> None:
    page = open_derivation("dp=1", fresh=True)
    page.stage.focus()
    keyboard = page.page.keyboard
    keyboard.press("ArrowRight")
    page.rest(2)
    keyboard.press("End")
    page.rest(7)
    keyboard.press("ArrowLeft")
    page.rest(6)
    keyboard.press("Home")
    page.rest(1)
    keyboard.press("Space")
    expect(page.page.get_by_role("button", name="Pause")).to_be_visible()
    keyboard.press("Space")
    expect(page.page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    keyboard.press("End")
    page.rest(7)
    keyboard.press("Home")
    page.rest(1)
    keyboard.press("Shift+ArrowRight")
    assert page.sentence.startswith("r0 = 2:")  # the example is r0 = 1
    keyboard.press("End")
    page.rest(7)
    before = page.sentence
    keyboard.press("Shift+ArrowRight")
    assert page.sentence != before
    assert page.page.locator(".ra-derivation .ra-spoken").inner_text() == page.sentence
    rank = re.match(r"Rank (\d+)", page.sentence)
    assert rank
    keyboard.press("Enter")
    page.explorer.wait_for_query(f"dp=1&pin={rank[1]}&step=7")
    keyboard.press("Tab")  # the stage lets go
    assert not page.stage.evaluate("(stage) => stage.contains(document.activeElement)")
    keyboard.press("ArrowLeft")
    assert page.step == 7


def test_without_motion_a_step_is_there_at_once(open_derivation: OpenDerivation) -> None:
    page = open_derivation("", reduced_motion="reduce")
    rests = []
    for step in range(1, 8):
        page.go(step)
        rests.append(page.read())
    for share in (0.05, 0.31, 0.45, 0.62, 0.9):
        page.seek(share * page.length)
        assert page.tiles() == rests[page.step - 1].tiles


def test_step_pin_and_degrees_are_kept_on_every_way(open_derivation: OpenDerivation) -> None:
    page = open_derivation("tp=4&pin=9&step=5", fresh=True)
    explorer = page.explorer
    check_step(page, Address(tp=4), 5)
    explorer.slide("CP context, common values", "ArrowRight")
    explorer.wait_for_query("tp=4&cp=3&pin=9&step=5")
    page.rest(5)
    check_step(page, Address(tp=4, cp=3), 5)
    assert "= 9." in page.sentence
    explorer.page.get_by_role("link", name="Explorer", exact=True).click()
    explorer.page.wait_for_selector(".ra-picture")
    explorer.wait_for_query("tp=4&cp=3&pin=9&step=5")
    assert explorer.card(".ra-card-title") == "Rank 9"
    explorer.page.go_back()
    explorer.page.wait_for_selector(".ra-stage")
    page.rest(5)
    check_step(page, Address(tp=4, cp=3), 5)
    explorer.page.reload()
    explorer.settle()
    page.rest(5)
    explorer.page.get_by_role("link", name="Open this layout in the Explorer").click()
    explorer.page.wait_for_selector(".ra-picture")
    explorer.wait_for_query("tp=4&cp=3&pin=9&step=5")


def test_another_order_plays_the_flight_again(open_derivation: OpenDerivation) -> None:
    page = open_derivation("step=7")
    page.page.evaluate(
        """() => {
            window.steps = [];
            new MutationObserver(() => steps.push(document.querySelector(".ra-derivation").dataset.step))
                .observe(document.querySelector(".ra-derivation"), { attributeFilter: ["data-step"] });
        }"""
    )
    page.page.get_by_label("Order", exact=True).select_option("cp-tp-dp-pp")
    page.explorer.wait_for_query("order=cp-tp-dp-pp&step=7")
    page.page.wait_for_function("() => steps.includes('5') && steps.at(-1) === '7'")
    page.rest(7)
    check_step(page, Address(order="cp-tp-dp-pp"), 7)
    assert "a comb" in page.caption


def test_what_interrupts_a_replay_decides_where_it_ends(open_derivation: OpenDerivation) -> None:
    page = open_derivation("step=7", fresh=True)
    order = page.page.get_by_label("Order", exact=True)

    def replay(to: str) -> None:
        order.select_option(to)
        page.page.wait_for_function(
            "() => document.querySelector('.ra-derivation').dataset.step === '5'"
        )
        page.page.wait_for_timeout(300)

    replay("tp-dp-cp-pp")
    replay("pp-tp-cp-dp")  # another one on the way: still back to 7
    page.rest(7)
    assert page.explorer.query == "order=pp-tp-cp-dp&step=7"
    replay("tp-cp-pp-dp")
    page.explorer.set_degree("tp", 3)
    page.rest(7)
    check_step(page, Address(tp=3, order="tp-cp-pp-dp"), 7)
    replay("tp-dp-cp-pp")
    page.go(2)
    page.go(6)
    page.go(5)  # one step back, played backwards
    page.page.wait_for_timeout(500)
    assert page.step == 5 and "step=5" in page.explorer.query


def test_cp_1_and_back_keeps_the_step(open_derivation: OpenDerivation) -> None:
    page = open_derivation("step=6")
    page.explorer.set_degree("cp", 1)
    assert page.step == 2 and page.explorer.query == "cp=1&step=6"
    page.explorer.set_degree("cp", 3)
    page.rest(6)
    check_step(page, Address(cp=3), 6)


def test_a_change_while_it_plays_plays_on(open_derivation: OpenDerivation) -> None:
    page = open_derivation("step=2", fresh=True)
    page.page.get_by_label("Speed").select_option("4")
    page.page.get_by_role("button", name="Play", exact=True).click()
    page.page.wait_for_function(
        "() => document.querySelector('.ra-derivation').dataset.step === '3'"
    )
    page.explorer.slide("TP tensor, common values", "ArrowRight")
    assert page.page.locator(".ra-button-play").get_attribute("data-name") == "pause"
    page.page.wait_for_function(
        "() => document.querySelector('.ra-derivation').dataset.step === '6'"
    )
    page.page.get_by_label("Order", exact=True).select_option("cp-tp-dp-pp")  # step 5 again, and on
    page.rest(7)
    check_step(page, Address(tp=3, order="cp-tp-dp-pp"), 7)


def test_a_pin_that_is_not_drawn_is_said_to_be(open_derivation: OpenDerivation) -> None:
    page = open_derivation("tp=8&cp=4&dp=16&pp=4&pin=2000&step=7")
    assert page.sentence.startswith("Rank 2000 is outside the picture.")


def test_the_marked_group_is_in_view(open_derivation: OpenDerivation) -> None:
    page = open_derivation("tp=8&cp=4&dp=4&pp=4&pin=500&step=6")
    marked = page.page.locator(".ra-list.ra-edge-cp li[aria-current]")
    inner, outer = marked.bounding_box(), page.page.locator(".ra-list.ra-edge-cp ol").bounding_box()
    assert inner and outer and marked.inner_text().startswith("#124 ")
    assert outer["y"] <= inner["y"] and inner["y"] + inner["height"] <= outer["y"] + outer["height"]
    assert outer["x"] <= inner["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"]


def test_with_cp_1_two_steps_and_an_offer(open_derivation: OpenDerivation) -> None:
    page = open_derivation("cp=1&step=6")
    assert page.step == 2 and page.page.locator(".ra-step").count() == 2
    page.page.get_by_role("button", name="Set CP to 2").click()
    page.rest(3)
    check_step(page, Address(), 3)


def test_of_a_large_job_a_part_with_its_true_numbers(open_derivation: OpenDerivation) -> None:
    layout = Layout(tp=8, cp=16, dp=8, pp=16)
    page = open_derivation("tp=8&cp=16&dp=8&pp=16&step=7")
    tiles = page.tiles()
    assert len(tiles) == 256
    assert page.page.get_by_text("Of the job’s 16,384 GPUs at most 256 are drawn").is_visible()
    part = excerpt_of(layout.grid, most=256)
    assert {int(tile.number or -1) for tile in tiles.values()} == set(part.ranks.tolist())
    found = set()
    for index in range(0, 256, 37):
        page.hover(index)
        rank = re.match(r"Rank (\d+): copy (\d+), position r0 = (\d+)", page.sentence)
        assert rank
        number, copy, r0 = map(int, rank.groups())
        assert rank_in_copy(layout, r0, copy, "cp") == number
        assert number in part.ranks
        found.add(number)
    assert len(found) == 7
    listed = [int(line.split()[0].removeprefix("#")) for line in page.groups("cp")]
    assert listed == sorted({int(layout.group_index_of(int(r), "cp")) for r in part.ranks})


def test_a_tap_pins_a_tile(open_derivation: OpenDerivation) -> None:
    page = open_derivation("step=5", width=390, height=844, has_touch=True, is_mobile=True)
    page.page.locator(".ra-tile[data-tile='3'] rect").tap()
    page.explorer.wait_for_query("pin=5&step=5")
    assert "position r0 = 3" in page.sentence
    widths = page.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]


@pytest.mark.parametrize("step", [1, 4, 6])
def test_a_step_can_be_taken_away_as_svg(
    open_derivation: OpenDerivation, tmp_path: Path, step: int
) -> None:
    page = open_derivation(f"step={step}")
    with page.page.expect_download() as download:
        page.page.get_by_role("button", name="Picture of this step (SVG)").click()
    assert download.value.suggested_filename == f"rank-atlas-step-{step}.svg"
    download.value.save_as(tmp_path / "step.svg")
    text = (tmp_path / "step.svg").read_text("utf-8")
    root = ET.fromstring(text)
    written = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    numbers = {tile.number for tile in page.tiles().values()}
    assert numbers <= set(written) and page.title in written and page.explorer.headline in written
    for foreign in ("var(", "class=", "href", "color("):
        assert foreign not in text


@pytest.mark.parametrize(
    ("query", "width"), [("cp=3", 360), ("cp=3&dp=5&pp=3", 360), ("tp=8&cp=4&dp=4&pp=4", 900)]
)
def test_an_embed_is_the_stage_and_its_bar(
    open_derivation: OpenDerivation, query: str, width: int
) -> None:
    page = open_derivation(f"{query}&step=5&embed=true", width=width, height=EMBED_HEIGHT)
    for gone in (".ra-foot", ".ra-lists", ".ra-derive-keys", "[data-testid=stSidebar]"):
        expect(page.page.locator(gone).first).to_be_hidden()
    for step, wide in ((7, width), (6, width + 140), (4, width)):
        page.page.set_viewport_size({"width": wide, "height": EMBED_HEIGHT})
        page.go(step)
        reach = page.page.evaluate(
            """() => { const main = document.querySelector("[data-testid=stMain]");
                const end = document.querySelector("[data-testid=stMainBlockContainer]");
                return [main.scrollWidth, end.getBoundingClientRect().bottom]; }"""
        )
        assert reach[0] <= wide and reach[1] <= EMBED_HEIGHT, (step, reach)
    target = page.page.get_by_role("link", name="Open in Rank Atlas").evaluate(
        "(link) => link.href"
    )
    assert target.split("/")[-1] == f"derivation?{query}&step=4"
    assert violations(page.page) == []


def test_the_stage_does_not_move_from_step_to_step(open_derivation: OpenDerivation) -> None:
    page = open_derivation("tp=4&cp=3")
    places = set()
    for step in IN_LEAPS:
        page.go(step)
        box = page.stage.bounding_box()
        assert box
        places.add((round(box["y"]), round(box["height"])))
    assert len(places) == 1
