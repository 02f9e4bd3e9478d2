"""The kinds of group that a reader sees: what each is called, and how the browser makes it."""

from collections.abc import Mapping
from math import prod
from typing import Any

from assets.text import Words, count
from layout import Job, Kind, kinds_of, recipe_of_key
from layout.keys import Setup
from pages.visit import Visit


def job_of(visit: Visit) -> Job:
    """The reader's job; levels that do not multiply to CP are no part of it."""
    job = visit.address.job()
    return job if prod(job.hierarchical_cp) == job.cp else job.with_(hierarchical_cp=())


def kinds_shown(visit: Visit) -> tuple[Kind, ...]:
    """The kinds of group that Megatron makes for the reader's job and a page tells of, in its sequence.

    Kinds of the expert grid are told of where the job has experts, but for those that dense weights need too:
    the groups of optimizer instances, where there are several.
    """
    job, has_experts = job_of(visit), visit.address.moe == "on"

    def is_shown(kind: Kind) -> bool:
        if kind.key in ("inter_expt_dp", "intra_dist_opt"):  # dense weights need them too
            return job.dist_opt_instances > 1
        return kind.grid == "dense" or has_experts

    return tuple(filter(is_shown, kinds_of(job)))


def is_derived(kind: Kind) -> bool:
    """Whether its groups are cut out of others: a level of hierarchical CP is cut out of CP groups."""
    return kind.cut != "whole" or kind.key.startswith("hcp_")


def name_of(kind: Kind, words: Words) -> str:
    """What a kind of group is called.

    >>> from layout import kind_of
    >>> words = Words("en")
    >>> [name_of(kind, words) for kind in kinds_of(Job(cp=4, hierarchical_cp=(2, 2)))[:4]]
    ['DP×CP', 'DP', 'CP', 'CP level 1']
    """
    if kind.key.startswith("hcp_"):
        return words("kind.level", level=_level(kind))
    if kind.cut == "whole":
        return words(f"light.{'-'.join(kind.axes)}")
    return words(f"kind.{kind.key}")


def members_of(kind: Kind, job: Job, words: Words) -> str:
    """Who the members are, in a sentence, where it is not everyone along the axes.

    >>> members_of(kinds_of(Job(pp=2))[6], Job(pp=2), Words("en"))
    'Each holds the first and the last rank of a PP group: the stages of the input and the output embedding.'
    """
    if not is_derived(kind):
        return ""
    if kind.key.startswith("hcp_"):
        sizes = " × ".join(map(count, job.hierarchical_cp))
        return words("members.level", level=_level(kind), levels=sizes)
    return words(f"members.{kind.key}", n=job.dist_opt_instances)


def in_browser(setup: Setup, key: str) -> Mapping[str, Any]:
    """The groups called `key` in the plain values from which assets/kinds.js makes them.

    Raises LayoutError for a key that is none, and where optimizer instances or CP levels do not fit.

    >>> from layout import Layout
    >>> in_browser(Layout(tp=2, pp=4), "embd")
    {'axes': ('tp', 'cp', 'dp', 'pp'), 'sizes': (2, 1, 1, 4), 'along': ('pp',), 'cut': 'ends'}
    """
    recipe = recipe_of_key(setup, key)
    numbers: Mapping[str, int] = {}
    if recipe.cut == "level":
        numbers = {"below": recipe.below, "size": recipe.size}
    if recipe.cut == "instance":
        numbers = {"parts": recipe.parts}
    made = {"along": recipe.along, "cut": recipe.cut, **numbers}
    return {"axes": recipe.grid.axes, "sizes": recipe.grid.sizes, **made}


def _level(kind: Kind) -> int:
    """The number of a CP level, counted from 1."""
    return int(kind.key.removeprefix("hcp_")) + 1
