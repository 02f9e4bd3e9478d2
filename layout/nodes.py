"""Which node a rank sits on, and which groups reach beyond one node.

A node is one machine; its GPUs are numbered consecutively, so node n holds the ranks from
n x gpus_per_node on, and the last node may hold fewer. Whether a group crosses nodes depends only
on where its lowest rank stands within a node: all groups along the same axes are the same steps,
begun at other ranks.
"""

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from layout.errors import MAX_WORLD_SIZE
from layout.grid import Axis, Grid, Ranks, whole_degree, whole_within
from layout.ranks import Layout, grid_of


@dataclass(frozen=True)
class Crossing:
    """How the groups along some axes lie on the nodes: plain counts, no unit."""

    num_groups: int
    group_size: int
    """Ranks in each group."""
    num_crossing: int
    """How many of the groups touch more than one node."""
    fewest_nodes: int
    """The nodes that the most compact group touches."""
    most_nodes: int
    """The nodes that the widest group touches."""


@overload
def node_of(rank: int, *, gpus_per_node: int) -> int: ...
@overload
def node_of(rank: Ranks, *, gpus_per_node: int) -> Ranks: ...
def node_of(rank: int | Ranks, *, gpus_per_node: int) -> int | Ranks:
    """The number of the node that holds `rank`, counted from 0; an array gives an array.

    Raises LayoutError for what is no rank, or no number of GPUs per node.

    >>> node_of(13, gpus_per_node=8)
    1
    """
    whole: int | Ranks = whole_within(rank, what="rank", last=MAX_WORLD_SIZE - 1)
    return whole // whole_degree("gpus_per_node", gpus_per_node)


@overload
def local_rank_of(rank: int, *, gpus_per_node: int) -> int: ...
@overload
def local_rank_of(rank: Ranks, *, gpus_per_node: int) -> Ranks: ...
def local_rank_of(rank: int | Ranks, *, gpus_per_node: int) -> int | Ranks:
    """The place of `rank` within its node, 0 to gpus_per_node - 1; an array gives an array.

    Raises LayoutError for what is no rank, or no number of GPUs per node.

    >>> local_rank_of(13, gpus_per_node=8)
    5
    """
    whole: int | Ranks = whole_within(rank, what="rank", last=MAX_WORLD_SIZE - 1)
    return whole % whole_degree("gpus_per_node", gpus_per_node)


def num_nodes(world_size: int, *, gpus_per_node: int) -> int:
    """How many nodes a world takes up; the last may be partly used.

    Raises LayoutError for what is no world size, or no number of GPUs per node.

    >>> num_nodes(20, gpus_per_node=8)
    3
    """
    whole = whole_degree("world", world_size)
    return -(-whole // whole_degree("gpus_per_node", gpus_per_node))


def crossing(layout: Grid | Layout, *axes: Axis, gpus_per_node: int) -> Crossing:
    """How many groups along `axes` touch more than one node, and how many nodes a group touches.

    Raises LayoutError for an axis that is not here or is named twice, and for what is no number of
    GPUs per node. Any number from 1 will do; it need not divide anything.

    >>> from layout import Layout
    >>> crossing(Layout(tp=2, cp=2, dp=2, pp=2), "pp", gpus_per_node=8)
    Crossing(num_groups=8, group_size=2, num_crossing=8, fewest_nodes=2, most_nodes=2)
    """
    grid = grid_of(layout)
    gpus_per_node = whole_degree("gpus_per_node", gpus_per_node)
    steps = grid.steps_along(*axes)
    places, num_groups_at = _places_of_lowest_ranks(grid, axes, gpus_per_node)
    # Ranks ascend within a group, so each change of node is the way to a node not touched before.
    nodes = (places[:, np.newaxis] + steps) // gpus_per_node
    num_touched = 1 + np.count_nonzero(np.diff(nodes, axis=1), axis=1)
    return Crossing(
        num_groups=grid.world_size // steps.size,
        group_size=steps.size,
        num_crossing=int(num_groups_at[num_touched > 1].sum()),
        fewest_nodes=int(num_touched.min()),
        most_nodes=int(num_touched.max()),
    )


def _places_of_lowest_ranks(
    grid: Grid, axes: tuple[Axis, ...], gpus_per_node: int
) -> tuple[Ranks, Ranks]:
    """The places within a node at which groups along `axes` begin, and how many begin at each.

    Two arrays of the same length, at most gpus_per_node. Axis by axis, so that a large world costs
    no more than the places it really uses.
    """
    places, num_at = _tallied(np.array([grid.first_rank % gpus_per_node]), np.ones(1))
    for axis in grid.axes:
        if axis not in axes:
            steps = np.arange(grid.size_of(axis)) * grid.stride_of(axis) % gpus_per_node
            steps, num_steps = _tallied(steps, np.ones(steps.size))
            sums = np.add.outer(places, steps) % gpus_per_node
            counts = np.multiply.outer(num_at, num_steps)
            places, num_at = _tallied(sums.reshape(-1), counts.reshape(-1))
    return places, num_at


def _tallied(places: Ranks, counts: NDArray[Any]) -> tuple[Ranks, Ranks]:
    """Each of `places` once, ascending, with the sum of its `counts`."""
    totals = np.bincount(places, weights=counts).astype(np.int64)  # whole and small, so exact
    found = np.flatnonzero(totals)
    return found, totals[found]
