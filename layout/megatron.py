"""What Megatron would say of a layout: the rules about orders that a dense layout can break.

Source: `initialize_model_parallel` and `RankGenerator` in megatron/core/parallel_state.py, megatron-core
0.19.2; each rule was recorded by running it (tests/golden).
"""

from typing import Literal

from layout.ranks import Layout

OrderObjection = Literal["refuses", "needs_tp"]


def objection_to_order(layout: Layout) -> OrderObjection | None:
    """Which rule about orders Megatron would refuse a dense layout for, or None.

    "needs_tp": it fails where the order leaves out tp, even at TP 1. "refuses": it builds its expert
    grid for dense models too, and while the order does not end in pp it wants expert DP (with EP 1 and
    ETP = TP that is cp x dp) equal to DP.

    >>> from layout import Layout
    >>> objection_to_order(Layout(cp=2, pp=2, order="tp-cp-pp-dp"))
    'refuses'
    """
    if "tp" not in layout.order.split("-"):
        return "needs_tp"
    if layout.cp > 1 and layout.pp > 1 and not layout.order.endswith("pp"):
        return "refuses"
    return None
