"""Which GPU talks to which, and why: ranks, axes, groups and nodes of a training job.

>>> from layout import Layout
>>> Layout(tp=2, cp=2, dp=2, pp=2).groups("cp")[:2]
array([[0, 2],
       [1, 3]])

NumPy and the standard library only; this package knows nothing of screens.
"""

from layout.copies import copy_and_position, rank_in_copy, shape_of_copies
from layout.errors import MAX_WORLD_SIZE, LayoutError
from layout.excerpt import Excerpt, excerpt_of
from layout.experts import EXPERT_AXES, Experts
from layout.grid import Axis, Coordinate, Grid, Ranks
from layout.hosts import Hosts, read_hosts
from layout.job import CP_TYPES, Job, job_of
from layout.keys import (
    KINDS,
    NAMED_KEYS,
    Kind,
    axes_of_key,
    group_of_key,
    groups_of_key,
    hybrid_cp_groups,
    kind_of,
    kinds_of,
    recipe_of_key,
)
from layout.levels import grid_in_levels
from layout.megatron import OBJECTIONS, Objection, first_objections, objection_to_order, objections
from layout.nodes import (
    Crossing,
    Reach,
    crossing,
    crossing_of_key,
    local_rank_of,
    node_of,
    num_nodes,
    reach_of_key,
)
from layout.part import Part
from layout.ranks import DENSE_AXES, MEGATRON_ORDER, Layout, normalised_order
from layout.reach import Shares, factorizations, part_of_domain, shares_of_key
from layout.report import FORMS, report_of, report_pieces

__all__ = [
    "CP_TYPES",
    "DENSE_AXES",
    "EXPERT_AXES",
    "FORMS",
    "KINDS",
    "MAX_WORLD_SIZE",
    "MEGATRON_ORDER",
    "NAMED_KEYS",
    "OBJECTIONS",
    "Axis",
    "Coordinate",
    "Crossing",
    "Excerpt",
    "Experts",
    "Grid",
    "Hosts",
    "Job",
    "Kind",
    "Layout",
    "LayoutError",
    "Objection",
    "Part",
    "Ranks",
    "Reach",
    "Shares",
    "axes_of_key",
    "copy_and_position",
    "crossing",
    "crossing_of_key",
    "excerpt_of",
    "factorizations",
    "first_objections",
    "grid_in_levels",
    "group_of_key",
    "groups_of_key",
    "hybrid_cp_groups",
    "job_of",
    "kind_of",
    "kinds_of",
    "local_rank_of",
    "node_of",
    "normalised_order",
    "num_nodes",
    "objection_to_order",
    "objections",
    "part_of_domain",
    "rank_in_copy",
    "reach_of_key",
    "read_hosts",
    "recipe_of_key",
    "report_of",
    "report_pieces",
    "shape_of_copies",
    "shares_of_key",
]
