"""Would Megatron start this job? What it would object to, in words with numbers, and what is nearest.

The rules are in layout/rules.py. A job that is refused is still a layout where its degrees make one: the
arithmetic of its groups holds, in a framework that allows them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from layout.errors import one_line
from layout.job import Job, job_of
from layout.mending import nearest_that_start
from layout.ranks import Layout
from layout.rules import broken_rules

_PARALLEL_STATE = "megatron/core/parallel_state.py, megatron-core 0.19.2"
_ARGUMENTS = "megatron/training/arguments.py, megatron-core 0.19.2"
_CONFIG = "megatron/core/transformer/transformer_config.py, megatron-core 0.19.2"
_TRANSFORMER_ENGINE = (
    "transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py, "
    "Transformer Engine"
)


class Words(NamedTuple):
    """What is said of a rule: our sentence, Megatron's own words where it has any, and where they stand."""

    sentence: str
    quote: str
    source: str = _PARALLEL_STATE


OBJECTIONS: Mapping[str, Words] = {
    "gtp_single_dist_opt": Words(
        "weight-remat axes (gtp {gtp}, egtp {egtp}) want a single optimizer instance, not {instances}",
        "GTP_remat with num_distributed_optimizer_instances > 1 is not yet supported.",
    ),
    "degree_zero": Words("{axis} is 0, but must be at least 1", "ZeroDivisionError"),
    "dense_divisibility": Words(
        "{product} does not divide a world of {world} ranks",
        "world_size ({world}) is not divisible by {total}",
    ),
    "vpp_needs_pp": Words(
        "{vpp} model chunks per stage (VPP) need more than one stage, but pp is {pp}",
        "pipeline-model-parallel size should be greater than 1 with interleaved schedule",
    ),
    "order_lacks_axis": Words(
        "{name} is {value}, but the order {order} does not name {axis}",
        "The size of ({axis}) is ({value}), but you haven'tspecified the order ({order_with_remat}).",
    ),
    "order_unknown_axis": Words(
        "the order {order} names {axis}, which is no axis", "KeyError: {axis}"
    ),
    "expert_divisibility": Words(
        "{product} does not divide a world of {world} ranks, which the experts share out among them",
        "world_size ({world}) is not divisible by expert_tensor_model_pipeline_parallel size ({total})",
    ),
    "non_pp_last_needs_equal_dp": Words(
        "the order {order} does not end in pp (in lower case), so with pp {pp} expert DP must equal DP; "
        "but of the {stage} ranks of a stage edp is {stage} / ({expert}) = {edp}, and dp is {stage} / "
        "({dense}) = {dp}",
        "When not using pp-last rank ordering, the data parallel size of the attention and moe layers "
        "must be the same",
    ),
    "order_lacks_tp_unnoticed": Words(
        "the order {order} does not name tp; it must, even where tp is 1", "{said}"
    ),
    "degree_negative": Words(
        "{axis} is {value}, but must be at least 1",
        "AssertionError: idx … with shape … mismatch the return idx …",
    ),
    "degree_not_int": Words(
        "{axis} is {value}, but must be a whole number",
        "TypeError: 'float' object cannot be interpreted as an integer",
    ),
    "pp_groups_must_match": Words(
        "in the order {order} the ranks of a PP group are {dense} apart for the dense layers, but {expert} "
        "for the experts; PP groups must be the same in both",
        "Pipeline parallel groups are expected to be the same for Non-Expert and Expert part,     but got …",
    ),
    "dist_opt_divides_dp_cp": Words(
        "{instances} distributed-optimizer instances do not divide {product}",
        "Data parallel size should be divisible by partial DistOpt shard factor",
    ),
    "order_repeats_axis": Words(
        "the order {order} names {axis} more than once",
        "ValueError: Rank … is out of range. …",
    ),
    "hybrid_cp_even": Words(
        "hybrid CP wants {product} to be even",
        "Hybrid context parallel requires an even number of ranks",
    ),
    "hcp_product": Words("the CP levels {levels}, but cp is {cp}", ""),
    "pp_backend": Words(
        "{backend} is no backend for PP; nccl and ucc are",
        '"{backend}" backend for PP communication is currently not supported',
    ),
    "dist_opt_divides_expert_dp": Words(
        "{instances} distributed-optimizer instances do not divide edp {edp}",
        "Expert data parallel size should be divisible by partial DistOpt shard factor",
    ),
    "cp_type_needs_levels": Words(
        "CP type a2a+p2p wants the sizes of its levels, whose product is cp {cp}",
        "--hierarchical-context-parallel-sizes must be set when a2a+p2p is used in cp comm",
        _ARGUMENTS,
    ),
    "layers_multiple_of_pp": Words(
        "{layers} layers do not split evenly over pp {pp}, as they must by default",
        "Number of layers should be divisible by the pipeline-model-parallel size",
        _ARGUMENTS,
    ),
    "layers_multiple_of_chunks": Words(
        "{layers} layers over pp {pp} are {per_stage} a stage, which do not split into {vpp} chunks (VPP)",
        "num_layers_per_pipeline_rank {per_stage}             should be divisible by vp_size {vpp}",
        "megatron/core/transformer/transformer_block.py, megatron-core 0.19.2",
    ),
    "sequence_multiple_of_twice_cp": Words(
        "a sequence of {seq} tokens is no multiple of 2 x cp {cp} = {twice}",
        "seq-length should be a multiple of 2 * context-parallel-size if context-parallel-size > 1.",
        _ARGUMENTS,
    ),
    "experts_multiple_of_ep": Words(
        "{experts} experts do not split evenly over ep {ep}",
        "Number of experts should be a multiple of expert model parallel_size.",
        _ARGUMENTS,
    ),
    "sp_needs_tp": Words(
        "SP splits activations over TP, but tp is {tp}; a configuration made in code is refused, while "
        "Megatron's training script turns SP off instead",
        "Cannot use sequence parallelism without tensor parallelism",
        "megatron/core/model_parallel_config.py, megatron-core 0.19.2",
    ),
    "heads_multiple_of_tp": Words(
        "{heads} attention heads do not split evenly over tp {tp}",
        "num_attention_heads ({heads}) must be a multiple of tensor_model_parallel_size ({tp}).",
        _CONFIG,
    ),
    "kv_groups_fit_tp": Words(
        "the number of KV heads (query groups), {kv_groups}, is neither a multiple of tp {tp} nor a "
        "divisor of it",
        "num_query_groups ({kv_groups}) must be a multiple or divisor of tensor_model_parallel_size ({tp}).",
        _CONFIG,
    ),
    "sequence_splits_over_tp": Words(
        "with SP the {part} tokens that each of {cp} CP ranks holds of {seq} must split over tp {tp}",
        "First dimension of the tensor should be divisible by tensor parallel size",
        "megatron/core/tensor_parallel/mappings.py, megatron-core 0.19.2",
    ),
    "moe_needs_sp": Words(
        "with tp {tp}, training MoE layers needs Megatron's SP on; else the first forward pass stops",
        "During training, performance may degrade if MoE and tensor parallelism"
        "are enabled without also enabling sequence parallelism.",
        "megatron/core/transformer/moe/moe_layer.py, megatron-core 0.19.2",
    ),
    "cp_type_takes_two_levels": Words(
        "CP type a2a+p2p takes two levels, an all-to-all and a ring over it; the number of levels in "
        "{levels} is {count}",
        "Current implementation only supports two-level CP groups!",
        _TRANSFORMER_ENGINE,
    ),
    "heads_split_over_cp": Words(
        "CP type a2a splits heads over cp {cp}, but at tp {tp} the heads per rank are {heads}, and the "
        "KV heads {kv_groups}",
        "The number of attention heads needs to be divisible by CP size!",
        _TRANSFORMER_ENGINE,
    ),
}
"""What is said of each rule; the names of numbers are those that layout/rules.py gives.

Quotes are what a log shows; … stands for numbers in them that explain nothing.
"""


RULES_ABOUT_ORDERS = frozenset(
    (
        *("order_lacks_axis", "order_unknown_axis", "order_repeats_axis"),
        *("order_lacks_tp_unnoticed", "non_pp_last_needs_equal_dp", "pp_groups_must_match"),
    )
)
"""The rules that another order can mend."""


@dataclass(frozen=True)
class Objection:
    """One rule that a job breaks.

    `fixes` are changes after which Megatron would start the job, fewest and smallest first, each a mapping
    from what to change to its new value; they mend whatever else is broken too.
    """

    rule: str
    """Its name, as in the recordings of megatron-core where they have it."""
    numbers: Mapping[str, str]
    fixes: tuple[dict[str, Any], ...]

    @property
    def sentence(self) -> str:
        """The rule in words, with its numbers.

        >>> objections(Job(world=8, tp=3))[0].sentence
        'tp 3 x cp 1 x pp 1 = 3 does not divide a world of 8 ranks'
        """
        return OBJECTIONS[self.rule].sentence.format(**self.numbers)

    @property
    def quote(self) -> str:
        """What the log shows; empty where there are no words for it.

        >>> objections(Job(world=8, tp=3))[0].quote
        'world_size (8) is not divisible by 3'
        """
        return OBJECTIONS[self.rule].quote.format(**self.numbers)

    @property
    def source(self) -> str:
        """Where the rule stands."""
        return OBJECTIONS[self.rule].source

    @property
    def message(self) -> str:
        """The sentence, and behind it the quote marked as one.

        >>> objections(Job(world=8, vpp=2))[0].message[-45:]
        'be greater than 1 with interleaved schedule")'
        """
        return f'{self.sentence} (in the log: "{self.quote}")' if self.quote else self.sentence


def objections(job: Job) -> tuple[Objection, ...]:
    """What Megatron would object to in `job`, in the order in which it checks; empty where it starts.

    It stops at the first; later ones are named where they can be told.

    >>> [objection.rule for objection in objections(Job(world=16, tp=2, cp=2, pp=2, order="tp-cp-pp-dp"))]
    ['non_pp_last_needs_equal_dp']
    >>> objections(Job(world=16, tp=2, cp=2, pp=2))
    ()
    """
    broken = list(broken_rules(job))
    fixes = nearest_that_start(job) if broken else ()
    return tuple(
        Objection(rule, {name: one_line(n, limit=200) for name, n in numbers.items()}, fixes)
        for rule, numbers in broken
    )


def first_objections(job: Job) -> tuple[Objection | None, Objection | None]:
    """The first objection to the order of a job, and the first to anything else, without a search for fixes.

    >>> to_order, other = first_objections(Job(world=8, tp=3))
    >>> to_order, other.rule
    (None, 'dense_divisibility')
    """
    to_order, other = None, None
    for rule, numbers in broken_rules(job):
        said = Objection(rule, {name: one_line(n, limit=200) for name, n in numbers.items()}, ())
        if rule in RULES_ABOUT_ORDERS:
            to_order = to_order or said
        else:
            other = other or said
    return to_order, other


OrderObjection = Literal["refuses", "needs_tp"]


def objection_to_order(layout: Layout) -> OrderObjection | None:
    """Which rule about orders Megatron would refuse a dense layout for, or None.

    "needs_tp": it fails where the order leaves out tp, even at TP 1. "refuses": it builds its expert
    grid for dense models too, and while the order does not end in pp it wants expert DP (with EP 1 and
    ETP = TP that is cp x dp) equal to DP.

    >>> objection_to_order(Layout(cp=2, pp=2, order="tp-cp-pp-dp"))
    'refuses'
    """
    broken = {rule for rule, _ in broken_rules(job_of(layout))}
    if "order_lacks_tp_unnoticed" in broken:
        return "needs_tp"
    return "refuses" if "non_pp_last_needs_equal_dp" in broken else None
