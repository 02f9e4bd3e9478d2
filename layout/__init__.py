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
from layout.grid import Axis, Coordinate, Grid, Ranks
from layout.hosts import Hosts, read_hosts
from layout.keys import NAMED_KEYS, axes_of_key, group_of_key, groups_of_key
from layout.megatron import objection_to_order
from layout.nodes import Crossing, crossing, local_rank_of, node_of, num_nodes
from layout.part import Part
from layout.ranks import DENSE_AXES, MEGATRON_ORDER, Layout, normalised_order
from layout.report import FORMS, report_of, report_pieces

__all__ = [
    "DENSE_AXES",
    "FORMS",
    "MAX_WORLD_SIZE",
    "MEGATRON_ORDER",
    "NAMED_KEYS",
    "Axis",
    "Coordinate",
    "Crossing",
    "Excerpt",
    "Grid",
    "Hosts",
    "Layout",
    "LayoutError",
    "Part",
    "Ranks",
    "axes_of_key",
    "copy_and_position",
    "crossing",
    "excerpt_of",
    "group_of_key",
    "groups_of_key",
    "local_rank_of",
    "node_of",
    "normalised_order",
    "num_nodes",
    "objection_to_order",
    "rank_in_copy",
    "read_hosts",
    "report_of",
    "report_pieces",
    "shape_of_copies",
]
