"""The names of a job's hosts, read from a list as launchers write it.

Three forms are read. A hostfile has a host a line, `node01 slots=8` as Open MPI and DeepSpeed write
it or `node01:8` as MPICH does, with `#` for comments; several names may share a line. A SLURM list
names many at once, `node[01-16,20]`. JSON is a list of names or of objects, or an object from names
to slots. Host number n of the list holds the ranks of node n; the order of the list is all that says so.

Sources: Open MPI 5, "The host list" in mpirun(1) (slots, max_slots, user@host); MPICH, Hydra's README
(name:8); SLURM, slurm.conf(5) under NodeName and `scontrol show hostnames` (brackets).
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, NamedTuple

from layout.errors import MAX_WORLD_SIZE, LayoutError

MAX_HOSTS = 2**17
"""The longest list that is read: 131,072 hosts, a million GPUs at 8 on each."""

MAX_NAME_LENGTH = 253
"""Characters in the longest name that DNS has room for (RFC 1035, 255 bytes on the wire)."""

MAX_CHARACTERS = 2**23
"""Characters that one entry may expand to: 64 a name in the longest list."""

_BEGINS_AS_JSON = re.compile(r"\s*(\{|\[(?!\s*[0-9]))")  # [1-4] is a SLURM list
_WORD = re.compile(r"(?:[^\s,\[]|\[[^\]]*\]?)+")  # commas and spaces in brackets part nothing
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAME_KEYS = ("name", "host", "hostname")
_SLOTS_KEYS = ("slots", "gpus")
_MAX_SLOTS_KEYS = ("max_slots", "max-slots")


@dataclass(frozen=True)
class Hosts:
    """The hosts of a job, in the order in which its ranks are numbered."""

    names: tuple[str, ...]
    """Host number n is node n: it holds the ranks from n x GPUs per node on."""
    slots: int | None = None
    """GPUs per host where the list says so, the same for all."""


class _Entry(NamedTuple):
    """What the list says in one place: a name, or many at once, and the slots of each."""

    line: int
    text: str
    slots: int | None


def read_hosts(text: str) -> Hosts:
    """The hosts that a list names, in its order; an empty list has none.

    Raises LayoutError for a list that is none of the three forms, names a host twice, states unequal
    slots, or has more than MAX_HOSTS hosts; nothing is expanded before it is counted.

    >>> read_hosts("node01 slots=8\\nnode02 slots=8  # the last rack")
    Hosts(names=('node01', 'node02'), slots=8)
    >>> read_hosts("rack[1-2]n[01-02],login").names
    ('rack1n01', 'rack1n02', 'rack2n01', 'rack2n02', 'login')
    >>> read_hosts('{"node01": 8, "node02": 8}')
    Hosts(names=('node01', 'node02'), slots=8)
    >>> read_hosts("node[16-01]")
    Traceback (most recent call last):
    layout.errors.LayoutError: line 1: 16-01 in node[16-01] runs backwards; nearest that works: 01-16
    """
    text = text.removeprefix("\ufeff")  # files from Windows may begin with this mark
    line_of: dict[str, int] = {}
    slots, said_by = None, ""
    for entry in _json_entries(text) if _BEGINS_AS_JSON.match(text) else _line_entries(text):
        names = list(_names(entry, room=MAX_HOSTS - len(line_of)))
        fresh = dict.fromkeys(names, entry.line)
        if len(fresh) < len(names) or not line_of.keys().isdisjoint(fresh):
            raise _repeated(names, line_of, line=entry.line)
        line_of |= fresh
        if slots is None:
            slots, said_by = entry.slots, names[0]
        elif entry.slots not in (None, slots):
            raise LayoutError(
                "hosts_unequal", name=said_by, slots=slots, other=names[0], other_slots=entry.slots
            )
    return Hosts(tuple(line_of), slots)


def _line_entries(text: str) -> Iterator[_Entry]:
    """The entries of a hostfile or a SLURM list; slots belong to the name before them."""
    for line, written in enumerate(text.split("\n"), start=1):
        entry = None
        for word in _words(written.partition("#")[0]):
            if "=" not in word:
                if entry:
                    yield entry
                entry = _entry(word, line=line)
            elif entry:
                entry = _with_option(entry, word)
            else:
                raise LayoutError("hosts_option_alone", line=line, text=word)
        if entry:
            yield entry


def _words(line: str) -> list[str]:
    """The names and options in a line, parted by commas and spaces; `slots = 8` is one of them."""
    line = " ".join(line.split())
    return _WORD.findall(line.replace(" =", "=").replace("= ", "="))


def _entry(word: str, *, line: int, slots: object = None) -> _Entry:
    """The entry of a name as written, which may be `user@name` or `name:8`.

    `slots`, where given, overrides the number after the colon.
    """
    name = word.rpartition("@")[2]
    if name.count(":") == 1:  # an IPv6 address has more
        name, _, after = name.partition(":")
        slots = after if slots is None else slots
    return _Entry(line, name, None if slots is None else _slots(slots, name=name, line=line))


def _with_option(entry: _Entry, option: str) -> _Entry:
    key, _, value = option.partition("=")
    if key.lower() not in _SLOTS_KEYS + _MAX_SLOTS_KEYS:
        raise LayoutError("hosts_option", line=entry.line, text=option)
    slots = _slots(value, name=entry.text, line=entry.line)
    if key.lower() in _MAX_SLOTS_KEYS and entry.slots is not None:
        return entry  # a limit; the slots are those stated
    return entry._replace(slots=slots)


def _slots(value: object, *, name: str, line: int) -> int:
    """A number of slots as written; LayoutError where it is none."""
    if isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_WORLD_SIZE:
        raise LayoutError(
            "hosts_slots",
            line=line,
            name=name,
            value=value if isinstance(value, str) else _as_json(value),
            limit=MAX_WORLD_SIZE,
        )
    return value


def _names(entry: _Entry, *, room: int) -> Iterator[str]:
    """The names that `entry` stands for, the last brackets fastest as SLURM does; at most `room`."""
    line, text = entry.line, entry.text
    pieces = _BRACKETS.split(text)  # what stands outside brackets, inside, outside, …
    if any("[" in piece or "]" in piece for piece in pieces[::2]):
        raise LayoutError("hosts_bracket", line=line, text=text)
    if not text or not text.isprintable() or _words(text) != [text]:
        raise LayoutError("hosts_name", line=line, text=text)
    brackets = [list(_ranges(inside, entry)) for inside in pieces[1::2]]
    longest = sum(len(piece) for piece in pieces[::2])
    longest += sum(max(max(map(len, ends)) for ends in ranges) for ranges in brackets)
    if longest > MAX_NAME_LENGTH:
        raise LayoutError(
            "hosts_name_too_long", line=line, text=text, length=longest, limit=MAX_NAME_LENGTH
        )
    count = prod(sum(int(last) - int(first) + 1 for first, last in r) for r in brackets)
    if count > room:
        total = MAX_HOSTS - room + count
        raise LayoutError("hosts_too_many", line=line, text=text, count=total, limit=MAX_HOSTS)
    if count * longest > MAX_CHARACTERS:
        raise LayoutError(
            "hosts_too_wide", line=line, text=text, count=count * longest, limit=MAX_CHARACTERS
        )
    written: list[list[str]] = [[piece] for piece in pieces]
    for place, ranges in enumerate(brackets):
        written[2 * place + 1] = [
            str(number).zfill(len(first))
            for first, last in ranges
            for number in range(int(first), int(last) + 1)
        ]
    return map("".join, product(*written))


def _ranges(inside: str, entry: _Entry) -> Iterator[tuple[str, str]]:
    """What stands in brackets, `01-16,20`: the first and the last of each part, as written.

    The first says how many digits all of them have: 08-10 is 08, 09, 10, and 8-10 is 8, 9, 10.
    """
    where: dict[str, Any] = {"line": entry.line, "text": entry.text}
    for part in map(str.strip, inside.split(",")):
        if not part:
            raise LayoutError("hosts_range_empty", **where)
        found = _RANGE.fullmatch(part)
        if not found or len(part) > MAX_NAME_LENGTH:
            raise LayoutError("hosts_range", part=part, **where)
        first, last = found[1], found[2] or found[1]
        if int(first) > int(last):
            raise LayoutError(
                "hosts_range_backwards", part=part, nearest=f"{last}-{first}", **where
            )
        yield first, last


def _json_entries(text: str) -> Iterator[_Entry]:
    """The entries of a JSON list; a name's line is that of its string."""
    try:
        read = json.loads(text, object_pairs_hook=_object, parse_int=_number)
        hosts = list(_hosts_of(read))
    except json.JSONDecodeError as error:
        raise LayoutError("hosts_json", line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise LayoutError("hosts_json_deep") from None
    strings = _JSON_STRING.finditer(text)
    line, reached = 1, 0
    for name, slots in hosts:
        string = next(string for string in strings if json.loads(string[0]) == name)
        line += text.count("\n", reached, string.start())
        reached = string.start()
        yield _entry(name, line=line, slots=slots)


def _hosts_of(read: Any) -> Iterator[tuple[str, object]]:
    """Names and slots as JSON has them, not looked at yet; None where slots are not stated."""
    if isinstance(read, dict) and set(read) == {"hosts"} and isinstance(read["hosts"], dict | list):
        read = read["hosts"]
    if isinstance(read, dict):
        yield from read.items()
        return
    for number, host in enumerate(read, start=1):
        if isinstance(host, str):
            yield host, None
            continue
        names = [host[key] for key in _NAME_KEYS if key in host] if isinstance(host, dict) else []
        if len(names) != 1 or not isinstance(names[0], str):
            raise LayoutError("hosts_json_entry", number=number, text=_as_json(host))
        unknown = [key for key in host if key not in _NAME_KEYS + _SLOTS_KEYS]
        if unknown:
            raise LayoutError("hosts_json_key", number=number, text=unknown[0])
        yield names[0], next((host[key] for key in _SLOTS_KEYS if key in host), None)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; LayoutError where it has a key twice, which `dict` would pass over."""
    made = dict(pairs)
    if len(made) < len(pairs):
        times = Counter(key for key, _ in pairs)
        raise LayoutError("hosts_json_twice", text=next(key for key in times if times[key] > 1))
    return made


def _number(digits: str) -> int | float:
    """A JSON number. Python reads no whole number of over 4,300 digits, and nobody has so many slots."""
    return int(digits) if len(digits) < 10 else float(digits)


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _repeated(names: list[str], line_of: Mapping[str, int], *, line: int) -> LayoutError:
    """Which of the new `names`, all from one line, is there already, or is there twice."""
    times = Counter(names)
    name = next(name for name in names if name in line_of or times[name] > 1)
    first = line_of.get(name, line)
    if first == line:
        return LayoutError("hosts_repeated_in_line", name=name, line=line)
    return LayoutError("hosts_repeated", name=name, first=first, second=line)
