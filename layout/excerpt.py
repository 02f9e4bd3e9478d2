"""A small part of a grid that keeps its pattern: the first positions on every axis.

Where a job has more ranks than a picture can show one by one, the picture keeps every axis and shortens
the slowest first: what is fast, and so close together, stays whole as long as it can.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from layout.grid import Axis, Grid, Ranks


@dataclass(frozen=True)
class Excerpt:
    """The ranks of `grid` whose position on each axis is below `shown[axis]`.

    >>> from layout import Layout
    >>> Excerpt(Layout(tp=2, dp=4).grid, {"tp": 2, "cp": 1, "dp": 2, "pp": 1}).ranks
    array([0, 1, 2, 3])
    """

    grid: Grid
    shown: Mapping[Axis, int]

    @property
    def size(self) -> int:
        """How many ranks it holds."""
        return len(self.ranks)

    @property
    def ranks(self) -> Ranks:
        """Its ranks, ascending: shape (size,)."""
        ranks = np.array([self.grid.first_rank])
        for axis in self.grid.axes:
            steps = np.arange(self.shown[axis]) * self.grid.stride_of(axis)
            ranks = np.add.outer(steps, ranks).reshape(-1)
        return ranks

    @property
    def shortened(self) -> tuple[Axis, ...]:
        """The axes that are not shown whole, fastest first."""
        return tuple(axis for axis in self.grid.axes if self.shown[axis] < self.grid.size_of(axis))


def excerpt_of(grid: Grid, *, most: int) -> Excerpt:
    """The excerpt of at most `most` ranks: each axis shortened from the slowest, to 2 positions at least.

    With axes of size 2 and more, `most` has to be 2 to the power of their number, or more.

    >>> from layout import Layout
    >>> excerpt_of(Layout(tp=8, cp=16, dp=8, pp=16).grid, most=512).shown
    {'tp': 8, 'cp': 16, 'dp': 2, 'pp': 2}
    """
    shown = dict(zip(grid.axes, grid.sizes, strict=True))
    assert most >= 2 ** sum(size > 1 for size in grid.sizes), "every axis keeps two positions"
    num_ranks = grid.world_size
    for axis in reversed(grid.axes):
        others = num_ranks // shown[axis]
        shown[axis] = min(max(most // others, 2), shown[axis])
        num_ranks = others * shown[axis]
    return Excerpt(grid, shown)
