"""What a kind of group is called: "dp", "dp-cp", "embd", …, and the groups of that name.

A key is the axis names joined by '-', in any order, or a name from the recordings of megatron-core; the
table below has those, with the name that Megatron itself gives the kind and prints in its logs. A key
names the same groups on a screen, in a file and on the command line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np

from layout.errors import LayoutError
from layout.experts import Experts
from layout.grid import Axis, Grid, Ranks
from layout.job import Job
from layout.levels import grid_in_levels, level_of
from layout.nearest import divisors, near
from layout.ranks import Layout, grid_of

Setup = Grid | Layout | Experts | Job
"""What groups are asked of: a grid, a layout, a layout with its experts, or a whole job."""

Cut = Literal["whole", "ends", "first", "level_0", "level_1", "instance"]
"""What is taken of the groups along a kind's axes.

All of each ("whole"); its first and last rank; its first; its runs of neighbours, one for each optimizer
instance ("level_0"); the ranks in the same place of all runs ("level_1"); or one run of whole groups for
each instance.
"""


@dataclass(frozen=True)
class Kind:
    """One kind of group that Megatron makes."""

    key: str
    """Its name in the recordings of megatron-core."""
    megatron: str
    """Its name in Megatron (`group_desc`), as logs show it."""
    grid: Literal["dense", "expert"]
    axes: tuple[Axis, ...]
    """The axes of that grid along which the members differ."""
    purpose: str
    """What it is for, as a phrase."""
    cut: Cut = "whole"
    members: str = ""
    """Who the members are, where it is not everyone along the axes."""


_AT_LEVEL = (
    "exchanges queries, keys, values and outputs by all-to-all",
    "exchanges keys and values round a ring",
)
_ALL_ENDS = "the first and the last rank of each pp group"
_RUNS = "each {} group cut into runs of neighbours, one run for each optimizer instance"

KINDS: tuple[Kind, ...] = (
    Kind(
        "dp_cp",
        "DATA_PARALLEL_GROUP_WITH_CP",
        "dense",
        ("dp", "cp"),
        "reduces the gradients of dense weights, once per step; shards the optimizer's state",
    ),
    Kind(
        "intra_dp_cp",
        "INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP",
        "dense",
        ("dp", "cp"),
        "shards the optimizer's state within one optimizer instance",
        "level_0",
        _RUNS.format("dp_cp"),
    ),
    Kind("dp", "DATA_PARALLEL_GROUP", "dense", ("dp",), "decides which samples a rank reads"),
    Kind(
        "cp", "CONTEXT_PARALLEL_GROUP", "dense", ("cp",), "exchanges keys and values in attention"
    ),
    Kind(
        "mp",
        "MODEL_PARALLEL_GROUP",
        "dense",
        ("tp", "pp"),
        "holds the dense weights once; sums the gradient's norm without the distributed optimizer",
    ),
    Kind(
        "tp",
        "TENSOR_MODEL_PARALLEL_GROUP",
        "dense",
        ("tp",),
        "exchanges activations inside every layer",
    ),
    Kind(
        "pp",
        "PIPELINE_MODEL_PARALLEL_GROUP",
        "dense",
        ("pp",),
        "passes activations and their gradients from stage to stage",
    ),
    Kind(
        "embd",
        "EMBEDDING_GROUP",
        "dense",
        ("pp",),
        "adds up the gradients of tied input and output embeddings, once per step",
        "ends",
        _ALL_ENDS,
    ),
    Kind(
        "pos_embd",
        "POSITION_EMBEDDING_GROUP",
        "dense",
        ("pp",),
        "holds the position embedding",
        "first",
        "the first rank of each pp group",
    ),
    Kind(
        "tp_dp_cp",
        "TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP",
        "dense",
        ("tp", "dp", "cp"),
        "finds the largest values for FP8; counts the tokens that each expert gets",
    ),
    Kind(
        "tp_dp",
        "TENSOR_AND_DATA_PARALLEL_GROUP",
        "dense",
        ("tp", "dp"),
        "finds the largest values for FP8 where CP ranks need not agree on them",
    ),
    Kind(
        "tp_cp",
        "TENSOR_AND_CONTEXT_PARALLEL_GROUP",
        "dense",
        ("tp", "cp"),
        "gathers the router's statistics for its auxiliary loss",
    ),
    Kind(
        "ep",
        "EXPERT_MODEL_PARALLEL_GROUP",
        "expert",
        ("ep",),
        "sends tokens to their experts and back, by all-to-all",
    ),
    Kind(
        "expt_tp",
        "EXPERT_TENSOR_PARALLEL_GROUP",
        "expert",
        ("etp",),
        "exchanges activations inside every expert",
    ),
    Kind(
        "tp_ep",
        "EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP",
        "expert",
        ("etp", "ep"),
        "holds the experts of one stage once",
    ),
    Kind(
        "tp_ep_pp",
        "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP",
        "expert",
        ("etp", "ep", "pp"),
        "holds the expert weights once",
    ),
    Kind(
        "expt_dp",
        "EXPERT_DATA_PARALLEL_GROUP",
        "expert",
        ("edp",),
        "reduces the gradients of expert weights, once per step",
    ),
    Kind(
        "intra_expt_dp",
        "HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L0",
        "expert",
        ("edp",),
        "shards the experts' optimizer state within one optimizer instance",
        "level_0",
        _RUNS.format("expt_dp"),
    ),
    Kind(
        "inter_expt_dp",
        "HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L1",
        "expert",
        ("edp",),
        "reduces gradients between optimizer instances",
        "level_1",
        "the ranks in the same place of every instance's run",
    ),
    Kind(
        "intra_dist_opt",
        "INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP",
        "expert",
        ("etp", "ep", "pp"),
        "sums the gradient's norm within one optimizer instance",
        "instance",
        "one run of tp_ep_pp groups for each optimizer instance",
    ),
)
"""The kinds of group that every job makes, in the sequence in which Megatron makes them, but for two:
the intra and inter kinds exist only where there are several optimizer instances.

Sources: `initialize_model_parallel` in megatron/core/parallel_state.py, megatron-core 0.19.2, for names and
members; megatron/core/distributed/finalize_model_grads.py and its neighbours for what they are for.
"""

_KIND_OF: Mapping[str, Kind] = {kind.key: kind for kind in KINDS}

NAMED_KEYS: Mapping[str, tuple[Axis, ...]] = {
    kind.key: kind.axes for kind in KINDS if kind.key not in kind.axes
}
"""The keys that are names and no axes, and the axes along which the members differ."""


def kind_of(setup: Setup, key: str) -> Kind | None:
    """The kind of group that Megatron makes under the name `key`, or None where it makes none.

    The levels of hierarchical CP are "hcp_0" (the innermost), "hcp_1", …

    >>> kind_of(Layout(), "mp").megatron
    'MODEL_PARALLEL_GROUP'
    >>> kind_of(Job(cp=4, hierarchical_cp=(2, 2)), "hcp_1").axes
    ('cp_1',)
    """
    levels = {kind.key: kind for kind in _level_kinds(setup)}
    return levels.get(key) or _KIND_OF.get(key)


def kinds_of(setup: Setup) -> tuple[Kind, ...]:
    """Every kind of group that Megatron makes for this setup, in the sequence in which it makes them.

    >>> [kind.key for kind in kinds_of(Layout())][:3]
    ['dp_cp', 'dp', 'cp']
    """
    has_experts = isinstance(setup, Experts | Job)
    made = [
        kind
        for kind in KINDS
        if (kind.grid == "dense" or has_experts)
        and (not kind.cut.startswith("level") or _instances(setup) > 1)
    ]
    after_cp = [kind.key for kind in made].index("cp") + 1
    return (*made[:after_cp], *_level_kinds(setup), *made[after_cp:])


def axes_of_key(setup: Setup, key: str) -> tuple[Axis, ...]:
    """The axes along which the members of a `key` group differ, in the order that `key` has.

    Raises LayoutError for a key that is none, and for one that names an axis twice.

    >>> axes_of_key(Layout(), "mp")
    ('tp', 'pp')
    """
    return grid_and_axes(setup, key)[1]


def grid_and_axes(setup: Setup, key: str) -> tuple[Grid, tuple[Axis, ...]]:
    """The grid that `key` is about, and its axes there, in the order that `key` has.

    Raises LayoutError for a key that is none, and for one that names an axis twice.

    >>> grid, axes = grid_and_axes(Experts(Layout(tp=2, dp=4), etp=1), "expt_dp")
    >>> axes, grid.size_of("edp")
    (('edp',), 8)
    """
    words = tuple(key.split("-"))
    kind = kind_of(setup, key)
    if kind and key.startswith("hcp_"):
        assert isinstance(setup, Job)
        return grid_in_levels(setup.layout, "cp", _levels(setup)), kind.axes
    for grid in _grids(setup):
        for axes in (words, kind.axes if kind else ()):
            if axes and set(axes) <= set(grid.axes):
                grid.steps_along(*axes)  # an axis named twice is refused here
                return grid, axes
    raise LayoutError(
        "no_such_group_key",
        key=repr(key),
        axes=", ".join(dict.fromkeys(axis for grid in _grids(setup) for axis in grid.axes)),
        names=", ".join(kind.key for kind in kinds_of(setup) if kind.key not in kind.axes),
    )


def groups_of_key(setup: Setup, key: str) -> Ranks:
    """The groups called `key`, one per row, in Megatron's creation order.

    Shape (num_groups, group_size). Ranks ascend within a group, but for "intra_dist_opt", where one
    tp_ep_pp group comes after the other. Raises LayoutError for a key that is none, and where optimizer
    instances or CP levels do not fit.

    >>> groups_of_key(Layout(tp=2, pp=4), "embd")
    array([[0, 6],
           [1, 7]])
    >>> groups_of_key(Job(dp=4, ep=2), "ep")
    array([[0, 1],
           [2, 3]])
    """
    recipe = recipe_of_key(setup, key)
    groups = recipe.grid.groups(*recipe.along)
    if recipe.cut == "ends":  # first and last stage, which are one where PP is 1
        return groups[:, :: max(groups.shape[1] - 1, 1)]
    if recipe.cut == "first":
        return groups[:, :1]
    if recipe.cut == "level":
        beyond = groups.shape[1] // (recipe.below * recipe.size)
        return level_of(groups, (recipe.below, recipe.size, beyond), 1)
    return groups.reshape(recipe.parts, -1) if recipe.cut == "instance" else groups


@dataclass(frozen=True)
class Recipe:
    """How groups are made: from the whole groups along some axes of a grid, and what is taken of those.

    That is all of each ("whole"), the "ends", the "first", the groups at one "level", or one of `parts` runs
    of whole groups ("instance"). A level takes `size` ranks, each `below` places after the one before.
    """

    grid: Grid
    along: tuple[Axis, ...]
    cut: Literal["whole", "ends", "first", "level", "instance"] = "whole"
    below: int = 1
    size: int = 1
    parts: int = 1


def recipe_of_key(setup: Setup, key: str) -> Recipe:
    """How the groups called `key` are made, whatever their number.

    Raises LayoutError for a key that is none, and where optimizer instances or CP levels do not fit.

    >>> recipe = recipe_of_key(Job(cp=8, hierarchical_cp=(2, 4)), "hcp_1")
    >>> recipe.along, recipe.cut, recipe.below, recipe.size
    (('cp',), 'level', 2, 4)
    """
    grid, axes = grid_and_axes(setup, key)
    kind = kind_of(setup, key)
    if key.startswith("hcp_"):
        assert isinstance(setup, Job)
        level, sizes = int(key.removeprefix("hcp_")), _levels(setup)
        return Recipe(setup.layout.grid, ("cp",), "level", prod(sizes[:level]), sizes[level])
    if kind is None:
        return Recipe(grid, axes)
    if kind.cut in ("whole", "ends", "first"):
        return Recipe(grid, axes, kind.cut)
    parts, size = _instances(setup), prod(grid.size_of(axis) for axis in axes)
    if kind.cut == "instance":
        _check_instances(parts, grid.world_size // size, key)
        return Recipe(grid, axes, "instance", parts=parts)
    _check_instances(parts, size, key)
    run = size // parts
    return Recipe(grid, axes, "level", *((1, run) if kind.cut == "level_0" else (run, parts)))


def group_of_key(setup: Setup, rank: int, key: str) -> tuple[int, Ranks] | None:
    """The row of `groups_of_key` that holds `rank`, and that row; None where no row holds it.

    Only "embd" and "pos_embd" leave ranks out: those of the stages in between. Raises LayoutError
    for a rank that is not in the world and a key that is none.

    >>> group_of_key(Layout(tp=2, pp=4), 7, "embd")
    (1, array([1, 7]))
    >>> group_of_key(Layout(tp=2, pp=4), 5, "embd") is None
    True
    """
    grid, axes = grid_and_axes(setup, key)
    kind = kind_of(setup, key)
    row = grid.group_index_of(rank, *axes)
    if not key.startswith("hcp_") and (kind is None or kind.cut == "whole"):
        return row, grid.group_of(rank, *axes)
    groups = groups_of_key(setup, key)
    rows = np.flatnonzero((groups == rank).any(axis=1)).tolist()
    return (rows[0], groups[rows[0]]) if rows else None


def hybrid_cp_groups(layout: Layout) -> dict[int, list[list[int]]]:
    """The groups of hybrid CP by their size: runs of 2, 4, 8, … neighbours in every DP x CP group.

    The largest is smaller than the DP x CP group itself, and the last run may be shorter than the others.
    Source: `create_hybrid_dp_cp_groups` in megatron/core/parallel_state.py, megatron-core 0.19.2.

    >>> hybrid_cp_groups(Layout(cp=2, dp=2))
    {2: [[0, 1], [2, 3]]}
    """
    whole = layout.groups("dp", "cp").tolist()
    largest = len(whole[0]).bit_length() - 1
    return {
        size: [group[i : i + size] for group in whole for i in range(0, len(group), size)]
        for size in (2**power for power in range(1, largest))
    }


def _grids(setup: Setup) -> Iterator[Grid]:
    """The grids that a key may be about, the dense one first; the other is made where it is needed."""
    if isinstance(setup, Grid | Layout):
        yield grid_of(setup)
    else:
        yield setup.layout.grid
        yield (setup if isinstance(setup, Experts) else setup.experts).grid


def _instances(setup: Setup) -> int:
    return setup.dist_opt_instances if isinstance(setup, Job) else 1


def _level_kinds(setup: Setup) -> list[Kind]:
    levels = setup.hierarchical_cp if isinstance(setup, Job) else ()
    return [
        Kind(
            f"hcp_{level}",
            f"HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L{level}",
            "dense",
            (f"cp_{level}",),
            _AT_LEVEL[level]
            if len(levels) == 2
            else "exchanges keys and values at this level of CP",
            members=f"level {level + 1} of each cp group (hcp_{level}), counted from the innermost",
        )
        for level in range(len(levels))
    ]


def _levels(job: Job) -> tuple[int, ...]:
    """The sizes of the CP levels; LayoutError where they do not multiply to CP."""
    levels = job.hierarchical_cp
    if prod(levels) != job.cp:
        raise LayoutError(
            "levels_product",
            levels=" x ".join(map(str, levels)),
            product=prod(levels),
            value=job.cp,
            nearest=f"cp {prod(levels)}",
            fixes=[{"cp": prod(levels)}],
        )
    return levels


def _check_instances(instances: int, size: int, key: str) -> None:
    if size % instances:
        working = near(instances, divisors(size))
        raise LayoutError(
            "instances_not_divisible",
            instances=instances,
            size=size,
            key=key,
            nearest=", or ".join(map(str, working)),
            fixes=[{"dist_opt_instances": number} for number in working],
        )
