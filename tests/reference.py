"""The same groups once more, slowly and obviously: counting and comparing, and nothing of `layout`.

A grid is told as a mapping from each axis to its size, the fastest axis first.
"""

from collections.abc import Iterable, Mapping


def coordinates(sizes: Mapping[str, int]) -> list[dict[str, int]]:
    """The coordinate of rank 0, 1, 2, …: an odometer whose first wheel turns fastest.

    >>> coordinates({"tp": 2, "dp": 2})[:3]
    [{'tp': 0, 'dp': 0}, {'tp': 1, 'dp': 0}, {'tp': 0, 'dp': 1}]
    """
    num_ranks = 1
    for size in sizes.values():
        num_ranks *= size
    found = []
    position = dict.fromkeys(sizes, 0)
    for _ in range(num_ranks):
        found.append(dict(position))
        for axis, size in sizes.items():
            position[axis] += 1
            if position[axis] < size:
                break
            position[axis] = 0
    return found


def groups(sizes: Mapping[str, int], along: Iterable[str], *, first: int = 0) -> list[list[int]]:
    """Ranks that agree on every axis but those of `along`; groups in the order of their first.

    >>> groups({"tp": 2, "dp": 2}, ["dp"])
    [[0, 2], [1, 3]]
    """
    along = set(along)
    found: dict[tuple[int, ...], list[int]] = {}
    for rank, coordinate in enumerate(coordinates(sizes), start=first):
        shared = tuple(coordinate[axis] for axis in sizes if axis not in along)
        found.setdefault(shared, []).append(rank)
    return list(found.values())


def copies(sizes: Mapping[str, int], axis: str) -> list[list[int]]:
    """The ranks of each copy along `axis`, as the job without `axis` counts them.

    >>> copies({"tp": 2, "cp": 2, "dp": 2}, "cp")
    [[0, 1, 4, 5], [2, 3, 6, 7]]
    """
    rank_of = {tuple(place.values()): rank for rank, place in enumerate(coordinates(sizes))}
    without = {name: size for name, size in sizes.items() if name != axis}
    return [
        [
            rank_of[tuple(copy if name == axis else place[name] for name in sizes)]
            for place in coordinates(without)
        ]
        for copy in range(sizes[axis])
    ]


def num_nodes_touched(group: Iterable[int], gpus_per_node: int) -> int:
    """How many nodes the ranks of `group` sit on.

    >>> num_nodes_touched([0, 8, 9], 8)
    2
    """
    nodes = set()
    for rank in group:
        node = 0
        while rank >= (node + 1) * gpus_per_node:
            node += 1
        nodes.add(node)
    return len(nodes)
