"""A layout's groups written out: as text to read, or as JSON, CSV or Markdown to take elsewhere.

Each form is made piece by piece, so that a large world is never in memory as one string unless it
is asked for as one. JSON holds, and a program may rely on:

    {"layout": {"tp": 2, "cp": 2, "dp": 2, "pp": 2, "order": "tp-cp-dp-pp", "world": 16},
     "groups": {"tp": [[0, 1], ...], ...}}

and, where a rank is asked for, also

     "rank": {"rank": 13, "coordinate": {"tp": 1, "cp": 0, "dp": 1, "pp": 1},
              "groups": {"tp": {"index": 6, "ranks": [12, 13]}, ...}}

with {"index": null, "ranks": []} where the rank is in no group of that key. CSV has one row for
each member of each group: key, group (its number), index (the member's place in it), rank.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from layout.errors import LayoutError
from layout.grid import Ranks
from layout.keys import axes_of_key, group_of_key, groups_of_key
from layout.nearest import product_in_words
from layout.ranks import DENSE_AXES, Layout

_NUM_RANKS_IN_PIECE = 2**16

_EMBEDDING_RANKS = {
    "embd": "the first and the last rank of each pp group",
    "pos_embd": "the first rank of each pp group",
}


def report_of(
    layout: Layout,
    *,
    keys: Iterable[str] = DENSE_AXES,
    rank: int | None = None,
    form: str = "text",
) -> str:
    """The groups of `layout`, one kind for each of `keys`, in one of the `FORMS`.

    Ends with a newline. `rank` adds its coordinate and its own groups, but to CSV, which has the
    same rows either way. A key that is given twice is written once. Raises LayoutError for a key, a
    rank or a form that is none.

    >>> print(report_of(Layout(tp=2, dp=2), keys=["dp"]), end="")
    4 ranks = tp 2 x cp 1 x dp 2 x pp 1, order tp-cp-dp-pp (fastest first)
    <BLANKLINE>
    dp: 2 groups of 2 ranks that differ only in dp
      0: [0, 2]
      1: [1, 3]
    """
    return "".join(report_pieces(layout, keys=keys, rank=rank, form=form))


def report_pieces(
    layout: Layout,
    *,
    keys: Iterable[str] = DENSE_AXES,
    rank: int | None = None,
    form: str = "text",
) -> Iterator[str]:
    """The same as `report_of`, in pieces to be written one after another.

    Raises LayoutError at once, before the first piece.

    >>> "".join(report_pieces(Layout(dp=2), keys=["dp"], form="csv")).split()
    ['key,group,index,rank', 'dp,0,0,0', 'dp,0,1,1']
    """
    if form not in FORMS:
        raise LayoutError("no_such_form", form=repr(form), forms=", ".join(FORMS))
    keys = tuple(dict.fromkeys(keys))
    for key in keys:
        axes_of_key(layout, key)
    if rank is not None:
        layout.coordinate_of(rank)
    return FORMS[form](layout, keys, rank)


def _text(layout: Layout, keys: tuple[str, ...], rank: int | None) -> Iterator[str]:
    yield f"{_title(layout)}, order {layout.order} (fastest first)\n"
    if rank is not None:
        yield f"\nrank {rank}: {_coordinate_in_words(layout, rank)}\n"
        for key in keys:
            if found := group_of_key(layout, rank, key):
                yield f"  {key} group {found[0]}: {found[1].tolist()}\n"
            else:
                yield f"  {key}: in no group; those hold {_EMBEDDING_RANKS[key]}\n"
    for key in keys:
        groups = groups_of_key(layout, key)
        yield f"\n{key}: {_kind_in_words(layout, key, groups)}\n"
        for number, rows in _runs(groups):
            yield "".join(f"  {i}: {row}\n" for i, row in enumerate(rows, start=number))


def _json(layout: Layout, keys: tuple[str, ...], rank: int | None) -> Iterator[str]:
    values = {axis: layout.degree_of(axis) for axis in DENSE_AXES}
    whole = {**values, "order": layout.order, "world": layout.world_size}
    yield f'{{"layout": {json.dumps(whole)}, "groups": {{'
    for place, key in enumerate(keys):
        yield f"{', ' if place else ''}{json.dumps(key)}: ["
        for number, rows in _runs(groups_of_key(layout, key)):
            yield f"{', ' if number else ''}{json.dumps(rows)[1:-1]}"
        yield "]"
    yield "}"
    if rank is not None:
        yield f', "rank": {json.dumps(_rank_as_values(layout, keys, rank))}'
    yield "}\n"


def _csv(layout: Layout, keys: tuple[str, ...], rank: int | None) -> Iterator[str]:
    yield "key,group,index,rank\n"
    for key in keys:
        for number, rows in _runs(groups_of_key(layout, key)):
            yield "".join(
                f"{key},{group},{place},{member}\n"
                for group, row in enumerate(rows, start=number)
                for place, member in enumerate(row)
            )


def _markdown(layout: Layout, keys: tuple[str, ...], rank: int | None) -> Iterator[str]:
    yield f"# {_title(layout)}\n\nOrder `{layout.order}`, fastest first.\n"
    if rank is not None:
        yield f"\n## Rank {rank}\n\n{_coordinate_in_words(layout, rank)}\n\n"
        yield "| key | group | ranks |\n| --- | ---: | --- |\n"
        for key in keys:
            number, ranks = group_of_key(layout, rank, key) or ("none", None)
            members = "" if ranks is None else ", ".join(map(str, ranks.tolist()))
            yield f"| {key} | {number} | {members} |\n"
    for key in keys:
        groups = groups_of_key(layout, key)
        yield f"\n## {key}\n\n{_kind_in_words(layout, key, groups)}\n\n"
        yield "| group | ranks |\n| ---: | --- |\n"
        for number, rows in _runs(groups):
            yield "".join(
                f"| {i} | {', '.join(map(str, row))} |\n" for i, row in enumerate(rows, number)
            )


FORMS: Mapping[str, Callable[[Layout, tuple[str, ...], int | None], Iterator[str]]] = {
    "text": _text,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
}
"""The forms that a report can have, by name."""


def _rank_as_values(layout: Layout, keys: tuple[str, ...], rank: int) -> dict[str, Any]:
    found = {key: group_of_key(layout, rank, key) for key in keys}
    return {
        "rank": rank,
        "coordinate": layout.coordinate_of(rank),
        "groups": {
            key: {"index": group[0], "ranks": group[1].tolist()}
            if group
            else {"index": None, "ranks": []}
            for key, group in found.items()
        },
    }


def _title(layout: Layout) -> str:
    degrees = {axis: layout.degree_of(axis) for axis in DENSE_AXES}
    product, _ = product_in_words(degrees).split(" = ")
    return f"{_counted(layout.world_size, 'rank')} = {product}"


def _coordinate_in_words(layout: Layout, rank: int) -> str:
    return ", ".join(f"{axis} {position}" for axis, position in layout.coordinate_of(rank).items())


def _kind_in_words(layout: Layout, key: str, groups: Ranks) -> str:
    num_groups, size = groups.shape
    words = f"{_counted(num_groups, 'group')} of {_counted(size, 'rank')}"
    if key in _EMBEDDING_RANKS:
        return f"{words}: {_EMBEDDING_RANKS[key]}"
    axes = axes_of_key(layout, key)
    if size == 1:
        return f"{words}, as {_joined(axes)} {'is' if len(axes) == 1 else 'are'} 1"
    return f"{words} that differ only in {_joined(axes)}"


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
