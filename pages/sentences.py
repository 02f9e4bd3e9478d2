"""Sentences about a layout that more than one page says."""

from typing import Any

from assets.text import Words, count
from layout.nodes import Crossing


def crossing_in_words(found: Crossing, name: str, words: Words) -> str:
    """One sentence: whether the groups called `name` stay inside nodes.

    >>> from layout import Layout, crossing
    >>> crossing_in_words(crossing(Layout(tp=2, dp=8), "tp", gpus_per_node=8), "TP", Words("en"))
    'Each of the 8 TP groups stays inside one node.'
    """
    if found.group_size == 1:
        return words("summary.alone", name=name)
    if found.num_crossing == 0:
        return words("summary.inside_all", name=name, n=found.num_groups)
    same = found.fewest_nodes == found.most_nodes
    nodes = words("summary.nodes" if same else "summary.nodes_range", **_nodes(found))
    if found.num_crossing < found.num_groups:
        of_all = {"n": found.num_crossing, "all": count(found.num_groups)}
        return words("summary.crossing_some", name=name, nodes=nodes, **of_all)
    return words("summary.spans_all", name=name, n=found.num_groups, nodes=nodes)


def _nodes(found: Crossing) -> dict[str, Any]:
    """How many nodes one group touches, as the labels want it."""
    fewest, most = count(found.fewest_nodes), count(found.most_nodes)
    return {"n": found.most_nodes, "fewest": fewest, "most": most}
