"""Hierarchical CP, a part of the page Placement: how the levels of a CP group lie on nodes and domains."""

from collections.abc import Sequence
from math import prod
from typing import Any

import streamlit as st

import assets.levels
from assets.text import Words, count
from layout import Job, Ranks, Shares, factorizations, group_of_key, shares_of_key
from layout.address import read_levels
from layout.keys import grid_and_axes
from pages import levels_field, problems, sentences
from pages.visit import Visit

MOST_GROUPS, MOST_MEMBERS = 6, 8  # of one level of a CP group, and of one group there


def show(job: Job, visit: Visit, words: Words) -> None:
    """The heading, the levels in use drawn and told, and the ways to cut CP."""
    st.markdown(f"## {words('reach.levels_heading')}\n{words.prose('levels')}")
    if job.cp == 1:
        st.markdown(words("reach.levels_alone"))
        _offer_cp(visit, words)
        return
    levels_field.show(visit, words, name="cp_levels", width=260)
    kept = read_levels(visit.address.hcp)
    if kept and not job.hierarchical_cp:
        said = {"levels": _times(kept), "product": count(prod(kept)), "cp": count(job.cp)}
        st.warning(words("reach.levels_product", **said))
    elif job.hierarchical_cp:
        _levels_drawn(job, visit, words)
    _levels_offered(job, visit, words)


def _offer_cp(visit: Visit, words: Words) -> None:
    """The smallest CP that has levels, where it may be set without another change."""
    if visit.address.world is None:
        problems.offer({words("derive.offer", cp=4): {"cp": 4}}, visit, place="cp")


def would_help(job: Job, visit: Visit) -> bool:
    """Whether CP has one level and leaves its domain, and can be cut so that level 1 does not."""
    if job.cp == 1 or job.hierarchical_cp:
        return False
    cuts = [job.with_(hierarchical_cp=sizes) for sizes in factorizations(job.cp)]
    if not cuts or not any(_shares_of_level(cuts[0], level, visit).beyond for level in (0, 1)):
        return False
    return any(_shares_of_level(cut, 0, visit).beyond == 0 for cut in cuts)


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
    problems.offer(offers, visit, place="levels")


def _levels_drawn(job: Job, visit: Visit, words: Words) -> None:
    levels = range(len(job.hierarchical_cp))
    leaving = [begin for level in levels for begin in _shares_of_level(job, level, visit).begin[:1]]
    index, ranks = group_of_key(job, leaving[0] if leaving else 0, "cp") or (0, None)
    assert ranks is not None, "every rank has a CP group"
    listed = words("reach.more_ranks", n=job.cp, ranks=sentences.ranks_in_words(ranks, words))
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
    name = words("kind.level", level=level + 1)
    kind = "level_further" if level else "level_first"
    said = [words(f"reach.{kind}", n=size, level=level + 1, apart=words("reach.apart", n=step))]
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
