"""Lists of hosts: the forms that launchers write, by eye; round trips; what is wrong, with its numbers."""

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assets.text import Words
from layout import Hosts, LayoutError, read_hosts
from layout.hosts import MAX_HOSTS
from pages.problems import error_in_words
from tests.test_pages import components, run

WORDS = Words("en")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ""),
        ("\n  \n# nobody yet\n", ""),
        ("a", "a"),
        ("b\r\na\r\n\r\nc", "b a c"),  # the order is the list's own
        ("\ufeffa\nb", "a b"),  # as an editor on Windows saves it
        ("a, b c\td,\ne", "a b c d e"),
        ("a # the first\n#b\nc#", "a c"),
        ("root@a\nroot@b", "a b"),
        ("10.0.0.1\nfe80::1\nnode-1.example.com", "10.0.0.1 fe80::1 node-1.example.com"),
        ("node[01-03,20]", "node01 node02 node03 node20"),
        ("node[8-11]", "node8 node9 node10 node11"),
        ("node[08-11]", "node08 node09 node10 node11"),  # the first says how many digits
        ("node[007-8]", "node007 node008"),
        ("node[3,1,2]", "node3 node1 node2"),
        ("node[ 1, 3-4 ]", "node1 node3 node4"),
        ("gpu-[1-3]a", "gpu-1a gpu-2a gpu-3a"),
        ("rack[1-2]n[01-02]", "rack1n01 rack1n02 rack2n01 rack2n02"),
        ("a[0-1][0-1],b", "a00 a01 a10 a11 b"),
        ("login,node[1-2],gpu[1-2]", "login node1 node2 gpu1 gpu2"),
        ("[1-4]", "1 2 3 4"),
        ("[1, 2]", "1 2"),
        ("[]", ""),
        ("{}", ""),
        ('["a", "b"]', "a b"),
        ('\n ["node[1-2]", "c"]', "node1 node2 c"),
        ('[{"name": "a"}, {"host": "b"}, {"hostname": "c"}, "d"]', "a b c d"),
        ('{"hosts": ["a", "b"]}', "a b"),
        ('{"hosts": []}', ""),
        ('{"a": null, "b": null}', "a b"),
    ],
)
def test_a_list_names_hosts_in_its_order(text: str, names: str) -> None:
    assert read_hosts(text) == Hosts(tuple(names.split()))


@pytest.mark.parametrize(
    ("text", "names", "slots"),
    [
        ("a slots=8\nb slots=8", "a b", 8),
        ("a slots = 8\nb slots= 8", "a b", 8),
        ("a slots=8 max_slots=16\nb max-slots=16 slots=8", "a b", 8),
        ("a max_slots=4", "a", 4),
        ("a SLOTS=4 b gpus=4", "a b", 4),
        ("a:8\nb:8", "a b", 8),
        ("node[01-02]:4", "node01 node02", 4),
        ("node[1-2] slots=72", "node1 node2", 72),
        ("a slots=8\nb", "a b", 8),  # where the list says so
        ("a slots=4194304", "a", 4194304),
        ("a slots=008", "a", 8),
        ('{"a": 8, "b": 8}', "a b", 8),
        ('{"hosts": {"a": 8}}', "a", 8),
        ('{"hosts": 8}', "hosts", 8),  # a host of that name
        ('[{"name": "a", "slots": 8}, {"host": "b", "gpus": 8}]', "a b", 8),
        ('["a:8"]', "a", 8),
        ('[{"name": "node[1-2]", "slots": 4}]', "node1 node2", 4),
    ],
)
def test_slots_are_those_stated(text: str, names: str, slots: int) -> None:
    assert read_hosts(text) == Hosts(tuple(names.split()), slots)


@pytest.mark.parametrize(
    ("text", "reason", "numbers"),
    [
        ("a\nb\na", "repeated", {"name": "a", "first": 1, "second": 3}),
        ("node[1-4]\n\nnode3", "repeated", {"name": "node3", "first": 1, "second": 3}),
        ("a,b,a", "repeated_in_line", {"name": "a", "line": 1}),
        ("x\nn[1-3,2]", "repeated_in_line", {"name": "n2", "line": 2}),
        ('[\n"a",\n"b",\n"a"]', "repeated", {"name": "a", "first": 2, "second": 4}),
        ("a slots=8\nb slots=4", "unequal", {"name": "a", "slots": 8, "other": "b"}),
        ("a\nb:8\nc:4", "unequal", {"name": "b", "other": "c", "other_slots": 4}),
        ("a\nnode[5-3]", "range_backwards", {"line": 2, "part": "5-3", "nearest": "3-5"}),
        ("node[16-01]", "range_backwards", {"nearest": "01-16"}),
        ("node[]", "range_empty", {"line": 1, "text": "node[]"}),
        ("node[1,,2]", "range_empty", {"text": "node[1,,2]"}),
        ("node[1-]", "range", {"part": "1-"}),
        ("node[1-2-3]", "range", {"part": "1-2-3"}),
        ("node[a-c]", "range", {"part": "a-c"}),
        ("node[٣-٤]", "range", {"part": "٣-٤"}),
        ("node[-1]", "range", {"part": "-1"}),
        ("node[1x2]", "range", {"part": "1x2"}),
        (f"node[1-{'9' * 5000}]", "range", {"line": 1}),
        ("a\nnode[01-16", "bracket", {"line": 2, "text": "node[01-16"}),
        ("node[01-16, gpu", "bracket", {"text": "node[01-16, gpu"}),
        ("node01-16]", "bracket", {"text": "node01-16]"}),
        ("node[1-[2]]", "bracket", {"text": "node[1-[2]]"}),
        ("node[1-999999999]", "too_many", {"count": 999999999, "limit": 131072}),
        ("a,b\nn[1-131071]", "too_many", {"line": 2, "count": 131073}),
        ("n[1-9999][1-9999]", "too_many", {"count": 99980001}),
        ("n" + "[0-9]" * 60, "too_many", {"line": 1}),
        ("n" * 244 + "[1-100000]", "too_wide", {"count": 25000000, "limit": 8388608}),
        ("n" * 254, "name_too_long", {"length": 254, "limit": 253}),
        ("n" * 253 + "[1-2]", "name_too_long", {"length": 254}),
        ("[1]" * 254, "name_too_long", {"length": 254}),
        ("a\u200bb", "name", {"line": 1, "text": "a b"}),
        ("root@", "name", {"text": ""}),
        ("a\n:8", "name", {"line": 2, "text": ""}),
        ("a\nb slots=0", "slots", {"line": 2, "name": "b", "value": "0", "limit": 4194304}),
        ("a slots=eight", "slots", {"value": "eight"}),
        ("a slots=-8", "slots", {"value": "-8"}),
        ("a slots=", "slots", {"value": ""}),
        ("a:many", "slots", {"value": "many"}),
        (f"a slots={'9' * 5000}", "slots", {"name": "a"}),
        ("a rank=3", "option", {"line": 1, "text": "rank=3"}),
        ("SLURM_JOB_NODELIST=node[1-2]", "option_alone", {"text": "SLURM_JOB_NODELIST=node[1-2]"}),
        ("a\nslots=8", "option_alone", {"line": 2, "text": "slots=8"}),
        ('["a",\n"b"', "json", {"line": 2, "column": 4}),
        ('["a",]', "json", {"line": 1}),
        ("[node1, node2]", "json", {"line": 1, "column": 2}),
        ("{", "json", {"line": 1, "column": 2}),
        ('["a\nb"]', "json", {"line": 1}),
        ("[" * 100_000, "json_deep", {}),
        ('["a", 5]', "json_entry", {"number": 2, "text": "5"}),
        ('["a", ["b"]]', "json_entry", {"number": 2, "text": '["b"]'}),
        ('[{"slots": 8}]', "json_entry", {"text": '{"slots": 8}'}),
        ('[{"name": 5}]', "json_entry", {"number": 1}),
        ('[{"name": "a", "host": "b"}]', "json_entry", {"number": 1}),
        ('["a", {"name": "b", "ip": "10.0.0.1"}]', "json_key", {"number": 2, "text": "ip"}),
        ('{"a": 8, "b": 8, "a": 8}', "json_twice", {"text": "a"}),
        ('["a", "b c"]', "name", {"text": "b c"}),
        ('["a,b"]', "name", {"text": "a,b"}),
        ('[""]', "name", {"text": ""}),
        (r'["\ud800"]', "name", {"line": 1}),
        ('{"a": 8.5}', "slots", {"name": "a", "value": "8.5"}),
        ('{"a": true}', "slots", {"value": "true"}),
        ('{"a": [8]}', "slots", {"value": "[8]"}),
        ('{"a": "eight"}', "slots", {"value": "eight"}),
        (f'{{"a": {"9" * 5000}}}', "slots", {"name": "a"}),
        ('{\n"a": 8,\n"b": 4}', "unequal", {"name": "a", "slots": 8, "other_slots": 4}),
    ],
)
def test_what_is_wrong_is_said_with_its_numbers(
    text: str, reason: str, numbers: dict[str, Any]
) -> None:
    with pytest.raises(LayoutError) as caught:
        read_hosts(text)
    assert caught.value.reason == f"hosts_{reason}"
    assert {name: caught.value.numbers[name] for name in numbers} == {
        name: str(number) for name, number in numbers.items()
    }
    # One line each, in a terminal and on the screen.
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300
    assert len(error_in_words(caught.value, WORDS)) < 500


def test_the_longest_list_is_read() -> None:
    names = read_hosts(f"n[1-{MAX_HOSTS}]").names
    assert len(names) == MAX_HOSTS and names[-1] == "n131072"


LETTERS = st.text("abcxyz-._", min_size=1, max_size=4)
WHOLE = st.integers(0, 120)


@st.composite
def slurm_words(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A word of a SLURM list, and its names, counted up one by one."""
    word, pieces = draw(LETTERS), []
    pieces.append([word])
    for _ in range(draw(st.integers(0, 2))):
        parts, numbers = [], []
        for _ in range(draw(st.integers(1, 3))):
            first, width = draw(WHOLE), draw(st.integers(0, 4))
            last = first + draw(st.integers(0, 5))
            padded = [f"{number:0{width}d}" if width else f"{number}" for number in range(last + 1)]
            width = max(width, len(padded[first]))
            parts.append(padded[first] + (f"-{last}" if last > first else ""))
            numbers += [str(number).zfill(width) for number in range(first, last + 1)]
        after = draw(st.just("") | LETTERS)
        word += f"[{','.join(parts)}]{after}"
        pieces += [numbers, [after]]
    return word, ["".join(piece) for piece in product(*pieces)]


@given(st.lists(slurm_words(), min_size=1, max_size=4), st.sampled_from([",", "\n", " , ", " "]))
def test_a_slurm_list_is_read_back(words: list[tuple[str, list[str]]], between: str) -> None:
    names = [name for _, named in words for name in named]
    assume(len(set(names)) == len(names))
    assert read_hosts(between.join(word for word, _ in words)).names == tuple(names)


# Any character that prints, but those that mean something in one of the forms.
PLAIN = st.text(
    st.characters(codec="utf-8", exclude_categories=["Z", "C"], exclude_characters=",[]{}#=:@"),
    min_size=1,
    max_size=20,
).filter(str.isprintable)
NAMES = st.lists(PLAIN, unique=True, max_size=8)
SLOTS = st.none() | st.integers(1, MAX_HOSTS)


@given(
    NAMES, SLOTS, st.sampled_from(["{name} slots={slots}", "{name}:{slots}", "u@{name}:{slots}"])
)
def test_a_hostfile_is_read_back(names: list[str], slots: int | None, form: str) -> None:
    lines = [name if slots is None else form.format(name=name, slots=slots) for name in names]
    assert read_hosts("\n".join(lines)) == Hosts(tuple(names), slots if names else None)


@given(NAMES, SLOTS, st.sampled_from(["names", "objects", "object", "hosts"]), st.booleans())
def test_json_is_read_back(names: list[str], slots: int | None, form: str, spread: bool) -> None:
    if form == "names":
        slots = None
    written: Any = {
        "names": names,
        "objects": [{"slots": slots, "hostname": name} for name in names],
        "object": dict.fromkeys(names, slots),
        "hosts": {"hosts": [{"name": name, "gpus": slots} for name in names]},
    }[form]
    text = json.dumps(written, ensure_ascii=spread, indent=2 if spread else None)
    assert read_hosts(text) == Hosts(tuple(names), slots if names else None)


@given(st.text("ab[]{}-,:=@# \n\"'019") | st.text())
def test_rubbish_is_a_list_or_an_error_of_ours(text: str) -> None:
    try:
        hosts = read_hosts(text)
    except LayoutError as error:
        assert error.reason.startswith("hosts_")
    else:
        assert len(set(hosts.names)) == len(hosts.names)
        assert all(name and name.isprintable() and " " not in name for name in hosts.names)


def paste(app: Any, text: str) -> Any:
    app.text_area(key="hosts").set_value(text).run()
    assert not app.exception
    return app


def captions(app: Any) -> str:
    return "\n".join(caption.value for caption in app.caption)


def test_a_pasted_list_goes_to_the_browser_and_not_to_the_link() -> None:
    app = run("tp=4")
    assert "hosts" not in components(app)
    assert WORDS("hosts.private") in captions(app)
    paste(app, "node[01-04] slots=8")
    assert components(app)["hosts"] == {"names": "node01\nnode02\nnode03\nnode04"}
    assert components(app)["page"]["query"] == "tp=4"
    assert "4 hosts in use: ranks 0–7 on node01, and so on." in captions(app)
    paste(app, "")
    assert "hosts" not in components(app) and "in use" not in captions(app)


@pytest.mark.parametrize(
    ("query", "text", "said"),
    [
        ("", "a", "1 host in use: ranks 0–7 on a. 1 node has no name and keeps its number."),
        ("dp=8", "a b", "2 hosts in use: ranks 0–7 on a, and so on. 6 nodes have no name and keep"),
        ("", "[1000-1002]", "ranks 0–7 on 1000, and so on. 1 host is not used: the layout has 2 "),
        (
            "gpn=16",
            "n[1-9]",
            "1 host in use: ranks 0–15 on n1. 8 hosts are not used: the layout has",
        ),
        ("gpn=72", "a", "1 host in use: ranks 0–15 on a."),
        ("gpn=1", "a b", "2 hosts in use: rank 0 on a, and so on. 14 nodes have"),
        ("", "*a* b", r"ranks 0–7 on \*a\*, and so on."),
    ],
)
def test_what_is_in_use_is_said(query: str, text: str, said: str) -> None:
    assert said in captions(paste(run(query), text))


def test_only_names_of_nodes_that_are_there_travel() -> None:
    app = paste(run(), "n[1-1000]")
    assert components(app)["hosts"] == {"names": "n1\nn2"}


def test_other_slots_are_said_and_taken_over_by_a_button() -> None:
    app = paste(run(), "a slots=4\nb slots=4\nc slots=4\nd slots=4")
    assert "The list says 4 GPUs per host, the setting above 8." in captions(app)
    (button,) = [button for button in app.button if button.label == "GPUs per node 4"]
    button.click().run()
    assert components(app)["page"]["query"] == "gpn=4"
    assert captions(app).endswith("4 hosts in use: ranks 0–3 on a, and so on.")
    assert app.number_input(key="gpn").value == 4


def test_a_list_that_is_none_stays_in_its_field_and_the_one_before_in_use() -> None:
    app = paste(run(), "a\nb[")
    assert app.warning[0].value == r"Line 2: a bracket in b\[ has no partner. No list is in use."
    assert app.text_area(key="hosts").value == "a\nb["
    paste(app, "a\nb")
    assert not app.warning
    paste(app, "a\na")
    assert "a is on line 1 and again on line 2: name each host once. Still" in app.warning[0].value
    assert app.text_area(key="hosts").value == "a\na"
    assert components(app)["hosts"] == {"names": "a\nb"}
    assert "2 hosts in use" in captions(app)


def test_settings_that_make_no_layout_keep_the_list() -> None:
    app = paste(run("world=16&tp=3&cp=1"), "a\nb")
    assert "hosts" not in components(app)
    app.button[0].click().run()
    assert components(app)["hosts"] == {"names": "a\nb"}
