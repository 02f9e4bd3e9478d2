"""What the derivation says: its sentences, against the groups themselves."""

import re
from itertools import permutations

import pytest
from streamlit.testing.v1 import AppTest

from assets.text import Words
from layout import DENSE_AXES, Layout, excerpt_of, objection_to_order, rank_in_copy
from pages.derivation import bracketed, part_in_words, steps_in_words
from tests.test_pages import components, one_page, run, words_on

WORDS = Words("en")
ORDERS = ["-".join(order) for order in permutations(DENSE_AXES)]
DEGREES = [(2, 2, 2, 2), (4, 3, 1, 2), (1, 5, 2, 1), (3, 2, 5, 7), (1, 7, 1, 1), (2, 2, 3, 1)]


def captions(layout: Layout, gpus_per_node: int = 8) -> list[str]:
    steps = steps_in_words(layout, gpus_per_node, WORDS)
    return [step["caption"].replace("\u00a0", " ") for step in steps]


def test_sixteen_gpus_are_the_source_texts_example() -> None:
    first, second, third, fourth, fifth, sixth, last = captions(Layout(tp=2, cp=2, dp=2, pp=2))
    assert "N0 = tp·dp·pp = 2 × 2 × 2 = 8 GPUs, numbered r0 = 0 to 7 in the order tp-dp-pp" in first
    assert "tp·pp = 4 GPUs hold the dense weights once" in first and "dp = 2 weight copies" in first
    assert "2·cp = 4 chunks" in second and "takes chunks i and 3 − i" in second
    assert "dp·cp = 4 weight copies" in third and "tp·cp·pp = 8 GPUs of one TP×CP×PP" in third
    assert "The CP groups come out as [0, 8], [1, 9] and so on." in fourth
    assert "the order tp-dp-pp-cp, but a different one from tp-cp-dp-pp" in fourth
    assert "Megatron would not start with it" in fourth and "8 ranks apart" in fourth
    assert "Each of the 8 CP groups spans 2 nodes." in fourth
    assert "place value s = 2" in fifth
    assert "Each of the 8 CP groups stays inside one node." in fifth
    assert "8 groups of 2 ranks" in sixth
    assert "neighbours are s = 2 apart, first and last (C − 1)·s = 2" in sixth
    assert "a run of s = 2 consecutive ranks in every s·C = 4" in last
    assert "cp is slower than TP and faster than DP and PP" in last


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("degrees", DEGREES)
def test_every_number_in_the_captions_is_the_models(order: str, degrees: tuple[int, ...]) -> None:
    layout = Layout(**dict(zip(DENSE_AXES, degrees, strict=True)), order=order)
    n0, cp = layout.world_size // layout.cp, layout.cp
    first, second, _, fourth, fifth, sixth, last = captions(layout)
    if n0 > 1:
        assert f"{n0} GPUs" in first and f"numbered r0 = 0 to {n0 - 1}" in first
    assert f"2·cp = {2 * cp} chunks" in second

    end_to_end = Layout(
        **{axis: layout.degree_of(axis) for axis in DENSE_AXES},
        order="-".join([*(axis for axis in layout.axes if axis != "cp"), "cp"]),
    )
    assert bracketed(end_to_end.groups("cp")[0].tolist()) in fourth
    ranks = [rank_in_copy(end_to_end, 0, copy, "cp") for copy in range(cp)]
    assert ranks == [copy * n0 for copy in range(cp)]
    assert f"N0 = {n0} ranks apart" in fourth or n0 == 1
    refused = objection_to_order(end_to_end) is not None
    assert ("would not start with it" in fourth or "would start with neither" in fourth) == refused
    assert ("Megatron accepts it" in fourth) != refused
    both = refused and objection_to_order(layout) is not None
    assert ("neither" in fourth) == (both and layout.axes[-1] != "cp" and "already" not in fourth)
    same = layout.groups("cp").tolist() == end_to_end.groups("cp").tolist()
    assert ("already the layout that you set" in fourth) == (same and n0 > 1)
    assert ("nothing moves" in fifth) == same

    group = layout.group_of(0, "cp").tolist()
    assert f"neighbours are s = {group[1] - group[0]} apart" in sixth
    assert f"(C − 1)·s = {group[-1]}" in sixth
    assert ("would not start" in sixth) == (objection_to_order(layout) is not None)
    shape = re.search(r"one contiguous block|a comb|interleaved|a single rank", last)
    assert shape
    copy_0 = sorted(rank_in_copy(layout, position, 0, "cp") for position in range(n0))
    kinds = {
        "a single rank": n0 == 1,
        "one contiguous block": copy_0 == list(range(n0)) and n0 > 1,
        "a comb": copy_0 == list(range(0, layout.world_size, cp)) and n0 > 1,
    }
    assert kinds.get(shape[0], not any(kinds.values()))


def test_an_order_without_tp_is_said_to_be_refused_where_it_is_the_readers() -> None:
    own, last = (captions(Layout(cp=2, dp=2, order=order)) for order in ("cp-dp", "dp-cp"))
    assert "Megatron accepts it" in own[3]  # the copies end to end name tp
    assert "leaves out tp" in last[3] and "accepts" not in last[3]  # the reader's own order
    assert "leaves out tp" in own[5] and "leaves out tp" in last[5]


def test_the_title_says_whose_way_it_is() -> None:
    titles = [
        steps_in_words(Layout(tp=2, cp=2, pp=2, order=order), 8, WORDS)[4]["title"]
        for order in ("tp-cp-ep-dp-pp", "tp-cp-dp-pp", "tp-cp-pp-dp")
    ]
    assert titles[0] == titles[1] == "Number the ranks: Megatron’s way" != titles[2]


def test_of_a_large_job_it_is_said_which_part_is_drawn() -> None:
    part = excerpt_of(Layout(tp=8, cp=16, dp=8, pp=16).grid, most=512)
    said = part_in_words(part, WORDS)
    assert (
        "Of the job’s 16,384 GPUs at most 512 are drawn" in said
        and "DP 0–1 of 0–7, PP 0–1 of 0–15" in said
    )


def page(query: str) -> AppTest:
    app = AppTest.from_function(one_page, kwargs={"name": "derivation"}, default_timeout=20)
    for part in query.split("&"):
        name, value = part.split("=")
        app.query_params[name] = value
    return app.run()


def test_with_cp_1_the_offer_stays_within_the_world_where_it_can() -> None:
    for query, after in (("cp=1&world=16", (2, 2, 16)), ("cp=1&world=12", (2, 3, None))):
        app = page(query)
        (offer,) = [button for button in app.button if button.label == "Set CP to 2"]
        offer.click().run()
        assert not app.exception and not app.warning
        shown = components(app)["derivation"]
        degrees = dict(zip(shown["axes"], shown["sizes"], strict=True))
        world = app.session_state["visit"].address.world
        assert (degrees["cp"], degrees["dp"], world) == after, query
        assert shown["step"] == 3


def test_a_step_that_is_none_is_named() -> None:
    for wrong in ("0", "8", "x", "-1"):
        (warning,) = run(f"step={wrong}").warning
        assert "(now 1)" in warning.value


def test_what_makes_no_layout_is_said_here_too() -> None:
    app = page("world=16&tp=3")
    assert not app.exception
    assert "does not divide a world of 16" in app.warning[0].value
    assert "make no layout" in words_on(app)


@pytest.mark.parametrize("query", ["tp=4194304&cp=1&dp=1&pp=1", "cp=4194304&tp=1&dp=1&pp=1"])
def test_the_largest_worlds_are_drawn_in_part(query: str) -> None:
    app = page(query)
    assert not app.exception
    assert sorted(components(app)["derivation"]["shown"]) == [1, 1, 1, 256]
