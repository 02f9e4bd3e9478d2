"""Any axis as copying: a job without the axis, repeated once for each position on it.

Take a job without context parallelism and its N0 ranks. Adding CP of degree C makes C copies of
that job, and a CP group is one position seen in every copy. Written down for any axis of stride s
and size C: the rank at position r0 of copy number c is

    rank = (r0 // s) x s x C + c x s + (r0 mod s)

because giving the axis its digit c at place value s keeps what is below s, adds c x s, and
multiplies the place value of everything above by C. A copy is a run of s consecutive ranks, again
every s x C. For C > 1 it is one block where s = N0 (nothing of size over 1 is slower), a comb where
s = 1 (the axis is fastest). This holds for every order; only the picture depends on it.

A copy here is a whole job without the axis; a weight copy (layout/part.py) is something else.
"""

from typing import Literal, overload

from layout.grid import Axis, Grid, Ranks, whole_within
from layout.ranks import Layout, grid_of


@overload
def copy_and_position(layout: Grid | Layout, rank: int, axis: Axis) -> tuple[int, int]: ...
@overload
def copy_and_position(layout: Grid | Layout, rank: Ranks, axis: Axis) -> tuple[Ranks, Ranks]: ...
def copy_and_position(
    layout: Grid | Layout, rank: int | Ranks, axis: Axis
) -> tuple[int | Ranks, int | Ranks]:
    """Which copy `rank` is in, and its position there: its number in the same job without `axis`.

    Copies and positions are counted from 0. An array of ranks gives two arrays of the same shape.
    Raises LayoutError for a rank that is not in the world and an axis that is not here.

    >>> from layout import Layout
    >>> copy_and_position(Layout(tp=2, cp=2, dp=2, pp=2), 13, "cp")
    (0, 7)
    """
    grid = grid_of(layout)
    stride, size = grid.stride_of(axis), grid.size_of(axis)
    first, last = grid.first_rank, grid.first_rank + grid.world_size - 1
    offset: int | Ranks = whole_within(rank, what="rank", first=first, last=last) - first
    return offset // stride % size, offset // (stride * size) * stride + offset % stride


@overload
def rank_in_copy(layout: Grid | Layout, position: int, copy: int, axis: Axis) -> int: ...
@overload
def rank_in_copy(
    layout: Grid | Layout, position: Ranks, copy: int | Ranks, axis: Axis
) -> Ranks: ...
@overload
def rank_in_copy(layout: Grid | Layout, position: int, copy: Ranks, axis: Axis) -> Ranks: ...
def rank_in_copy(
    layout: Grid | Layout, position: int | Ranks, copy: int | Ranks, axis: Axis
) -> int | Ranks:
    """The rank at `position` of copy number `copy` along `axis`: undoes `copy_and_position`.

    Arrays give an array; of two arrays, NumPy's broadcasting decides the shape. Raises LayoutError
    for a position or a copy that is not there, and an axis that is not here.

    >>> from layout import Layout
    >>> rank_in_copy(Layout(tp=2, cp=2, dp=2, pp=2), 7, 1, "cp")
    15
    """
    grid = grid_of(layout)
    stride, size = grid.stride_of(axis), grid.size_of(axis)
    last = grid.world_size // size - 1
    at: int | Ranks = whole_within(position, what="position", last=last)
    number: int | Ranks = whole_within(copy, what="coordinate", last=size - 1, axis=axis)
    return grid.first_rank + at // stride * stride * size + number * stride + at % stride


Shape = Literal["one", "blocks", "comb", "runs"]
"""What the copies along an axis look like among the ranks."""


def shape_of_copies(layout: Grid | Layout, axis: Axis) -> Shape:
    """How the ranks of one copy along `axis` lie among those of the others.

    "one": the axis has size 1, so there is one copy and it is everything. "blocks": each copy is one block
    of consecutive ranks (s = N0: every slower axis has size 1). "comb": copy c is every C-th rank from c on
    (s = 1: every faster axis has size 1). "runs": runs of s ranks of each copy in turn. Where a copy is a
    single rank, blocks and comb are the same, and it is called "blocks".

    Raises LayoutError for an axis that is not here.

    >>> from layout import Layout
    >>> [shape_of_copies(Layout(tp=2, cp=2, dp=2, pp=2), axis) for axis in ("tp", "cp", "pp")]
    ['comb', 'runs', 'blocks']
    """
    grid = grid_of(layout)
    stride, size = grid.stride_of(axis), grid.size_of(axis)
    if size == 1:
        return "one"
    if stride * size == grid.world_size:
        return "blocks"
    return "comb" if stride == 1 else "runs"
