"""Coordinates, ranks and groups: cases to check by eye, then properties, then what is refused."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import permutations
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layout import (
    DENSE_AXES,
    MAX_WORLD_SIZE,
    MEGATRON_ORDER,
    Experts,
    Grid,
    Job,
    Layout,
    LayoutError,
    Part,
    copy_and_position,
    crossing,
    group_of_key,
    groups_of_key,
    node_of,
    rank_in_copy,
    report_of,
)
from layout.errors import SENTENCES, one_line
from tests import reference

ALL_ORDERS = ["-".join(order) for order in permutations(DENSE_AXES)]
SIXTEEN = Layout(tp=2, cp=2, dp=2, pp=2)


def kinds() -> list[tuple[str, ...]]:
    """Every set of dense axes, the empty one too, each in one writing."""
    chosen = [[axis for i, axis in enumerate(DENSE_AXES) if bits >> i & 1] for bits in range(16)]
    return [tuple(axes) for axes in chosen]


# --------------------------------------------------------------------------- by eye


def test_leftmost_axis_has_stride_one() -> None:
    assert [SIXTEEN.stride_of(axis) for axis in ("tp", "cp", "dp", "pp")] == [1, 2, 4, 8]
    assert Layout(tp=2, cp=3, dp=5, pp=7, order="pp-dp-cp-tp").stride_of("pp") == 1
    assert Layout(tp=2, cp=3, dp=5, pp=7, order="pp-dp-cp-tp").stride_of("tp") == 7 * 5 * 3


def test_sixteen_ranks_in_megatrons_order() -> None:
    """The grid, one pipeline stage after the other; within one, tp grows to the right.

                pp=0             pp=1
             tp=0 tp=1        tp=0 tp=1
    dp=0 cp=0   0    1           8    9
         cp=1   2    3          10   11
    dp=1 cp=0   4    5          12   13
         cp=1   6    7          14   15
    """
    groups = {key: groups_of_key(SIXTEEN, key).tolist() for key in DENSE_AXES}
    assert groups["tp"] == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11], [12, 13], [14, 15]]
    assert groups["cp"] == [
        [0, 2],  # tp=0, dp=0, pp=0
        [1, 3],  # tp=1, dp=0, pp=0
        [4, 6],  # tp=0, dp=1, pp=0
        [5, 7],
        [8, 10],  # tp=0, dp=0, pp=1
        [9, 11],
        [12, 14],
        [13, 15],
    ]
    assert groups["dp"] == [[0, 4], [1, 5], [2, 6], [3, 7], [8, 12], [9, 13], [10, 14], [11, 15]]
    assert groups["pp"] == [[0, 8], [1, 9], [2, 10], [3, 11], [4, 12], [5, 13], [6, 14], [7, 15]]


@pytest.mark.parametrize(
    ("axes", "groups"),
    [
        (("tp", "pp"), [[0, 1, 8, 9], [2, 3, 10, 11], [4, 5, 12, 13], [6, 7, 14, 15]]),
        (("dp", "cp"), [[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14], [9, 11, 13, 15]]),
        (("tp", "cp"), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]),
        (("tp", "cp", "pp"), [[0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]]),
        (("tp", "dp", "pp"), [[0, 1, 4, 5, 8, 9, 12, 13], [2, 3, 6, 7, 10, 11, 14, 15]]),
        (("tp", "cp", "dp", "pp"), [list(range(16))]),
        ((), [[rank] for rank in range(16)]),
    ],
)
def test_sixteen_ranks_along_several_axes(axes: tuple[str, ...], groups: list[list[int]]) -> None:
    assert SIXTEEN.groups(*axes).tolist() == groups
    assert SIXTEEN.groups(*reversed(axes)).tolist() == groups, "naming order makes no difference"


def test_rank_13_and_its_groups() -> None:
    assert SIXTEEN.coordinate_of(13) == {"tp": 1, "cp": 0, "dp": 1, "pp": 1}
    assert SIXTEEN.rank_at({"pp": 1, "dp": 1, "cp": 0, "tp": 1}) == 13
    found = {
        axis: (SIXTEEN.group_index_of(13, axis), SIXTEEN.group_of(13, axis).tolist())
        for axis in DENSE_AXES
    }
    assert found == {
        "tp": (6, [12, 13]),
        "cp": (7, [13, 15]),
        "dp": (5, [9, 13]),
        "pp": (5, [5, 13]),
    }


def test_pipeline_before_data_as_llama_3_has_it() -> None:
    layout = Layout(tp=2, cp=2, dp=2, pp=2, order="tp-cp-pp-dp")
    assert layout.groups("tp").tolist() == SIXTEEN.groups("tp").tolist()
    assert layout.groups("cp").tolist() == SIXTEEN.groups("cp").tolist()
    assert layout.groups("pp").tolist()[:5] == [[0, 4], [1, 5], [2, 6], [3, 7], [8, 12]]
    assert layout.groups("dp").tolist() == [[i, i + 8] for i in range(8)]
    assert layout.groups("tp", "pp").tolist()[:2] == [[0, 1, 4, 5], [2, 3, 6, 7]]
    assert layout.groups("tp", "dp", "pp").tolist() == SIXTEEN.groups("tp", "dp", "pp").tolist()
    assert SIXTEEN.coordinate_of(6) == {"tp": 0, "cp": 1, "dp": 1, "pp": 0}
    assert layout.coordinate_of(6) == {"tp": 0, "cp": 1, "dp": 0, "pp": 1}


def test_degrees_that_are_no_powers_of_two() -> None:
    layout = Layout(tp=2, cp=3, dp=2, pp=2)
    assert layout.world_size == 24
    assert layout.groups("cp").tolist()[:4] == [[0, 2, 4], [1, 3, 5], [6, 8, 10], [7, 9, 11]]
    assert layout.groups("dp").tolist()[0] == [0, 6]
    assert layout.groups("pp").tolist()[0] == [0, 12]
    assert layout.groups("tp", "dp", "pp").tolist() == [
        [0, 1, 6, 7, 12, 13, 18, 19],  # cp=0
        [2, 3, 8, 9, 14, 15, 20, 21],  # cp=1
        [4, 5, 10, 11, 16, 17, 22, 23],  # cp=2
    ]


def test_thirty_two_ranks() -> None:
    layout = Layout(tp=4, cp=2, dp=2, pp=2)
    assert layout.world_size == 32
    assert layout.groups("cp").tolist()[:5] == [[0, 4], [1, 5], [2, 6], [3, 7], [8, 12]]
    assert layout.groups("dp").tolist()[0] == [0, 8]
    assert layout.groups("pp").tolist()[0] == [0, 16]


@pytest.mark.parametrize(
    ("etp", "ep", "groups"),
    [
        (1, 2, {"ep": [[0, 1]], "dp": [[0, 2, 4, 6], [1, 3, 5, 7]]}),
        (1, 4, {"ep": [[0, 1, 2, 3]], "dp": [[0, 4], [1, 5]]}),
        (1, 8, {"ep": [list(range(8)), list(range(8, 16))]}),
        (2, 2, {"tp": [[0, 1]], "ep": [[0, 2], [1, 3], [4, 6]], "dp": [[0, 4]]}),
    ],
)
def test_experts_are_a_second_grid_over_the_same_ranks(
    etp: int, ep: int, groups: dict[str, list[list[int]]]
) -> None:
    """In the expert grid "tp" and "dp" are ETP and EDP; it has ep in the place of cp."""
    experts = Grid(axes=("tp", "ep", "dp", "pp"), sizes=(etp, ep, 8 // (etp * ep), 2))
    assert experts.world_size == SIXTEEN.world_size
    assert experts.groups("pp").tolist() == SIXTEEN.groups("pp").tolist()
    for axis, begin in groups.items():
        assert experts.groups(axis).tolist()[: len(begin)] == begin


def test_only_one_order_gives_all_of_these_groups() -> None:
    kinds_shown = [("tp",), ("cp",), ("dp",), ("pp",), ("tp", "pp"), ("tp", "dp", "pp")]
    same = [
        order
        for order in ALL_ORDERS
        if all(
            np.array_equal(SIXTEEN.with_(order=order).groups(*axes), SIXTEEN.groups(*axes))
            for axes in kinds_shown
        )
    ]
    assert same == ["tp-cp-dp-pp"]


def test_embeddings_sit_at_the_ends_of_each_pipeline() -> None:
    layout = Layout(tp=2, pp=4)  # pipelines 0 2 4 6 and 1 3 5 7
    assert layout.embedding_groups().tolist() == [[0, 6], [1, 7]]
    assert layout.position_embedding_groups().tolist() == [[0], [1]]
    assert groups_of_key(layout, "embd").tolist() == [[0, 6], [1, 7]]
    assert groups_of_key(layout, "pos_embd").tolist() == [[0], [1]]
    for rank in range(8):
        row = [rank % 2, [rank % 2, rank % 2 + 6]]
        found = group_of_key(layout, rank, "embd")
        assert (found and [found[0], found[1].tolist()]) == (row if rank in (0, 1, 6, 7) else None)
        assert (group_of_key(layout, rank, "pos_embd") is None) == (rank > 1)
    one_stage = Layout(tp=2, dp=2)
    assert one_stage.embedding_groups().tolist() == [[0], [1], [2], [3]]
    assert one_stage.position_embedding_groups().tolist() == [[0], [1], [2], [3]]


def test_a_layout_that_says_nothing_is_one_rank() -> None:
    layout = Layout()
    assert layout.world_size == 1
    assert layout.coordinate_of(0) == {"tp": 0, "cp": 0, "dp": 0, "pp": 0}
    assert layout.groups("tp").tolist() == [[0]]


def test_the_order_may_name_ep_and_leave_out_axes_of_degree_one() -> None:
    assert Layout(tp=2, dp=2, order="tp-dp").axes == ("tp", "dp", "pp", "cp")
    assert Layout(tp=2, dp=2, order="dp-tp").groups("dp").tolist() == [[0, 1], [2, 3]]
    assert Layout(tp=2, dp=2, order="dp-ep-tp").axes == ("dp", "tp", "pp", "cp")
    assert Layout(order="pp").axes == ("pp", "tp", "dp", "cp")
    assert SIXTEEN.with_(order=MEGATRON_ORDER) == SIXTEEN


def test_a_layout_keeps_the_order_as_it_was_written_but_for_case() -> None:
    layout = Layout(tp=2, dp=4, order="TP-CP-EP-DP-PP")
    assert repr(layout) == "Layout(tp=2, cp=1, dp=4, pp=1, order='tp-cp-ep-dp-pp')"
    assert layout == Layout(tp=2, dp=4)
    assert hash(layout) == hash(Layout(tp=2, dp=4))
    assert layout != Layout(tp=2, dp=4, order="dp-tp-cp-pp")


# ----------------------------------------------------------------------- properties


@st.composite
def layouts(draw: st.DrawFn, largest: int = 7) -> Layout:
    """Any degrees, primes included, in any order, written in any way that the order may be."""
    degrees = {axis: draw(st.integers(1, largest)) for axis in DENSE_AXES}
    words = draw(st.permutations(DENSE_AXES))
    words = [word for word in words if degrees[word] > 1 or draw(st.booleans())]
    if draw(st.booleans()):
        words.insert(draw(st.integers(0, len(words))), "ep")
    order = "-".join(words or ["tp"])
    return Layout(**degrees, order=order.upper() if draw(st.booleans()) else order)


some_axes = st.permutations(DENSE_AXES).flatmap(
    lambda axes: st.integers(0, 4).map(lambda count: tuple(axes[:count]))
)
many = settings(max_examples=100)


def sizes_of(layout: Layout) -> dict[str, int]:
    return {axis: layout.degree_of(axis) for axis in layout.axes}


@many
@given(layouts(), some_axes)
def test_groups_partition_the_world(layout: Layout, axes: tuple[str, ...]) -> None:
    groups = layout.groups(*axes)
    size = prod(layout.degree_of(axis) for axis in axes)
    assert groups.shape == (layout.world_size // size, size)
    assert sorted(groups.reshape(-1).tolist()) == list(range(layout.world_size))
    assert (np.diff(groups, axis=1) > 0).all(), "ranks ascend within a group"
    assert (np.diff(groups[:, 0]) > 0).all(), "groups stand in the order of their lowest rank"
    assert groups.dtype == np.int64


@many
@given(layouts())
def test_rank_at_undoes_coordinate_of(layout: Layout) -> None:
    ranks = np.arange(layout.world_size)
    coordinate = layout.coordinate_of(ranks)
    assert list(coordinate) == list(layout.axes)
    assert np.array_equal(layout.rank_at(coordinate), ranks)
    for axis, positions in coordinate.items():
        assert set(positions.tolist()) == set(range(layout.degree_of(axis)))


@many
@given(layouts(), some_axes)
def test_ranks_of_a_group_differ_only_on_the_named_axes(
    layout: Layout, axes: tuple[str, ...]
) -> None:
    coordinate = layout.coordinate_of(layout.groups(*axes))
    for axis, positions in coordinate.items():
        if axis not in axes:
            assert (positions == positions[:, :1]).all(), axis
    members = list(zip(*(coordinate[axis][-1].tolist() for axis in axes), strict=True))
    assert len(set(members)) == len(members), "no two members at one place"


@many
@given(layouts(), some_axes)
def test_the_group_of_a_rank_is_the_row_that_holds_it(
    layout: Layout, axes: tuple[str, ...]
) -> None:
    groups = layout.groups(*axes)
    ranks = np.arange(layout.world_size)
    rows = layout.group_index_of(ranks, *axes)
    assert np.array_equal(groups[rows], layout.group_of(ranks, *axes))
    assert (groups[rows] == ranks[:, np.newaxis]).sum() == layout.world_size
    assert np.array_equal(layout.grid.lowest_ranks(*axes), groups[:, 0])
    assert np.array_equal(layout.grid.steps_along(*axes), groups[0] - groups[0, 0])


@many
@given(layouts(), some_axes, st.data())
def test_many_ranks_at_once_are_as_one_by_one(
    layout: Layout, axes: tuple[str, ...], data: st.DataObject
) -> None:
    one = st.integers(0, layout.world_size - 1)
    listed = data.draw(st.lists(one, min_size=1, max_size=6))
    whole_type: Any = data.draw(st.sampled_from([np.int64, np.int32, np.uint16, np.uint64]))
    ranks = np.array(listed, dtype=whole_type).reshape(1, -1)
    coordinate = layout.coordinate_of(ranks)
    rows, groups = layout.group_index_of(ranks, *axes), layout.group_of(ranks, *axes)
    assert groups.shape[:2] == rows.shape == ranks.shape
    for i, rank in enumerate(listed):
        alone = layout.coordinate_of(rank)
        assert {axis: positions[0, i] for axis, positions in coordinate.items()} == alone
        assert all(type(position) is int for position in alone.values())
        assert layout.rank_at(alone) == rank
        assert rows[0, i] == layout.group_index_of(rank, *axes)
        assert type(layout.group_index_of(rank, *axes)) is int
        assert groups[0, i].tolist() == layout.group_of(rank, *axes).tolist()
        # NumPy's own whole numbers are whole numbers too.
        assert layout.coordinate_of(whole_type(rank)) == alone
        assert type(layout.group_index_of(whole_type(rank), *axes)) is int


@settings(max_examples=60)
@given(layouts(largest=5))
def test_slow_and_obvious_counting_agrees(layout: Layout) -> None:
    sizes = sizes_of(layout)
    ranks = range(layout.world_size)
    assert [layout.coordinate_of(rank) for rank in ranks] == reference.coordinates(sizes)
    for axes in kinds():
        assert layout.groups(*axes).tolist() == reference.groups(sizes, axes)


@pytest.mark.parametrize("order", ALL_ORDERS)
def test_every_order_agrees_with_slow_counting(order: str) -> None:
    for degrees in ((2, 3, 5, 7), (3, 1, 4, 2), (1, 1, 1, 6)):
        layout = Layout(**dict(zip(DENSE_AXES, degrees, strict=True)), order=order)
        assert layout.axes == tuple(order.split("-"))
        for axes in kinds():
            assert layout.groups(*axes).tolist() == reference.groups(sizes_of(layout), axes)


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=5),
    st.integers(0, 1000),
    st.integers(0, 31),
)
@many
def test_a_grid_may_begin_at_any_rank(sizes: list[int], first: int, bits: int) -> None:
    """A window of a larger world: the same groups, every rank `first` higher."""
    axes = tuple("abcde"[: len(sizes)])
    grid = Grid(axes=axes, sizes=tuple(sizes), first_rank=first)
    along = [axis for i, axis in enumerate(axes) if bits >> i & 1]
    groups = reference.groups(dict(zip(axes, sizes, strict=True)), along, first=first)
    assert grid.groups(*along).tolist() == groups
    assert grid.lowest_ranks(*along).tolist() == [group[0] for group in groups]
    for row, group in enumerate(groups[:5]):
        assert grid.group_of(group[-1], *along).tolist() == group
        assert grid.group_index_of(group[-1], *along) == row
        assert grid.rank_at(grid.coordinate_of(group[-1])) == group[-1]
    for outside in (first - 1, first + grid.world_size):
        with pytest.raises(LayoutError, match=str(outside)):
            grid.coordinate_of(outside)


@many
@given(layouts(), layouts())
def test_a_layout_is_a_value(layout: Layout, other: Layout) -> None:
    assert eval(repr(layout)) == layout
    assert repr(eval(repr(layout))) == repr(layout)
    same = all(getattr(layout, axis) == getattr(other, axis) for axis in DENSE_AXES)
    assert (layout == other) == (same and layout.axes == other.axes)
    assert layout.with_() == layout
    assert layout.with_(order=other.order, **sizes_of(other)) == other
    assert hash(eval(repr(layout))) == hash(layout)
    with pytest.raises(AttributeError):
        layout.tp = 3  # type: ignore[misc]


@many
@given(layouts(), some_axes)
def test_arrays_are_read_only(layout: Layout, axes: tuple[str, ...]) -> None:
    for array in (
        layout.groups(*axes),
        layout.group_of(0, *axes),
        layout.grid.steps_along(*axes),
        layout.grid.lowest_ranks(*axes),
        layout.embedding_groups(),
        layout.position_embedding_groups(),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert layout.groups(*axes)[0, 0] == 0


@many
@given(layouts())
def test_ep_case_and_missing_axes_change_no_group(layout: Layout) -> None:
    whole = Layout(**sizes_of(layout), order="-".join(layout.axes))
    assert whole == layout
    assert layout.order == layout.order.lower()
    for axes in kinds():
        assert np.array_equal(layout.groups(*axes), whole.groups(*axes))


@many
@given(layouts())
def test_the_world_and_three_degrees_say_as_much(layout: Layout) -> None:
    stated: dict[str, Any] = {axis: layout.degree_of(axis) for axis in ("tp", "cp", "pp")}
    stated |= {"world_size": layout.world_size, "order": layout.order}
    assert Layout.from_world(**stated) == layout
    assert Layout.from_world(**stated, dp=layout.dp) == layout


def test_the_largest_world_is_accepted_and_one_more_is_not() -> None:
    largest = Layout(tp=8, cp=16, dp=2048, pp=16)
    assert largest.world_size == MAX_WORLD_SIZE == 2**22
    assert largest.groups("tp").shape == (2**19, 8)
    assert largest.group_of(2**22 - 1, "pp").tolist() == [i * 2**18 - 1 for i in range(1, 17)]
    assert Layout(dp=2**22).groups("dp").shape == (1, 2**22)
    assert Layout.from_world(world_size=2**22).dp == 2**22
    wide: Any = np.int64(2**22)
    for refused in (
        lambda: Layout(tp=5, dp=838861),  # 5 x 838861 = 2^22 + 1
        lambda: Layout(dp=2**22 + 1),
        lambda: Layout.from_world(world_size=2**22 + 1),
        lambda: Layout(tp=2**22, cp=2**22, dp=2**22, pp=2**22),
        lambda: Grid(axes=("a", "b", "c"), sizes=(wide, wide, wide)),  # 2^66 wraps to 0
    ):
        with pytest.raises(LayoutError, match=r"4194304"):
            refused()


# --------------------------------------------------------------------- what is refused

# A type checker would refuse some of what follows, too; what matters here is what a reader is told.
make: Any = Layout
make_grid: Any = Grid
rank_in: Any = rank_in_copy
sixteen: Any = SIXTEEN
grid: Any = Grid(axes=("tp", "dp"), sizes=(4, 2))

REFUSED: list[tuple[str, Callable[[], object], tuple[str, ...]]] = [
    ("degree_not_whole", lambda: make(tp=2.5), ("tp", "2.5")),
    ("degree_not_whole", lambda: make(pp=True), ("pp", "True")),
    ("degree_not_whole", lambda: make(cp="2"), ("cp", "'2'")),
    ("degree_not_whole", lambda: make(cp=None), ("cp", "None")),
    ("degree_not_whole", lambda: make(dp=np.float64(2)), ("dp", "2.0")),
    ("degree_not_whole", lambda: make(dp=Fraction(4, 2)), ("dp", "Fraction(2, 1)")),
    ("degree_not_whole", lambda: make.from_world(world_size=8.0), ("world", "8.0")),
    ("degree_not_whole", lambda: make_grid(("tp",), (2.0,)), ("tp", "2.0")),
    ("degree_not_whole", lambda: node_of(0, gpus_per_node=True), ("gpus_per_node", "True")),
    ("degree_too_small", lambda: make(tp=0), ("tp", "0", "1")),
    ("degree_too_small", lambda: make(dp=-3), ("dp", "-3", "1")),
    ("degree_too_small", lambda: make.from_world(world_size=0), ("world", "0", "1")),
    ("degree_too_small", lambda: make.from_world(world_size=8, dp=0), ("dp", "0", "1")),
    ("degree_too_large", lambda: make(tp=10**9), ("tp", "1000000000", "4194304")),
    ("degree_too_large", lambda: make(tp=10**5000), ("tp", "4300", "4194304")),
    ("degree_too_large", lambda: make.from_world(world_size=2**40), ("world", str(2**40))),
    ("world_too_large", lambda: make(tp=4096, dp=4096), ("tp 4096", "16777216", "4194304")),
    (
        "world_not_divisible",
        lambda: make.from_world(world_size=16, tp=3, pp=2),
        ("tp 3 x cp 1 x pp 2 = 6", "16", "world 18", "world 12", "tp 2", "tp 4"),
    ),
    (
        "world_not_divisible",
        lambda: make.from_world(world_size=16, tp=4096, cp=4096),
        ("16777216", "16", "none"),
    ),
    (
        "world_disagrees",
        lambda: make.from_world(world_size=24, tp=2, cp=2, dp=2, pp=2),
        ("tp 2 x cp 2 x dp 2 x pp 2 = 16", "24", "world 16", "dp 3"),
    ),
    ("no_such_first_rank", lambda: make_grid(("a",), (4,), first_rank=-1), ("-1", "4", "4194300")),
    ("no_such_first_rank", lambda: make_grid(("a",), (4,), first_rank=2**62), (str(2**62),)),
    ("order_empty", lambda: make(order=""), (MEGATRON_ORDER,)),
    ("order_empty", lambda: make(order="  "), (MEGATRON_ORDER,)),
    ("order_unknown_axis", lambda: make(order="tp-xx-dp"), ("'xx'", "tp-dp-cp-pp")),
    ("order_unknown_axis", lambda: make(order="tp-dp-pp-"), ("''", "tp-dp-pp-cp")),
    ("order_unknown_axis", lambda: make(order="tp,dp"), ("'tp,dp'", "tp-dp-cp-pp")),
    ("order_repeats_axis", lambda: make(order="tp-dp-TP"), ("'tp'", "tp-dp-cp-pp")),
    (
        "order_lacks_axis",
        lambda: make(cp=2, order="tp-dp-pp"),
        ("cp is 2", "tp-dp-pp", "tp-dp-pp-cp"),
    ),
    (
        "experts_not_divisible",
        lambda: Experts(Layout(tp=2, dp=4), ep=3),
        ("etp 2 x ep 3 x pp 1 = 6", "8", "ep 2", "ep 4"),
    ),
    (
        "experts_not_divisible",
        lambda: Experts(Layout(tp=2, dp=4), ep=3, etp=3),
        ("etp 3 x ep 3 x pp 1 = 9", "etp 1 and ep 1"),
    ),
    ("degree_too_small", lambda: Experts(Layout(dp=4), ep=0), ("ep", "0", "1")),
    (
        "experts_order_lacks_axis",
        lambda: Experts(Layout(dp=4), ep=2),
        ("ep is 2", "tp-cp-dp-pp", "tp-cp-ep-dp-pp"),
    ),
    ("levels_too_many", lambda: Job(hierarchical_cp=(1,) * 11), ("11", "10")),
    (
        "levels_product",
        lambda: groups_of_key(Job(cp=4, hierarchical_cp=(2, 4)), "hcp_0"),
        ("2 x 4", "make 8", "cp is 4", "cp 8"),
    ),
    (
        "instances_not_divisible",
        lambda: groups_of_key(Job(dp=4, dist_opt_instances=3), "intra_dp_cp"),
        ("3 optimizer instances", "4", "intra_dp_cp", "2, or 4"),
    ),
    ("no_such_group_key", lambda: groups_of_key(Job(), "hcp_0"), ("'hcp_0'", "etp", "tp_ep_pp")),
    ("no_such_axis", lambda: sixteen.groups("ep"), ("ep", "tp, cp, dp, pp")),
    ("no_such_axis", lambda: grid.stride_of("TP"), ("TP", "tp, dp")),
    ("axis_repeated", lambda: sixteen.groups("dp", "dp"), ("dp",)),
    ("axis_repeated", lambda: make_grid(("a", "a"), (2, 2)), ("a",)),
    ("axis_repeated", lambda: groups_of_key(sixteen, "dp-cp-dp"), ("dp",)),
    ("no_such_rank", lambda: sixteen.coordinate_of(16), ("16", "0", "15")),
    ("no_such_rank", lambda: sixteen.group_of(-1, "tp"), ("-1", "0", "15")),
    ("no_such_rank", lambda: sixteen.group_of(np.array([3, 99, -2]), "tp"), ("99", "0", "15")),
    ("no_such_rank", lambda: sixteen.coordinate_of(np.array([2**64 - 1])), (str(2**64 - 1),)),
    ("no_such_rank", lambda: sixteen.group_index_of(10**5000, "tp"), ("4300", "15")),
    ("no_such_rank", lambda: node_of(-1, gpus_per_node=8), ("-1", "4194303")),
    ("no_such_rank", lambda: copy_and_position(sixteen, 16, "cp"), ("16", "15")),
    ("rank_not_whole", lambda: sixteen.coordinate_of(1.5), ("1.5",)),
    ("rank_not_whole", lambda: sixteen.group_of(True, "tp"), ("True",)),
    ("rank_not_whole", lambda: sixteen.coordinate_of(np.array([1.0])), ("1.",)),
    ("rank_not_whole", lambda: make_grid(("a",), (4,), first_rank=0.0), ("0.0",)),
    ("no_such_coordinate", lambda: grid.rank_at({"tp": 4, "dp": 0}), ("tp 4", "3")),
    ("no_such_coordinate", lambda: grid.rank_at({"tp": 0, "dp": -1}), ("dp -1", "1")),
    ("no_such_coordinate", lambda: rank_in_copy(sixteen, 0, 2, "cp"), ("cp 2", "1")),
    ("coordinate_not_whole", lambda: grid.rank_at({"tp": 0.5, "dp": 0}), ("tp", "0.5")),
    ("coordinate_incomplete", lambda: grid.rank_at({"tp": 0}), ("tp, dp", "names tp")),
    ("coordinate_incomplete", lambda: grid.rank_at({}), ("tp, dp", "none")),
    ("coordinate_incomplete", lambda: grid.rank_at({"tp": 0, "dp": 0, "pp": 0}), ("tp, dp, pp",)),
    ("no_such_part", lambda: Part(sixteen.grid, ("tp", "cp", "dp"), 2), ("2", "1")),
    ("no_such_position", lambda: rank_in_copy(sixteen, 8, 0, "cp"), ("8", "7")),
    ("position_not_whole", lambda: rank_in(sixteen, 0.5, 0, "cp"), ("0.5",)),
    ("no_such_group_key", lambda: groups_of_key(sixteen, "ep"), ("'ep'", "tp, cp", "pos_embd")),
    ("no_such_group_key", lambda: group_of_key(sixteen, 0, ""), ("''", "dp_cp, mp")),
    ("no_such_group_key", lambda: groups_of_key(grid, "embd"), ("'embd'", "tp, dp")),
    ("no_such_form", lambda: report_of(sixteen, form="xml"), ("'xml'", "text, json, csv")),
]


@pytest.mark.parametrize(
    ("reason", "refused", "told"),
    REFUSED,
    ids=[f"{reason}-{told[0]}" for reason, _, told in REFUSED],
)
def test_an_error_says_its_reason_and_its_numbers(
    reason: str, refused: Callable[[], object], told: tuple[str, ...]
) -> None:
    with pytest.raises(LayoutError) as caught:
        refused()
    message = str(caught.value)
    assert caught.value.reason == reason
    assert SENTENCES[reason].format(**caught.value.numbers) == message
    assert "\n" not in message
    assert len(message) < 400
    for part in told:
        assert part in message


def test_every_reason_is_shown_by_a_case() -> None:
    assert {reason for reason, _, _ in REFUSED} == {
        reason
        for reason in SENTENCES
        if not reason.startswith("hosts_")  # test_hosts.py
    }


def test_what_a_reader_typed_stays_one_line() -> None:
    with pytest.raises(LayoutError) as caught:
        Layout(order="tp-\n\x1b[31m\u2028" + "x" * 10_000)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400
    assert one_line("x" * 61) == "x" * 59 + "…"


def assert_every_fix_works(
    make: Callable[..., Layout], stated: dict[str, Any], error: LayoutError
) -> None:
    assert error.fixes
    for fix in error.fixes:
        ((name, value),) = fix.items()
        assert "{nearest}" not in SENTENCES[error.reason] or f"{value}" in str(error)
        make(**{**stated, "world_size" if name == "world" else name: value})


degrees_up_to_12 = st.fixed_dictionaries({axis: st.integers(1, 12) for axis in ("tp", "cp", "pp")})


@many
@given(st.integers(0, 400), degrees_up_to_12, st.none() | st.integers(1, 12))
def test_every_offered_world_and_degree_works(
    world: int, degrees: dict[str, int], dp: int | None
) -> None:
    stated: dict[str, Any] = {"world_size": world, **degrees, "dp": dp}
    product = prod(degrees.values()) * (dp or 1)
    try:
        layout = Layout.from_world(**stated)
    except LayoutError as error:
        assert str(world) in str(error)
        if world == 0:
            assert error.reason == "degree_too_small"
        else:
            assert error.reason == ("world_disagrees" if dp else "world_not_divisible")
            assert f"= {product}" in str(error)
            assert world != product if dp else world % product
        assert_every_fix_works(Layout.from_world, stated, error)
    else:
        assert layout.world_size == world
        assert layout.dp == (dp or world // product)


words_of_orders = st.sampled_from([*DENSE_AXES, "ep", "TP", "xx", "", "vpp", "d p", "é"])


@many
@given(
    st.fixed_dictionaries({axis: st.integers(1, 3) for axis in DENSE_AXES}),
    st.lists(words_of_orders, max_size=6),
    st.sampled_from(["-", ",", " "]),
)
def test_every_offered_order_works(degrees: dict[str, int], words: list[str], between: str) -> None:
    stated: dict[str, Any] = {**degrees, "order": between.join(words)}
    lower = [word.lower() for word in words]
    well_formed = (
        set(lower) <= {*DENSE_AXES, "ep"}
        and len(set(lower)) == len(lower) > 0
        and (between == "-" or len(lower) == 1)
    )
    complete = all(axis in lower for axis, degree in degrees.items() if degree > 1)
    try:
        layout = Layout(**stated)
    except LayoutError as error:
        assert not (well_formed and complete)
        assert error.reason.startswith("order_")
        assert_every_fix_works(Layout, stated, error)
        for fix in error.fixes:
            mended = Layout(**{**stated, **fix})
            kept = [word for word in dict.fromkeys(lower) if word in (*DENSE_AXES, "ep")]
            if between != " " and "d p" not in words:
                assert mended.order.split("-")[: len(kept)] == kept, "known axes keep their places"
    else:
        assert well_formed
        assert complete
        assert layout.order == "-".join(lower)


@pytest.mark.parametrize("axis", DENSE_AXES)
def test_the_offered_degree_works(axis: str) -> None:
    for degree in (0, -1, -(10**9)):
        with pytest.raises(LayoutError) as caught:
            make(**{axis: degree})
        assert_every_fix_works(Layout, {axis: degree}, caught.value)


def test_the_offered_number_of_gpus_per_node_works() -> None:
    with pytest.raises(LayoutError) as caught:
        crossing(SIXTEEN, "tp", gpus_per_node=0)
    for fix in caught.value.fixes:
        assert crossing(SIXTEEN, "tp", **fix).num_groups == 8  # type: ignore[arg-type]


@settings(max_examples=60)
@given(
    st.text("tcpdx-0½\n\ud800", max_size=12)
    | st.integers()
    | st.floats()
    | st.none()
    | st.booleans()
)
def test_nothing_but_a_layout_error_comes_out(anything: Any) -> None:
    calls: Iterable[Callable[[], object]] = (
        lambda: Layout(tp=anything),
        lambda: Layout(order=anything),
        lambda: Layout.from_world(world_size=anything),
        lambda: SIXTEEN.coordinate_of(anything),
        lambda: SIXTEEN.rank_at({"tp": anything, "cp": 0, "dp": 0, "pp": 0}),
        lambda: node_of(anything, gpus_per_node=8),
        lambda: node_of(0, gpus_per_node=anything),
    )
    for call in calls:
        try:
            call()
        except LayoutError as error:
            assert str(error).isprintable()


@given(layouts(), st.sampled_from([("tp", "cp", "pp"), ("tp", "cp", "dp"), ("tp", "pp"), ("dp",)]))
def test_parts_are_groups_by_number(layout: Layout, axes: tuple[str, ...]) -> None:
    groups = layout.groups(*axes)
    first, last = Part(layout.grid, axes), Part(layout.grid, axes, len(groups) - 1)
    assert (first.num_parts, first.size) == groups.shape
    assert first.ranks.tolist() == groups[0].tolist()
    assert last.ranks.tolist() == groups[-1].tolist()
    assert last.lowest == groups[-1][0]
