"""One array of ranks with a named axis for each way a job is split: coordinates <-> ranks, groups.

The first axis varies fastest: rank = first_rank + sum of coordinate x stride, where an axis' stride
is the product of the sizes before it. Megatron-Core lays ranks out this way (`RankGenerator` in
megatron/core/parallel_state.py), for its dense grid and for its expert grid alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from operator import index
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from layout.errors import MAX_WORLD_SIZE, LayoutError

type_of_ranks = np.int64

Axis = str
"""The name of one way a job is split, in lower case: "tp", "cp", "dp", "pp", …"""

Coordinate = Mapping[Axis, int]
"""A rank's position on every axis, by name."""

Ranks = NDArray[np.int64]
"""An array of rank numbers (or of other whole numbers about ranks)."""


@dataclass(frozen=True)
class Grid:
    """Ranks counted along named axes, the first axis fastest.

    `sizes[i]` is the size of `axes[i]`; ranks are numbered from `first_rank`. Raises LayoutError
    for an axis named twice, a size that is no degree, a first rank that is no rank, and more ranks
    than the largest world has.

    >>> grid = Grid(axes=("tp", "cp", "dp", "pp"), sizes=(2, 2, 2, 2))
    >>> grid.coordinate_of(13)
    {'tp': 1, 'cp': 0, 'dp': 1, 'pp': 1}
    """

    axes: tuple[Axis, ...]
    sizes: tuple[int, ...]
    first_rank: int = 0

    def __post_init__(self) -> None:
        assert len(self.axes) == len(self.sizes), "one size for each axis"
        _no_axis_twice(self.axes)
        # Python's own ints: a product of NumPy's would wrap round without a word.
        sizes = tuple(whole_degree(a, n) for a, n in zip(self.axes, self.sizes, strict=True))
        object.__setattr__(self, "axes", tuple(self.axes))
        object.__setattr__(self, "sizes", sizes)
        if self.world_size > MAX_WORLD_SIZE:
            raise self._too_large()
        object.__setattr__(self, "first_rank", self._checked_first_rank())

    @property
    def world_size(self) -> int:
        """The number of ranks: the product of all sizes.

        >>> Grid(axes=("tp", "dp"), sizes=(4, 2)).world_size
        8
        """
        return prod(self.sizes)

    def size_of(self, axis: Axis) -> int:
        """How many ways `axis` splits the job. Raises LayoutError for an axis that is not here.

        >>> Grid(axes=("tp", "dp"), sizes=(4, 2)).size_of("dp")
        2
        """
        return self.sizes[self._place_of(axis)]

    def stride_of(self, axis: Axis) -> int:
        """The step in rank between neighbours on `axis`; 1 for the first, fastest axis.

        >>> Grid(axes=("tp", "dp"), sizes=(4, 2)).stride_of("dp")
        4
        """
        return prod(self.sizes[: self._place_of(axis)])

    @overload
    def coordinate_of(self, rank: int) -> dict[Axis, int]: ...
    @overload
    def coordinate_of(self, rank: Ranks) -> dict[Axis, Ranks]: ...
    def coordinate_of(self, rank: int | Ranks) -> dict[Axis, int] | dict[Axis, Ranks]:
        """The position of `rank` on every axis; an array of ranks gives an array for each axis.

        Raises LayoutError for a rank that is not in the world.

        >>> Grid(axes=("tp", "dp"), sizes=(4, 2)).coordinate_of(6)
        {'tp': 2, 'dp': 1}
        """
        offset = self._checked(rank) - self.first_rank
        return {axis: offset // self.stride_of(axis) % self.size_of(axis) for axis in self.axes}

    @overload
    def rank_at(self, coordinate: Coordinate) -> int: ...
    @overload
    def rank_at(self, coordinate: Mapping[Axis, Ranks]) -> Ranks: ...
    def rank_at(self, coordinate: Coordinate | Mapping[Axis, Ranks]) -> int | Ranks:
        """The rank at `coordinate`, which names every axis; arrays give an array of ranks.

        Raises LayoutError where an axis is missing or unknown, or a position is no whole number or
        outside its axis.

        >>> Grid(axes=("tp", "dp"), sizes=(4, 2)).rank_at({"tp": 2, "dp": 1})
        6
        """
        if set(coordinate) != set(self.axes):
            raise LayoutError(
                "coordinate_incomplete",
                axes=", ".join(self.axes),
                given=", ".join(str(axis) for axis in coordinate) or "none",
            )
        rank: int | Ranks = self.first_rank
        for axis, size in zip(self.axes, self.sizes, strict=True):
            position = whole_within(coordinate[axis], what="coordinate", last=size - 1, axis=axis)
            rank = rank + position * self.stride_of(axis)
        return rank

    def groups(self, *axes: Axis) -> Ranks:
        """Ranks that differ only along `axes`, one group per row, in Megatron's creation order.

        Shape (num_groups, group_size); ranks ascend within a group; read-only. Naming the axes in
        another order gives the same groups; naming none makes each rank a group. Raises LayoutError
        for an axis that is not here or is named twice. Source: `RankGenerator.get_ranks` in
        megatron/core/parallel_state.py of megatron-core 0.19.2.

        >>> Grid(axes=("tp", "cp", "dp", "pp"), sizes=(2, 2, 2, 2)).groups("dp")[:2]
        array([[0, 4],
               [1, 5]])
        """
        inside, outside = self._split(axes)
        num_groups = self.world_size // prod(self.sizes[place] for place in inside)
        # NumPy puts the slowest axis first, so both runs of places are turned round. The reshape is
        # a view where the memory allows one (the fastest axes alone), else one copy.
        turned = self._ranks.transpose(
            [len(self.axes) - 1 - place for place in (*reversed(outside), *reversed(inside))]
        )
        return _read_only(turned.reshape(num_groups, -1))

    @overload
    def group_of(self, rank: int, *axes: Axis) -> Ranks: ...
    @overload
    def group_of(self, rank: Ranks, *axes: Axis) -> Ranks: ...
    def group_of(self, rank: int | Ranks, *axes: Axis) -> Ranks:
        """The group of `rank` along `axes`, ascending: shape (group_size,).

        An array of ranks of shape S gives shape S + (group_size,). Works without making the other
        groups, whatever the size of the world.

        >>> Grid(axes=("tp", "cp", "dp", "pp"), sizes=(2, 2, 2, 2)).group_of(13, "cp")
        array([13, 15])
        """
        inside, _ = self._split(axes)
        position = self.coordinate_of(rank)
        lowest = np.asarray(rank, dtype=type_of_ranks) - sum(
            position[self.axes[place]] * self._strides[place] for place in inside
        )
        return _read_only(lowest[..., np.newaxis] + self.steps_along(*axes))

    @overload
    def group_index_of(self, rank: int, *axes: Axis) -> int: ...
    @overload
    def group_index_of(self, rank: Ranks, *axes: Axis) -> Ranks: ...
    def group_index_of(self, rank: int | Ranks, *axes: Axis) -> int | Ranks:
        """The row of `groups(*axes)` that holds `rank`, counted from 0.

        >>> Grid(axes=("tp", "cp", "dp", "pp"), sizes=(2, 2, 2, 2)).group_index_of(13, "cp")
        7
        """
        _, outside = self._split(axes)
        position = self.coordinate_of(rank)
        row: int | Ranks = self._checked(rank) * 0  # 0, or as many as there are ranks
        stride = 1
        for place in outside:
            row = row + position[self.axes[place]] * stride
            stride *= self.sizes[place]
        return row

    def steps_along(self, *axes: Axis) -> Ranks:
        """How far each member of a group along `axes` is from the group's lowest rank, ascending.

        Shape (group_size,). The same for every group.

        >>> Grid(axes=("tp", "cp", "dp", "pp"), sizes=(2, 2, 2, 2)).steps_along("tp", "pp")
        array([0, 1, 8, 9])
        """
        inside, _ = self._split(axes)
        return _read_only(self._sums(inside))

    def lowest_ranks(self, *axes: Axis) -> Ranks:
        """The lowest rank of each group along `axes`: the first column of `groups(*axes)`.

        Shape (num_groups,).

        >>> Grid(axes=("tp", "dp"), sizes=(4, 2)).lowest_ranks("dp")
        array([0, 1, 2, 3])
        """
        _, outside = self._split(axes)
        return _read_only(self.first_rank + self._sums(outside))

    @cached_property
    def _ranks(self) -> Ranks:
        """Every rank in its place, one array axis per mesh axis, the slowest first as in NumPy."""
        ranks = np.arange(self.first_rank, self.first_rank + self.world_size, dtype=type_of_ranks)
        return _read_only(ranks.reshape(self.sizes[::-1]))

    @cached_property
    def _strides(self) -> tuple[int, ...]:
        return tuple(self.stride_of(axis) for axis in self.axes)

    def _sums(self, places: tuple[int, ...]) -> Ranks:
        """All sums of one step on each of `places`, the first place fastest."""
        sums = np.zeros(1, dtype=type_of_ranks)
        for place in places:
            steps = np.arange(self.sizes[place], dtype=type_of_ranks) * self._strides[place]
            sums = (steps[:, np.newaxis] + sums).reshape(-1)
        return sums

    def _too_large(self) -> LayoutError:
        """The error for a world beyond the largest, with the largest size of each axis that mends it."""
        total = self.world_size
        limits = {
            axis: MAX_WORLD_SIZE // (total // size)
            for axis, size in zip(self.axes, self.sizes, strict=True)
        }
        fixes = [{axis: limit} for axis, limit in limits.items() if limit >= 1]
        nearest = ", or ".join(f"{axis} {limit}" for axis, limit in limits.items() if limit >= 1)
        product = " x ".join(f"{a} {n}" for a, n in zip(self.axes, self.sizes, strict=True))
        return LayoutError(
            "world_too_large",
            product=f"{product} = {total}",
            total=total,
            limit=MAX_WORLD_SIZE,
            nearest=nearest or "none by one change",
            fixes=fixes,
        )

    def _place_of(self, axis: Axis) -> int:
        if axis not in self.axes:
            raise LayoutError("no_such_axis", axis=axis, axes=", ".join(self.axes))
        return self.axes.index(axis)

    def _split(self, axes: tuple[Axis, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The places of `axes`, and of all other axes, each from fastest to slowest."""
        for axis in axes:
            self._place_of(axis)
        _no_axis_twice(axes)
        named = [axis in axes for axis in self.axes]
        places = range(len(self.axes))
        return tuple(p for p in places if named[p]), tuple(p for p in places if not named[p])

    def _checked(self, rank: int | Ranks) -> Any:
        """`rank` as an int or an array of whole numbers, all of them in the world."""
        last = self.first_rank + self.world_size - 1
        return whole_within(rank, what="rank", first=self.first_rank, last=last)

    def _checked_first_rank(self) -> int:
        """The first rank as an int: at least 0, and low enough for the last to be in some world."""
        try:
            first = _whole(self.first_rank)
        except TypeError:
            raise LayoutError("rank_not_whole", value=repr(self.first_rank)) from None
        last = MAX_WORLD_SIZE - self.world_size
        if not 0 <= first <= last:
            raise LayoutError("no_such_first_rank", value=first, count=self.world_size, last=last)
        return first


class HasGrid(Protocol):
    """Whatever has an array of ranks behind it, as a layout and its experts have."""

    @property
    def grid(self) -> Grid:
        """The array of ranks."""


def whole_degree(axis: Axis, degree: Any) -> int:
    """`degree` as an int of at least 1 and at most the largest world; LayoutError otherwise.

    >>> whole_degree("tp", 2.5)
    Traceback (most recent call last):
    layout.errors.LayoutError: tp is 2.5, but must be a whole number, such as 2
    """
    try:
        whole = _whole(degree)
    except TypeError:
        is_near = isinstance(degree, float) and 1 <= degree <= MAX_WORLD_SIZE
        nearest = round(degree) if is_near else 1
        raise LayoutError(
            "degree_not_whole",
            axis=axis,
            value=repr(degree),
            nearest=nearest,
            fixes=[{axis: nearest}],
        ) from None
    if whole < 1:
        raise LayoutError("degree_too_small", axis=axis, value=whole, fixes=[{axis: 1}])
    if whole > MAX_WORLD_SIZE:
        raise LayoutError("degree_too_large", axis=axis, value=whole, limit=MAX_WORLD_SIZE)
    return whole


def whole_within(numbers: Any, *, what: str, first: int = 0, last: int, **names: Any) -> Any:
    """`numbers` as an int or an int64 array, once all are known to be whole and in `first`..`last`.

    `what` they are ("rank", "coordinate", "position") chooses the LayoutError raised otherwise, and
    `names` is what else its sentence tells.

    >>> whole_within(16, what="rank", last=15)
    Traceback (most recent call last):
    layout.errors.LayoutError: there is no rank 16: ranks go from 0 to 15
    """
    strays: list[int]
    try:
        if isinstance(numbers, np.ndarray) and numbers.ndim:
            if not np.issubdtype(numbers.dtype, np.integer):
                raise TypeError
            strays = numbers[(numbers < first) | (numbers > last)][:1].tolist()
            whole: Any = numbers.astype(type_of_ranks, copy=False)
        else:
            whole = _whole(numbers)
            strays = [] if first <= whole <= last else [whole]
    except TypeError:
        raise LayoutError(f"{what}_not_whole", value=repr(numbers), **names) from None
    for stray in strays:
        names = {what: stray, "first": first, "last": last, **names}
        raise LayoutError(f"no_such_{what}", **names)
    return whole


def _whole(number: Any) -> int:
    """`number` as an int; TypeError for what is none, and for True and False."""
    if isinstance(number, bool | np.bool_):
        raise TypeError
    return index(number)


def _no_axis_twice(axes: tuple[Axis, ...]) -> None:
    for axis in axes:
        if axes.count(axis) > 1:
            raise LayoutError("axis_repeated", axis=axis)


def _read_only(array: Ranks) -> Ranks:
    array.flags.writeable = False
    return array
