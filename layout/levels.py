"""Groups cut into smaller ones of fixed sizes, level by level, the innermost first.

A group of 8 in levels of 2 and 4: level 0 holds neighbours, (0 1) (2 3) (4 5) (6 7); level 1 holds every
second member, (0 2 4 6) (1 3 5 7). So hierarchical CP cuts its CP groups, and so several optimizer
instances cut theirs. Source: `create_hierarchical_groups` in megatron/core/parallel_state.py,
megatron-core 0.19.2.
"""

from math import prod

from layout.grid import Axis, Grid, HasGrid, Ranks
from layout.ranks import grid_of


def level_of(groups: Ranks, sizes: tuple[int, ...], level: int) -> Ranks:
    """The groups at one `level` of every row of `groups`, row by row.

    The product of `sizes` is the length of a row. Shape (num, sizes[level]).

    >>> import numpy as np
    >>> level_of(np.arange(8).reshape(1, 8), (2, 4), 1)
    array([[0, 2, 4, 6],
           [1, 3, 5, 7]])
    """
    assert prod(sizes) == groups.shape[1], "levels fill the group"
    size, below = sizes[level], prod(sizes[:level])
    cut = groups.reshape(len(groups), -1, size, below).swapaxes(2, 3).reshape(-1, size)
    cut.flags.writeable = False
    return cut


def grid_in_levels(layout: Grid | HasGrid, axis: Axis, sizes: tuple[int, ...]) -> Grid:
    """The same ranks with `axis` split into an axis for each level: "cp" into "cp_0" and "cp_1".

    A level is an axis like any other then, with a stride and a reach of its own. The product of `sizes` is
    the size of the axis.

    >>> from layout import Layout
    >>> grid_in_levels(Layout(tp=8, cp=4), "cp", (2, 2)).groups("cp_1")[:2]
    array([[ 0, 16],
           [ 1, 17]])
    """
    grid = grid_of(layout)
    assert prod(sizes) == grid.size_of(axis), "levels fill the axis"
    place = grid.axes.index(axis)
    levels = tuple(f"{axis}_{level}" for level in range(len(sizes)))
    return Grid(
        axes=(*grid.axes[:place], *levels, *grid.axes[place + 1 :]),
        sizes=(*grid.sizes[:place], *sizes, *grid.sizes[place + 1 :]),
        first_rank=grid.first_rank,
    )
