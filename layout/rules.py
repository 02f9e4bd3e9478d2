"""Which rules of Megatron a job breaks, in the order in which the code comes to them.

First those of `initialize_model_parallel` and `RankGenerator` in megatron/core/parallel_state.py, all of
megatron-core 0.19.2; each was recorded by running it (tests/golden). Then those of training, which need
numbers of the model. A rule looks at the job as it was typed and says the numbers that break it, or None.
The code stops at the first rule that is broken. A later one is named too where it can be told.
"""

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any

from layout.grid import Axis
from layout.job import DEGREES, Job
from layout.nearest import product_in_words

Numbers = Mapping[str, Any]
"""What the sentence about a broken rule tells, by the names in its places."""

Rule = Callable[[Job], Numbers | None]

# The sequence in which `RankGenerator` looks for axes in an order, tp before them.
_SOUGHT: tuple[Axis, ...] = ("pp", "dp", "ep", "cp", "gtp_remat")
_WORDS: tuple[Axis, ...] = ("tp", *_SOUGHT)
_REMAT = "gtp_remat"


def broken_rules(job: Job) -> Iterator[tuple[str, Numbers]]:
    """The name of each rule that `job` breaks, with its numbers; the one Megatron stops at is first.

    The names are those of the recordings (`constraint`); a rule is named once.

    >>> list(broken_rules(Job(world=8, tp=3)))[0][0]
    'dense_divisibility'
    >>> [name for name, _ in broken_rules(Job(world=8, tp=2, pp=2))]
    []
    """
    named = set()
    for name, rule in RULES:
        if name not in named and (numbers := rule(job)) is not None:
            named.add(name)
            yield name, numbers


def is_sound(job: Job) -> bool:
    """Whether every degree is a whole number from 1 on.

    >>> is_sound(Job(tp=8)), is_sound(Job(tp=0)), is_sound(Job(tp=2.0))  # type: ignore[arg-type]
    (True, False, False)
    """
    return all(isinstance(value, int) and value >= 1 for _, value in _degrees(job))


# ------------------------------------------------------------- degrees and the world


def _gtp_single_dist_opt(job: Job) -> Numbers | None:
    if (job.gtp > 1 or job.egtp > 1) and job.dist_opt_instances > 1:
        return {"gtp": job.gtp, "egtp": job.egtp, "instances": job.dist_opt_instances}
    return None


def _dense_zero(job: Job) -> Numbers | None:
    return _first_zero(job, ("tp", "pp", "cp", "gtp"))


def _expert_zero(job: Job) -> Numbers | None:
    return _first_zero(job, ("etp", "ep", "egtp"))


def _first_zero(job: Job, axes: tuple[Axis, ...]) -> Numbers | None:
    return next(({"axis": axis} for axis in axes if getattr(job, axis) == 0), None)


def _dense_divisibility(job: Job) -> Numbers | None:
    if job.dense_size == 0 or job.dp_degree is not None:
        return None
    degrees = {"tp": job.tp, "cp": job.cp, "pp": job.pp}
    degrees |= {"gtp": job.gtp} if job.gtp != 1 else {}
    return {"product": product_in_words(degrees), "world": job.world_size, "total": job.dense_size}


def _expert_divisibility(job: Job) -> Numbers | None:
    if job.expert_size == 0 or job.edp_degree is not None:
        return None
    if job.dp_degree is None and job.dense_size % job.expert_size == 0:
        return None  # said already of the dense grid, whose degrees these are
    degrees = {"etp": job.etp_degree, "ep": job.ep, "pp": job.pp}
    degrees |= {"egtp": job.egtp} if job.egtp != 1 else {}
    return {"product": product_in_words(degrees), "world": job.world_size, "total": job.expert_size}


def _degree_negative(job: Job) -> Numbers | None:
    return next(
        ({"axis": axis, "value": value} for axis, value in _degrees(job) if value < 0), None
    )


def _degree_not_int(job: Job) -> Numbers | None:
    for axis, value in _degrees(job):
        if not isinstance(value, int):
            return {"axis": axis, "value": value}
    return None


def _degrees(job: Job) -> Iterator[tuple[Axis, int]]:
    for axis in DEGREES:
        if (value := getattr(job, axis)) is not None:
            yield axis, value


def _vpp_needs_pp(job: Job) -> Numbers | None:
    return {"vpp": job.vpp, "pp": job.pp} if job.vpp > 1 and job.pp <= 1 else None


# ------------------------------------------------------------------------- the order


def _dense_sizes(job: Job) -> dict[Axis, int | None]:
    return {"tp": job.tp, "pp": job.pp, "dp": job.dp_degree, "cp": job.cp, _REMAT: job.gtp}


def _expert_sizes(job: Job) -> dict[Axis, int | None]:
    sizes = {"tp": job.etp_degree, "pp": job.pp, "dp": job.edp_degree, "ep": job.ep}
    return {**sizes, _REMAT: job.egtp}


def _dense_words(job: Job) -> list[str]:
    return words_with_remat(job.order, behind="tp")


def _expert_words(job: Job) -> list[str]:
    return words_with_remat(job.order, behind="ep")


def words_with_remat(order: str, *, behind: Axis) -> list[str]:
    """The words of `order` with Megatron's weight-remat axis among them, which it puts there itself.

    It comes right behind tp in the dense grid and right behind ep in the expert grid; before all others
    where neither is named in lower case (`_inject_gtp_remat_axis`).

    >>> words_with_remat("tp-cp-ep-dp-pp", behind="ep")
    ['tp', 'cp', 'ep', 'gtp_remat', 'dp', 'pp']
    """
    words = order.split("-")
    if _REMAT not in words:
        anchor = behind if behind in words else "tp"
        words.insert(words.index(anchor) + 1 if anchor in words else 0, _REMAT)
    return words


def _order_lacks_dense_axis(job: Job) -> Numbers | None:
    return _lacking(job, _dense_words(job), _dense_sizes(job), is_expert=False)


def _order_lacks_expert_axis(job: Job) -> Numbers | None:
    return _lacking(job, _expert_words(job), _expert_sizes(job), is_expert=True)


def _lacking(
    job: Job, words: list[str], sizes: Mapping[Axis, int | None], *, is_expert: bool
) -> Numbers | None:
    """The first axis of a size other than 1 whose letters are nowhere in the order.

    Letters are sought in the whole string, and those of tp are in gtp_remat: it is never missed here.
    """
    text = "-".join(words).lower()
    for axis in _SOUGHT:
        size = sizes.get(axis, 1)
        if size not in (1, None) and axis not in text:
            own = {"tp": "etp", "dp": "edp"} if is_expert else {}
            return {
                "name": own.get(axis, axis),
                "axis": axis,
                "value": size,
                "order": repr(job.order),
                "order_with_remat": "-".join(words),
            }
    return None


def _order_unknown_axis(job: Job) -> Numbers | None:
    for word in _dense_words(job):
        if word.lower() not in _WORDS:
            return {"axis": repr(word.lower()), "order": repr(job.order)}
    return None


def _order_repeats_dense_axis(job: Job) -> Numbers | None:
    return _repeated(job, _dense_words(job), _dense_sizes(job))


def _order_repeats_expert_axis(job: Job) -> Numbers | None:
    return _repeated(job, _expert_words(job), _expert_sizes(job))


def _repeated(job: Job, words: list[str], sizes: Mapping[Axis, int | None]) -> Numbers | None:
    """An axis named twice counts twice in the strides, and pushes what is slower out of the world.

    Nothing happens where its own size is 1, or nothing of size over 1 is slower.
    """
    words = [word.lower() for word in words]
    for place, word in enumerate(words):
        if word in words[:place] and sizes.get(word, 1) not in (1, None):
            behind = {other for other in words[place:] if other not in words[:place]}
            if any(sizes.get(other, 1) not in (1, None) for other in behind):
                return {"axis": word, "order": repr(job.order)}
    return None


def _needs_tp_early(job: Job) -> Numbers | None:
    return None if job.tp == job.etp_degree == 1 else _needs_tp(job)


def _needs_tp_late(job: Job) -> Numbers | None:
    return _needs_tp(job) if job.tp == job.etp_degree == 1 else None


def _needs_tp(job: Job) -> Numbers | None:
    if "tp" in (word.lower() for word in _dense_words(job)):
        return None
    # With TP 1 the code looks up the word itself, at the first kind of group over TP and PP.
    said = "ValueError: 'tp' is not in list"
    if job.tp != 1 or job.etp_degree != 1:
        said = "AssertionError: idx … with shape … mismatch the return idx …"
    return {"order": repr(job.order), "said": said}


def _non_pp_last_needs_equal_dp(job: Job) -> Numbers | None:
    if job.order.endswith("pp") or job.pp == 1 or None in (job.dp_degree, job.edp_degree):
        return None
    if job.dp_degree == job.edp_degree:
        return None
    return {
        "order": repr(job.order),
        "pp": job.pp,
        "edp": job.edp_degree,
        "dp": job.dp_degree,
        "stage": job.world_size // job.pp,
        "dense": _factors({"tp": job.tp, "cp": job.cp, "gtp": job.gtp}),
        "expert": _factors({"etp": job.etp_degree, "ep": job.ep, "egtp": job.egtp}),
    }


def _factors(degrees: Mapping[Axis, int]) -> str:
    """A product as it is written, with the weight-remat axis only where there is one."""
    named = {axis: degree for axis, degree in degrees.items() if "g" not in axis or degree != 1}
    return product_in_words(named).split(" = ")[0]


def _pp_groups_must_match(job: Job) -> Numbers | None:
    """PP groups are the same ones in both grids exactly where PP has the same stride in both."""
    if job.pp == 1 or not _is_countable(job) or _non_pp_last_needs_equal_dp(job):
        return None
    if _order_lacks_dense_axis(job) or _order_lacks_expert_axis(job):
        return None  # said already, and one of the grids cannot be made
    dense = _stride_of_pp(_dense_words(job), _dense_sizes(job))
    expert = _stride_of_pp(_expert_words(job), _expert_sizes(job))
    if dense == expert:
        return None
    return {"order": repr(job.order), "dense": dense, "expert": expert, "pp": job.pp}


def _stride_of_pp(words: list[str], sizes: Mapping[Axis, int | None]) -> int:
    words = [word.lower() for word in words]
    faster = words[: words.index("pp")] if "pp" in words else words
    return prod(sizes.get(word, 1) or 1 for word in faster)


def _is_countable(job: Job) -> bool:
    """Whether every degree is a whole number from 1 on, and both grids have one for every axis."""
    return is_sound(job) and job.dp_degree is not None and job.edp_degree is not None


# ---------------------------------------------------------------- groups cut into parts


def _dist_opt_divides_dp_cp(job: Job) -> Numbers | None:
    dp = job.dp_degree
    if dp is None or dp * job.cp % job.dist_opt_instances == 0:
        return None
    product = product_in_words({"dp": dp, "cp": job.cp})
    return {"product": product, "instances": job.dist_opt_instances}


def _dist_opt_divides_expert_dp(job: Job) -> Numbers | None:
    edp = job.edp_degree
    if edp is None or edp % job.dist_opt_instances == 0:
        return None
    return {"edp": edp, "instances": job.dist_opt_instances}


def _hybrid_cp_even(job: Job) -> Numbers | None:
    dp = job.dp_degree
    if not job.hybrid_cp or dp is None or dp * job.cp % 2 == 0:
        return None
    return {"product": product_in_words({"dp": dp, "cp": job.cp})}


def _hcp_product(job: Job) -> Numbers | None:
    if not job.hierarchical_cp or prod(job.hierarchical_cp) == job.cp:
        return None
    levels = " x ".join(map(str, job.hierarchical_cp))
    return {"levels": f"{levels} = {prod(job.hierarchical_cp)}", "cp": job.cp}


def _pp_backend(job: Job) -> Numbers | None:
    return None if job.pp_backend in (None, "nccl", "ucc") else {"backend": job.pp_backend}


# -------------------------------------------------------------------------- training


def _layers_multiple_of_pp(job: Job) -> Numbers | None:
    if job.num_layers is None or not is_sound(job) or job.num_layers % job.pp == 0:
        return None
    return {"layers": job.num_layers, "pp": job.pp}


def _layers_multiple_of_chunks(job: Job) -> Numbers | None:
    if job.num_layers is None or not is_sound(job) or job.vpp == 1 or job.num_layers % job.pp:
        return None
    per_stage = job.num_layers // job.pp
    return (
        {"layers": job.num_layers, "pp": job.pp, "per_stage": per_stage, "vpp": job.vpp}
        if per_stage % job.vpp
        else None
    )


def _sequence_multiple_of_twice_cp(job: Job) -> Numbers | None:
    if job.seq_length is None or not is_sound(job) or job.cp == 1:
        return None
    return (
        {"seq": job.seq_length, "cp": job.cp, "twice": 2 * job.cp}
        if job.seq_length % (2 * job.cp)
        else None
    )


def _experts_multiple_of_ep(job: Job) -> Numbers | None:
    if job.num_experts is None or not is_sound(job) or job.num_experts % job.ep == 0:
        return None
    return {"experts": job.num_experts, "ep": job.ep}


def _cp_type_needs_levels(job: Job) -> Numbers | None:
    return {"cp": job.cp} if job.cp_type == "a2a+p2p" and not job.hierarchical_cp else None


def _cp_type_takes_two_levels(job: Job) -> Numbers | None:
    levels = job.hierarchical_cp
    if job.cp_type != "a2a+p2p" or not levels or len(levels) == 2 or job.cp == 1:
        return None
    return {"levels": " x ".join(map(str, levels)), "count": len(levels)}


def _sp_needs_tp(job: Job) -> Numbers | None:
    return {"tp": job.tp} if job.sp and is_sound(job) and job.tp == 1 else None


def _heads_multiple_of_tp(job: Job) -> Numbers | None:
    if job.num_heads is None or not is_sound(job) or job.num_heads % job.tp == 0:
        return None
    return {"heads": job.num_heads, "tp": job.tp}


def _kv_groups_fit_tp(job: Job) -> Numbers | None:
    groups = job.num_kv_groups
    if groups is None or not is_sound(job) or groups % job.tp == 0 or job.tp % groups == 0:
        return None
    return {"kv_groups": groups, "tp": job.tp}


def _sequence_splits_over_tp(job: Job) -> Numbers | None:
    if job.seq_length is None or not job.sp or not is_sound(job):
        return None
    if job.seq_length % job.cp or job.seq_length // job.cp % job.tp == 0:
        return None
    return {"seq": job.seq_length, "cp": job.cp, "part": job.seq_length // job.cp, "tp": job.tp}


def _moe_needs_sp(job: Job) -> Numbers | None:
    has_experts = job.ep > 1 or (job.num_experts or 0) > 1
    if job.sp is False and is_sound(job) and job.tp > 1 and has_experts:
        return {"tp": job.tp}
    return None


def _heads_split_over_cp(job: Job) -> Numbers | None:
    if job.cp_type != "a2a" or job.num_heads is None or not is_sound(job):
        return None
    # A rank holds one KV group at least, also where TP is larger than their number.
    heads = job.num_heads // job.tp
    groups = max((job.num_kv_groups or job.num_heads) // job.tp, 1)
    if heads % job.cp == 0 and groups % job.cp == 0:
        return None
    return {"heads": heads, "kv_groups": groups, "tp": job.tp, "cp": job.cp}


RULES: tuple[tuple[str, Rule], ...] = (
    ("gtp_single_dist_opt", _gtp_single_dist_opt),
    ("degree_zero", _dense_zero),
    ("dense_divisibility", _dense_divisibility),
    ("vpp_needs_pp", _vpp_needs_pp),
    ("order_lacks_axis", _order_lacks_dense_axis),
    ("order_unknown_axis", _order_unknown_axis),
    ("degree_zero", _expert_zero),
    ("expert_divisibility", _expert_divisibility),
    ("order_lacks_axis", _order_lacks_expert_axis),
    ("non_pp_last_needs_equal_dp", _non_pp_last_needs_equal_dp),
    # Here it lists the PP groups, and so comes upon what it has not looked at before.
    ("order_lacks_tp_unnoticed", _needs_tp_early),
    ("degree_negative", _degree_negative),
    ("degree_not_int", _degree_not_int),
    ("pp_groups_must_match", _pp_groups_must_match),
    ("dist_opt_divides_dp_cp", _dist_opt_divides_dp_cp),
    # From here on it has begun to make groups.
    ("order_repeats_axis", _order_repeats_dense_axis),
    ("hybrid_cp_even", _hybrid_cp_even),
    ("hcp_product", _hcp_product),
    ("order_lacks_tp_unnoticed", _needs_tp_late),
    ("pp_backend", _pp_backend),
    ("order_repeats_axis", _order_repeats_expert_axis),
    ("dist_opt_divides_expert_dp", _dist_opt_divides_expert_dp),
    # Training: the arguments, then the model's configuration, then the first step.
    ("cp_type_needs_levels", _cp_type_needs_levels),
    ("layers_multiple_of_pp", _layers_multiple_of_pp),
    ("layers_multiple_of_chunks", _layers_multiple_of_chunks),
    ("sequence_multiple_of_twice_cp", _sequence_multiple_of_twice_cp),
    ("experts_multiple_of_ep", _experts_multiple_of_ep),
    ("sp_needs_tp", _sp_needs_tp),
    ("heads_multiple_of_tp", _heads_multiple_of_tp),
    ("kv_groups_fit_tp", _kv_groups_fit_tp),
    ("sequence_splits_over_tp", _sequence_splits_over_tp),
    ("moe_needs_sp", _moe_needs_sp),
    ("cp_type_takes_two_levels", _cp_type_takes_two_levels),
    ("heads_split_over_cp", _heads_split_over_cp),
)
"""Each rule with its name, in the order in which the code comes to it.

Sources of the training rules: `validate_args` in megatron/training/arguments.py (levels, layers, sequence,
experts), `ModelParallelConfig` and `TransformerConfig` (SP, heads, KV groups), and, at the first step,
megatron/core/transformer/transformer_block.py (chunks), tensor_parallel/mappings.py (sequence over TP),
transformer/moe/moe_layer.py (SP with experts), all megatron-core 0.19.2; and Transformer Engine's
context_parallel.py (two levels, heads over CP).
"""
