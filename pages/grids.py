"""The two grids that the Explorer shows: of the dense layers, and of the experts.

Both count the same ranks, and each is shown in the same way, from plain values: its axes, what may light
up in it, which of Megatron's groups it makes, and the part of it that is drawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from layout import DENSE_AXES, EXPERT_AXES, KINDS, Axis, Experts, Layout, Part
from layout.address import (
    EXPERT_FOLDS,
    EXPERT_LIGHTS,
    FOLDS,
    LIGHTS,
    TABLES,
    Address,
)

Set = tuple[Axis, ...]


@dataclass(frozen=True)
class ShownGrid:
    """One of the two as it is shown."""

    name: str
    """"dense" or "experts"."""
    setup: Layout | Experts
    axes: Set
    """In reading order, which is the same whatever the order of the ranks."""
    lit: Set
    """The set of axes that lights up as one; none, where each axis does by itself."""
    on_card: tuple[Set, ...]
    """The sets that have a place of their own on the card, after the axes."""
    kinds: tuple[Set, ...]
    """The kinds of group that Megatron makes, without those that it cuts out of others."""
    folds: Mapping[str, Set]
    part: Part | None

    @property
    def num_drawn(self) -> int:
        """How many ranks the picture shows."""
        return self.part.size if self.part else self.setup.world_size

    @property
    def also(self) -> list[Set]:
        """Kinds of several axes that have no place of their own on the card."""
        return [axes for axes in self.kinds if len(axes) > 1 and axes not in self.on_card]


def shown_grid(name: str, address: Address) -> ShownGrid:
    """The grid called `name`, "dense" or "experts", as `address` wants it shown.

    Raises LayoutError where the degrees do not make that grid.

    >>> shown = shown_grid("experts", Address(moe="on", ep=4, etp=1, light="etp-ep"))
    >>> shown.lit, shown.on_card, shown.setup.edp
    (('etp', 'ep'), (('etp', 'ep'), ('etp', 'ep', 'pp')), 2)
    """
    if name == "experts":
        sets = tuple(axes for axes in EXPERT_LIGHTS.values() if axes)
        return ShownGrid(
            name,
            address.expert_grid(),
            EXPERT_AXES,
            lit=EXPERT_LIGHTS.get(address.light, ()),
            on_card=sets,
            kinds=(*((axis,) for axis in EXPERT_AXES), *sets),
            folds=EXPERT_FOLDS,
            part=address.expert_part(),
        )
    lit = LIGHTS.get(address.light, ())
    made = {kind.axes for kind in KINDS if kind.grid == "dense"}
    listed = (tuple(key.split("-")) for key in TABLES)
    return ShownGrid(
        name,
        address.layout(),
        DENSE_AXES,
        lit=lit,
        on_card=(lit or LIGHTS["dp-cp"],),
        kinds=tuple(axes for axes in listed if axes in made),
        folds=FOLDS,
        part=address.part(),
    )
