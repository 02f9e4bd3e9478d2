"""Published layouts: jobs, recipes and one guide's example.

Each has its degrees, GPUs per node (8 where the source does not say), and whether its order is known.

Names and sources are words, so they stand in the text catalogue under each preset's key. EDP follows from
the GPUs; ETP is TP where it is not given, which is so of every preset without experts.
"""

from dataclasses import dataclass
from functools import cached_property

from layout.job import Job, job_of
from layout.ranks import MEGATRON_ORDER, Layout

LLAMA_3_ORDER = "tp-cp-pp-dp"
"""The order that Llama 3 publishes: [TP, CP, PP, DP] (The Llama 3 Herd of Models, arXiv 2407.21783)."""


@dataclass(frozen=True)
class Preset:
    """One published job.

    `order_assumed` says that the source does not publish the order and Megatron's default is shown.
    """

    key: str
    tp: int
    cp: int
    pp: int
    dp: int
    gpus_per_node: int = 8
    order: str = MEGATRON_ORDER
    ep: int = 1
    etp: int | None = None
    nvlink_domain: int | None = None
    """GPUs per NVLink domain, where that is more than a node."""
    vpp: int = 1
    seq_length: int | None = None

    @property
    def order_assumed(self) -> bool:
        """True where the order is not published; only Llama 3's is."""
        return self.order != LLAMA_3_ORDER

    @property
    def has_experts(self) -> bool:
        """Whether it spreads experts over ranks.

        >>> sum(preset.has_experts for preset in PRESETS)
        5
        """
        return self.ep > 1

    @cached_property
    def layout(self) -> Layout:
        """The preset as a layout.

        >>> PRESETS[-1].layout
        Layout(tp=4, cp=2, dp=2, pp=4, order='tp-cp-ep-dp-pp')
        """
        return Layout(tp=self.tp, cp=self.cp, dp=self.dp, pp=self.pp, order=self.order)

    @cached_property
    def job(self) -> Job:
        """The preset as a job, experts and all.

        >>> [preset.job.experts.edp for preset in PRESETS if preset.key == "deepseek-v3"]
        [2]
        """
        return job_of(self.layout).with_(
            ep=self.ep, etp=self.etp, vpp=self.vpp, seq_length=self.seq_length
        )


PRESETS: tuple[Preset, ...] = (
    Preset("megatron-8-3b", tp=8, cp=1, pp=1, dp=64, gpus_per_node=16),
    Preset("gpt-145-6b", tp=8, cp=1, pp=8, dp=24),
    Preset("gpt-1t", tp=8, cp=1, pp=64, dp=6),
    Preset("mt-nlg-530b", tp=8, cp=1, pp=35, dp=8, vpp=3),
    Preset("bloom-176b", tp=4, cp=1, pp=12, dp=8),
    Preset("nemotron-4-340b", tp=8, cp=1, pp=12, dp=64),
    Preset("llama-3-405b-8k-8192", tp=8, cp=1, pp=16, dp=64, order=LLAMA_3_ORDER, seq_length=8192),
    Preset(
        "llama-3-405b-8k-16384", tp=8, cp=1, pp=16, dp=128, order=LLAMA_3_ORDER, seq_length=8192
    ),
    Preset("llama-3-405b-128k", tp=8, cp=16, pp=16, dp=8, order=LLAMA_3_ORDER, seq_length=131_072),
    Preset("deepseek-v3", tp=1, cp=1, pp=16, dp=128, ep=64),
    Preset("kimi-k2", tp=1, cp=1, pp=16, dp=16, ep=16),
    Preset("mixtral-8x22b-128k", tp=8, cp=8, pp=8, dp=2, ep=8, etp=1, seq_length=131_072),
    Preset("deepseek-v3-recipe", tp=2, cp=1, pp=16, dp=32, ep=64, etp=1),
    Preset("llama-3-1-405b-h100", tp=8, cp=2, pp=8, dp=8, vpp=8, seq_length=8192),
    Preset(
        "llama-3-1-405b-gb300",
        tp=2,
        cp=2,
        pp=8,
        dp=8,
        gpus_per_node=4,
        nvlink_domain=72,
        vpp=4,
        seq_length=8192,
    ),
    Preset("qwen3-235b", tp=1, cp=1, pp=8, dp=32, gpus_per_node=4, nvlink_domain=72, ep=32, vpp=3),
    Preset("llama-3-70b-example", tp=4, cp=2, pp=4, dp=2, seq_length=8192),
)
