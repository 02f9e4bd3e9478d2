"""Which node a rank sits on, and which groups reach beyond one node, or beyond one NVLink domain.

A node is one machine; its GPUs are numbered consecutively, so node n holds the ranks from
n x gpus_per_node on, and the last node may hold fewer. An NVLink domain is the GPUs that reach each other
over NVLink, one node or a whole rack, and is counted in the same way: 8 and 8 with HGX H100, 4 and 72 with
GB200 NVL72. So what is said of nodes here holds of domains, with their size in its place.

Whether a group crosses nodes depends only on where its lowest rank stands within a node: all groups along
the same axes are the same steps, begun at other ranks.
"""

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from layout.errors import MAX_WORLD_SIZE
from layout.grid import Axis, Grid, HasGrid, Ranks, whole_degree, whole_within
from layout.keys import Setup, grid_and_axes, groups_of_key, kind_of
from layout.ranks import grid_of


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


def crossing(layout: Grid | HasGrid, *axes: Axis, gpus_per_node: int) -> Crossing:
    """How many groups along `axes` touch more than one node, and how many nodes a group touches.

    For experts, the axes are those of their grid.

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
    # Ranks ascend within a group, and so do their nodes.
    return _counted((places[:, np.newaxis] + steps) // gpus_per_node, num_groups_at)


@dataclass(frozen=True)
class Reach:
    """How the groups of one kind lie on the nodes and on the NVLink domains."""

    nodes: Crossing
    domains: Crossing
    """The same counts with NVLink domains in the place of nodes."""


def reach_of_key(setup: Setup, key: str, *, gpus_per_node: int, nvlink_domain: int) -> Reach:
    """How far the groups called `key` reach: across nodes, and across NVLink domains of so many GPUs.

    Raises LayoutError for a key that is none, and for what is no number of GPUs.

    >>> from layout import Layout
    >>> reach = reach_of_key(Layout(tp=8, dp=9), "dp", gpus_per_node=4, nvlink_domain=72)
    >>> reach.nodes.num_crossing, reach.domains.num_crossing
    (8, 0)
    """
    return Reach(
        nodes=crossing_of_key(setup, key, gpus_per_node=gpus_per_node),
        domains=crossing_of_key(
            setup, key, gpus_per_node=whole_degree("nvlink_domain", nvlink_domain)
        ),
    )


def crossing_of_key(setup: Setup, key: str, *, gpus_per_node: int) -> Crossing:
    """The same as `crossing`, for the groups called `key`, of whichever grid they are.

    >>> from layout import Job
    >>> job = Job(tp=8, cp=4, hierarchical_cp=(2, 2))
    >>> [crossing_of_key(job, f"hcp_{n}", gpus_per_node=16).num_crossing for n in (0, 1)]
    [0, 16]
    """
    kind = kind_of(setup, key)
    if kind is None or kind.cut == "whole":
        grid, axes = grid_and_axes(setup, key)
        return crossing(grid, *axes, gpus_per_node=gpus_per_node)
    # Groups that are cut out of others are not all the same steps, so every one is looked at.
    nodes = np.sort(groups_of_key(setup, key), axis=1) // whole_degree(
        "gpus_per_node", gpus_per_node
    )
    return _counted(nodes, np.ones(len(nodes), dtype=np.int64))


def _counted(nodes: Ranks, num_groups_at: Ranks) -> Crossing:
    """What is counted where row i holds the nodes of `num_groups_at[i]` groups, ascending."""
    # Each change of node in a row is the way to a node not touched before.
    num_touched = 1 + np.count_nonzero(np.diff(nodes, axis=1), axis=1)
    return Crossing(
        num_groups=int(num_groups_at.sum()),
        group_size=nodes.shape[1],
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
