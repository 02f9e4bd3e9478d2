"""The table of groups: every group of one kind, to page through, to copy and to take along as a file.

What the picture shows to the eye is here in words, for a screen reader and for everyone else.
"""

import assets.group_table
from layout import Layout, address
from layout.address import TABLES
from pages.visit import Visit

# What makes the groups, of all that a link holds.
LAYOUT_PARAMETERS = ("tp", "cp", "dp", "pp", "world", "order")


def show(layout: Layout, visit: Visit) -> None:
    """The heading, the choice of a kind of group, the table and the links to its files."""
    chosen = visit.address
    makes_groups = {name: getattr(chosen, name) for name in LAYOUT_PARAMETERS}
    assets.group_table.show(
        layout.axes,
        [layout.degree_of(axis) for axis in layout.axes],
        kind=chosen.table,
        kinds=TABLES,
        files=address.write(address.Address(**makes_groups)),
        gpus_per_node=chosen.gpn,
        pin=chosen.pin,
        key="group_table",
        language=visit.words.language,
        on_kind_change=lambda: visit.change(table=visit.reported("group_table", "kind")),
    )
