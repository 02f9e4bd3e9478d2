"""A job's groups written out: as text to read, or as JSON, CSV or Markdown to take elsewhere.

Each form is made piece by piece, so that a large world is never in memory as one string unless it
is asked for as one. JSON holds, and a program may rely on:

    {"layout": {"tp": 2, "cp": 2, "dp": 2, "pp": 2, "order": "tp-cp-dp-pp", "world": 16},
     "expert": {"etp": 2, "ep": 1, "edp": 4, "pp": 2, "order": "etp-edp-pp-ep"},
     "groups": {"tp": [[0, 1], ...], ...}}

where "hcp" is a list of such lists, one for each level. Where nodes or NVLink domains are asked about, also

     "crossing": {"tp": {"groups": 8, "nodes": 0, "domains": 0}, ...}

which counts the groups of a kind, and those of them that cross a node, or a domain; where a rank is,

     "rank": {"rank": 13, "coordinate": {"tp": 1, "cp": 0, "dp": 1, "pp": 1},
              "groups": {"tp": {"index": 6, "ranks": [12, 13]}, ...}}

with {"index": null, "ranks": []} where the rank is in no group of that key; and where it is asked whether
Megatron would start the job,

     "megatron": {"starts": false,
                  "objections": [{"rule": "dense_divisibility", "message": "...", "fixes": [{"tp": 4}]}]}

Then what cannot be told of a job that is no layout is null: a degree, an order, the groups of a kind, the
rank. CSV has one row for each member of each group: key, group (its number), index (the member's place in
it), rank.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from layout.errors import LayoutError, one_line
from layout.experts import EXPERT_AXES, Experts
from layout.grid import Ranks, whole_degree
from layout.job import Job, job_of
from layout.keys import axes_of_key, group_of_key, groups_of_key, kind_of
from layout.megatron import Objection, objections
from layout.nearest import product_in_words
from layout.nodes import crossing_of_key
from layout.ranks import DENSE_AXES, Layout

_NUM_RANKS_IN_PIECE = 2**16


def report_of(layout: Layout | Job, **asked: Any) -> str:
    """The groups of `layout`, one kind for each of `keys`, in one of the `FORMS`.

    Ends with a newline. What may be asked is what `report_pieces` takes.

    >>> print(report_of(Layout(tp=2, dp=2), keys=["dp"]), end="")
    4 ranks = tp 2 x cp 1 x dp 2 x pp 1, order tp-cp-dp-pp (fastest first)
    <BLANKLINE>
    dp: 2 groups of 2 ranks that differ only in dp
      0: [0, 2]
      1: [1, 3]
    """
    return "".join(report_pieces(layout, **asked))


def report_pieces(
    layout: Layout | Job,
    *,
    keys: Iterable[str] = DENSE_AXES,
    rank: int | None = None,
    form: str = "text",
    gpus_per_node: int | None = None,
    nvlink_domain: int | None = None,
    check: bool = False,
) -> Iterator[str]:
    """The groups of `layout`, or of a job, in pieces to be written one after another.

    A key that is given twice is written once; "hcp" stands for all levels of hierarchical CP. `rank` adds
    its coordinate and its own groups, a number of GPUs per node or NVLink domain how many groups cross one,
    and `check` whether Megatron would start the job; none of the three changes CSV. Raises LayoutError for
    a key, a rank or a form that is none, and, but for `check`, for a job that is no layout; at once, before
    the first piece.

    >>> "".join(report_pieces(Layout(dp=2), keys=["dp"], form="csv")).split()
    ['key,group,index,rank', 'dp,0,0,0', 'dp,0,1,1']
    """
    if form not in FORMS:
        raise LayoutError("no_such_form", form=repr(form), forms=", ".join(FORMS))
    job = job_of(layout) if isinstance(layout, Layout) else layout
    sizes = {"gpus_per_node": gpus_per_node, "nvlink_domain": nvlink_domain}
    report = _Report(
        job,
        *_layout_and_experts(job, check=check),
        keys=tuple(dict.fromkeys(keys)),
        rank=rank,
        objections=objections(job) if check else None,
        reach={name: whole_degree(name, size) for name, size in sizes.items() if size is not None},
    )
    report.check_keys()
    if rank is not None and report.layout:
        report.layout.coordinate_of(rank)
    return FORMS[form](report)


def _layout_and_experts(job: Job, *, check: bool) -> tuple[Layout | None, Experts | None]:
    """The layout and the experts' grid, as far as `job` has them.

    Without `check` it must have a layout, and where it speaks of experts their grid; a dense job may have an
    order that leaves out what only experts need. A world beyond the largest is refused either way, where
    that is all there is to say of it.
    """
    layout, experts = None, None
    try:
        layout = job.layout
        experts = job.experts
    except LayoutError as error:
        speaks_of_it = layout is None or job.ep != 1 or job.etp is not None
        if not check and speaks_of_it:
            raise
        if error.reason.endswith("too_large") and not objections(job):
            raise
    return layout, experts


@dataclass(frozen=True)
class _Report:
    """What is written, whatever the form."""

    job: Job
    layout: Layout | None
    experts: Experts | None
    keys: tuple[str, ...]
    rank: int | None
    objections: tuple[Objection, ...] | None
    """What Megatron objects to, where that is asked."""
    reach: Mapping[str, int]
    """The sizes of nodes and of domains that are asked about, by the name of the setting."""

    def check_keys(self) -> None:
        """Raises LayoutError for a key that is none, and one whose groups cannot be made without a check."""
        levels = self.job.hierarchical_cp
        plain = Job(cp=prod(levels), hierarchical_cp=levels)
        for key in self.flat_keys:
            axes_of_key(plain, key)
            if self.objections is None:
                self._look_up(key)

    @property
    def flat_keys(self) -> Iterator[str]:
        """The keys, with a key for each level in the place of "hcp"."""
        for key in self.keys:
            yield from self.levels_of(key) or (key,)

    def levels_of(self, key: str) -> tuple[str, ...]:
        """The keys of the levels that `key` stands for; none where it is no such key."""
        return tuple(f"hcp_{n}" for n in range(len(self.job.hierarchical_cp)) if key == "hcp")

    def has(self, key: str) -> bool:
        """Whether the job has groups of that key; where nothing is checked, it has all that are asked for."""
        try:
            self._look_up(key)
        except LayoutError:
            return False
        return True

    def _look_up(self, key: str) -> None:
        kind = kind_of(self.job, key)
        is_cut = kind is not None and kind.cut != "whole"
        (groups_of_key if is_cut else axes_of_key)(self.job, key)

    def crossing(self, key: str) -> dict[str, int | None]:
        """How many groups of `key` there are, and how many cross a node or a domain; None if unknown."""
        if not self.has(key):
            return dict.fromkeys(("groups", *(_PLACES[name] for name in self.reach)))
        found = {
            _PLACES[name]: crossing_of_key(self.job, key, gpus_per_node=size)
            for name, size in self.reach.items()
        }
        counts = {place: count.num_crossing for place, count in found.items()}
        return {"groups": next(iter(found.values())).num_groups, **counts}


_PLACES = {"gpus_per_node": "nodes", "nvlink_domain": "domains"}


def _text(report: _Report) -> Iterator[str]:
    layout, rank = report.layout, report.rank
    yield f"{_title(report)}\n"
    if experts := _experts_in_words(report):
        yield f"{experts}\n"
    if report.objections is not None:
        yield f"\n{_verdict(report.objections)}\n"
        for objection in report.objections:
            yield f"  {objection.rule}: {objection.message}\n"
        for fix in report.objections[0].fixes if report.objections else ():
            yield f"  it would start with {_fix_in_words(fix)}\n"
    if rank is not None and layout:
        yield f"\nrank {rank}: {_coordinate_in_words(layout.coordinate_of(rank))}\n"
        if experts:
            assert report.experts
            place = report.experts.grid.coordinate_of(rank)
            yield f"  among the experts: {_coordinate_in_words(place)}\n"
        for key in report.flat_keys:
            if not report.has(key):
                continue
            if found := group_of_key(report.job, rank, key):
                yield f"  {key} group {found[0]}: {found[1].tolist()}\n"
            else:
                yield f"  {key}: in no group; those hold {_members(report, key)}\n"
    for key in report.flat_keys:
        if not report.has(key):
            yield f"\n{key}: none can be made\n"
            continue
        groups = groups_of_key(report.job, key)
        yield f"\n{key}: {_kind_in_words(report, key, groups)}\n"
        for number, rows in _runs(groups):
            yield "".join(f"  {i}: {row}\n" for i, row in enumerate(rows, start=number))


def _json(report: _Report) -> Iterator[str]:
    yield f'{{"layout": {json.dumps(_layout_as_values(report))}'
    yield f', "expert": {json.dumps(_experts_as_values(report))}, "groups": {{'
    for place, key in enumerate(report.keys):
        yield f"{', ' if place else ''}{json.dumps(key)}: "
        if levels := report.levels_of(key):
            yield "["
            for number, level in enumerate(levels):
                yield ", " if number else ""
                yield from _json_groups(report, level)
            yield "]"
        else:
            yield from _json_groups(report, key)
    yield "}"
    if report.reach:
        crossing = {key: report.crossing(key) for key in report.flat_keys}
        yield f', "crossing": {json.dumps(crossing)}'
    if report.rank is not None:
        yield f', "rank": {json.dumps(_rank_as_values(report, report.rank))}'
    if report.objections is not None:
        yield f', "megatron": {json.dumps(_verdict_as_values(report.objections))}'
    yield "}\n"


def _json_groups(report: _Report, key: str) -> Iterator[str]:
    if not report.has(key):
        yield "null"
        return
    yield "["
    for number, rows in _runs(groups_of_key(report.job, key)):
        yield f"{', ' if number else ''}{json.dumps(rows)[1:-1]}"
    yield "]"


def _csv(report: _Report) -> Iterator[str]:
    yield "key,group,index,rank\n"
    for key in report.flat_keys:
        if not report.has(key):
            continue
        for number, rows in _runs(groups_of_key(report.job, key)):
            yield "".join(
                f"{key},{group},{place},{member}\n"
                for group, row in enumerate(rows, start=number)
                for place, member in enumerate(row)
            )


def _markdown(report: _Report) -> Iterator[str]:
    layout, rank = report.layout, report.rank
    title, _, order = _title(report).partition(", order ")
    order = order.split(" (")[0].strip("'")
    yield f"# {title}\n\nOrder `{order}`, fastest first.\n"
    if experts := _experts_in_words(report):
        yield f"\n{experts[0].upper()}{experts[1:]}.\n"
    if report.objections is not None:
        yield f"\n## {_verdict(report.objections).rstrip(':')}\n"
        for number, objection in enumerate(report.objections):
            yield f"{'' if number else chr(10)}- `{objection.rule}`: {objection.message}\n"
        for fix in report.objections[0].fixes if report.objections else ():
            yield f"- It would start with {_fix_in_words(fix)}.\n"
    if rank is not None and layout:
        yield f"\n## Rank {rank}\n\n{_coordinate_in_words(layout.coordinate_of(rank))}\n\n"
        yield "| key | group | ranks |\n| --- | ---: | --- |\n"
        for key in report.flat_keys:
            if report.has(key):
                found = group_of_key(report.job, rank, key)
                members = ", ".join(map(str, found[1].tolist())) if found else ""
                yield f"| {key} | {found[0] if found else 'none'} | {members} |\n"
    for key in report.flat_keys:
        if not report.has(key):
            yield f"\n## {key}\n\nnone can be made\n"
            continue
        groups = groups_of_key(report.job, key)
        yield f"\n## {key}\n\n{_kind_in_words(report, key, groups)}\n\n"
        yield "| group | ranks |\n| ---: | --- |\n"
        for number, rows in _runs(groups):
            yield "".join(
                f"| {i} | {', '.join(map(str, row))} |\n" for i, row in enumerate(rows, number)
            )


FORMS: Mapping[str, Callable[[_Report], Iterator[str]]] = {
    "text": _text,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
}
"""The forms that a report can have, by name."""


def _layout_as_values(report: _Report) -> dict[str, Any]:
    job, layout = report.job, report.layout
    order = one_line(job.order, limit=200) if layout is None else layout.order
    return {
        "tp": job.tp,
        "cp": job.cp,
        "dp": _counts(job.dp_degree),
        "pp": job.pp,
        "order": order,
        "world": _counts(job.world_size),
    }


def _experts_as_values(report: _Report) -> dict[str, Any]:
    job, experts = report.job, report.experts
    degrees = {"etp": job.etp_degree, "ep": job.ep, "edp": _counts(job.edp_degree), "pp": job.pp}
    return {**degrees, "order": experts.order if experts else None}


def _counts(number: int | None) -> int | None:
    """What follows from degrees, where it can be a number of ranks: it cannot with a degree of 2.0 or 0."""
    return number if isinstance(number, int) and number >= 1 else None


def _rank_as_values(report: _Report, rank: int) -> dict[str, Any] | None:
    if report.layout is None:
        return None
    groups: dict[str, Any] = {}
    for key in report.flat_keys:
        found = group_of_key(report.job, rank, key) if report.has(key) else None
        groups[key] = {
            "index": found[0] if found else None,
            "ranks": found[1].tolist() if found else [],
        }
    return {"rank": rank, "coordinate": report.layout.coordinate_of(rank), "groups": groups}


def _verdict_as_values(found: tuple[Objection, ...]) -> dict[str, Any]:
    return {
        "starts": not found,
        "objections": [
            {
                "rule": objection.rule,
                "message": objection.message,
                "fixes": [dict(fix) for fix in objection.fixes],
            }
            for objection in found
        ],
    }


def _verdict(found: tuple[Objection, ...]) -> str:
    return f"Megatron would {'not start this job:' if found else 'start this job'}"


def _fix_in_words(fix: Mapping[str, Any]) -> str:
    """A change as one phrase.

    >>> _fix_in_words({"tp": 4, "hierarchical_cp": (2, 2)})
    'tp 4 and hierarchical_cp 2,2'
    """

    def in_words(value: Any) -> str:
        if isinstance(value, bool):
            return "on" if value else "off"
        return ",".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)

    return " and ".join(f"{name} {in_words(value)}" for name, value in fix.items())


def _title(report: _Report) -> str:
    job, layout = report.job, report.layout
    if layout is None:
        order = one_line(repr(job.order), limit=200)
        stated = f"tp {job.tp}, cp {job.cp}, pp {job.pp}"
        return f"no layout with {stated} in a world of {job.world_size}, order {order}"
    degrees = {axis: layout.degree_of(axis) for axis in DENSE_AXES}
    product, _ = product_in_words(degrees).split(" = ")
    ranks = f"{_counted(layout.world_size, 'rank')} = {product}"
    return f"{ranks}, order {layout.order} (fastest first)"


def _experts_in_words(report: _Report) -> str:
    """The experts' grid where it says more than the dense one: with EP, or an ETP of its own."""
    experts = report.experts
    if experts is None or (experts.ep == 1 and experts.etp == experts.layout.tp):
        return ""
    degrees = {axis: experts.grid.size_of(axis) for axis in EXPERT_AXES}
    return f"experts: {product_in_words(degrees).split(' = ')[0]}, order {experts.order}"


def _coordinate_in_words(coordinate: Mapping[str, int]) -> str:
    return ", ".join(f"{axis} {position}" for axis, position in coordinate.items())


def _members(report: _Report, key: str) -> str:
    kind = kind_of(report.job, key)
    return kind.members if kind else ""


def _kind_in_words(report: _Report, key: str, groups: Ranks) -> str:
    num_groups, size = groups.shape
    words = f"{_counted(num_groups, 'group')} of {_counted(size, 'rank')}"
    axes = axes_of_key(report.job, key)
    if members := _members(report, key):
        words += f": {members}"
    elif size == 1:
        words += f", as {_joined(axes)} {'is' if len(axes) == 1 else 'are'} 1"
    else:
        words += f" that differ only in {_joined(axes)}"
    if report.reach:
        counts = report.crossing(key)
        named = {"gpus_per_node": "nodes of {} GPUs", "nvlink_domain": "NVLink domains of {} GPUs"}
        crossed = [
            f"{counts[_PLACES[name]]} {'crosses' if counts[_PLACES[name]] == 1 else 'cross'} "
            f"{named[name].format(size)}"
            for name, size in report.reach.items()
        ]
        words += f"; {' and '.join(crossed)}"
    return words


def _joined(axes: tuple[str, ...]) -> str:
    """Axes as a list in words.

    >>> _joined(("tp", "dp", "pp")), _joined(("tp",))
    ('tp, dp and pp', 'tp')
    """
    return " and ".join(part for part in (", ".join(axes[:-1]), axes[-1]) if part)


def _counted(count: int, what: str) -> str:
    """A count with its noun.

    >>> _counted(1, "rank"), _counted(2, "rank")
    ('1 rank', '2 ranks')
    """
    return f"{count} {what}{'' if count == 1 else 's'}"


def _runs(groups: Ranks) -> Iterator[tuple[int, list[list[int]]]]:
    """The rows of `groups` in runs of a bearable length, each with the number of its first row."""
    num_rows = max(_NUM_RANKS_IN_PIECE // groups.shape[1], 1)
    for start in range(0, len(groups), num_rows):
        yield start, groups[start : start + num_rows].tolist()
