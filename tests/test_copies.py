"""An axis as copying: the tables to check by eye, then every order against plain counting."""

from itertools import permutations
from math import prod

import numpy as np
import pytest

from layout import (
    DENSE_AXES,
    Grid,
    Layout,
    LayoutError,
    copy_and_position,
    rank_in_copy,
    shape_of_copies,
)
from tests import reference

SIXTEEN = Layout(tp=2, cp=2, dp=2, pp=2)
ALL_ORDERS = ["-".join(order) for order in permutations(DENSE_AXES)]
DEGREES = [(2, 2, 2, 2), (4, 2, 2, 2), (2, 3, 5, 7), (3, 4, 1, 2), (1, 5, 1, 3), (2, 1, 3, 2)]


def ranks_of_copy(layout: Layout | Grid, copy: int, axis: str = "cp") -> list[int]:
    grid = layout.grid if isinstance(layout, Layout) else layout
    positions = np.arange(grid.world_size // grid.size_of(axis))
    return [int(rank) for rank in rank_in_copy(layout, positions, copy, axis)]


def runs(*bounds: tuple[int, int]) -> list[int]:
    """Ranks in runs: `runs((0, 3), (8, 11))` is 0-3 and 8-11."""
    return [rank for first, last in bounds for rank in range(first, last + 1)]


def test_the_place_of_cp_in_the_order_decides_what_a_copy_looks_like() -> None:
    copies_of_cp_in_place = {
        0: ([0, 2, 4, 6, 8, 10, 12, 14], [1, 3, 5, 7, 9, 11, 13, 15]),  # a comb
        1: ([0, 1, 4, 5, 8, 9, 12, 13], [2, 3, 6, 7, 10, 11, 14, 15]),
        2: (runs((0, 3), (8, 11)), runs((4, 7), (12, 15))),
        3: (runs((0, 7)), runs((8, 15))),  # one block each
    }
    seen = dict.fromkeys(copies_of_cp_in_place, 0)
    for order in ALL_ORDERS:
        layout = SIXTEEN.with_(order=order)
        place = layout.axes.index("cp")
        seen[place] += 1
        assert layout.stride_of("cp") == 2**place
        for copy, ranks in enumerate(copies_of_cp_in_place[place]):
            assert ranks_of_copy(layout, copy) == ranks, order
    assert seen == {0: 6, 1: 6, 2: 6, 3: 6}


@pytest.mark.parametrize(
    ("order", "stride", "copy_0"),
    [
        ("tp-cp-dp-pp", 4, runs((0, 3), (8, 11), (16, 19), (24, 27))),
        ("tp-dp-cp-pp", 8, runs((0, 7), (16, 23))),
        ("tp-dp-pp-cp", 16, runs((0, 15))),
        ("cp-tp-dp-pp", 1, list(range(0, 32, 2))),
    ],
)
def test_thirty_two_ranks_with_tp_4(order: str, stride: int, copy_0: list[int]) -> None:
    layout = Layout(tp=4, cp=2, dp=2, pp=2, order=order)
    assert layout.stride_of("cp") == stride
    assert ranks_of_copy(layout, 0) == copy_0
    assert ranks_of_copy(layout, 1) == [rank + stride for rank in copy_0]


def test_rank_13_is_position_7_of_copy_0() -> None:
    # Without CP the 8 ranks count tp, dp, pp; tp=1, dp=1, pp=1 is the last of them.
    assert copy_and_position(SIXTEEN, 13, "cp") == (0, 7)
    assert copy_and_position(SIXTEEN, 15, "cp") == (1, 7)
    assert SIXTEEN.group_of(13, "cp").tolist() == [13, 15]


@pytest.mark.parametrize("order", ALL_ORDERS)
@pytest.mark.parametrize("degrees", DEGREES, ids=lambda degrees: "-".join(map(str, degrees)))
def test_copying_is_the_axis(order: str, degrees: tuple[int, ...]) -> None:
    layout = Layout(**dict(zip(DENSE_AXES, degrees, strict=True)), order=order)
    sizes = {axis: layout.degree_of(axis) for axis in layout.axes}
    ranks = np.arange(layout.world_size)
    for axis in DENSE_AXES:
        size, stride = layout.degree_of(axis), layout.stride_of(axis)
        num_positions = layout.world_size // size

        # The copies are those that counting gives, and together they are the world.
        copies = [ranks_of_copy(layout, copy, axis) for copy in range(size)]
        assert copies == reference.copies(sizes, axis)

        # The formula and its inverse undo each other.
        copy, position = copy_and_position(layout, ranks, axis)
        assert np.array_equal(copy, layout.coordinate_of(ranks)[axis])
        assert np.array_equal(rank_in_copy(layout, position, copy, axis), ranks)

        # The position is the rank in the job without the axis: the other coordinates stay.
        without = layout.with_(**{axis: 1})
        places = without.coordinate_of(position)
        for other, values in layout.coordinate_of(ranks).items():
            if other != axis:
                assert np.array_equal(places[other], values)

        # One position in every copy is the axis' group.
        groups = rank_in_copy(
            layout, np.arange(num_positions)[:, np.newaxis], np.arange(size), axis
        )
        assert np.array_equal(groups, layout.groups(axis))

        # What a copy looks like: runs of `stride`, again every `stride` x size.
        starts = [r for r in copies[0] if r - 1 not in set(copies[0])]
        if size > 1:
            assert starts == list(range(0, layout.world_size, stride * size))
        slower = prod(layout.degree_of(a) for a in layout.axes[layout.axes.index(axis) + 1 :])
        assert (copies[0] == list(range(num_positions))) == (slower == 1 or size == 1)


def test_one_rank_is_as_many_ranks() -> None:
    layout = Layout(tp=2, cp=3, dp=5, pp=7, order="pp-cp-tp-dp")
    for rank in range(layout.world_size):
        copy, position = copy_and_position(layout, rank, "cp")
        assert type(copy) is type(position) is int
        assert rank_in_copy(layout, position, copy, "cp") == rank
        assert type(rank_in_copy(layout, position, copy, "cp")) is int


def test_a_grid_that_begins_later_counts_its_positions_from_nought() -> None:
    grid = Grid(axes=("tp", "cp", "dp"), sizes=(2, 2, 2), first_rank=100)
    assert ranks_of_copy(grid, 0) == [100, 101, 104, 105]
    assert copy_and_position(grid, 107, "cp") == (1, 3)


def test_what_is_not_there_is_refused() -> None:
    for refused, told in (
        (lambda: copy_and_position(SIXTEEN, 16, "cp"), "no rank 16"),
        (lambda: copy_and_position(SIXTEEN, np.array([0, -1]), "cp"), "no rank -1"),
        (lambda: copy_and_position(SIXTEEN, 0, "ep"), "no axis ep"),
        (lambda: rank_in_copy(SIXTEEN, 8, 0, "cp"), "no position 8: .* from 0 to 7"),
        (lambda: rank_in_copy(SIXTEEN, -1, 0, "cp"), "no position -1"),
        (lambda: rank_in_copy(SIXTEEN, 0, 2, "cp"), "no cp 2: cp goes from 0 to 1"),
        (lambda: rank_in_copy(SIXTEEN, np.arange(9), 0, "cp"), "no position 8"),
        (lambda: rank_in_copy(SIXTEEN, 0, np.array([0, 1, 5]), "cp"), "no cp 5"),
        (lambda: rank_in_copy(SIXTEEN, 0, 0, "ep"), "no axis ep"),
    ):
        with pytest.raises(LayoutError, match=told):
            refused()


@pytest.mark.parametrize("order", ALL_ORDERS)
@pytest.mark.parametrize("degrees", [*DEGREES, (1, 4, 1, 1), (2, 1, 2, 2), (3, 5, 1, 7)])
def test_the_shape_of_the_copies_is_what_counting_finds(
    order: str, degrees: tuple[int, ...]
) -> None:
    layout = Layout(**dict(zip(DENSE_AXES, degrees, strict=True)), order=order)
    sizes = {axis: layout.degree_of(axis) for axis in layout.axes}
    for axis in DENSE_AXES:
        copies = reference.copies(sizes, axis)
        num, n0 = len(copies), len(copies[0])
        blocks = [list(range(copy * n0, (copy + 1) * n0)) for copy in range(num)]
        comb = [list(range(copy, layout.world_size, num)) for copy in range(num)]
        found = (
            "one"
            if num == 1
            else "blocks"
            if copies == blocks
            else "comb"
            if copies == comb
            else "runs"
        )
        assert shape_of_copies(layout, axis) == found
        if found == "runs":  # runs of s, again every s x C
            stride = layout.stride_of(axis)
            assert 1 < stride < n0
            assert copies[0] == [
                rank for rank in range(layout.world_size) if rank % (stride * num) < stride
            ]
