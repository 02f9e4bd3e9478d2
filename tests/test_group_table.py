"""The table of groups without a browser: which kind is listed, and what its component is told."""

from typing import Any

from layout.address import TABLES
from layout.keys import KINDS
from tests.test_pages import components, run


def told(query: str = "") -> Any:
    """What the component is told where the app is opened at a link."""
    return components(run(query))["group_table"]


def test_the_first_page_lists_the_tp_groups() -> None:
    said = told()
    kinds = said.pop("kinds")
    assert list(kinds) == [*TABLES, "embd", "pos_embd"]
    assert (kinds["dp-cp"], kinds["pos_embd"]) == ("DP×CP", "position embedding")
    assert said == {
        "groups": {
            "axes": ["tp", "cp", "dp", "pp"],
            "sizes": [2, 2, 2, 2],
            "along": ["tp"],
            "cut": "whole",
        },
        "kind": "tp",
        "megatron": "TENSOR_MODEL_PARALLEL_GROUP",
        "members": "",
        "files": "",
        "gpusPerNode": 8,
        "pin": None,
        "language": "en",
    }


def test_a_link_says_which_kind() -> None:
    said = told("tp=4&order=pp-dp-cp-tp&table=tp-dp&pin=13&gpn=4")
    groups = said["groups"]
    assert groups["axes"] == ["pp", "dp", "cp", "tp"] and groups["sizes"] == [2, 2, 2, 4]
    assert groups["along"] == ["tp", "dp"]
    assert (said["kind"], said["gpusPerNode"], said["pin"]) == ("tp-dp", 4, 13)


def test_a_job_with_experts_has_their_kinds_too() -> None:
    said = told("moe=on&ep=4&etp=1&table=expt_dp")
    of_experts = {"ep", "expt_tp", "tp_ep", "tp_ep_pp", "expt_dp"}
    assert set(said["kinds"]) == {*TABLES, "embd", "pos_embd", *of_experts}
    assert said["kinds"]["tp_ep_pp"] == "ETP×EP×PP"
    groups = said["groups"]
    assert groups["axes"] == ["etp", "ep", "edp", "pp"] and groups["sizes"] == [1, 4, 2, 2]
    assert groups["along"] == ["edp"]
    assert (said["kind"], said["megatron"]) == ("expt_dp", "EXPERT_DATA_PARALLEL_GROUP")
    assert said["files"] == "moe=on&ep=4&etp=1"
    assert told("moe=on&ep=4&etp=1&table=cp")["groups"]["axes"] == ["tp", "cp", "dp", "pp"]


def test_a_kind_of_experts_that_are_not_there_gives_way_to_tp() -> None:
    for query in ("ep=4&etp=1&table=ep", "moe=on&ep=3&table=ep"):
        said = told(query)
        assert (said["kind"], "ep" in said["kinds"]) == ("tp", False), query


def test_a_job_with_optimizer_instances_and_levels_has_all_kinds_that_megatron_makes() -> None:
    said = told("tp=1&cp=4&dp=4&pp=2&hcp=2,2&distopt=2&moe=on&table=inter_expt_dp")
    dense = {kind.axes for kind in KINDS if kind.grid == "dense" and kind.cut == "whole"}
    assert dense < {tuple(key.split("-")) for key in TABLES}
    named = {kind.key for kind in KINDS if kind.grid == "expert" or kind.cut != "whole"}
    assert set(said["kinds"]) == {*TABLES, *named, "hcp_0", "hcp_1"}
    assert said["groups"]["along"] == ["edp"]
    assert (said["groups"]["cut"], said["groups"]["below"], said["groups"]["size"]) == (
        "level",
        8,
        2,
    )
    assert "the 2 runs that an EDP group is cut into" in said["members"]
    assert said["megatron"] == "HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L1"
    assert said["files"] == "tp=1&cp=4&dp=4&moe=on&hcp=2%2C2&distopt=2"
    level = told("tp=1&cp=4&hcp=2,2&table=hcp_1")
    assert level["groups"]["along"] == ["cp"]
    assert (level["groups"]["below"], level["groups"]["size"]) == (2, 2)
    assert level["megatron"] == "HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L1"


def test_a_kind_that_the_job_lacks_gives_way_to_tp() -> None:
    for query in (
        "table=hcp_0",
        "hcp=2,3&table=hcp_0",
        "table=intra_dp_cp",
        "distopt=3&table=intra_dp_cp",
    ):
        assert told(query)["kind"] == "tp", query


def test_files_are_asked_for_by_what_makes_the_groups() -> None:
    link = "tp=4&world=48&order=tp-cp-pp-dp&table=dp&pin=3&colour=none"
    assert told(link)["files"] == "tp=4&world=48&order=tp-cp-pp-dp"


def test_four_million_ranks_travel_as_sixteen_do() -> None:
    assert told("tp=1&cp=1&dp=4194304&pp=1")["groups"]["sizes"] == [1, 1, 4194304, 1]


def test_settings_that_make_no_layout_show_no_table() -> None:
    assert "group_table" not in components(run("world=16&tp=3"))
