"""The table of groups without a browser: which kind is listed, and what its component is told."""

from typing import Any

from layout.address import EXPERT_TABLES, TABLES
from tests.test_pages import components, run


def told(query: str = "") -> Any:
    """What the component is told where the app is opened at a link."""
    return components(run(query))["group_table"]


def test_the_first_page_lists_the_tp_groups() -> None:
    assert told() == {
        "axes": ["tp", "cp", "dp", "pp"],
        "sizes": [2, 2, 2, 2],
        "kind": "tp",
        "kinds": {key: key.split("-") for key in TABLES},
        "megatron": "TENSOR_MODEL_PARALLEL_GROUP",
        "files": "",
        "gpusPerNode": 8,
        "pin": None,
        "language": "en",
    }


def test_a_link_says_which_kind() -> None:
    said = told("tp=4&order=pp-dp-cp-tp&table=tp-dp&pin=13&gpn=4")
    assert said["axes"] == ["pp", "dp", "cp", "tp"] and said["sizes"] == [2, 2, 2, 4]
    assert (said["kind"], said["gpusPerNode"], said["pin"]) == ("tp-dp", 4, 13)


def test_a_job_with_experts_has_their_kinds_too() -> None:
    said = told("moe=on&ep=4&etp=1&table=expt_dp")
    assert list(said["kinds"]) == [*TABLES, *EXPERT_TABLES]
    assert said["kinds"]["tp_ep_pp"] == ["etp", "ep", "pp"]
    assert said["axes"] == ["etp", "ep", "edp", "pp"] and said["sizes"] == [1, 4, 2, 2]
    assert (said["kind"], said["megatron"]) == ("expt_dp", "EXPERT_DATA_PARALLEL_GROUP")
    assert said["files"] == "moe=on&ep=4&etp=1"
    assert told("moe=on&ep=4&etp=1&table=cp")["axes"] == ["tp", "cp", "dp", "pp"]


def test_a_kind_of_experts_that_are_not_there_gives_way_to_tp() -> None:
    for query in ("ep=4&etp=1&table=ep", "moe=on&ep=3&table=ep"):
        said = told(query)
        assert (said["kind"], list(said["kinds"])) == ("tp", list(TABLES)), query


def test_files_are_asked_for_by_what_makes_the_groups() -> None:
    link = "tp=4&world=48&order=tp-cp-pp-dp&table=dp&pin=3&colour=none"
    assert told(link)["files"] == "tp=4&world=48&order=tp-cp-pp-dp"


def test_four_million_ranks_travel_as_sixteen_do() -> None:
    assert told("tp=1&cp=1&dp=4194304&pp=1")["sizes"] == [1, 1, 4194304, 1]


def test_settings_that_make_no_layout_show_no_table() -> None:
    assert "group_table" not in components(run("world=16&tp=3"))
