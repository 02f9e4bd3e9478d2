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
    ([*SIXTEEN, "--groups", "ep"], "no group key 'ep'"),
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
    (["--ep", "2"], "--ep"),
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
