"""A job as someone would launch it: all that Megatron is told before it makes the first group.

Unlike a `Layout`, a job may be wrong: its degrees need not divide the world, and its order stands as it
was typed. So it can be asked about before it is known to be a layout (layout/megatron.py), and turned into
one where it is (`Job.layout`, `Job.experts`).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, prod
from typing import Any

from layout.errors import LayoutError
from layout.experts import Experts
from layout.grid import Axis, whole_degree
from layout.ranks import MEGATRON_ORDER, Layout

DEGREES: tuple[Axis, ...] = ("tp", "cp", "pp", "ep", "etp", "gtp", "egtp")
"""The degrees that Megatron does not look at one by one, and which may be anything in a job."""

CP_TYPES: tuple[str, ...] = ("p2p", "all_gather", "a2a", "a2a+p2p")
"""How attention exchanges keys and values over CP (`cp_comm_type`, megatron-core 0.19.2)."""

MOST_LEVELS = 10
"""More levels of CP are not read."""

_COUNTS = (
    *("world", "dp", "vpp", "dist_opt_instances"),
    *("num_layers", "num_heads", "num_kv_groups", "num_experts", "seq_length"),
)
_NEVER_NONE = ("vpp", "dist_opt_instances")


@dataclass(frozen=True)
class Job:
    """What is asked of Megatron. With `world`, DP is what is left of it; else `dp` says it.

    `order` is kept as typed, case included. What is None is not said, and is then not checked; ETP is TP
    where it is not said. Raises LayoutError for a count that is none, for a degree that is no number at
    all, for more than MOST_LEVELS levels, and where both `world` and `dp` are given and disagree.

    >>> Job(world=8, tp=3).dp_degree is None, Job(tp=2, dp=4).world_size
    (True, 8)
    """

    tp: int = 1
    cp: int = 1
    dp: int | None = None
    pp: int = 1
    world: int | None = None
    ep: int = 1
    etp: int | None = None
    order: str = MEGATRON_ORDER
    vpp: int = 1
    """Model chunks per stage; 1 is none, as Megatron's own argument parsing has it."""
    hierarchical_cp: tuple[int, ...] = ()
    """The sizes of the CP levels, innermost first; empty where there are none."""
    dist_opt_instances: int = 1
    hybrid_cp: bool = False
    gtp: int = 1
    """The size of Megatron's weight-remat axis (`gtp_remat`) in the dense grid."""
    egtp: int = 1
    """The same in the expert grid."""
    pp_backend: str | None = None
    num_layers: int | None = None
    num_heads: int | None = None
    num_kv_groups: int | None = None
    num_experts: int | None = None
    seq_length: int | None = None
    """Tokens in one sequence."""
    sp: bool | None = None
    cp_type: str | None = None
    """One of CP_TYPES."""

    def __post_init__(self) -> None:
        for axis in DEGREES:
            degree = getattr(self, axis)
            is_whole = isinstance(degree, int) and not isinstance(degree, bool)
            is_number = is_whole or (isinstance(degree, float) and isfinite(degree))
            if not (is_number or (axis == "etp" and degree is None)):
                whole_degree(axis, degree)
        for name in _COUNTS:
            if getattr(self, name) is not None or name in _NEVER_NONE:
                object.__setattr__(self, name, whole_degree(name, getattr(self, name)))
        if len(self.hierarchical_cp) > MOST_LEVELS:
            raise LayoutError("levels_too_many", count=len(self.hierarchical_cp), limit=MOST_LEVELS)
        levels = tuple(whole_degree("hierarchical_cp", size) for size in self.hierarchical_cp)
        object.__setattr__(self, "hierarchical_cp", levels)
        assert self.cp_type is None or self.cp_type in CP_TYPES
        if self.world is not None and self.dp is not None and self.world != self._product:
            Layout.from_world(world_size=self.world, **self._dense_degrees, dp=self.dp)

    @property
    def world_size(self) -> int:
        """The number of ranks; where it is not stated, the product of the dense degrees."""
        return self._product if self.world is None else self.world

    @property
    def dense_size(self) -> int:
        """The ranks that DP counts the copies of: tp x cp x pp, and gtp where there is one."""
        return prod((*self._dense_degrees.values(), self.gtp))

    @property
    def dp_degree(self) -> int | None:
        """The DP degree; None where the world is no multiple of tp x cp x pp."""
        return _quotient(self.world_size, self.dense_size)

    @property
    def etp_degree(self) -> int:
        """The ETP degree, which is TP where it is not said."""
        return self.tp if self.etp is None else self.etp

    @property
    def expert_size(self) -> int:
        """The ranks that EDP counts the copies of: etp x ep x pp, and egtp where there is one."""
        return self.etp_degree * self.ep * self.pp * self.egtp

    @property
    def edp_degree(self) -> int | None:
        """The EDP degree; None where the world is no multiple of etp x ep x pp."""
        return _quotient(self.world_size, self.expert_size)

    @cached_property
    def layout(self) -> Layout:
        """The layout that these degrees and this order make; LayoutError where they make none.

        It has no weight-remat axis and counts its ranks in with DP; a `Grid` takes that axis as any other.

        >>> Job(world=8, tp=2).layout
        Layout(tp=2, cp=1, dp=4, pp=1, order='tp-cp-ep-dp-pp')
        """
        if self.world is None:
            dp = (self.dp or 1) * self.gtp
            return Layout(**self._dense_degrees, dp=dp, order=self.order)
        return Layout.from_world(
            world_size=self.world, **self._dense_degrees, dp=self.dp, order=self.order
        )

    @cached_property
    def experts(self) -> Experts:
        """The same ranks as the experts share them; LayoutError where the degrees do not allow it.

        >>> Job(world=8, tp=2, ep=4, etp=1).experts.edp
        2
        """
        return Experts(self.layout, ep=self.ep, etp=self.etp)

    def with_(self, **changes: Any) -> "Job":
        """A new job with some values changed.

        >>> Job(world=8, tp=3).with_(tp=2).dp_degree
        4
        """
        return replace(self, **changes)

    @property
    def _dense_degrees(self) -> dict[str, Any]:
        return {"tp": self.tp, "cp": self.cp, "pp": self.pp}

    @property
    def _product(self) -> int:
        return self.dense_size * (self.dp or 1)


def job_of(layout: Layout) -> Job:
    """The job that has this layout, with its degrees stated as they are there.

    >>> job_of(Layout(tp=2, dp=4)).layout == Layout(tp=2, dp=4)
    True
    """
    return Job(tp=layout.tp, cp=layout.cp, dp=layout.dp, pp=layout.pp, order=layout.order)


def _quotient(number: int, divisor: int) -> int | None:
    """How often `divisor` goes into `number`, where it does so without a rest."""
    return number // divisor if divisor and number % divisor == 0 else None
