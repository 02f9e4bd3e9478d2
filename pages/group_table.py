"""The table of groups: every group of one kind, to page through, to copy and to take along as a file.

What the picture shows to the eye is here in words, for a screen reader and for everyone else.
"""

from collections.abc import Mapping
from contextlib import suppress

import assets.group_table
from layout import KINDS, Experts, Job, Kind, LayoutError, address, kind_of
from pages.kinds import in_browser, job_of, kinds_shown, members_of, name_of
from pages.visit import Visit

# What makes the groups, of all that a link holds; and what makes those of the experts.
LAYOUT_PARAMETERS = ("tp", "cp", "dp", "pp", "world", "order", "hcp", "distopt")
EXPERT_PARAMETERS = ("moe", "ep", "etp")


def experts_of(visit: Visit) -> Experts | None:
    """The grid of the job's experts, where it has any and the degrees make one."""
    if visit.address.moe == "on":
        with suppress(LayoutError):
            return visit.address.expert_grid()
    return None


def show(visit: Visit) -> None:
    """The heading, the choice of a kind of group, the table and the links to its files."""
    chosen, words, job = visit.address, visit.words, job_of(visit)
    kinds = kinds_listed(visit)
    key = chosen.table if chosen.table in kinds else address.Address.table
    kind = _kind_in_megatron(job, key)
    parameters = LAYOUT_PARAMETERS + (EXPERT_PARAMETERS if experts_of(visit) else ())
    makes_groups = {name: getattr(chosen, name) for name in parameters}
    assets.group_table.show(
        in_browser(job, key),
        kind=key,
        kinds=kinds,
        megatron=kind.megatron if kind else "",
        members=members_of(kind, job, words) if kind else "",
        files=address.write(address.Address(**makes_groups)),
        gpus_per_node=chosen.gpn,
        pin=chosen.pin,
        key="group_table",
        language=words.language,
        on_kind_change=visit.hears("group_table", "kind", lambda kind: visit.change(table=kind)),
    )


def kinds_listed(visit: Visit) -> Mapping[str, str]:
    """The kinds of group that the table can list of this job, by key, and their names."""
    words, job = visit.words, job_of(visit)
    listed = {key: words(f"light.{key}") for key in address.TABLES}
    for kind in kinds_shown(visit):
        if address.is_table(kind.key):
            with suppress(LayoutError):
                in_browser(job, kind.key)
                listed.setdefault(kind.key, name_of(kind, words))
    return listed


def _kind_in_megatron(job: Job, key: str) -> Kind | None:
    """What Megatron makes of a kind that the table lists; None where it makes none."""
    axes = tuple(key.split("-"))
    of_axes = (kind for kind in KINDS if kind.axes == axes and kind.cut == "whole")
    return kind_of(job, key) or next(of_axes, None)
