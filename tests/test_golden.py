"""The groups that real frameworks made, reproduced; tests/golden/README.md tells their source.

Each entry is a test of its own, named after the entry's id. `test_nothing_is_skipped` counts them,
so that a filter that selects nothing does not pass for agreement.
"""

import hashlib
import json
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from layout import (
    DENSE_AXES,
    Grid,
    Job,
    Layout,
    LayoutError,
    Ranks,
    grid_in_levels,
    groups_of_key,
    hybrid_cp_groups,
    job_of,
    kinds_of,
)
from tests.golden_data import MEGATRON
from tests.golden_data import OTHER_FRAMEWORKS as OTHERS

CONFIGS = {entry["id"]: entry for entry in MEGATRON["configs"]}

DENSE_KEYS = ("tp", "cp", "dp", "pp", "dp_cp", "mp", "tp_dp", "tp_cp", "tp_dp_cp")
EMBEDDING_KEYS = ("embd", "pos_embd")

# The axes of the expert grid as an order names them.
EXPERT_AXES_IN_ORDER = {
    "ep": ("ep",),
    "expt_tp": ("tp",),
    "expt_dp": ("dp",),
    "tp_ep": ("tp", "ep"),
    "tp_ep_pp": ("tp", "ep", "pp"),
}

EXPERT_KEYS = ("ep", "expt_tp", "expt_dp", "tp_ep", "tp_ep_pp", "intra_dist_opt")
INSTANCE_KEYS = ("intra_dp_cp", "intra_expt_dp", "inter_expt_dp")

# With the weight-remat axis, these kinds of group span it too (golden README, "groups").
SPAN_GTP = ("mp", "tp_dp", "tp_dp_cp")

# What `Job` calls otherwise, and what it does not have.
FIELD_OF = {"hcp": "hierarchical_cp", "dist_opt": "dist_opt_instances"}
NOT_IN_A_JOB = ("world", "local_world", "rank_offset", "use_sharp", "sharp_group")

RANK_GENERATOR = MEGATRON["rank_generator"]
DENSE_RANK_GENERATOR = [
    entry
    for entry in RANK_GENERATOR
    if entry["args"]["ep"] == 1 and not {"gtp_remat", "rank_offset"} & set(entry["args"])
]

# Rejected calls that concern the dense grid, and the reason that `layout` gives. Left out are those
# whose fault is in a degree that `layout` does not have: `ep` (mrej014, mrej044, mrej052) and the
# weight-remat axis (mrej005); and two orders that lack `tp` where TP is 1 (mrej017, mrej018), which
# RankGenerator by itself accepts, as `layout` does.
REJECTIONS = {
    "mrej000": "world_not_divisible",
    "mrej001": "world_not_divisible",
    "mrej002": "world_not_divisible",
    "mrej003": "world_not_divisible",
    "mrej004": "world_not_divisible",
    "mrej011": "order_lacks_axis",
    "mrej012": "order_lacks_axis",
    "mrej013": "order_lacks_axis",
    "mrej015": "order_empty",
    "mrej016": "order_lacks_axis",
    "mrej019": "order_unknown_axis",
    "mrej020": "order_unknown_axis",
    "mrej021": "order_unknown_axis",
    "mrej022": "order_repeats_axis",
    "mrej043": "degree_too_small",
    "mrej045": "degree_too_small",
    "mrej046": "degree_not_whole",
    "mrej048": "world_not_divisible",
    "mrej050": "order_lacks_axis",
    "mrej062": "order_lacks_axis",
    "mrej063": "order_lacks_axis",
    "mrej064": "order_lacks_axis",
    "mrej066": "order_unknown_axis",
}
NOT_DENSE = {"mrej005", "mrej014", "mrej017", "mrej018", "mrej044", "mrej052", "mrej065"}
DENSE_CONSTRAINTS = {
    "dense_divisibility",
    "order_lacks_axis",
    "order_lacks_tp_unnoticed",
    "order_unknown_axis",
    "order_repeats_axis",
    "degree_zero",
    "degree_negative",
    "degree_not_int",
}


def agrees(groups: Ranks, golden: Any) -> bool:
    """Whether `groups` are those of a golden entry, told in full or as a digest."""
    listed = groups.tolist()
    if isinstance(golden, list):
        return bool(listed == golden)
    digest = {
        "n": len(listed),
        "size": len(listed[0]),
        "sha256": digest_of(listed),
        "first": listed[0][:8],
        "last": listed[-1][:8],
    }
    return bool(golden == digest)


def digest_of(groups: list[list[int]]) -> str:
    return hashlib.sha256(json.dumps(groups, separators=(",", ":")).encode("ascii")).hexdigest()


def grid_from(config: dict[str, Any], sizes: dict[str, int], *, remat_behind: str) -> Grid:
    """The grid over `sizes`, in the order of `config`; its window of the world, where it has one.

    The weight-remat axis stands right behind tp in the dense grid: the messages of rejections show
    "tp-gtp_remat-cp-dp" where "tp-cp-dp" was passed. In the expert grid it stands right behind ep:
    seen in the groups of m0127. Axes that the order lacks have size 1.
    """
    words = config["order"].split("-")
    words.insert(words.index(remat_behind) + 1 if remat_behind in words else 0, "gtp_remat")
    axes = [axis for axis in words if axis in sizes]
    axes += [axis for axis in sizes if axis not in axes]
    return Grid(
        axes=tuple(axes),
        sizes=tuple(sizes[axis] for axis in axes),
        first_rank=config.get("rank_offset", 0),
    )


def dense_grid(entry: dict[str, Any]) -> Grid:
    config = entry["config"]
    degrees = {axis: config[axis] for axis in ("tp", "cp", "pp")}
    sizes = {**degrees, "dp": entry["derived"]["dp"], "gtp_remat": config.get("gtp", 1)}
    return grid_from(config, sizes, remat_behind="tp")


def expert_grid(entry: dict[str, Any]) -> Grid:
    """The expert grid as RankGenerator has it, with "tp" and "dp" for ETP and EDP."""
    config, derived = entry["config"], entry["derived"]
    sizes = {"tp": derived["expt_tp"], "ep": config["ep"], "dp": derived["expt_dp"]}
    sizes = {**sizes, "pp": config["pp"], "gtp_remat": config.get("egtp", 1)}
    return grid_from(config, sizes, remat_behind="ep")


def layout_of(entry: dict[str, Any]) -> Layout | None:
    """The layout as someone states it who knows the world; None where a layout is not enough."""
    config = entry["config"]
    if config.get("gtp", 1) > 1 or "local_world" in config:
        return None
    degrees = {axis: config[axis] for axis in ("tp", "cp", "pp")}
    return Layout.from_world(world_size=config["world"], **degrees, order=config["order"])


def job_from(config: dict[str, Any]) -> Job:
    """The job that a recorded call asks for; a window counts as a world of its own."""
    said = {name: value for name, value in config.items() if name not in NOT_IN_A_JOB}
    said = {FIELD_OF.get(name, name): value for name, value in said.items()}
    return Job(**{**said, "world": config.get("local_world", config["world"])})


def sizes_of(args: dict[str, Any]) -> dict[str, Any]:
    return {axis: args[axis] for axis in DENSE_AXES}


def test_digest_has_the_test_vector() -> None:
    groups = Layout(tp=2, cp=2, dp=2, pp=2).groups("cp").tolist()
    assert groups == [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9, 11], [12, 14], [13, 15]]
    assert digest_of(groups) == "172e787793bc626295d9382999ecac76c731e34936f58e949a897e317c52d7dc"


def test_nothing_is_skipped() -> None:
    assert len(CONFIGS) == 151
    assert sum(layout_of(entry) is not None for entry in CONFIGS.values()) == 146
    assert sum(entry["config"]["world"] > 128 for entry in CONFIGS.values()) == 15
    for entry in CONFIGS.values():
        assert {*DENSE_KEYS, *EMBEDDING_KEYS, *EXPERT_KEYS} <= set(entry["groups"])
    for kind, count in {"hcp": 11, "hybrid_cp": 3, "dist_opt": 10, "gtp": 3, "egtp": 2}.items():
        assert sum(kind in entry["config"] for entry in CONFIGS.values()) == count, kind
    assert len(MEGATRON["coords"]) == 108
    assert len(RANK_GENERATOR) == 89
    assert len(DENSE_RANK_GENERATOR) == 62
    assert sum(len(entry["ranks"]) for entry in RANK_GENERATOR) == 1251
    assert len(MEGATRON["hyper_comm_grid"]) == 7
    assert sum(len(entry["enum"]) for entry in MEGATRON["hyper_comm_grid"]) == 61
    assert len(OTHERS["cases"]) == 65
    assert len(REJECTIONS) == 23


@pytest.mark.parametrize("name", CONFIGS)
def test_megatron_made_the_same_dense_groups(name: str) -> None:
    entry = CONFIGS[name]
    grid, layout = dense_grid(entry), layout_of(entry)
    for key in (*DENSE_KEYS, *EMBEDDING_KEYS):
        golden = entry["groups"][key]
        if layout is not None:
            assert agrees(groups_of_key(layout, key), golden), key
        if key in SPAN_GTP:
            assert agrees(grid.groups(*key.replace("mp", "tp_pp").split("_"), "gtp_remat"), golden)
        else:
            assert agrees(groups_of_key(grid, key), golden), key


@pytest.mark.parametrize("name", [n for n, e in CONFIGS.items() if e["config"].get("gtp", 1) > 1])
def test_megatron_made_the_same_groups_along_the_weight_remat_axis(name: str) -> None:
    entry = CONFIGS[name]
    for key, axes in {
        "gtp": ("gtp_remat",),
        "dp_gtp": ("dp", "gtp_remat"),
        "dp_cp_gtp": ("dp", "cp", "gtp_remat"),
    }.items():
        assert agrees(dense_grid(entry).groups(*axes), entry["groups"][key]), key


@pytest.mark.parametrize("name", [n for n, e in CONFIGS.items() if "expt_gtp" in e["groups"]])
def test_megatron_made_the_same_expert_groups_along_the_weight_remat_axis(name: str) -> None:
    grid, golden = expert_grid(CONFIGS[name]), CONFIGS[name]["groups"]
    for key, axes in {
        "expt_gtp": ("gtp_remat",),
        "tp_ep_pp_egtp": ("tp", "ep", "gtp_remat", "pp"),
        "expt_dp_gtp": ("gtp_remat", "dp"),
    }.items():
        assert (key in golden) or key == "expt_dp_gtp"
        if key in golden:
            assert agrees(grid.groups(*axes), golden[key]), key
    for key, axes in EXPERT_AXES_IN_ORDER.items():
        assert agrees(grid.groups(*axes), golden[key]), key
    # Its instance is the whole world, in the order of the ranks.
    assert agrees(np.arange(grid.world_size)[np.newaxis], golden["intra_dist_opt"])


@pytest.mark.parametrize("name", CONFIGS)
def test_megatron_made_the_same_expert_groups(name: str) -> None:
    entry = CONFIGS[name]
    config, golden = entry["config"], entry["groups"]
    for key, axes in EXPERT_AXES_IN_ORDER.items():
        assert agrees(expert_grid(entry).groups(*axes), golden[key]), key
    if not {"gtp", "egtp"} & set(config):
        job, first = job_from(config), config.get("rank_offset", 0)
        assert (job.experts.etp, job.experts.edp) == (
            entry["derived"]["expt_tp"],
            entry["derived"]["expt_dp"],
        )
        for key in EXPERT_KEYS:
            assert agrees(groups_of_key(job, key) + first, golden[key]), key


@pytest.mark.parametrize("name", [n for n, e in CONFIGS.items() if "dist_opt" in e["config"]])
def test_megatron_made_the_same_groups_of_optimizer_instances(name: str) -> None:
    entry = CONFIGS[name]
    for key in INSTANCE_KEYS:
        assert agrees(groups_of_key(job_from(entry["config"]), key), entry["groups"][key]), key


@pytest.mark.parametrize("name", [n for n, e in CONFIGS.items() if "hcp" in e["config"]])
def test_megatron_made_the_same_levels_of_hierarchical_cp(name: str) -> None:
    entry = CONFIGS[name]
    job = job_from(entry["config"])
    assert len(entry["groups"]["hcp"]) == len(job.hierarchical_cp)
    for level, golden in enumerate(entry["groups"]["hcp"]):
        assert agrees(groups_of_key(job, f"hcp_{level}"), golden)
        # The same groups once more, as an axis of their own, in the order of their lowest ranks.
        grid = grid_in_levels(job.layout, "cp", job.hierarchical_cp)
        by_lowest = sorted(groups_of_key(job, f"hcp_{level}").tolist())
        assert grid.groups(f"cp_{level}").tolist() == by_lowest


@pytest.mark.parametrize("name", [n for n, e in CONFIGS.items() if "hybrid_cp" in e["config"]])
def test_megatron_made_the_same_groups_of_hybrid_cp(name: str) -> None:
    entry = CONFIGS[name]
    made = hybrid_cp_groups(job_from(entry["config"]).layout)
    assert {str(size): groups for size, groups in made.items()} == entry["groups"]["hybrid_cp"]


@pytest.mark.parametrize("name", CONFIGS)
def test_every_recorded_kind_of_group_is_reproduced(name: str) -> None:
    remat = {"gtp", "expt_gtp", "dp_gtp", "dp_cp_gtp", "expt_dp_gtp", "tp_ep_pp_egtp"}
    known = {*DENSE_KEYS, *EMBEDDING_KEYS, *EXPERT_KEYS, *INSTANCE_KEYS, "hcp", "hybrid_cp", *remat}
    assert set(CONFIGS[name]["groups"]) <= known
    kinds = [kind.key for kind in kinds_of(job_from(CONFIGS[name]["config"]))]
    named = {key for key in CONFIGS[name]["groups"] if key not in {"hcp", "hybrid_cp", *remat}}
    assert named == {key for key in kinds if not key.startswith("hcp_")}
    assert len(kinds) == len(set(kinds))


def test_kinds_have_the_names_that_megatron_gives_them_in_its_own_sequence() -> None:
    made = [kind.megatron for kind in kinds_of(job_of(Layout(tp=2, cp=2, dp=2, pp=2)))]
    recorded = [
        (entry["desc"], entry["groups"])
        for entry in MEGATRON["creation_order"]
        if entry["backend"] is None and "GTP" not in entry["desc"]
    ]
    assert made == [name for name, _ in recorded]
    job = job_of(Layout(tp=2, cp=2, dp=2, pp=2))
    assert [len(groups_of_key(job, kind.key)) for kind in kinds_of(job)] == [
        count for _, count in recorded
    ]


@pytest.mark.parametrize("entry", MEGATRON["coords"], ids=lambda entry: str(entry["config_id"]))
def test_megatron_told_the_same_coordinates(entry: dict[str, Any]) -> None:
    config = CONFIGS[entry["config_id"]]
    grid = dense_grid(config)
    last = grid.first_rank + grid.world_size
    told = [grid.coordinate_of(rank) for rank in range(grid.first_rank, last)]
    for axis in DENSE_AXES:
        assert [place[axis] for place in told] == entry["coords"][axis], axis
    if (layout := layout_of(config)) is not None:
        for axis in DENSE_AXES:
            assert [layout.coordinate_of(r)[axis] for r in range(last)] == entry["coords"][axis]


@pytest.mark.parametrize("entry", RANK_GENERATOR, ids=lambda entry: str(entry["id"]))
def test_rank_generator_made_the_same_groups(entry: dict[str, Any]) -> None:
    args = entry["args"]
    grid = Grid(
        axes=tuple(entry["order_completed"].split("-")),
        sizes=tuple(entry["sizes"]),
        first_rank=args.get("rank_offset", 0),
    )
    assert grid.world_size == entry["world"]
    assert [args.get(axis, 1) for axis in grid.axes] == entry["sizes"]
    for token, golden in entry["ranks"].items():
        assert agrees(groups_of_key(grid, token), golden), token


@pytest.mark.parametrize("entry", DENSE_RANK_GENERATOR, ids=lambda entry: str(entry["id"]))
def test_rank_generator_completed_the_same_order(entry: dict[str, Any]) -> None:
    layout = Layout(**sizes_of(entry["args"]), order=entry["args"]["order"])
    completed = entry["order_completed"].split("-")
    assert layout.axes == tuple(axis for axis in completed if axis in DENSE_AXES)
    assert layout.order == entry["args"]["order"].lower()
    assert layout.world_size == entry["world"]
    assert [layout.degree_of(axis) for axis in layout.axes] == [
        size for axis, size in zip(completed, entry["sizes"], strict=True) if axis in DENSE_AXES
    ]
    for token, golden in entry["ranks"].items():
        if token != "ep":
            assert agrees(groups_of_key(layout, token), golden), token


@pytest.mark.parametrize("entry", MEGATRON["hyper_comm_grid"], ids=lambda entry: str(entry["id"]))
def test_hyper_comm_grid_made_the_same_groups(entry: dict[str, Any]) -> None:
    args = entry["args"]
    first = args.get("rank_offset", 0)
    grids = {
        view["name"]: Grid(tuple(view["dim_names"]), tuple(view["shape"]), first_rank=first)
        for view in ({**args, "name": ""}, *args.get("views", ()))
    }
    for asked, golden in entry["enum"].items():
        *view, token = asked.split(":")
        assert agrees(groups_of_key(grids["".join(view)], token), golden["groups"]), asked


def case_name(case: dict[str, Any]) -> str:
    sizes = "-".join(f"{axis}{size}" for axis, size in case["sizes"].items())
    return f"{case['framework'].replace(' ', '_')}-{sizes}-{case['megatron']['order']}"


@pytest.mark.parametrize("case", OTHERS["cases"], ids=case_name)
def test_another_framework_has_the_same_ranks(case: dict[str, Any]) -> None:
    layout = Layout(**case["sizes"], order=case["megatron"]["order"])
    assert layout.world_size == case["world"]
    axes = [axis for axis in DENSE_AXES if axis in case["groups"]]
    assert {axis for axis, size in case["sizes"].items() if size > 1} <= set(axes)
    for axis in axes:
        told = [layout.coordinate_of(rank)[axis] for rank in range(layout.world_size)]
        assert told == case["coords"][axis], axis
        assert layout.groups(axis).tolist() == case["groups"][axis], axis


@pytest.mark.parametrize("case", OTHERS["cases"], ids=case_name)
def test_another_framework_fits_these_orders_and_no_others(case: dict[str, Any]) -> None:
    axes = [axis for axis in DENSE_AXES if axis in case["groups"]]
    fitting = {
        "-".join(order)
        for order in permutations(axes)
        if all(
            Layout(**case["sizes"], order="-".join(order)).groups(axis).tolist()
            == case["groups"][axis]
            for axis in axes
        )
    }
    assert fitting == set(case["megatron"]["orders_with_the_same_groups"])


@pytest.mark.parametrize("name", REJECTIONS)
def test_what_megatron_rejected_is_refused_with_a_reason(name: str) -> None:
    (entry,) = (entry for entry in MEGATRON["rejections"] if entry["id"] == name)
    config = entry["config"]
    if entry["call"] == "RankGenerator":
        make: Any = Layout
        degrees = sizes_of(config)
    else:
        make = partial(Layout.from_world, world_size=config["world"])
        degrees = {axis: config[axis] for axis in ("tp", "cp", "pp")}
    with pytest.raises(LayoutError) as error:
        make(**degrees, order=config["order"])
    assert error.value.reason == REJECTIONS[name]


def test_every_dense_rejection_is_in_the_table() -> None:
    dense = {
        entry["id"]
        for entry in MEGATRON["rejections"]
        if entry["call"].startswith(("initialize_model_parallel", "RankGenerator"))
        and entry["call"] != "RankGenerator.get_ranks"
        and entry["constraint"] in DENSE_CONSTRAINTS
    }
    assert dense == set(REJECTIONS) | NOT_DENSE
