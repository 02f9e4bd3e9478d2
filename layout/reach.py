"""Which groups stay inside a node, which inside an NVLink domain, and which leave it: kind by kind.

Ranks ascend along nodes and domains, so a group stays inside one exactly when its lowest and its highest
rank do. That is all that is looked at here; `layout.nodes` counts how many nodes a group touches.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from layout.grid import Ranks, whole_degree
from layout.keys import Setup, grid_and_axes, groups_of_key, kind_of
from layout.nearest import divisors

OFTEN: Mapping[str, str] = {
    **dict.fromkeys(("tp", "expt_tp", "ep", "tp_ep", "cp"), "layer"),
    "pp": "boundary",
    **dict.fromkeys(("dp_cp", "intra_dp_cp"), "step"),
    **dict.fromkeys(("expt_dp", "intra_expt_dp", "inter_expt_dp", "embd"), "step"),
    **dict.fromkeys(("tp_cp", "tp_dp_cp", "tp_dp", "mp", "tp_ep_pp", "intra_dist_opt"), "few"),
    "dp": "none",
}
"""How often ranks talk along each kind of group, the costliest to cross first.

In every layer of every micro-batch ("layer"), between stages for every micro-batch ("boundary"), once a
step ("step"), only a few numbers ("few"), or not at all ("none"): DP decides which samples a rank reads,
and its gradients go over DP x CP. A level of hierarchical CP is as CP. Source: as of `KINDS`.
"""


def often(key: str) -> str:
    """How often ranks talk along the groups called `key`: a value of OFTEN.

    >>> often("hcp_1"), often("dp_cp")
    ('layer', 'step')
    """
    return OFTEN["cp" if key.startswith("hcp_") else key]


@dataclass(frozen=True)
class Shares:
    """The groups of one kind, counted by how far they reach; each group counts once."""

    in_node: int
    in_domain: int
    """In one NVLink domain, but in more than one node of it."""
    beyond: int
    """In more than one NVLink domain."""
    begin: tuple[int, ...] = ()
    """The lowest ranks of the first few groups that leave their domain, ascending."""

    @property
    def num_groups(self) -> int:
        """All groups of the kind.

        >>> Shares(in_node=6, in_domain=1, beyond=1).num_groups
        8
        """
        return self.in_node + self.in_domain + self.beyond


def shares_of_key(
    setup: Setup, key: str, *, gpus_per_node: int, nvlink_domain: int, most: int = 4
) -> Shares:
    """How far the groups called `key` reach, and where the first `most` of those that leave begin.

    A domain need not hold whole nodes: a group that stays inside a node but not inside a domain leaves
    its domain. Raises LayoutError for a key that is none, and for what is no number of GPUs.

    >>> from layout import Job
    >>> shares_of_key(Job(dp=288, ep=16), "ep", gpus_per_node=4, nvlink_domain=72)
    Shares(in_node=0, in_domain=16, beyond=2, begin=(64, 208))
    """
    lowest, highest = _ends(setup, key)
    in_domain = _together(lowest, highest, whole_degree("nvlink_domain", nvlink_domain))
    in_node = in_domain & _together(lowest, highest, whole_degree("gpus_per_node", gpus_per_node))
    num_in_domain, num_in_node = np.count_nonzero(in_domain), np.count_nonzero(in_node)
    leaving = np.flatnonzero(~in_domain)[:most]
    return Shares(
        in_node=int(num_in_node),
        in_domain=int(num_in_domain - num_in_node),
        beyond=int(lowest.size - num_in_domain),
        begin=tuple(lowest[leaving].tolist()),
    )


def part_of_domain(setup: Setup, *keys: str, gpus_per_node: int, nvlink_domain: int) -> int | None:
    """How many GPUs of each domain to use, so that no group of these kinds leaves it: whole nodes.

    Groups fill blocks of consecutive ranks, so a domain of whole blocks cuts none. None where not even one
    block fits, and where a domain is whole blocks as it is.

    >>> from layout import Job
    >>> part_of_domain(Job(dp=288, ep=16), "ep", gpus_per_node=4, nvlink_domain=72)
    64
    """
    blocks = lcm(gpus_per_node, *(_block(setup, key) for key in keys))
    part = nvlink_domain // blocks * blocks
    return part if 0 < part < nvlink_domain else None


def _block(setup: Setup, key: str) -> int:
    """The fewest consecutive ranks that hold whole groups and nothing else."""
    grid, axes = grid_and_axes(setup, key)
    split = [axis for axis in axes if grid.size_of(axis) > 1]
    return max((grid.stride_of(axis) * grid.size_of(axis) for axis in split), default=1)


def _ends(setup: Setup, key: str) -> tuple[Ranks, Ranks]:
    """The lowest and the highest rank of each group, the lowest ascending."""
    kind = kind_of(setup, key)
    if kind is None or kind.cut in ("whole", "ends"):
        grid, axes = grid_and_axes(setup, key)
        lowest = grid.lowest_ranks(*axes)
        return lowest, lowest + grid.steps_along(*axes)[-1]
    groups = groups_of_key(setup, key)
    lowest = groups.min(axis=1)
    places = np.argsort(lowest)
    return lowest[places], groups.max(axis=1)[places]


def _together(lowest: Ranks, highest: Ranks, size: int) -> NDArray[np.bool_]:
    return np.equal(lowest // size, highest // size)


def factorizations(number: int, *, most: int = 6) -> list[tuple[int, int]]:
    """Ways to write `number` as a product of two whole numbers above 1.

    >>> factorizations(8), factorizations(7)
    ([(2, 4), (4, 2)], [])
    """
    return [(size, number // size) for size in divisors(number)[1:-1]][:most]
