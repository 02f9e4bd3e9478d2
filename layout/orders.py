"""Orders compared: the same degrees, laid out in one order or another.

The groups along an axis follow from its degree and its stride alone, so an order changes the groups of
those axes only whose strides it changes.
"""

from itertools import permutations

from layout.grid import Axis
from layout.ranks import DENSE_AXES, Layout, normalised_order

ORDERS: tuple[str, ...] = tuple("-".join(axes) for axes in permutations(DENSE_AXES))
"""All 24 orders of the dense axes."""

_PREFERENCE = {"tp": 0, "cp": 1, "dp": 2, "pp": 2}
"""The rule of thumb: TP fastest, then CP; DP and PP in either order."""


def dense_order(order: str) -> str:
    """`order` as dense layers take it, without ep, in lower case; LayoutError where it is none.

    >>> dense_order("TP-CP-EP-PP-DP")
    'tp-cp-pp-dp'
    """
    normal = normalised_order(order)
    return "-".join(word for word in normal.split("-") if word != "ep") or normal


def farthest_neighbour(layout: Layout, axis: Axis) -> int:
    """How many ranks after the lowest rank of a group along `axis` its highest comes; 0 for a lone rank.

    >>> farthest_neighbour(Layout(tp=2, dp=4), "dp")
    6
    """
    return (layout.degree_of(axis) - 1) * layout.stride_of(axis)


def against_rule_of_thumb(layout: Layout) -> tuple[tuple[Axis, Axis], ...]:
    """Pairs of axes, the faster first, that the rule of thumb would have the other way round.

    The rule: TP, whose traffic is heaviest, varies fastest; then CP; PP and DP, in either order, may be
    slow and cross nodes. An axis of degree 1 has no traffic and does not count. It is a rule for where
    traffic should be cheap, not a rule of Megatron's.

    >>> against_rule_of_thumb(Layout(tp=2, cp=2, dp=2, order="dp-tp-cp-pp"))
    (('dp', 'tp'), ('dp', 'cp'))
    >>> against_rule_of_thumb(Layout(tp=2, cp=2, dp=2, pp=2, order="tp-cp-pp-dp"))
    ()
    """
    split = [axis for axis in layout.axes if layout.degree_of(axis) > 1]
    return tuple(
        (faster, slower)
        for place, faster in enumerate(split)
        for slower in split[place + 1 :]
        if _PREFERENCE[faster] > _PREFERENCE[slower]
    )
