"""Where the ranks of one group lie: the NVLink domains they touch, as plain values to draw.

x grows to the right: a domain is a frame of `bins` places, filled from its lowest rank on.
"""

from typing import Any

import numpy as np

from layout import Ranks

MOST_DOMAINS = 3
MOST_BINS = 96
"""Of a larger domain several ranks share a place; it is filled where any of them is in the group."""
MOST_NODES = 24
"""Of more nodes in one domain none is drawn: their lines would run into each other."""


def strip(ranks: Ranks, *, gpus_per_node: int, nvlink_domain: int) -> dict[str, Any]:
    """The domains that `ranks` touch: the first two and the last, where there are more than three.

    `marks` are runs of filled places (first, length); `nodes` the places, maybe broken ones, at which a
    node begins inside the domain.

    >>> drawn = strip(np.array([4, 5, 12]), gpus_per_node=4, nvlink_domain=8)
    >>> drawn["domains"][0]
    {'number': 0, 'marks': [(4, 2)], 'nodes': [4.0]}
    """
    domains = ranks // nvlink_domain
    touched = np.unique(domains)
    shown = touched if touched.size <= MOST_DOMAINS else touched[[0, 1, -1]]
    bins = min(nvlink_domain, MOST_BINS)
    return {
        "num": int(touched.size),
        "bins": bins,
        "domains": [
            {
                "number": number,
                "marks": _runs(
                    np.unique((ranks[domains == number] % nvlink_domain) * bins // nvlink_domain)
                ),
                "nodes": [
                    place * bins / nvlink_domain
                    for place in _node_places(number * nvlink_domain, gpus_per_node, nvlink_domain)
                ],
            }
            for number in shown.tolist()
        ],
    }


def _runs(places: Ranks) -> list[tuple[int, int]]:
    """The ascending `places` as runs of neighbours: (first, length)."""
    breaks = np.flatnonzero(np.diff(places) > 1) + 1
    return [(int(run[0]), int(run.size)) for run in np.split(places, breaks)]


def _node_places(first: int, gpus_per_node: int, nvlink_domain: int) -> range:
    """How far into the domain that begins at rank `first` each further node begins."""
    starts = range(gpus_per_node - first % gpus_per_node, nvlink_domain, gpus_per_node)
    return starts if len(starts) < MOST_NODES else range(0)
