"""The nearest thing that works: what an error offers for degrees or an order that do not."""

import re
from collections.abc import Iterable, Mapping
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
