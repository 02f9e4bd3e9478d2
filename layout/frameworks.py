"""Who lays ranks out in which order: frameworks by name, each with its version and its source.

Most were recorded by running them (tests/golden/other_frameworks.json); where one has other names for its
axes, the order says the same in ours. What a framework splits in two counts as one axis here: dp_shard and
dp_replicate are dp, with dp_shard the faster.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from layout.errors import LayoutError
from layout.grid import Axis
from layout.presets import LLAMA_3_ORDER
from layout.ranks import MEGATRON_ORDER

_RECORDED = "recorded by running it: tests/golden/other_frameworks.json"
_MEGATRON = "megatron/training/initialize.py"


@dataclass(frozen=True)
class Framework:
    """One framework, or one published job, and how it lays ranks out."""

    key: str
    name: str
    order: str
    """The axes from fastest to slowest; those of degree 1 may be left out."""
    lacks: tuple[Axis, ...]
    """The axes that it does not have: their degree is 1 there."""
    version: str
    source: str
    fails: tuple[Axis, ...] = ()
    """The axes that it has, and fails with where their degree is over 1."""

    def lacking(self, degrees: Mapping[Axis, int]) -> tuple[Axis, ...]:
        """Those of `degrees` over 1 that this framework has no axis for.

        >>> FRAMEWORKS["accelerate"].lacking({"tp": 2, "pp": 4, "ep": 1})
        ('pp',)
        """
        return _over_1(self.lacks, degrees)

    def failing(self, degrees: Mapping[Axis, int]) -> tuple[Axis, ...]:
        """Those of `degrees` over 1 that this framework has an axis for, and fails with.

        >>> FRAMEWORKS["nanotron"].failing({"tp": 2, "ep": 2})
        ('ep',)
        """
        return _over_1(self.fails, degrees)


def _over_1(axes: tuple[Axis, ...], degrees: Mapping[Axis, int]) -> tuple[Axis, ...]:
    return tuple(axis for axis in axes if degrees.get(axis, 1) > 1)


_ALL = (
    Framework("megatron", "Megatron-LM", MEGATRON_ORDER, (), "megatron-core 0.19.2", _MEGATRON),
    Framework(
        "megatron-tp-pp-dp",
        "Megatron-LM with --use-tp-pp-dp-mapping",
        "tp-cp-ep-pp-dp",
        (),
        "megatron-core 0.19.2",
        _MEGATRON,
    ),
    Framework("torchtitan", "torchtitan", "tp-cp-dp-pp", ("etp",), "0.3.0", _RECORDED),
    Framework(
        "nemo-automodel",
        "NeMo Automodel",
        "tp-cp-dp-pp",
        (),
        "launch files of 2025 and 2026",
        "its mesh: pp, dp_replicate, dp_shard, cp, tp, slowest first",
    ),
    Framework(
        "torchtune",
        "torchtune",
        "tp-cp-dp",
        ("pp",),
        "launch files of 2025 and 2026",
        "its mesh: dp_replicate, dp_shard, cp, tp, slowest first",
    ),
    Framework("accelerate", "accelerate", "tp-cp-dp", ("pp", "ep", "etp"), "1.15.0", _RECORDED),
    Framework(
        "deepspeed",
        "DeepSpeed pipeline",
        "tp-dp-pp",
        ("cp", "ep", "etp"),
        "0.19.8",
        f"PipeModelDataParallelTopology, {_RECORDED}",
    ),
    Framework(
        "gpt-neox",
        "gpt-neox",
        "tp-dp-pp",
        ("cp", "ep", "etp"),
        "launch files of 2025 and 2026",
        "it uses DeepSpeed's PipeModelDataParallelTopology",
    ),
    Framework(
        "nanotron",
        "nanotron",
        "tp-cp-dp-pp",
        ("etp",),
        "commit 2411b022a75f of 2026-04-07",
        _RECORDED,
        fails=("ep",),
    ),
    Framework(
        "picotron",
        "picotron",
        "tp-cp-pp-dp",
        ("ep", "etp"),
        "commit 59714b1bf255 of 2025-08-26",
        _RECORDED,
    ),
    Framework(
        "llama-3",
        "Llama 3",
        LLAMA_3_ORDER,
        ("ep", "etp"),
        "2024",
        "The Llama 3 Herd of Models, arXiv 2407.21783: [TP, CP, PP, DP]",
    ),
    Framework(
        "device-mesh",
        "a torch DeviceMesh (pp, dp, cp, tp)",
        "tp-cp-dp-pp",
        (),
        "torch 2.13.0",
        f"{_RECORDED}; another mesh is another order",
    ),
)

FRAMEWORKS: Mapping[str, Framework] = {framework.key: framework for framework in _ALL}
"""The frameworks by key, in the sequence in which a list of them reads well.

accelerate has a sequence-parallel axis of its own, between tp and cp; it is not Megatron's SP, which makes
no ranks, and is left out here.
"""


def order_of_mesh(*axes_slowest_first: Axis) -> str:
    """The order that a DeviceMesh of these axes has: the reverse, as its last axis varies fastest.

    Source: `init_device_mesh` of torch 2.13.0, recorded by running it. Raises LayoutError for no axes.

    >>> order_of_mesh("pp", "dp", "cp", "tp")
    'tp-cp-dp-pp'
    """
    if not axes_slowest_first:
        raise LayoutError("order_empty", nearest=MEGATRON_ORDER, fixes=[{"order": MEGATRON_ORDER}])
    return "-".join(reversed(axes_slowest_first))


def frameworks_with(order: str) -> tuple[Framework, ...]:
    """The frameworks whose order is `order`, where ep counts for nothing.

    >>> [framework.key for framework in frameworks_with("tp-cp-ep-pp-dp")]
    ['megatron-tp-pp-dp', 'picotron', 'llama-3']
    """
    dense = _without_ep(order)
    return tuple(framework for framework in _ALL if _without_ep(framework.order) == dense)


def _without_ep(order: str) -> list[str]:
    return [word for word in order.lower().split("-") if word != "ep"]
