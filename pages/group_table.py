"""The table of groups: every group of one kind, to page through, to copy and to take along as a file.

What the picture shows to the eye is here in words, for a screen reader and for everyone else.
"""

from contextlib import suppress

import assets.group_table
from layout import Experts, Layout, LayoutError, address
from pages.grids import megatron_name, tables
from pages.visit import Visit

# What makes the groups, of all that a link holds; and what makes those of the experts.
LAYOUT_PARAMETERS = ("tp", "cp", "dp", "pp", "world", "order")
EXPERT_PARAMETERS = ("moe", "ep", "etp")


def experts_of(visit: Visit) -> Experts | None:
    """The grid of the job's experts, where it has any and the degrees make one."""
    if visit.address.moe == "on":
        with suppress(LayoutError):
            return visit.address.expert_grid()
    return None


def show(layout: Layout, visit: Visit) -> None:
    """The heading, the choice of a kind of group, the table and the links to its files."""
    chosen, experts = visit.address, experts_of(visit)
    kinds = tables(experts)
    kind = chosen.table if chosen.table in kinds else address.Address.table
    grid = experts.grid if experts and kind in address.EXPERT_TABLES else layout.grid
    parameters = LAYOUT_PARAMETERS + (EXPERT_PARAMETERS if experts else ())
    makes_groups = {name: getattr(chosen, name) for name in parameters}
    assets.group_table.show(
        grid.axes,
        grid.sizes,
        kind=kind,
        kinds=kinds,
        megatron=megatron_name(kinds[kind]),
        files=address.write(address.Address(**makes_groups)),
        gpus_per_node=chosen.gpn,
        pin=chosen.pin,
        key="group_table",
        language=visit.words.language,
        on_kind_change=lambda: visit.change(table=visit.reported("group_table", "kind")),
    )
