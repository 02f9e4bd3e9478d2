"""Placement: which groups leave the NVLink domain, what that costs, and how hierarchical CP helps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import streamlit as st

import assets.levels
import assets.reach
from assets.text import Words, count
from layout import (
    Job,
    Kind,
    LayoutError,
    Ranks,
    Shares,
    address,
    factorizations,
    group_of_key,
    kinds_of,
    num_nodes,
    shares_of_key,
)
from layout.address import read_levels
from layout.errors import MAX_WORLD_SIZE, one_line
from layout.keys import grid_and_axes
from layout.reach import OFTEN, often
from layout.staying import changes_that_keep
from pages import controls, sentences
from pages.figures.strip import strip
from pages.visit import Visit, widget

MACHINES = {"hgx": (8, None), "nvl72": (4, 72)}
"""Well-known machines: GPUs per node and per NVLink domain, which is the node where it is None."""

MOST_GROUPS, MOST_MEMBERS = 6, 8  # of one level of a CP group, and of one group there


def show(visit: Visit) -> None:
    """The page, in reading order."""
    words = visit.words
    layout = controls.layout_or_problem(visit)
    if layout is None:
        return
    st.markdown(f"# {controls.headline(layout, visit.address.gpn, words)}")
    if not visit.is_embedded:
        _machine(visit, words)
    rows, left_out = rows_of(visit)
    leaving = [row for row in rows if row.shares.beyond]
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
    _remedies([row for row in leaving if often(row.kind.key) == "layer"], visit, words)
    st.markdown(words.prose("placement"))
    with st.container(key="levels_of_cp"):
        _levels(job_of(visit), visit, words)
    if door := visit.doors.get("explorer"):
        parameters = address.parameters(visit.address)
        with st.container(key="door"):
            st.page_link(door, label=words("reach.explorer"), query_params=parameters)


def job_of(visit: Visit) -> Job:
    """The reader's job; levels that do not multiply to CP are no part of it."""
    job = visit.address.job()
    return job if prod(job.hierarchical_cp) == job.cp else job.with_(hierarchical_cp=())


# The machine: nodes and NVLink domains.


def _machine(visit: Visit, words: Words) -> None:
    gpn, domain = visit.address.gpn, visit.address.nvlink_domain
    machine = {(node, nvl or node): name for name, (node, nvl) in MACHINES.items()}
    with st.container(horizontal=True, key="machine"):
        widget(
            partial(st.number_input, value=None),
            words("reach.nvl"),
            name="nvl",
            value=visit.address.nvl,
            take=lambda number: visit.change(nvl=number),
            min_value=1,
            max_value=MAX_WORLD_SIZE,
            step=1,
            placeholder=words("reach.nvl_is_node", gpn=count(gpn)),
            help=words("reach.nvl_help"),
            width=260,
        )
        widget(
            st.segmented_control,
            words("reach.quick"),
            name="machine_quick",
            value=machine.get((gpn, domain)),
            take=lambda name: _set_machine(name, visit),
            options=list(MACHINES),
            format_func=lambda name: words(f"reach.quick_{name}"),
            wrap=True,
        )
    world = visit.address.layout().world_size
    st.caption(machine_in_words(world, gpn, domain, words))
    if domain % gpn:
        kind = "domain_cuts" if domain < gpn else "domain_uneven"
        st.warning(words(f"reach.{kind}", n=domain, nvl=count(domain), gpn=count(gpn)))
        whole = [size for size in (domain // gpn * gpn, -(-domain // gpn) * gpn) if size]
        controls.offer({words("reach.set_domain", n=size): {"nvl": size} for size in whole}, visit)


def _set_machine(name: str | None, visit: Visit) -> None:
    if name:
        gpn, nvl = MACHINES[name]
        visit.change(gpn=gpn, nvl=nvl)


def machine_in_words(world_size: int, gpus_per_node: int, domain: int, words: Words) -> str:
    """What one NVLink domain is, and how many the job fills.

    >>> machine_in_words(288, 4, 72, Words("en"))
    'One NVLink domain is 18 nodes of 4, 72 GPUs; the job fills 4 domains.'
    """
    numbers = {"gpn": count(gpus_per_node), "gpus": count(domain)}
    if domain == gpus_per_node:
        said = words("reach.domain_node", n=domain)
    elif domain % gpus_per_node:
        said = words("reach.domain_gpus", n=domain)
    else:
        said = words("reach.domain_nodes", n=domain // gpus_per_node, **numbers)
    domains = words("reach.domains", n=num_nodes(world_size, gpus_per_node=domain))
    return words("reach.domain", domain=said, domains=domains)


# The picture: a row for each kind of group.


@dataclass(frozen=True)
class Row:
    """One kind of group: how many ranks a group of it has, and how far its groups reach."""

    kind: Kind
    size: int
    shares: Shares


def rows_of(visit: Visit) -> tuple[list[Row], list[LayoutError]]:
    """The kinds of group that this job has, the costliest to cross first, and why some are left out."""
    job, rows, left_out = job_of(visit), [], {}
    for kind in kinds_of(job):
        if (kind.grid == "expert" and visit.address.moe == "off") or kind.key == "pos_embd":
            continue
        if kind.cut == "instance" and job.dist_opt_instances == 1:
            continue  # the whole world
        try:
            rows.append(_row_of(job, kind, visit))
        except LayoutError as error:
            left_out[error.reason] = error
    places = list(OFTEN)
    return sorted(rows, key=lambda row: places.index(_as_listed(row.kind))), [*left_out.values()]


def _row_of(job: Job, kind: Kind, visit: Visit) -> Row:
    shares = shares_of_key(
        job,
        kind.key,
        gpus_per_node=visit.address.gpn,
        nvlink_domain=visit.address.nvlink_domain,
    )
    return Row(kind, _size(job, kind, shares), shares)


def _size(job: Job, kind: Kind, shares: Shares) -> int:
    """Ranks in each group: all of them together are the world, but for the ends of PP groups."""
    if kind.cut == "ends":
        return min(job.pp, 2)
    return job.world_size // shares.num_groups


def _as_listed(kind: Kind) -> str:
    return "cp" if kind.key.startswith("hcp_") else kind.key


def name_of(kind: Kind, words: Words) -> str:
    """What a kind of group is called on this page.

    >>> name_of(kinds_of(Job(cp=4, hierarchical_cp=(2, 2)))[3], Words("en"))
    'CP level 1'
    """
    if kind.key.startswith("hcp_"):
        return words("reach.name_level", level=int(kind.key.removeprefix("hcp_")) + 1)
    return words(f"reach.name_{kind.key}")


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
    costly = [row for row in leaving if often(row.kind.key) == "layer"]
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
    listed = words("reach.more_ranks", n=len(ranks), ranks=ranks_in_words(ranks, words))
    on = words("reach.domains", n=drawing["num"])
    carries = "level" if kind.key.startswith("hcp_") else kind.key
    more = {"carries": words(f"reach.carries_{carries}"), "index": index, "domains": on}
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


def ranks_in_words(ranks: Ranks, words: Words) -> str:
    """The ranks of a group in a short line.

    >>> import numpy as np
    >>> ranks_in_words(np.arange(64, 80), Words("en")), ranks_in_words(np.arange(0, 64, 8), Words("en"))
    ('64–79', '0, 8, 16, … 56')
    """
    first, last = int(ranks[0]), int(ranks[-1])
    if len(ranks) > 2 and last - first == len(ranks) - 1:
        return words("reach.run", first=first, last=last)
    shown = ranks.tolist() if len(ranks) <= 5 else ranks[:3].tolist()
    pieces = [str(rank) for rank in shown]
    if len(ranks) > 5:
        pieces.append(words("reach.cut", last=last))
    return words("list.separator").join(pieces)


def _left_out(
    rows: Sequence[Row], errors: Sequence[LayoutError], visit: Visit, words: Words
) -> None:
    """Which kinds are groups of one rank, and which this job cannot have."""
    if alone := [row for row in rows if row.size == 1]:
        st.caption(words("reach.alone", names=_names(alone, words)))
    for error in errors:
        numbers = {name: controls.in_thousands(number) for name, number in error.numbers.items()}
        numbers.pop("key", None)  # which kind it was: all of its family are left out
        st.warning(words(f"reach.{error.reason}", **numbers))
        fixes = [fix for fix in error.fixes if "dist_opt_instances" not in fix]
        controls.offer({_change_in_words(fix, visit, words): fix for fix in fixes}, visit)


# What would keep the costly ones inside.


def remedies(rows: Sequence[Row], visit: Visit, words: Words) -> tuple[list[str], dict[str, Any]]:
    """Sentences about what keeps the groups of `rows` inside a domain, and the changes by their words.

    Each change is one after which no group of the kinds that its sentence names leaves.
    """
    helped: dict[str, list[Row]] = {}
    changes: dict[str, dict[str, Any]] = {}
    kinds: dict[str, dict[str, Any]] = {}
    lost = []
    for row in rows:
        found = changes_that_keep(visit.address, row.kind.key)
        for change in found:
            label = _change_in_words(change, visit, words)
            changes[label] = change
            kind = next((name for name in ("nvl", "order") if name in change), "degree")
            sentence = f"{kind} {change.get('nvl', '')}"
            kinds[sentence] = {"kind": kind, "part": change.get("nvl")}
            mended = helped.setdefault(sentence, [])
            mended += [] if row in mended else [row]
        lost += [] if found else [row]
    domain = visit.address.nvlink_domain
    said = [
        words(
            f"reach.remedy_{kinds[sentence]['kind']}",
            names=_names(mended, words),
            part=kinds[sentence]["part"],
            domain=count(domain),
        )
        for sentence, mended in helped.items()
    ]
    if lost:
        said.append(words("reach.no_remedy", names=_names(lost, words)))
    return said, changes


def _remedies(rows: Sequence[Row], visit: Visit, words: Words) -> None:
    rows = [row for row in rows if not row.kind.key.startswith("hcp_")]
    if not rows:
        return
    said, changes = remedies(rows, visit, words)
    if (job := job_of(visit)).cp > 1 and not job.hierarchical_cp and _has_near_level(job, visit):
        said.append(words("reach.remedy_levels"))
    if changes:
        st.markdown(words("reach.remedies"))
    st.markdown("\n".join(f"- {sentence}" for sentence in said) if said[1:] else said[0])
    controls.offer(changes, visit)


def _has_near_level(job: Job, visit: Visit) -> bool:
    """Whether CP leaves its domain, and can be cut so that level 1 does not."""
    cuts = [job.with_(hierarchical_cp=sizes) for sizes in factorizations(job.cp)]
    if not cuts or not any(_shares_of_level(cuts[0], level, visit).beyond for level in (0, 1)):
        return False
    return any(_shares_of_level(cut, 0, visit).beyond == 0 for cut in cuts)


def _change_in_words(change: dict[str, Any], visit: Visit, words: Words) -> str:
    """What a button says that makes `change`."""
    numbers = {name: controls.in_thousands(str(value)) for name, value in change.items()}
    if "nvl" in change:
        return words(
            "reach.use_nvl", part=numbers["nvl"], domain=count(visit.address.nvlink_domain)
        )
    if set(change) == {"tp", "dp"}:
        return words("reach.use_tp_dp", **numbers)
    uses = [words(f"reach.use_{name}", **{name: number}) for name, number in numbers.items()]
    return words("list.separator").join(uses)


# Hierarchical CP.


def _levels(job: Job, visit: Visit, words: Words) -> None:
    st.markdown(f"## {words('reach.levels_heading')}\n{words.prose('levels')}")
    if job.cp == 1:
        st.markdown(words("reach.levels_alone"))
        _offer_cp(visit, words)
        return
    refused = visit.refused_levels
    widget(
        st.text_input,
        words("reach.levels"),
        name="cp_levels",
        value=visit.address.hcp if refused is None else refused,
        take=visit.set_levels,
        help=words("reach.levels_help"),
        autocomplete="off",
        width=260,
    )
    kept = read_levels(visit.address.hcp)
    if refused is not None:
        text = controls.plain(one_line(refused, limit=40))
        using = _times(kept) if kept else words("reach.levels_kept_none")
        st.warning(words("reach.levels_text", text=text, kept=using))
    if kept and not job.hierarchical_cp:
        said = {"levels": _times(kept), "product": count(prod(kept)), "cp": count(job.cp)}
        st.warning(words("reach.levels_product", **said))
    elif job.hierarchical_cp:
        _levels_drawn(job, visit, words)
    _levels_offered(job, visit, words)


def _offer_cp(visit: Visit, words: Words) -> None:
    """The smallest CP that has levels, where it may be set without another change."""
    if visit.address.world is None:
        controls.offer({words("derive.offer", cp=4): {"cp": 4}}, visit)


def _levels_offered(job: Job, visit: Visit, words: Words) -> None:
    """Buttons for the ways to cut CP, each with the reach of its level 1."""
    ways = [sizes for sizes in factorizations(job.cp) if sizes != job.hierarchical_cp]
    if not ways and not job.hierarchical_cp:
        st.markdown(words("reach.levels_prime", cp=count(job.cp)))
        _offer_cp(visit, words)
    if not ways:
        return
    said = "levels_others" if job.hierarchical_cp else "levels_none"
    st.markdown(words(f"reach.{said}", cp=count(job.cp)))
    offers = {}
    for sizes in ways:
        shares = _shares_of_level(job.with_(hierarchical_cp=sizes), 0, visit)
        reach = words(f"reach.levels_{reach_of(shares)}")
        label = words("reach.levels_use", levels=_times(sizes), reach=reach)
        offers[label] = {"hcp": ",".join(map(str, sizes))}
    controls.offer(offers, visit)


def _levels_drawn(job: Job, visit: Visit, words: Words) -> None:
    levels = range(len(job.hierarchical_cp))
    leaving = [begin for level in levels for begin in _shares_of_level(job, level, visit).begin[:1]]
    index, ranks = group_of_key(job, leaving[0] if leaving else 0, "cp") or (0, None)
    assert ranks is not None, "every rank has a CP group"
    listed = words("reach.more_ranks", n=job.cp, ranks=ranks_in_words(ranks, words))
    st.caption(words("reach.levels_drawn", index=index, ranks=listed))
    assets.levels.show(
        [_level(job, level, ranks, visit, words) for level in levels],
        key="levels",
        language=words.language,
    )
    st.markdown("\n".join(f"- {level_in_words(job, level, visit, words)}" for level in levels))


def _level(job: Job, level: int, cp_group: Ranks, visit: Visit, words: Words) -> dict[str, Any]:
    """One level of one CP group, as the browser draws it."""
    grid, (axis,) = grid_and_axes(job, f"hcp_{level}")
    groups, size = groups_of_level(job, level, cp_group), grid.size_of(axis)
    title = [words("reach.level", level=level + 1)]
    if len(job.hierarchical_cp) == 2:
        title.append(words("reach.level_ring" if level else "reach.level_a2a"))
    shares = _shares_of_level(job, level, visit)
    reach = "some" if 0 < shares.beyond < shares.num_groups else reach_of(shares)
    hidden = len(groups) - MOST_GROUPS
    return {
        "title": " · ".join(title),
        "how": words("reach.level_how", n=size, step=count(grid.stride_of(axis))),
        "part": reach_of(shares),
        "reach": words(f"reach.levels_{reach}"),
        "groups": [_drawn(group, visit, words) for group in groups[:MOST_GROUPS]],
        "more": words("reach.level_more", n=hidden) if hidden > 0 else "",
    }


def groups_of_level(job: Job, level: int, cp_group: Ranks) -> list[list[int]]:
    """The groups of a level that one CP group is cut into.

    >>> job = Job(tp=8, cp=4, hierarchical_cp=(2, 2))
    >>> groups_of_level(job, 1, job.layout.group_of(0, "cp"))
    [[0, 16], [8, 24]]
    """
    grid, (axis,) = grid_and_axes(job, f"hcp_{level}")
    lowest = cp_group[grid.coordinate_of(cp_group)[axis] == 0]
    groups: list[list[int]] = grid.group_of(lowest, axis).tolist()
    return groups


def _drawn(group: list[int], visit: Visit, words: Words) -> dict[str, Any]:
    """How far a group reaches, and its ranks with where each lies; None where some are left out."""
    gpn, domain = visit.address.gpn, visit.address.nvlink_domain
    leaves = group[0] // domain != group[-1] // domain
    across = group[0] // gpn != group[-1] // gpn
    place, size = ("domain", domain) if leaves and domain != gpn else ("node", gpn)

    def member(rank: int) -> tuple[int, str]:
        at = words(f"reach.place_{place}")
        return rank, words("reach.level_at", place=at, number=rank // size)

    listed = group if len(group) <= MOST_MEMBERS else group[: MOST_MEMBERS - 2]
    members: list[tuple[int, str] | None] = [member(rank) for rank in listed]
    if listed is not group:
        members += [None, member(group[-1])]
    part = "beyond" if leaves else "in_domain" if across else "in_node"
    return {"part": part, "members": members}


def level_in_words(job: Job, level: int, visit: Visit, words: Words) -> str:
    """One level: whom it takes, how far its groups reach, and for level 1 why."""
    grid, (axis,) = grid_and_axes(job, f"hcp_{level}")
    shares, size, step = (
        _shares_of_level(job, level, visit),
        grid.size_of(axis),
        grid.stride_of(axis),
    )
    name = words("reach.name_level", level=level + 1)
    kind = "level_further" if level else "level_first"
    said = [words(f"reach.{kind}", n=size, level=level + 1, step=count(step))]
    if size > 1:
        said.append(sentences.shares_in_words(shares, name, words))
    domain = visit.address.nvlink_domain
    divides = domain % (step * size) == 0
    if level == 0 and size > 1 and divides == (shares.beyond == 0):
        product = {"step": count(step), "product": count(step * size), "domain": count(domain)}
        label = "reach.level_divides" if divides else "reach.level_divides_not"
        said.append(words(label, n=size, **product))
    return words("list.sentences").join(said)


def _shares_of_level(job: Job, level: int, visit: Visit) -> Shares:
    return shares_of_key(
        job,
        f"hcp_{level}",
        gpus_per_node=visit.address.gpn,
        nvlink_domain=visit.address.nvlink_domain,
    )


def reach_of(shares: Shares) -> str:
    """How far the widest group of a kind reaches.

    >>> reach_of(Shares(in_node=3, in_domain=1, beyond=0))
    'in_domain'
    """
    if shares.beyond:
        return "beyond"
    return "in_domain" if shares.in_domain else "in_node"


def _times(sizes: Sequence[int]) -> str:
    return " × ".join(map(str, sizes))
