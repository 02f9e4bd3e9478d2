"""`python -m layout`: what it prints, what it refuses, and that nothing else comes out."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from layout import FORMS, Layout, LayoutError, group_of_key, groups_of_key, report_of, report_pieces
from layout.__main__ import main

ROOT = Path(__file__).parents[1]
SIXTEEN = ["--tp", "2", "--cp", "2", "--dp", "2", "--pp", "2"]
KEYS = ["tp", "cp", "dp-cp", "tp-dp-pp", "embd", "pos_embd", "mp", "pp-cp-tp"]


def run(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "layout", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **more)


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    """What `main` prints for a command line that it accepts."""

    def printed_for(*arguments: str) -> str:
        assert main(arguments) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return printed_for


# --------------------------------------------------------------------------- by eye


def test_text_reads_from_top_to_bottom(printed: Any) -> None:
    assert printed("--tp", "2", "--pp", "3", "--groups", "tp,embd,pos_embd", "--rank", "3") == (
        "6 ranks = tp 2 x cp 1 x dp 1 x pp 3, order tp-cp-dp-pp (fastest first)\n"
        "\n"
        "rank 3: tp 1, cp 0, dp 0, pp 1\n"
        "  tp group 1: [2, 3]\n"
        "  embd: in no group; those hold the first and the last rank of each pp group\n"
        "  pos_embd: in no group; those hold the first rank of each pp group\n"
        "\n"
        "tp: 3 groups of 2 ranks that differ only in tp\n"
        "  0: [0, 1]\n"
        "  1: [2, 3]\n"
        "  2: [4, 5]\n"
        "\n"
        "embd: 2 groups of 2 ranks: the first and the last rank of each pp group\n"
        "  0: [0, 4]\n"
        "  1: [1, 5]\n"
        "\n"
        "pos_embd: 2 groups of 1 rank: the first rank of each pp group\n"
        "  0: [0]\n"
        "  1: [1]\n"
    )


def test_text_says_why_a_group_is_one_rank(printed: Any) -> None:
    text = printed("--dp", "2", "--groups", "tp,cp-pp")
    assert "tp: 2 groups of 1 rank, as tp is 1\n" in text
    assert "cp-pp: 2 groups of 1 rank, as cp and pp are 1\n" in text


def test_json_is_one_object(printed: Any) -> None:
    assert json.loads(printed(*SIXTEEN, "--groups", "tp,dp-cp", "--format", "json")) == {
        "layout": {"tp": 2, "cp": 2, "dp": 2, "pp": 2, "order": "tp-cp-dp-pp", "world": 16},
        "expert": {"etp": 2, "ep": 1, "edp": 4, "pp": 2, "order": "etp-edp-pp-ep"},
        "groups": {
            "tp": [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11], [12, 13], [14, 15]],
            "dp-cp": [[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14], [9, 11, 13, 15]],
        },
    }


def test_json_tells_where_a_rank_is(printed: Any) -> None:
    asked = ["--groups", "tp,cp,embd,pos_embd", "--rank", "13", "--format", "json"]
    assert json.loads(printed(*SIXTEEN, *asked))["rank"] == {
        "rank": 13,
        "coordinate": {"tp": 1, "cp": 0, "dp": 1, "pp": 1},
        "groups": {
            "tp": {"index": 6, "ranks": [12, 13]},
            "cp": {"index": 7, "ranks": [13, 15]},
            "embd": {"index": 5, "ranks": [5, 13]},
            "pos_embd": {"index": None, "ranks": []},
        },
    }


def test_csv_has_a_row_for_each_member(printed: Any) -> None:
    assert printed("--tp", "2", "--dp", "2", "--groups", "dp,pp", "--format", "csv") == (
        "key,group,index,rank\n"
        "dp,0,0,0\ndp,0,1,2\ndp,1,0,1\ndp,1,1,3\n"
        "pp,0,0,0\npp,1,0,1\npp,2,0,2\npp,3,0,3\n"
    )


def test_markdown_is_tables(printed: Any) -> None:
    asked = ["--groups", "pp,embd", "--rank", "1", "--format", "markdown"]
    assert printed("--pp", "3", *asked) == (
        "# 3 ranks = tp 1 x cp 1 x dp 1 x pp 3\n"
        "\n"
        "Order `tp-cp-dp-pp`, fastest first.\n"
        "\n"
        "## Rank 1\n"
        "\n"
        "tp 0, cp 0, dp 0, pp 1\n"
        "\n"
        "| key | group | ranks |\n"
        "| --- | ---: | --- |\n"
        "| pp | 0 | 0, 1, 2 |\n"
        "| embd | none |  |\n"
        "\n"
        "## pp\n"
        "\n"
        "1 group of 3 ranks that differ only in pp\n"
        "\n"
        "| group | ranks |\n"
        "| ---: | --- |\n"
        "| 0 | 0, 1, 2 |\n"
        "\n"
        "## embd\n"
        "\n"
        "1 group of 2 ranks: the first and the last rank of each pp group\n"
        "\n"
        "| group | ranks |\n"
        "| ---: | --- |\n"
        "| 0 | 0, 2 |\n"
    )


# ------------------------------------------------------- every form agrees with the model

LAYOUTS = [
    Layout(),
    Layout(tp=2, cp=2, dp=2, pp=2),
    Layout(tp=2, cp=3, dp=5, pp=4, order="pp-dp-cp-tp"),
    Layout(tp=8, dp=3, pp=2, order="TP-CP-EP-PP-DP"),
    Layout(cp=7, dp=3, order="dp-cp"),
]


def command_for(layout: Layout) -> list[str]:
    degrees = [f"--{axis}={layout.degree_of(axis)}" for axis in ("tp", "cp", "dp", "pp")]
    return [*degrees, "--order", layout.order]


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_all_forms_hold_the_same_groups(layout: Layout, printed: Any) -> None:
    asked = [*command_for(layout), "--groups", ",".join(KEYS)]
    groups = {key: groups_of_key(layout, key).tolist() for key in KEYS}
    degrees = {axis: layout.degree_of(axis) for axis in ("tp", "cp", "dp", "pp")}

    told = json.loads(printed(*asked, "--format", "json"))
    assert told.pop("expert")["edp"] == degrees["cp"] * degrees["dp"]
    assert told == {
        "layout": {**degrees, "order": layout.order, "world": layout.world_size},
        "groups": groups,
    }
    assert list(told["groups"]) == KEYS, "in the order in which they were asked for"

    rows = list(csv.DictReader(io.StringIO(printed(*asked, "--format", "csv"))))
    assert [(row["key"], *(int(row[n]) for n in ("group", "index", "rank"))) for row in rows] == [
        (key, number, place, rank)
        for key in KEYS
        for number, group in enumerate(groups[key])
        for place, rank in enumerate(group)
    ]

    sections = printed(*asked, "--format", "markdown").split("\n## ")[1:]
    for key, section in zip(KEYS, sections, strict=True):
        cells = re.findall(r"^\| (\d+) \| ([\d, ]+) \|$", section, flags=re.MULTILINE)
        assert section.startswith(f"{key}\n")
        assert [int(number) for number, _ in cells] == list(range(len(groups[key])))
        assert [[int(r) for r in ranks.split(", ")] for _, ranks in cells] == groups[key]

    sections = printed(*asked).split("\n\n")[1:]
    for key, section in zip(KEYS, sections, strict=True):
        title, *lines = section.splitlines()
        assert title.startswith(f"{key}: {len(groups[key])} group")
        assert [json.loads(line.split(": ")[1]) for line in lines] == groups[key]


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_every_rank_is_told_its_groups(layout: Layout, printed: Any) -> None:
    asked = [*command_for(layout), "--groups", ",".join(KEYS), "--format", "json", "--rank"]
    for rank in {0, layout.world_size // 2, layout.world_size - 1}:
        told = json.loads(printed(*asked, str(rank)))
        assert told["rank"]["rank"] == rank
        assert told["rank"]["coordinate"] == layout.coordinate_of(rank)
        assert list(told["rank"]["groups"]) == KEYS
        for key, group in told["rank"]["groups"].items():
            if group_of_key(layout, rank, key) is None:
                assert group == {"index": None, "ranks": []}
                assert not any(rank in row for row in told["groups"][key])
            else:
                assert told["groups"][key][group["index"]] == group["ranks"]
                assert rank in group["ranks"]


def test_json_is_what_the_json_module_would_write() -> None:
    for layout in LAYOUTS:
        written = report_of(layout, keys=KEYS, rank=0, form="json")
        assert written == json.dumps(json.loads(written)) + "\n"


def test_a_world_of_many_pieces_is_put_together_again() -> None:
    layout = Layout(tp=8, cp=16, dp=64, pp=16)
    pieces = list(report_pieces(layout, keys=["tp", "dp-cp", "pos_embd"], form="json"))
    assert len(pieces) > 9
    told = json.loads("".join(pieces))["groups"]
    assert told == {key: groups_of_key(layout, key).tolist() for key in told}
    lines = report_of(layout, keys=["pp"], form="text").splitlines()
    numbered = [line for line in lines if line.startswith("  ")]
    assert [int(line.split(":")[0]) for line in numbered] == list(range(131_072 // 16))


# ----------------------------------------------------------------- experts and placement


def test_experts_are_told_beside_the_layout(printed: Any) -> None:
    asked = ["--world", "16", "--tp", "2", "--cp", "2", "--pp", "2", "--ep", "4", "--etp", "1"]
    told = json.loads(printed(*asked, "--groups", "ep,expt_dp,pp,etp-ep", "--format", "json"))
    assert told["layout"]["order"] == "tp-cp-ep-dp-pp", "the order has a place for ep"
    assert told["expert"] == {"etp": 1, "ep": 4, "edp": 2, "pp": 2, "order": "etp-ep-edp-pp"}
    assert told["groups"]["ep"] == told["groups"]["etp-ep"]
    assert told["groups"]["ep"][0] == [0, 1, 2, 3]
    assert told["groups"]["expt_dp"][0] == [0, 4]
    assert printed(*asked, "--groups", "ep", "--rank", "9") == (
        "16 ranks = tp 2 x cp 2 x dp 2 x pp 2, order tp-cp-ep-dp-pp (fastest first)\n"
        "experts: etp 1 x ep 4 x edp 2 x pp 2, order etp-ep-edp-pp\n"
        "\n"
        "rank 9: tp 1, cp 0, dp 0, pp 1\n"
        "  among the experts: etp 0, ep 1, edp 0, pp 1\n"
        "  ep group 2: [8, 9, 10, 11]\n"
        "\n"
        "ep: 4 groups of 4 ranks that differ only in ep\n"
        "  0: [0, 1, 2, 3]\n"
        "  1: [4, 5, 6, 7]\n"
        "  2: [8, 9, 10, 11]\n"
        "  3: [12, 13, 14, 15]\n"
    )


def test_a_dense_job_has_expert_groups_too(printed: Any) -> None:
    told = json.loads(printed(*SIXTEEN, "--groups", "ep,expt_tp,tp", "--format", "json"))
    assert told["groups"]["ep"] == [[rank] for rank in range(16)]
    assert told["groups"]["expt_tp"] == told["groups"]["tp"]
    # Its order may leave out what only experts need.
    assert json.loads(printed("--cp", "2", "--order", "cp", "--format", "json"))["expert"] == {
        "etp": 1,
        "ep": 1,
        "edp": 2,
        "pp": 1,
        "order": None,
    }


def test_levels_and_instances(printed: Any) -> None:
    asked = ["--cp", "4", "--hierarchical-cp", "2,2", "--groups", "hcp,hcp_1", "--format"]
    told = json.loads(printed(*asked, "json"))["groups"]
    assert told == {"hcp": [[[0, 1], [2, 3]], [[0, 2], [1, 3]]], "hcp_1": [[0, 2], [1, 3]]}
    assert printed(*asked, "csv").count("hcp_1,") == 8  # asked for twice, once by its own name
    asked = ["--dp", "4", "--dist-opt-instances", "2", "--groups", "intra_dp_cp,inter_expt_dp"]
    assert json.loads(printed(*asked, "--format", "json"))["groups"] == {
        "intra_dp_cp": [[0, 1], [2, 3]],
        "inter_expt_dp": [[0, 2], [1, 3]],
    }


def test_groups_that_cross_are_counted_where_that_is_asked(printed: Any) -> None:
    asked = ["--tp", "8", "--dp", "9", "--gpus-per-node", "4", "--nvlink-domain", "72"]
    told = json.loads(printed(*asked, "--groups", "tp,dp,embd", "--format", "json"))
    assert told["crossing"] == {
        "tp": {"groups": 9, "nodes": 9, "domains": 0},
        "dp": {"groups": 8, "nodes": 8, "domains": 0},
        "embd": {"groups": 72, "nodes": 0, "domains": 0},
    }
    line = "tp: 9 groups of 8 ranks that differ only in tp; 9 cross nodes of 4 GPUs and 0 cross"
    assert line in printed(*asked)


# ----------------------------------------------------------------- would Megatron start?


def test_a_refusal_is_an_answer(printed: Any) -> None:
    told = json.loads(printed("--world", "8", "--tp", "3", "--check"))
    assert told["layout"] == {
        "tp": 3,
        "cp": 1,
        "dp": None,
        "pp": 1,
        "order": "tp-cp-dp-pp",
        "world": 8,
    }
    assert told["groups"] == dict.fromkeys(("tp", "cp", "dp", "pp"))
    assert told["expert"]["edp"] is None
    verdict = told["megatron"]
    assert verdict["starts"] is False
    (objection,) = verdict["objections"]
    assert set(objection) == {"rule", "message", "fixes"}
    assert objection["rule"] == "dense_divisibility"
    assert "3 does not divide a world of 8 ranks" in objection["message"]
    assert "world_size (8) is not divisible by 3" in objection["message"]
    assert objection["fixes"][:2] == [{"world": 9}, {"tp": 4}]


def test_a_job_that_starts_has_no_objections(printed: Any) -> None:
    told = json.loads(printed(*SIXTEEN, "--check", "--rank", "13"))
    assert told["megatron"] == {"starts": True, "objections": []}
    assert told["rank"]["coordinate"] == {"tp": 1, "cp": 0, "dp": 1, "pp": 1}
    assert "megatron" not in json.loads(printed(*SIXTEEN, "--format", "json"))


@pytest.mark.parametrize(
    ("arguments", "rules"),
    [
        ([*SIXTEEN, "--order", "tp-cp-pp-dp"], ["non_pp_last_needs_equal_dp"]),
        ([*SIXTEEN, "--order", "TP-CP-DP-PP"], ["non_pp_last_needs_equal_dp"]),
        (["--cp", "2", "--order", "tp-dp-pp"], ["order_lacks_axis"]),
        ([*SIXTEEN, "--order", "tp-cp-dp-xx-pp"], ["order_unknown_axis"]),
        (["--order", "dp-pp", "--world", "8"], ["order_lacks_tp_unnoticed"]),
        (["--world", "8", "--tp", "0"], ["degree_zero"]),
        (["--dp", "8", "--tp", "0"], ["degree_zero"]),
        (["--world", "8", "--tp", "-2"], ["degree_negative"]),
        (["--world", "8", "--tp", "2.0"], ["degree_not_int"]),
        (["--world", "8", "--ep", "3"], ["expert_divisibility"]),
        (["--world", "8", "--vpp", "2"], ["vpp_needs_pp"]),
        (["--world", "8", "--vpp", "1"], []),
        (["--dp", "4", "--dist-opt-instances", "4", "--ep", "2"], ["dist_opt_divides_expert_dp"]),
        (["--cp", "4", "--hierarchical-cp", "2,4"], ["hcp_product"]),
        (["--cp", "4", "--cp-type", "a2a+p2p"], ["cp_type_needs_levels"]),
        (["--pp", "4", "--layers", "30"], ["layers_multiple_of_pp"]),
        (["--tp", "8", "--num-attention-heads", "12"], ["heads_multiple_of_tp"]),
        (["--tp", "6", "--heads", "12", "--kv-groups", "4"], ["kv_groups_fit_tp"]),
        (["--cp", "2", "--seq-length", "6"], ["sequence_multiple_of_twice_cp"]),
        (["--dp", "4", "--ep", "4", "--experts", "6"], ["experts_multiple_of_ep"]),
        (["--sp"], ["sp_needs_tp"]),
        (["--tp", "2", "--experts", "4", "--sp", "off"], ["moe_needs_sp"]),
        (["--world", "8", "--cp", "1000000000"], ["dense_divisibility"]),
    ],
)
def test_the_rules_are_named(arguments: list[str], rules: list[str], printed: Any) -> None:
    verdict = json.loads(printed(*arguments, "--check"))["megatron"]
    assert [objection["rule"] for objection in verdict["objections"]] == rules
    assert verdict["starts"] == (not rules)
    for form in ("text", "markdown"):
        text = printed(*arguments, "--check", "--format", form)
        assert ("would not start" in text) == bool(rules)
        assert all(rule in text for rule in rules)
    assert printed(*arguments, "--check", "--format", "csv").startswith("key,group,index,rank\n")


def test_every_fix_can_be_typed_in_place_of_what_was_wrong(printed: Any) -> None:
    wrong = {"world": "8", "tp": "3", "hierarchical_cp": "3"}

    def checked(said: dict[str, str]) -> Any:
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in said.items()]
        return json.loads(printed(*flags, "--check"))["megatron"]

    objections = checked(wrong)["objections"]
    assert [objection["rule"] for objection in objections] == ["dense_divisibility", "hcp_product"]
    for fix in objections[0]["fixes"]:
        typed = {
            name: ",".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in fix.items()
        }
        assert checked({**wrong, **typed})["starts"]


def test_text_says_what_is_wrong_and_what_is_nearest(printed: Any) -> None:
    assert printed(
        "--world", "8", "--tp", "3", "--check", "--format", "text", "--groups", "tp"
    ) == (
        "no layout with tp 3, cp 1, pp 1 in a world of 8, order 'tp-cp-dp-pp'\n"
        "\n"
        "Megatron would not start this job:\n"
        "  dense_divisibility: tp 3 x cp 1 x pp 1 = 3 does not divide a world of 8 ranks "
        '(in the log: "world_size (8) is not divisible by 3")\n'
        "  it would start with world 9\n"
        "  it would start with tp 4\n"
        "  it would start with world 6\n"
        "  it would start with tp 2\n"
        "\n"
        "tp: none can be made\n"
    )


# --------------------------------------------------------------- how it may be asked for


def test_four_axes_are_the_default_groups(printed: Any) -> None:
    told = json.loads(printed(*SIXTEEN, "--format", "json"))
    assert list(told["groups"]) == ["tp", "cp", "dp", "pp"]
    assert "rank" not in told


def test_the_world_stands_for_dp(printed: Any) -> None:
    degrees = ["--tp", "2", "--cp", "2", "--pp", "2"]
    assert printed(*degrees, "--world", "16") == printed(*SIXTEEN)
    assert printed(*SIXTEEN, "--world", "16") == printed(*SIXTEEN)
    assert printed("--world", "4", "--groups", "dp").startswith("4 ranks = tp 1 x cp 1 x dp 4 x")


def test_the_order_is_told_in_lower_case(printed: Any) -> None:
    told = json.loads(printed(*SIXTEEN, "--order", "TP-CP-EP-PP-DP", "--format", "json"))
    assert told["layout"]["order"] == "tp-cp-ep-pp-dp"
    assert told["groups"]["pp"][0] == [0, 4]


def test_a_key_is_told_as_it_was_given(printed: Any) -> None:
    asked = ["--groups", "cp-dp, dp-cp,dp_cp,tp,tp", "--format", "json"]
    groups = json.loads(printed(*SIXTEEN, *asked))["groups"]
    assert list(groups) == ["cp-dp", "dp-cp", "dp_cp", "tp"]
    assert groups["cp-dp"] == groups["dp-cp"] == groups["dp_cp"]


def test_help_explains_with_an_example_that_works(printed: Any) -> None:
    text = printed("--help")
    assert text.startswith("usage: python -m layout")
    assert printed("-h") == text
    for word in ("--tp", "--cp", "--dp", "--pp", "--order", "--groups", "--world", "--rank"):
        assert word in text
    for word in (*FORMS, "dp_cp", "pos_embd", "fastest"):
        assert word in text
    (example,) = re.findall(r"^  python -m layout (--.+)$", text, flags=re.MULTILINE)
    assert "rank 13: tp 1, cp 0, dp 1, pp 1" in printed(*example.split())


# --------------------------------------------------------------------- what is refused

REFUSED = [
    (["--tp", "abc"], "tp is 'abc'"),
    (["--tp", "1.5"], "tp is '1.5'"),
    (["--tp", "2.0"], "tp is '2.0'"),
    (["--tp", "1e3"], "tp is '1e3'"),
    (["--tp", "0x10"], "tp is '0x10'"),
    (["--tp", "1_000"], "tp is '1_000'"),
    (["--tp", " 2"], "tp is ' 2'"),
    (["--tp", "2\n"], "tp is '2"),
    (["--tp", "+2"], "tp is '+2'"),
    (["--tp", ""], "tp is ''"),
    (["--tp", "\u0662"], "tp is '\u0662'"),  # a digit, but not one of ours
    (["--tp", "0"], "tp is 0"),
    (["--tp", "-2"], "tp is -2"),
    (["--tp=-2"], "tp is -2"),
    (["--cp", "1000000000"], "cp is 1000000000, but must be at most 4194304"),
    (["--cp", "9" * 5000], "cp is '999"),
    (["--dp", "4194305"], "dp is 4194305"),
    (["--tp", "4096", "--dp", "4096"], "16777216 ranks"),
    (["--world", "0"], "world is 0"),
    (["--world", "x"], "world is 'x'"),
    (["--world", "12", "--tp", "8"], "8 does not divide a world of 12 ranks"),
    (["--world", "24", *SIXTEEN], "= 16 ranks, but the world has 24"),
    (["--dp", "0", "--world", "8"], "dp is 0"),
    ([*SIXTEEN, "--order", "tp-cp-dp"], "pp is 2, but the order tp-cp-dp does not name pp"),
    ([*SIXTEEN, "--order", "tp-cp-dp-xx"], "'xx'"),
    ([*SIXTEEN, "--order", "tp-cp-dp-pp-pp"], "more than once"),
    ([*SIXTEEN, "--order", ""], "the order is empty"),
    ([*SIXTEEN, "--order", "a\nb\x1b[31m"], "names"),
    ([*SIXTEEN, "--rank", "16"], "no rank 16: ranks go from 0 to 15"),
    ([*SIXTEEN, "--rank", "-1"], "no rank -1"),
    ([*SIXTEEN, "--rank", "one"], "'one' is not a rank"),
    ([*SIXTEEN, "--rank", "1.0"], "'1.0' is not a rank"),
    ([*SIXTEEN, "--groups", "xp"], "no group key 'xp'"),
    ([*SIXTEEN, "--groups", "hcp"], "no group key 'hcp'"),
    ([*SIXTEEN, "--groups", "tp-etp"], "no group key 'tp-etp'"),
    ([*SIXTEEN, "--groups", ""], "no group key ''"),
    ([*SIXTEEN, "--groups", "tp,"], "no group key ''"),
    ([*SIXTEEN, "--groups", "tp,DP"], "no group key 'DP'"),
    ([*SIXTEEN, "--groups", "dp-dp"], "dp is named twice"),
    ([*SIXTEEN, "--groups", "tp-"], "no group key 'tp-'"),
    ([*SIXTEEN, "--format", "xml"], "no format 'xml'; the formats are text, json, csv, markdown"),
    ([*SIXTEEN, "--format", "JSON"], "no format 'JSON'"),
    (["--bogus"], "--bogus"),
    (["--bogus\nline"], "--bogus line"),
    (["--t", "2"], "--t"),
    (["--ep", "2"], "etp 1 x ep 2 x pp 1 = 2 does not divide a world of 1 ranks"),
    (["--ep", "0"], "ep is 0"),
    (["--ep", "two"], "ep is 'two'"),
    (["--dp", "4", "--ep", "2", "--order", "tp-dp"], "ep is 2, but the order tp-dp"),
    (["--vpp", "0"], "vpp is 0"),
    (["--hierarchical-cp", "2,x"], "hierarchical_cp is 'x'"),
    (["--cp", "4", "--hierarchical-cp", "2,4", "--groups", "hcp"], "make 8, but cp is 4"),
    (["--dp", "4", "--dist-opt-instances", "3", "--groups", "intra_dp_cp"], "do not divide 4"),
    (["--gpus-per-node", "0"], "gpus_per_node is 0"),
    (["--nvlink-domain", "1.5"], "nvlink_domain is '1.5'"),
    (["--sp", "maybe"], "maybe"),
    (["--cp-type", "ring"], "ring"),
    (["--world", "8", "--tp", "two", "--check"], "tp is 'two'"),
    (["--world", "0", "--check"], "world is 0"),
    (["--world", "8", "--dp", "3", "--check"], "but the world has 8"),
    (["--tp", "4096", "--dp", "4096", "--check"], "16777216 ranks"),
    (["--world", "8", "--tp", "3", "--check", "--groups", "xp"], "no group key 'xp'"),
    (["2"], "2"),
    (["--tp"], "--tp: expected one argument"),
    ([*SIXTEEN, "--rank"], "--rank: expected one argument"),
    ([*SIXTEEN, "--groups", "--rank", "1"], "--groups: expected one argument"),
]


@pytest.mark.parametrize(
    ("arguments", "told"), REFUSED, ids=[" ".join(args)[-40:].strip() for args, _ in REFUSED]
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_an_error_is_one_line_on_standard_error(
    arguments: list[str], told: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--format={form}", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("python -m layout: ")
    assert err.endswith("\n")
    assert err[:-1].isprintable(), "one line, and nothing that moves a terminal's cursor"
    assert len(err) < 1000
    assert told in err


def test_a_report_refuses_before_its_first_piece() -> None:
    for wrong in ({"keys": ["tp", "no"]}, {"rank": 99}, {"form": "no"}):
        with pytest.raises(LayoutError):
            report_pieces(Layout(), **wrong)


# ------------------------------------------------------------------- as a real process


def test_it_runs_as_a_module() -> None:
    done = run(*SIXTEEN, "--groups", "tp,embd", "--rank", "13", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["rank"]["groups"]["embd"] == {"index": 5, "ranks": [5, 13]}
    assert run("--help").returncode == 0


@pytest.mark.parametrize("arguments", [["--tp", "1.5"], ["--bogus"], [*SIXTEEN, "--rank"]])
def test_an_error_ends_the_process_with_status_2(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("python -m layout: ")
    assert done.stderr.count("\n") == 1


def test_an_error_is_told_where_the_terminal_knows_ascii_only() -> None:
    done = run("--tp", "1.5", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 2
    assert done.stderr.startswith("python -m layout: tp is '1.5'")


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_closed_streams_are_no_reason_for_a_traceback(
    closed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, closed, None)
    assert main(SIXTEEN if closed == "stdout" else ["--tp", "0"]) == 2
    told = "python -m layout: standard output is closed\n" if closed == "stdout" else ""
    assert "".join(capsys.readouterr()) == told


@pytest.mark.parametrize("form", FORMS)
def test_who_stops_reading_is_not_shouted_at(form: str) -> None:
    command = [sys.executable, "-m", "layout", "--dp", "131072", "--format", form]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
def test_a_full_disk_is_one_line_too() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "layout", *SIXTEEN]
        done = subprocess.run(
            command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("python -m layout: cannot write: ")
    assert done.stderr.count("\n") == 1
