"""The experts' grid: a second way of counting the same ranks, ETP x EP x EDP x PP.

Attention and the other dense layers see TP x CP x DP x PP. The experts of the same stage share its ranks
out anew: EDP = world / (ETP x EP x PP). So expert parallelism adds no GPUs; EP may be larger than DP,
and an EP group may reach across TP and CP ranks. Megatron builds this grid for every job, with experts or
without. Source: `initialize_model_parallel` in megatron/core/parallel_state.py, megatron-core 0.19.2.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import gcd, prod
from typing import Any

from layout.errors import LayoutError
from layout.grid import Axis, Grid, whole_degree
from layout.nearest import nearest_degrees, product_in_words, whole_order
from layout.ranks import MEGATRON_ORDER, Layout

EXPERT_AXES: tuple[Axis, ...] = ("etp", "ep", "edp", "pp")
"""The axes of the expert grid: expert tensor, expert, expert data and pipeline parallelism."""

WORD_OF: dict[Axis, Axis] = {"etp": "tp", "ep": "ep", "edp": "dp", "pp": "pp"}
"""The word of an order that says where each expert axis stands: the order is one for both grids."""

# What `RankGenerator` appends to an order that leaves axes out, in its own sequence.
_APPENDED: tuple[Axis, ...] = ("etp", "pp", "edp", "ep")


@dataclass(frozen=True, init=False)
class Experts:
    """The ranks of `layout` as its experts share them; `grid` has the axes etp, ep, edp and pp.

    ETP that is not given is TP, as in Megatron (`expert_tensor_parallel_size` of None), and is written
    out once the value is made. The axes follow the layout's order: etp where it has tp, edp where it has
    dp; cp has no part in it. An order may leave out ep where EP is 1. Raises LayoutError for what is no
    degree, where ETP x EP x PP does not divide the world, and for an order that lacks an axis.

    >>> experts = Experts(Layout(tp=2, cp=2, dp=2, pp=2, order="tp-cp-ep-dp-pp"), ep=4, etp=1)
    >>> experts.edp, experts.grid.groups("ep").tolist()
    (2, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]])
    >>> Experts(Layout(tp=2, dp=4)).etp
    2
    """

    layout: Layout
    ep: int
    etp: int
    axes: tuple[Axis, ...] = field(init=False, repr=False)
    """The expert axes, all four, from fastest to slowest."""

    def __init__(self, layout: Layout, ep: int = 1, etp: int | None = None) -> None:
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "ep", whole_degree("ep", ep))
        object.__setattr__(self, "etp", layout.tp if etp is None else whole_degree("etp", etp))
        if layout.world_size % (self.etp * self.ep * self.pp):
            raise self._not_divisible()
        object.__setattr__(self, "axes", self._completed_axes())

    @property
    def pp(self) -> int:
        """The PP degree, which is the layout's.

        >>> Experts(Layout(pp=4)).pp
        4
        """
        return self.layout.pp

    @property
    def edp(self) -> int:
        """How many ranks hold the same experts: what ETP, EP and PP leave of the world.

        >>> Experts(Layout(tp=2, dp=4, order="tp-cp-ep-dp-pp"), ep=4, etp=1).edp
        2
        """
        return self.layout.world_size // (self.etp * self.ep * self.pp)

    @property
    def order(self) -> str:
        """The expert axes joined, from fastest to slowest.

        >>> Experts(Layout(order="tp-cp-ep-dp-pp")).order
        'etp-ep-edp-pp'
        """
        return "-".join(self.axes)

    @property
    def world_size(self) -> int:
        """The number of ranks, which is the layout's.

        >>> Experts(Layout(tp=2, dp=4), etp=1).world_size
        8
        """
        return self.layout.world_size

    @cached_property
    def grid(self) -> Grid:
        """The expert grid as one array of ranks."""
        return Grid(axes=self.axes, sizes=tuple(getattr(self, axis) for axis in self.axes))

    def with_(self, **changes: Any) -> "Experts":
        """A new value with the layout or a degree changed; ETP stays the number that it was.

        >>> Experts(Layout(tp=2, dp=4)).with_(etp=1).edp
        8
        """
        return replace(self, **changes)

    def _completed_axes(self) -> tuple[Axis, ...]:
        """The expert axes of the order; those it lacks, of degree 1, follow as Megatron adds them."""
        words = self.layout.order.split("-")
        axis_of = {word: axis for axis, word in WORD_OF.items()}
        named = [axis_of[word] for word in words if word in axis_of]
        for axis in EXPERT_AXES:
            if axis not in named and getattr(self, axis) > 1:
                order = whole_order(self.layout.order, MEGATRON_ORDER.split("-"))
                raise LayoutError(
                    "experts_order_lacks_axis",
                    axis=axis,
                    value=getattr(self, axis),
                    order=self.layout.order,
                    word=WORD_OF[axis],
                    nearest=order,
                    fixes=[{"order": order}],
                )
        return (*named, *(axis for axis in _APPENDED if axis not in named))

    def _not_divisible(self) -> LayoutError:
        degrees = {"etp": self.etp, "ep": self.ep, "pp": self.pp}
        per_stage = self.layout.world_size // self.pp
        # Changing PP or the world would change the dense grid too. EP 1 and ETP 1 always work.
        fixes = nearest_degrees(per_stage, {"etp": self.etp, "ep": self.ep}) or [
            {"etp": 1, "ep": gcd(self.ep, per_stage)}
        ]
        return LayoutError(
            "experts_not_divisible",
            product=product_in_words(degrees),
            total=prod(degrees.values()),
            world=self.layout.world_size,
            nearest=", or ".join(
                " and ".join(f"{axis} {degree}" for axis, degree in fix.items()) for fix in fixes
            ),
            fixes=fixes,
            **degrees,
        )
