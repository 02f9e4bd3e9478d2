"""The nearest thing that works: what an error offers for degrees or an order that do not."""

import re
from collections.abc import Collection, Iterable, Mapping
from math import isqrt, prod
from typing import Any

from layout.errors import MAX_WORLD_SIZE
from layout.grid import Axis


def nearest_worlds(world: int, product: int) -> list[int]:
    """The multiples of `product` just below and just above `world`, nearest first.

    Only worlds that the model accepts (1 to 2^22 ranks).

    >>> nearest_worlds(16, 6)
    [18, 12]
    """
    below = world // product * product
    found = [size for size in (below, below + product) if 0 < size <= MAX_WORLD_SIZE]
    return sorted(found, key=lambda size: abs(size - world))


def nearest_degrees(world: int, degrees: Mapping[Axis, int]) -> list[dict[Axis, int]]:
    """The smallest changes of one degree that make their product divide `world`.

    For each axis the nearest degree below and above its own that works with the others, smallest
    change first; no entry for an axis that cannot mend it alone.

    >>> nearest_degrees(16, {"tp": 3, "cp": 1, "pp": 2})
    [{'tp': 2}, {'tp': 4}]
    """
    found: list[dict[Axis, int]] = []
    for axis, degree in degrees.items():
        others = prod(other for name, other in degrees.items() if name != axis)
        if world % others:
            continue
        working = divisors(world // others)
        below = [d for d in working if d < degree][-1:]
        above = [d for d in working if d > degree][:1]
        found += [{axis: other} for other in (*below, *above)]
    return sorted(found, key=lambda fix: abs(_only(fix.values()) - degrees[_only(fix)]))


def matching_degrees(world: int, degrees: Mapping[Axis, int]) -> list[dict[Axis, int]]:
    """The changes of one degree that make their product equal `world`, smallest change first.

    >>> matching_degrees(24, {"tp": 2, "cp": 2, "dp": 2, "pp": 2})
    [{'tp': 3}, {'cp': 3}, {'dp': 3}, {'pp': 3}]
    """
    product = prod(degrees.values())
    found = [
        {axis: world * degree // product}
        for axis, degree in degrees.items()
        if world * degree % product == 0
    ]
    return sorted(found, key=lambda fix: abs(_only(fix.values()) - degrees[_only(fix)]))


def divisors(number: int) -> list[int]:
    """Every divisor of `number`, ascending.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    small = [d for d in range(1, isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})


def nearest_order(order: str, axes: Iterable[Axis]) -> str:
    """`order` mended: its known axes in their places, each once, then the missing ones of `axes`.

    `ep` is kept where it stands. An axis that is only misspelt is not guessed at.

    >>> nearest_order("tp,pp,xx,tp", ("tp", "cp", "dp", "pp"))
    'tp-pp-cp-dp'
    """
    known = (*axes, "ep")
    words = [word for word in re.split(r"[^a-z]+", str(order)[:200].lower()) if word in known]
    return "-".join(dict.fromkeys((*words, *axes)))


def whole_order(order: str, axes: Iterable[Axis]) -> str:
    """`order` mended so that it names each of `axes` once, the missing ones where a default has them.

    `axes` stand in the sequence of that default: each missing one comes before the first axis of
    the order that follows it there.

    >>> whole_order("tp,dp,xx,pp", ("tp", "cp", "ep", "dp", "pp"))
    'tp-cp-ep-dp-pp'
    """
    known = tuple(axes)
    words = re.split(r"[^a-z]+", str(order)[:200].lower())
    mended = list(dict.fromkeys(word for word in words if word in known))
    for number, axis in enumerate(known):
        if axis not in mended:
            later = [mended.index(other) for other in known[number:] if other in mended]
            mended.insert(min(later, default=len(mended)), axis)
    return "-".join(mended)


def near(degree: float, working: Collection[int]) -> list[int]:
    """Of the `working` degrees, the nearest below and above `degree`, the nearer first.

    >>> near(3, divisors(16)), near(1, [1, 4])
    ([2, 4], [4])
    """
    below = max((other for other in working if other < degree), default=None)
    above = min((other for other in working if other > degree), default=None)
    found = [other for other in (below, above) if other is not None]
    return sorted(found, key=lambda other: abs(other - degree))


def product_in_words(degrees: Mapping[Axis, int]) -> str:
    """The product as a reader would check it.

    >>> product_in_words({"tp": 2, "cp": 1, "pp": 3})
    'tp 2 x cp 1 x pp 3 = 6'
    """
    factors = " x ".join(f"{axis} {degree}" for axis, degree in degrees.items())
    return f"{factors} = {prod(degrees.values())}"


def _only(items: Iterable[Any]) -> Any:
    """The one member of `items`."""
    (item,) = items
    return item
