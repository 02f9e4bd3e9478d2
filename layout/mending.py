"""The nearest jobs that Megatron would start, for one that it would not.

Each rule knows the changes that may mend it. The search takes the rule that the job breaks first, makes
each of its changes, looks again, and goes on from what is nearest: fewest changes first, then the smallest.
So what it finds breaks no rule at all, whichever the objection was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from math import gcd, lcm, log2, prod
from typing import Any

from layout.errors import MAX_WORLD_SIZE, LayoutError
from layout.grid import Axis
from layout.job import DEGREES, Job
from layout.nearest import divisors, near, nearest_worlds, whole_order
from layout.ranks import MEGATRON_ORDER
from layout.rules import broken_rules, is_sound

Change = Mapping[str, Any]
"""What to change (a field of `Job`), and its new value."""

MOST_FIXES = 6
_FEW_FIXES = 3
_MOST_LOOKED_AT = 400
_SIZES = (*range(1, 17), 20, 24, 32, 40, 48, 56, 64, 96, 128, 256)

_DEFAULT_AXES = tuple(MEGATRON_ORDER.split("-"))


def nearest_that_start(job: Job) -> tuple[dict[str, Any], ...]:
    """Changes after which Megatron starts `job`: the fewest first, and of as many the smallest.

    At most MOST_FIXES, and those of more changes only where there are few of fewer; each breaks no rule and
    is a layout. Where the world is stated it may change, else DP may. Empty where the job breaks no rule.

    >>> nearest_that_start(Job(world=8, tp=3))[:2]
    ({'world': 9}, {'tp': 4})
    """
    found: list[dict[str, Any]] = []
    waiting: list[tuple[int, float, int, dict[str, Any]]] = [(0, 0.0, 0, {})]
    seen = {frozenset[Any]()}
    for _ in range(_MOST_LOOKED_AT):
        if not waiting or len(found) == MOST_FIXES:
            break
        num_changes, _, _, changes = heappop(waiting)
        if found and num_changes > len(found[0]) and len(found) >= _FEW_FIXES:
            break
        if any(fix.items() <= changes.items() for fix in found):
            continue
        changed = job.with_(**changes)
        name = next((name for name, _ in broken_rules(changed)), None)
        if name is None and changes and _is_layout(changed):
            found.append(changes)
        for change in _mend(name, changed):
            mended = _against(job, {**changes, **change})
            key = frozenset(mended.items())
            if key not in seen:
                seen.add(key)
                heappush(waiting, (len(mended), _cost(job, mended), len(seen), mended))
    if _starts(job):
        return ()
    if not found or len(found[0]) > 1:
        alone = sorted(_single_changes(job), key=lambda change: _cost(job, change))[:_FEW_FIXES]
        found = alone or found or [_plainest(job)]
    return tuple(sorted(found, key=len))


def _single_changes(job: Job) -> Iterator[dict[str, Any]]:
    """Changes of one number that mend everything, which no rule by itself would have thought of."""
    sizes = _SIZES if job.world is None else divisors(job.world)
    experts = ("ep", "etp") if _has_experts(job) else ()
    for name in ("tp", "cp", "pp", *experts, "vpp", "dist_opt_instances"):
        for size in divisors(job.num_layers or 1) if name == "vpp" else sizes:
            change = _against(job, {name: size})
            changed = job.with_(**change)
            if change and _starts(changed) and _is_layout(changed):
                yield change


def _has_experts(job: Job) -> bool:
    return job.ep != 1 or job.etp is not None or (job.num_experts or 0) > 1


def _starts(job: Job) -> bool:
    return next(broken_rules(job), None) is None


def _is_layout(job: Job) -> bool:
    try:
        return job.experts.world_size <= MAX_WORLD_SIZE
    except LayoutError:
        return False


def _against(job: Job, changes: Change) -> dict[str, Any]:
    """`changes` without those that leave the job as it is; 2 is a change from 2.0."""
    return {
        name: value
        for name, value in changes.items()
        if value != (old := getattr(job, name)) or type(value) is not type(old)
    }


def _cost(job: Job, changes: Change) -> float:
    return sum(_distance(job, name, value) for name, value in changes.items())


def _distance(job: Job, name: str, value: Any) -> float:
    """How far a change goes: by how many doublings a number changes, and about one for what is none."""
    old = job.etp_degree if name == "etp" else getattr(job, name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.5 if isinstance(old, str) and str(old).lower() == value else 1.0
    return abs(log2(max(value, 1) / max(old or 1, 0.5)))


def _plainest(job: Job) -> dict[str, Any]:
    """What turns `job` into one that nothing can be said against: DP alone."""
    plain: dict[str, Any] = dict.fromkeys(("tp", "cp", "pp", "ep", "gtp", "egtp", "vpp"), 1)
    plain |= {"dist_opt_instances": 1, "hierarchical_cp": (), "order": MEGATRON_ORDER}
    plain |= {} if job.etp is None else {"etp": 1}
    plain |= {"hybrid_cp": False, "pp_backend": None}
    plain |= {"sp": False} if job.sp else {}
    plain |= {"cp_type": "p2p"} if job.cp_type else {}
    return _against(job, plain)


# ------------------------------------------------------------ changes that mend one rule


def _mend(name: str | None, job: Job) -> Iterable[Change]:
    """Changes that may mend the rule of that `name`; before all else, degrees and a world that are none."""
    if not is_sound(job):
        return _mend_degree(job)
    if job.world_size > MAX_WORLD_SIZE:
        return _mend_size(job)
    return _MENDS[name](job) if name else ()


def _mend_size(job: Job) -> Iterator[Change]:
    for axis in ("tp", "cp", "pp", "gtp", "dp"):
        if degree := getattr(job, axis):
            largest = int(MAX_WORLD_SIZE // (job.world_size // degree))
            if 1 <= largest < degree:
                yield {axis: largest}
            yield {axis: 1}


def _mend_world(job: Job, *, ranks: int) -> Iterator[Change]:
    """A world, or where it is not stated a DP degree, that `ranks` divides."""
    if job.world is not None:
        if ranks >= 1:
            yield from ({"world": size} for size in nearest_worlds(job.world, ranks))
        return
    per_dp = job.dense_size
    step = ranks // gcd(ranks, per_dp) if ranks and per_dp else 1
    dp = job.dp or 1
    below = dp // step * step
    yield from ({"dp": size} for size in (below, below + step) if 1 <= size <= MAX_WORLD_SIZE)


def _mend_axes(job: Job, axes: tuple[Axis, ...], *, whole: int) -> Iterator[Change]:
    """One of `axes` whose product with the others divides `whole`; or at least divides it alone."""
    degrees = {axis: _degree(job, axis) for axis in axes}
    product = prod(degrees.values())
    for axis, degree in degrees.items():
        others = product // degree if degree else 0
        working = divisors(whole // others) if others and whole % others == 0 else divisors(whole)
        yield from ({axis: size} for size in near(degree, working))


def _degree(job: Job, axis: Axis) -> int:
    return job.etp_degree if axis == "etp" else int(getattr(job, axis))


def _mend_dense_size(job: Job) -> Iterator[Change]:
    yield from _mend_world(job, ranks=job.dense_size)
    axes = ("tp", "cp", "pp", *(("gtp",) if job.gtp > 1 else ()))
    yield from _mend_axes(job, axes, whole=job.world_size)


def _mend_expert_size(job: Job) -> Iterator[Change]:
    yield from _mend_world(job, ranks=lcm(job.dense_size, job.expert_size))
    yield from _mend_axes(job, ("ep", "etp"), whole=job.world_size // job.pp)
    if job.etp is None:
        yield from _mend_axes(job, ("tp",), whole=job.world_size)
    yield from _mend_axes(job, ("pp",), whole=job.world_size)
    yield {"etp": 1}
    yield {"ep": 1}
    yield {"egtp": 1}


def _mend_degree(job: Job) -> Iterator[Change]:
    for axis in DEGREES:
        degree = getattr(job, axis)
        if degree is not None and (not isinstance(degree, int) or degree < 1):
            nearest = max(round(abs(degree)), 1) if abs(degree) <= MAX_WORLD_SIZE else 1
            yield from ({axis: size} for size in dict.fromkeys((nearest, 1)))
            return


def _mend_order(job: Job) -> Iterator[Change]:
    yield {"order": _order_with_all(job)}
    yield {"order": MEGATRON_ORDER}


def _order_with_all(job: Job) -> str:
    """The order with every axis named once; with ep where it is there already, or where EP is over 1."""
    needs_ep = job.ep != 1 or "ep" in job.order.lower().split("-")
    return whole_order(job.order, [axis for axis in _DEFAULT_AXES if axis != "ep" or needs_ep])


def _mend_pp_place(job: Job) -> Iterator[Change]:
    yield {"order": job.order.lower()}
    words = [word for word in _order_with_all(job).split("-") if word != "pp"]
    yield {"order": "-".join((*words, "pp"))}
    yield {"pp": 1}
    if not _has_experts(job):
        return
    # Where PP is not last, DP has to equal EDP.
    dense, expert = job.tp * job.cp * job.gtp, job.etp_degree * job.ep * job.egtp
    yield {"ep": job.cp, "etp": job.tp}
    for axis, size in (("ep", expert // job.ep), ("etp", expert // job.etp_degree)):
        if dense % size == 0:
            yield {axis: dense // size}
    if expert % (job.tp * job.gtp) == 0:
        yield {"cp": expert // (job.tp * job.gtp)}


def _mend_vpp(job: Job) -> Iterator[Change]:
    yield {"vpp": 1}
    yield {"pp": 2}
    stages = divisors(job.world_size // (job.dense_size // job.pp)) if job.pp == 1 else []
    yield from ({"pp": size} for size in stages[1:2] if job.world is not None)


def _mend_instances(job: Job) -> Iterator[Change]:
    both = gcd((job.dp_degree or 1) * job.cp, job.edp_degree or (job.dp_degree or 1) * job.cp)
    near_both = near(job.dist_opt_instances, divisors(both))
    yield from ({"dist_opt_instances": size} for size in near_both)
    ranks = lcm(job.dist_opt_instances * job.tp * job.pp, job.dist_opt_instances * job.expert_size)
    yield from _mend_world(job, ranks=lcm(ranks, job.dense_size))


def _mend_gtp(_job: Job) -> Iterator[Change]:
    yield {"dist_opt_instances": 1}
    yield {"gtp": 1, "egtp": 1}


def _mend_hybrid(job: Job) -> Iterator[Change]:
    yield {"hybrid_cp": False}
    yield from _mend_world(job, ranks=2 * job.dense_size)
    yield {"cp": 2 * job.cp}


def _mend_levels(job: Job) -> Iterator[Change]:
    levels, cp = job.hierarchical_cp, job.cp
    if levels:
        yield {"cp": prod(levels)}
        for place in reversed(range(len(levels))):
            others = prod(levels) // levels[place]
            if cp % others == 0:
                size = cp // others
                yield {"hierarchical_cp": (*levels[:place], size, *levels[place + 1 :])}
    yield from ({"hierarchical_cp": (size, cp // size)} for size in divisors(cp)[1:2] if size < cp)
    if job.cp_type == "a2a+p2p":
        yield {"cp_type": "p2p"}
    else:
        yield {"hierarchical_cp": ()}


def _mend_backend(_job: Job) -> Iterator[Change]:
    yield {"pp_backend": "nccl"}


def _mend_layers(job: Job) -> Iterator[Change]:
    layers = job.num_layers or 1
    for whole in (layers // job.vpp, layers):
        yield from ({"pp": size} for size in near(job.pp, divisors(whole or 1)))
    if layers % job.pp == 0:
        yield from ({"vpp": size} for size in near(job.vpp, divisors(layers // job.pp)))
    yield {"vpp": 1}


def _mend_sequence(job: Job) -> Iterator[Change]:
    seq = job.seq_length or 1
    splits = divisors(seq // 2) if seq % 2 == 0 else [1]
    yield from ({"cp": size} for size in near(job.cp, splits))
    yield {"cp": 1}


def _mend_sequence_over_tp(job: Job) -> Iterator[Change]:
    seq = job.seq_length or 1
    yield from ({"tp": size} for size in near(job.tp, divisors(seq // job.cp or 1)))
    yield from ({"cp": size} for size in near(job.cp, divisors(max(seq // job.tp // 2, 1))))
    yield {"sp": False}


def _mend_experts(job: Job) -> Iterator[Change]:
    yield from ({"ep": size} for size in near(job.ep, divisors(job.num_experts or 1)))


def _mend_sp(job: Job) -> Iterator[Change]:
    yield {"sp": not job.sp}
    yield {"tp": 2 if job.tp == 1 else 1}


def _mend_heads(job: Job) -> Iterator[Change]:
    heads = job.num_heads or job.num_kv_groups or 1
    groups = job.num_kv_groups or heads
    splits = [size for size in divisors(heads) if groups % size == 0 or size % groups == 0]
    yield from ({"tp": size} for size in near(job.tp, splits))


def _mend_heads_over_cp(job: Job) -> Iterator[Change]:
    heads = job.num_heads or 1
    groups = max((job.num_kv_groups or heads) // job.tp, 1)
    splits = divisors(gcd(heads // job.tp or 1, groups))
    yield from ({"cp": size} for size in near(job.cp, splits))
    yield {"cp_type": "p2p"}
    yield from _mend_heads(job)


_MENDS: Mapping[str, Callable[[Job], Iterable[Change]]] = {
    "gtp_single_dist_opt": _mend_gtp,
    "degree_zero": _mend_degree,
    "dense_divisibility": _mend_dense_size,
    "vpp_needs_pp": _mend_vpp,
    "order_lacks_axis": _mend_order,
    "order_unknown_axis": _mend_order,
    "expert_divisibility": _mend_expert_size,
    "non_pp_last_needs_equal_dp": _mend_pp_place,
    "order_lacks_tp_unnoticed": _mend_order,
    "degree_negative": _mend_degree,
    "degree_not_int": _mend_degree,
    "pp_groups_must_match": _mend_pp_place,
    "dist_opt_divides_dp_cp": _mend_instances,
    "order_repeats_axis": _mend_order,
    "hybrid_cp_even": _mend_hybrid,
    "hcp_product": _mend_levels,
    "pp_backend": _mend_backend,
    "dist_opt_divides_expert_dp": _mend_instances,
    "cp_type_needs_levels": _mend_levels,
    "layers_multiple_of_pp": _mend_layers,
    "layers_multiple_of_chunks": _mend_layers,
    "sequence_multiple_of_twice_cp": _mend_sequence,
    "experts_multiple_of_ep": _mend_experts,
    "cp_type_takes_two_levels": _mend_levels,
    "sp_needs_tp": _mend_sp,
    "heads_multiple_of_tp": _mend_heads,
    "kv_groups_fit_tp": _mend_heads,
    "sequence_splits_over_tp": _mend_sequence_over_tp,
    "moe_needs_sp": _mend_sp,
    "heads_split_over_cp": _mend_heads_over_cp,
}
