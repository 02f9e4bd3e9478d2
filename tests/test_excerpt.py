"""A part of a grid: the first positions on every axis, slow axes shortened first."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layout import DENSE_AXES, Excerpt, Grid, Layout, excerpt_of


@pytest.mark.parametrize(
    ("sizes", "most", "shown"),
    [
        ((2, 2, 2, 2), 512, (2, 2, 2, 2)),
        ((8, 4, 4, 4), 512, (8, 4, 4, 4)),  # exactly as many
        ((8, 16, 8, 16), 512, (8, 16, 2, 2)),  # the slowest first, to 2 at least
        ((8, 1, 128, 16), 512, (8, 1, 32, 2)),
        ((1024, 1, 1, 1), 512, (512, 1, 1, 1)),
        ((1, 1, 1, 1000), 512, (1, 1, 1, 512)),
        ((7, 11, 13, 1), 512, (7, 11, 6, 1)),  # as much of the slowest as fits
        ((300, 300, 3, 3), 512, (64, 2, 2, 2)),
    ],
)
def test_the_slowest_axes_are_shortened_first(
    sizes: tuple[int, ...], most: int, shown: tuple[int, ...]
) -> None:
    part = excerpt_of(Grid(axes=DENSE_AXES, sizes=sizes), most=most)
    assert part.shown == dict(zip(DENSE_AXES, shown, strict=True))
    assert part.size == prod(shown) <= most


def test_its_ranks_are_those_with_small_coordinates() -> None:
    layout = Layout(tp=3, cp=2, dp=5, pp=2, order="dp-tp-pp-cp")
    part = Excerpt(layout.grid, {"tp": 2, "cp": 2, "dp": 3, "pp": 1})
    by_counting = [
        rank
        for rank in range(layout.world_size)
        if all(layout.coordinate_of(rank)[axis] < part.shown[axis] for axis in DENSE_AXES)
    ]
    assert part.ranks.tolist() == by_counting
    assert part.shortened == ("dp", "tp", "pp")


@given(sizes=st.lists(st.integers(1, 30), min_size=4, max_size=4), most=st.integers(16, 600))
def test_a_part_is_as_large_as_it_may_be(sizes: list[int], most: int) -> None:
    grid = Grid(axes=DENSE_AXES, sizes=tuple(sizes))
    part = excerpt_of(grid, most=most)
    assert part.size <= most
    assert all(
        min(size, 2) <= part.shown[a] <= size for a, size in zip(DENSE_AXES, sizes, strict=True)
    )
    if part.shortened:  # one position more on the fastest shortened axis would be too many
        axis = part.shortened[0]
        assert (
            part.shown[axis] == 2 or part.size // part.shown[axis] * (part.shown[axis] + 1) > most
        )
    else:
        assert part.size == grid.world_size
