"""The layout of a training job: its degrees and its order, and so its ranks and their groups.

For the dense layers the ranks form a TP x CP x DP x PP grid. Experts use a second grid over the same
ranks, in layout/experts.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, overload

from layout.errors import MAX_WORLD_SIZE, LayoutError
from layout.grid import Axis, Coordinate, Grid, HasGrid, Ranks, whole_degree
from layout.nearest import (
    matching_degrees,
    nearest_degrees,
    nearest_order,
    nearest_worlds,
    product_in_words,
)

DENSE_AXES: tuple[Axis, ...] = ("tp", "cp", "dp", "pp")
"""The axes of the dense grid, in the order in which Megatron's default order lists them."""

MEGATRON_ORDER = "tp-cp-ep-dp-pp"
"""Megatron's default order (`order` of `initialize_model_parallel`, megatron-core 0.19.2)."""

# What `RankGenerator` appends to an order that leaves axes out, in its own sequence
# (`name_to_size` in megatron/core/parallel_state.py, without the expert axis).
_APPENDED: tuple[Axis, ...] = ("tp", "pp", "dp", "cp")


@dataclass(frozen=True)
class Layout:
    """Degrees and order together: which rank sits at which coordinate, and who its peers are.

    The first axis of `order` varies fastest. An order may leave out axes of degree 1; it may name
    `ep`, which the dense grid passes over (experts are a second grid over the same ranks). Two
    layouts are equal where their degrees and their completed dense orders are. Raises LayoutError
    for what is no degree, an order that is none or lacks an axis of degree over 1, and a world
    beyond the largest.

    >>> Layout(tp=2, cp=2, dp=2, pp=2)
    Layout(tp=2, cp=2, dp=2, pp=2, order='tp-cp-dp-pp')
    >>> Layout(tp=2, dp=4, order="TP-CP-EP-DP-PP") == Layout(tp=2, dp=4)
    True
    """

    tp: int = 1
    cp: int = 1
    dp: int = 1
    pp: int = 1
    order: str = field(default="tp-cp-dp-pp", compare=False)
    axes: tuple[Axis, ...] = field(init=False, repr=False)
    """The dense axes, all four, from fastest to slowest."""

    def __post_init__(self) -> None:
        for axis in DENSE_AXES:
            object.__setattr__(self, axis, whole_degree(axis, getattr(self, axis)))
        object.__setattr__(self, "order", normalised_order(self.order))
        object.__setattr__(self, "axes", self._completed_axes())
        _ = self.grid  # a world that is too large is refused here

    @classmethod
    def from_world(
        cls,
        *,
        world_size: int,
        tp: int = 1,
        cp: int = 1,
        dp: int | None = None,
        pp: int = 1,
        order: str = "tp-cp-dp-pp",
    ) -> "Layout":
        """The layout as people state it: the world and three degrees; DP is what is left.

        A DP that is given too must agree with what is left. Raises LayoutError where it does not,
        and where tp x cp x pp does not divide the world, with the nearest worlds and degrees that
        work. Megatron derives DP in this way (`initialize_model_parallel` in
        megatron/core/parallel_state.py of megatron-core 0.19.2).

        >>> Layout.from_world(world_size=64, tp=4, cp=2, pp=4).dp
        2
        """
        degrees = {"tp": tp, "cp": cp, **({} if dp is None else {"dp": dp}), "pp": pp}
        degrees = {axis: whole_degree(axis, degree) for axis, degree in degrees.items()}
        product = prod(degrees.values())
        world = _whole_world(world_size, product=product)
        if dp is None and world % product:
            raise _world_error(
                "world_not_divisible",
                world,
                degrees,
                fixes=[
                    *({"world": nearest} for nearest in nearest_worlds(world, product)),
                    *nearest_degrees(world, degrees),
                ],
            )
        if dp is not None and world != product:
            raise _world_error(
                "world_disagrees",
                world,
                degrees,
                fixes=[
                    *({"world": nearest} for nearest in (product,) if nearest <= MAX_WORLD_SIZE),
                    *matching_degrees(world, degrees),
                ],
            )
        return cls(**{"dp": world // product, **degrees}, order=order)

    @cached_property
    def grid(self) -> Grid:
        """The dense grid: this layout's axes and degrees as one array of ranks."""
        return Grid(axes=self.axes, sizes=tuple(getattr(self, axis) for axis in self.axes))

    @property
    def world_size(self) -> int:
        """The number of ranks, tp x cp x dp x pp; one GPU each.

        >>> Layout(tp=2, cp=2, dp=2, pp=2).world_size
        16
        """
        return self.grid.world_size

    def degree_of(self, axis: Axis) -> int:
        """How many ways `axis` splits the job.

        >>> Layout(tp=2, dp=4).degree_of("dp")
        4
        """
        return self.grid.size_of(axis)

    def stride_of(self, axis: Axis) -> int:
        """The step in rank between neighbours on `axis`; the fastest axis has stride 1.

        >>> Layout(tp=2, cp=2, dp=2, pp=2).stride_of("pp")
        8
        """
        return self.grid.stride_of(axis)

    @overload
    def coordinate_of(self, rank: int) -> dict[Axis, int]: ...
    @overload
    def coordinate_of(self, rank: Ranks) -> dict[Axis, Ranks]: ...
    def coordinate_of(self, rank: int | Ranks) -> dict[Axis, int] | dict[Axis, Ranks]:
        """The position of `rank` on every axis, fastest axis first; see `Grid.coordinate_of`.

        >>> Layout(tp=2, cp=2, dp=2, pp=2).coordinate_of(13)
        {'tp': 1, 'cp': 0, 'dp': 1, 'pp': 1}
        """
        return self.grid.coordinate_of(rank)

    @overload
    def rank_at(self, coordinate: Coordinate) -> int: ...
    @overload
    def rank_at(self, coordinate: Mapping[Axis, Ranks]) -> Ranks: ...
    def rank_at(self, coordinate: Coordinate | Mapping[Axis, Ranks]) -> int | Ranks:
        """The rank at `coordinate`, which names all four axes; see `Grid.rank_at`.

        >>> Layout(tp=2, cp=2, dp=2, pp=2).rank_at({"tp": 1, "cp": 0, "dp": 1, "pp": 1})
        13
        """
        return self.grid.rank_at(coordinate)

    def groups(self, *axes: Axis) -> Ranks:
        """Ranks that differ only along `axes`, one group per row, in Megatron's creation order.

        Shape (num_groups, group_size); ranks ascend within a group; see `Grid.groups`.

        >>> Layout(tp=2, cp=2, dp=2, pp=2).groups("tp", "dp", "pp")
        array([[ 0,  1,  4,  5,  8,  9, 12, 13],
               [ 2,  3,  6,  7, 10, 11, 14, 15]])
        """
        return self.grid.groups(*axes)

    def group_of(self, rank: int | Ranks, *axes: Axis) -> Ranks:
        """The group of `rank` along `axes`, ascending; see `Grid.group_of`.

        >>> Layout(tp=2, cp=2, dp=2, pp=2).group_of(13, "dp", "cp")
        array([ 9, 11, 13, 15])
        """
        return self.grid.group_of(rank, *axes)

    @overload
    def group_index_of(self, rank: int, *axes: Axis) -> int: ...
    @overload
    def group_index_of(self, rank: Ranks, *axes: Axis) -> Ranks: ...
    def group_index_of(self, rank: int | Ranks, *axes: Axis) -> int | Ranks:
        """The row of `groups(*axes)` that holds `rank`, counted from 0.

        >>> Layout(tp=2, cp=2, dp=2, pp=2).group_index_of(13, "pp")
        5
        """
        return self.grid.group_index_of(rank, *axes)

    def embedding_groups(self) -> Ranks:
        """First and last rank of each pipeline: those that hold the input and the output embedding.

        Shape (num_pp_groups, 2), or (num_pp_groups, 1) where PP is 1. The gradients of tied
        embeddings are all-reduced over these groups, once per step. Source:
        `default_embedding_ranks` in megatron/core/parallel_state.py.

        >>> Layout(tp=2, pp=4).embedding_groups()
        array([[0, 6],
               [1, 7]])
        """
        pipelines = self.groups("pp")
        return pipelines[:, :: max(self.pp - 1, 1)]

    def position_embedding_groups(self) -> Ranks:
        """The first rank of each pipeline, which holds the position embedding: shape (num, 1).

        Source: `default_position_embedding_ranks` in megatron/core/parallel_state.py.

        >>> Layout(tp=2, pp=4).position_embedding_groups()
        array([[0],
               [1]])
        """
        return self.groups("pp")[:, :1]

    def with_(self, **changes: Any) -> "Layout":
        """A new layout with some degrees, or the order, changed.

        >>> Layout(tp=2).with_(dp=4)
        Layout(tp=2, cp=1, dp=4, pp=1, order='tp-cp-dp-pp')
        """
        return replace(self, **changes)

    def _completed_axes(self) -> tuple[Axis, ...]:
        """The dense axes of the order; those it lacks, of degree 1, follow as Megatron adds them.

        Raises LayoutError for an axis of degree over 1 that the order does not name.
        """
        named = [axis for axis in self.order.split("-") if axis in DENSE_AXES]
        for axis in DENSE_AXES:
            if axis not in named and getattr(self, axis) > 1:
                order = nearest_order(self.order, DENSE_AXES)
                raise LayoutError(
                    "order_lacks_axis",
                    axis=axis,
                    value=getattr(self, axis),
                    order=self.order,
                    nearest=order,
                    fixes=[{"order": order}],
                )
        return (*named, *(axis for axis in _APPENDED if axis not in named))


def normalised_order(order: str) -> str:
    """`order` in lower case, once it is known to name only axes, each once; LayoutError otherwise.

    Megatron lower-cases an order too (`RankGenerator`).

    >>> normalised_order("TP-CP-EP-DP-PP")
    'tp-cp-ep-dp-pp'
    """
    if not isinstance(order, str) or not order.strip():
        raise LayoutError("order_empty", nearest=MEGATRON_ORDER, fixes=[{"order": MEGATRON_ORDER}])
    words = order.strip().lower().split("-")
    for word in words:
        reason = None
        if word not in (*DENSE_AXES, "ep"):
            reason = "order_unknown_axis"
        elif words.count(word) > 1:
            reason = "order_repeats_axis"
        if reason:
            nearest = nearest_order(order, DENSE_AXES)
            raise LayoutError(
                reason,
                order=repr(order),
                axis=repr(word),
                nearest=nearest,
                fixes=[{"order": nearest}],
            )
    return "-".join(words)


def grid_of(layout: Grid | HasGrid) -> Grid:
    """The array of ranks behind `layout`, or itself where it is a grid already.

    >>> grid_of(Layout(tp=2, dp=4)).sizes
    (2, 1, 4, 1)
    """
    return layout if isinstance(layout, Grid) else layout.grid


def _whole_world(world_size: Any, *, product: int) -> int:
    """`world_size` as an int; where it is less than 1, `product` is the nearest that works."""
    try:
        return whole_degree("world", world_size)
    except LayoutError as error:
        if error.reason == "degree_too_small" and product <= MAX_WORLD_SIZE:
            error.fixes = ({"world": product},)
        raise


def _world_error(
    reason: str, world: int, degrees: Mapping[Axis, int], *, fixes: list[dict[str, int]]
) -> LayoutError:
    return LayoutError(
        reason,
        product=product_in_words(degrees),
        world=world,
        nearest=_fixes_in_words(fixes),
        fixes=fixes,
        total=prod(degrees.values()),
        **degrees,
    )


def _fixes_in_words(fixes: list[dict[str, int]]) -> str:
    """The changes as one phrase, joined by "or".

    >>> _fixes_in_words([{"world": 8}, {"tp": 2}])
    'world 8, or tp 2'
    """
    words = ", or ".join(f"{name} {number}" for fix in fixes for name, number in fix.items())
    return words or "none by one change"
