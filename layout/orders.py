"""Orders compared: the same degrees, laid out in one order or another.

The groups along an axis follow from its degree and its stride alone, so an order changes the groups of
those axes only whose strides it changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

from layout.grid import Axis
from layout.nodes import Reach, reach_of_key
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


def order_with_ep(order: str) -> str:
    """A dense `order` with ep where Megatron's default has it, as experts need: after cp, else after tp.

    >>> order_with_ep("tp-cp-pp-dp"), order_with_ep("tp-dp-pp"), order_with_ep("dp-pp")
    ('tp-cp-ep-pp-dp', 'tp-ep-dp-pp', 'ep-dp-pp')
    """
    axes = order.split("-")
    before = next((axis for axis in ("cp", "tp") if axis in axes), None)
    place = 0 if before is None else axes.index(before) + 1
    return "-".join((*axes[:place], "ep", *axes[place:]))


@dataclass(frozen=True)
class Along:
    """What the groups along one axis are like in one order."""

    stride: int
    farthest: int
    """How many ranks after its lowest rank a group's highest comes; 0 for a lone rank."""
    reach: Reach

    @property
    def degree(self) -> int:
        """Ranks in each group."""
        return self.reach.nodes.group_size


def compare(
    layouts: Mapping[str, Layout], *, gpus_per_node: int, nvlink_domain: int
) -> dict[Axis, dict[str, Along]]:
    """For each axis, what its groups are like in each of `layouts`, which are named by their orders.

    >>> both = {order: Layout(dp=4, pp=4, order=order) for order in ("dp-pp", "pp-dp")}
    >>> compare(both, gpus_per_node=4, nvlink_domain=8)["pp"]["dp-pp"].farthest
    12
    """
    return {
        axis: {
            order: Along(
                stride=layout.stride_of(axis),
                farthest=(layout.degree_of(axis) - 1) * layout.stride_of(axis),
                reach=reach_of_key(
                    layout, axis, gpus_per_node=gpus_per_node, nvlink_domain=nvlink_domain
                ),
            )
            for order, layout in layouts.items()
        }
        for axis in DENSE_AXES
    }


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
