"""Sentences about a layout that more than one page says."""

from collections.abc import Iterable, Sequence
from typing import Any

from assets.text import Words, count
from layout import DENSE_AXES, Layout, Ranks, num_nodes
from layout.nodes import Crossing
from layout.reach import Shares


def headline(layout: Layout, gpus_per_node: int, words: Words) -> str:
    """The layout in one line.

    >>> headline(Layout(tp=2, dp=4), 8, Words("en"))
    '8 GPUs = TP 2 × CP 1 × DP 4 × PP 1 on 1 node'
    """
    degrees = {axis: count(layout.degree_of(axis)) for axis in DENSE_AXES}
    nodes = num_nodes(layout.world_size, gpus_per_node=gpus_per_node)
    gpus = words("headline.gpus", n=layout.world_size)
    return words("headline.layout", gpus=gpus, n=nodes, **degrees)


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


def shares_in_words(shares: Shares, name: str, words: Words) -> str:
    """One sentence: how far the groups called `name` reach, and where those begin that leave a domain.

    >>> shares_in_words(Shares(in_node=0, in_domain=16, beyond=2, begin=(64, 208)), "EP", Words("en"))
    '2 of 18 EP groups leave the NVLink domain: those that begin at ranks 64 and 208.'
    """
    total = shares.num_groups
    if shares.beyond == total:
        return words("reach.all_leave", name=name, n=total)
    if shares.beyond:
        begin = listed([str(rank) for rank in shares.begin], words)
        if shares.beyond > len(shares.begin):
            begin = words("list.separator").join(map(str, shares.begin))
            begin = words("reach.begin_more", begin=begin)
        of_all = {"n": shares.beyond, "all": count(total)}
        return words("reach.some_groups_leave", name=name, begin=begin, **of_all)
    if shares.in_domain == 0:
        return words("reach.all_in_node", name=name, n=total)
    if shares.in_node == 0:
        return words("reach.all_in_domain", name=name, n=total)
    return words("reach.mixed", name=name, n=shares.in_domain, all=count(total))


def ranks_in_words(ranks: Ranks, words: Words) -> str:
    """The ranks of a group in a short line.

    >>> import numpy as np
    >>> ranks_in_words(np.arange(64, 80), Words("en")), ranks_in_words(np.arange(0, 64, 8), Words("en"))
    ('64–79', '0, 8, 16, … 56')
    """
    first, last = int(ranks[0]), int(ranks[-1])
    if len(ranks) > 2 and last - first == len(ranks) - 1:
        return words("reach.run", first=first, last=last)
    shown = ranks.tolist() if len(ranks) <= 5 else ranks[:3].tolist()
    pieces = [str(rank) for rank in shown]
    if len(ranks) > 5:
        pieces.append(words("reach.cut", last=last))
    return words("list.separator").join(pieces)


def table(rows: Iterable[Iterable[str]]) -> str:
    """Rows of cells as a Markdown table; the first row is its head.

    >>> print(table([["Axis", "Stride"], ["TP", "1"]]))
    |Axis|Stride|
    |-|-|
    |TP|1|
    """
    head, *body = (list(cells) for cells in rows)
    return "\n".join(f"|{'|'.join(cells)}|" for cells in (head, ["-"] * len(head), *body))


def listed(items: Sequence[str], words: Words) -> str:
    """Items as a sentence names them: "TP", "TP and CP", or "TP, CP and DP".

    >>> listed(["TP", "CP", "DP"], Words("en"))
    'TP, CP and DP'
    """
    *before, last = items
    if not before:
        return last
    return words("list.and", first=words("list.separator").join(before), last=last)


def _nodes(found: Crossing) -> dict[str, Any]:
    """How many nodes one group touches, as the labels want it."""
    fewest, most = count(found.fewest_nodes), count(found.most_nodes)
    return {"n": found.most_nodes, "fewest": fewest, "most": most}
