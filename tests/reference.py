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


def expert_groups(
    order: str, *, world: int, etp: int, ep: int, pp: int, along: Iterable[str]
) -> list[list[int]]:
    """Groups of the experts' grid, whose axes stand where the order has tp, ep, dp and pp.

    Dealing out, not counting: the world is cut into piles, and the pile of a rank is its position, from
    the slowest axis down to the fastest.

    >>> expert_groups("tp-cp-ep-dp-pp", world=8, etp=1, ep=2, pp=2, along=["edp"])
    [[0, 2], [1, 3], [4, 6], [5, 7]]
    """
    sizes = {"tp": etp, "ep": ep, "dp": world // (etp * ep * pp), "pp": pp}
    names = {"tp": "etp", "ep": "ep", "dp": "edp", "pp": "pp"}
    words = [word for word in order.split("-") if word in sizes]
    words += [word for word in sizes if word not in words]  # of size 1
    positions: list[dict[str, int]] = [{} for _ in range(world)]
    piles = [list(range(world))]
    for word in reversed(words):
        smaller = []
        for pile in piles:
            height = len(pile) // sizes[word]
            for position in range(sizes[word]):
                part = pile[position * height : (position + 1) * height]
                for rank in part:
                    positions[rank][names[word]] = position
                smaller.append(part)
        piles = smaller
    along = set(along)
    found: dict[str, list[int]] = {}
    for rank, at in enumerate(positions):
        shared = str([at[names[word]] for word in words if names[word] not in along])
        found.setdefault(shared, []).append(rank)
    return list(found.values())


def levels(group: list[int], sizes: list[int]) -> list[list[list[int]]]:
    """The members of `group` cut into levels, innermost first: at each, those alike at all others.

    >>> levels([0, 2, 4, 6], [2, 2])
    [[[0, 2], [4, 6]], [[0, 4], [2, 6]]]
    """
    numbered = {f"level {number}": size for number, size in enumerate(sizes)}
    return [
        [[group[place] for place in places] for places in groups(numbered, [name])]
        for name in numbered
    ]


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
