"""Placement: which groups leave the NVLink domain, what that costs, and how hierarchical CP helps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

import assets.reach
from assets.text import Words, count
from layout import (
    Job,
    Kind,
    LayoutError,
    Shares,
    address,
    group_of_key,
    shares_of_key,
)
from layout.keys import grid_and_axes
from layout.reach import OFTEN, often
from layout.staying import changes_that_keep
from pages import hierarchical_cp, machine, problems, sentences, verdict
from pages.figures.strip import strip
from pages.kinds import job_of, kinds_shown, name_of
from pages.visit import Visit


def show(visit: Visit) -> None:
    """The page, in reading order."""
    words = visit.words
    layout = problems.layout_or_problem(visit)
    if layout is None:
        return
    st.markdown(f"# {sentences.headline(layout, visit.address.gpn, words)}")
    chosen = visit.address
    if not visit.is_embedded:
        st.caption(machine.in_words(layout.world_size, chosen.gpn, chosen.nvlink_domain, words))
    verdict.mark(visit)
    rows, left_out = rows_of(visit)
    heading = "" if visit.is_embedded else f"## {words('reach.heading')}\n"
    st.markdown(heading + answer(rows, words))
    if any(row.size > 1 for row in rows):
        assets.reach.show(
            [_row(row, visit, words) for row in rows if row.size > 1],
            is_embedded=visit.is_embedded,
            key="reach",
            language=words.language,
        )
    if visit.is_embedded:
        st.markdown(f"[{words('share.open')}](./placement?{address.write(visit.address)})")
        return
    _left_out(rows, left_out, visit, words)
    _remedies([row for row in rows if row.costs], visit, words)
    st.markdown(words.prose("placement"))
    with st.container(key="levels_of_cp"):
        hierarchical_cp.show(job_of(visit), visit, words)
    if door := visit.doors.get("explorer"):
        parameters = address.parameters(visit.address)
        with st.container(key="door"):
            st.page_link(door, label=words("reach.explorer"), query_params=parameters)


# The picture: a row for each kind of group.


@dataclass(frozen=True)
class Row:
    """One kind of group: how many ranks a group of it has, and how far its groups reach."""

    kind: Kind
    size: int
    shares: Shares
    is_told_by_others: bool = False
    """Whether other rows say the same: CP in levels is its levels, and ETP×EP at ETP 1 is EP."""

    @property
    def costs(self) -> bool:
        """Whether its ranks talk in every layer, and some of its groups leave their domain."""
        often_enough = often(self.kind.key) == "layer" and not self.is_told_by_others
        return often_enough and self.shares.beyond > 0


def rows_of(visit: Visit) -> tuple[list[Row], list[LayoutError]]:
    """The kinds of group that this job has, the costliest to cross first, and why some are left out."""
    job, rows = job_of(visit), []
    left_out: dict[tuple[str, str], LayoutError] = {}
    for kind in kinds_shown(visit):
        if kind.key == "pos_embd":
            continue  # one rank each, whatever the job
        try:
            rows.append(_row_of(job, kind, visit))
        except LayoutError as error:
            size = error.numbers.get("size", "")
            left_out.setdefault((error.reason, size), error)
    places = list(OFTEN)
    return sorted(rows, key=lambda row: places.index(_as_listed(row.kind))), [*left_out.values()]


def _row_of(job: Job, kind: Kind, visit: Visit) -> Row:
    shares = shares_of_key(
        job,
        kind.key,
        gpus_per_node=visit.address.gpn,
        nvlink_domain=visit.address.nvlink_domain,
    )
    same = {"cp": bool(job.hierarchical_cp), "tp_ep": job.etp_degree == 1 and job.ep > 1}
    return Row(kind, _size(job, kind, shares), shares, same.get(kind.key, False))


def _size(job: Job, kind: Kind, shares: Shares) -> int:
    """Ranks in each group: all of them together are the world, but for the ends of PP groups."""
    if kind.cut == "ends":
        return min(job.pp, 2)
    return job.world_size // shares.num_groups


def _as_listed(kind: Kind) -> str:
    return "cp" if kind.key.startswith("hcp_") else kind.key


def _names(rows: Sequence[Row], words: Words) -> str:
    return words("list.separator").join(name_of(row.kind, words) for row in rows)


def answer(rows: Sequence[Row], words: Words) -> str:
    """The question of the page, answered in a line or two."""
    talking = [row for row in rows if row.size > 1]
    leaving = [row for row in talking if row.shares.beyond]
    if not talking:
        return words("reach.nothing")
    if not leaving:
        return words("reach.none_leaves", n=len(talking))
    of_all = {"n": len(leaving), "all": len(talking), "names": _names(leaving, words)}
    costly = [row for row in leaving if row.costs]
    cost = words("reach.costly", names=_names(costly, words)) if costly else words("reach.cheap")
    return words("list.sentences").join((words("reach.some_leave", **of_all), cost))


def _row(row: Row, visit: Visit, words: Words) -> dict[str, Any]:
    """What the browser draws of a row, words and all."""
    job, kind, shares = job_of(visit), row.kind, row.shares
    gpn, domain = visit.address.gpn, visit.address.nvlink_domain
    grid, axes = grid_and_axes(job, kind.key)
    drawn = group_of_key(job, shares.begin[0] if shares.begin else grid.first_rank, kind.key)
    assert drawn, "a group begins there"
    index, ranks = drawn
    name = name_of(kind, words)
    drawing = strip(ranks, gpus_per_node=gpn, nvlink_domain=domain)
    listed = words("reach.more_ranks", n=len(ranks), ranks=sentences.ranks_in_words(ranks, words))
    on = words("reach.domains", n=drawing["num"])
    more = {"carries": _carries(job, kind, words), "index": index, "domains": on}
    return {
        "key": kind.key,
        "name": name,
        "axes": [axis.split("_")[0] for axis in axes],
        "size": words("reach.size", n=shares.num_groups, size=count(row.size)),
        "numbers": [shares.in_node, shares.in_domain, shares.beyond],
        "said": sentences.shares_in_words(shares, name, words),
        "often": words(f"reach.often_{often(kind.key)}"),
        "more": words("reach.more", name=name, ranks=listed, **more),
        "ranks": words("list.separator").join((listed, on)),
        "strip": drawing,
    }


def _carries(job: Job, kind: Kind, words: Words) -> str:
    """What the ranks of a group send each other."""
    key = kind.key
    if key.startswith("hcp_"):
        level = int(key.removeprefix("hcp_")) + 1
        key = f"level_{level}" if len(job.hierarchical_cp) == 2 else "level"
    elif key == "cp" and job.hierarchical_cp:
        key = "cp_levels"
    elif key == "dp_cp" and job.dist_opt_instances > 1:
        key = "dp_cp_instances"
    return words(f"reach.carries_{key}")


def _left_out(
    rows: Sequence[Row], errors: Sequence[LayoutError], visit: Visit, words: Words
) -> None:
    """Which kinds are groups of one rank, and which this job cannot have."""
    if alone := [row for row in rows if row.size == 1]:
        st.caption(words("reach.alone", names=_names(alone, words)))
    for error in errors:
        numbers = {name: problems.as_on_screen(number) for name, number in error.numbers.items()}
        if key := numbers.pop("key", None):  # all kinds that are cut as this one are left out
            is_dense = key == "intra_dp_cp" or visit.address.moe == "off"
            numbers["name"] = words("light.dp-cp") if is_dense else words("light.edp")
        said = {**numbers, **problems.degree_in_words(numbers)}
        st.warning(words(f"reach.{error.reason}", **said))
        fixes = [fix for fix in error.fixes if "dist_opt_instances" not in fix]
        problems.offer(
            {_change_in_words(fix, visit, words): fix for fix in fixes},
            visit,
            place=f"left out {error.reason}",
        )


# What would keep the costly ones inside.


def remedies(rows: Sequence[Row], visit: Visit, words: Words) -> tuple[list[str], dict[str, Any]]:
    """Sentences about what keeps the groups of `rows` inside a domain, and the changes by their words.

    Each change is one after which no group of the kinds that its sentence names leaves.
    """
    helped: dict[str, list[Row]] = {}
    changes: dict[str, dict[str, Any]] = {}
    lost = []
    for row in rows:
        found = changes_that_keep(visit.address, row.kind.key)
        for change in found:
            label = _change_in_words(change, visit, words)
            changes[label] = change
            helped.setdefault(label, []).append(row)
        lost += [] if found else [row]
    said = []
    for label, mended in helped.items():
        name, value = next(iter(changes[label].items()))  # what TP or CP gives up, DP gets
        said.append(
            words(
                f"reach.remedy_{name}",
                names=_names(mended, words),
                value=value if name == "order" else count(value),
                domain=count(visit.address.nvlink_domain),
            )
        )
    if lost:
        said.append(words("reach.no_remedy", names=_names(lost, words)))
    return said, changes


def _remedies(rows: Sequence[Row], visit: Visit, words: Words) -> None:
    rows = [row for row in rows if not row.kind.key.startswith("hcp_")]
    if not rows:
        return
    said, changes = remedies(rows, visit, words)
    if hierarchical_cp.would_help(job_of(visit), visit):
        said.append(words("reach.remedy_levels"))
    if changes:
        st.markdown(words("reach.remedies"))
    st.markdown("\n".join(f"- {sentence}" for sentence in said) if said[1:] else said[0])
    problems.offer(changes, visit, place="remedy")


def _change_in_words(change: dict[str, Any], visit: Visit, words: Words) -> str:
    """What a button says that makes `change`."""
    if "nvl" in change:
        domain = count(visit.address.nvlink_domain)
        return words("reach.use_nvl", part=count(change["nvl"]), domain=domain)
    return problems.fix_in_words(change, words)
