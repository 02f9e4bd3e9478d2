"""The pages, in the order in which they are read: the menu, and the tests' list."""

from collections.abc import Callable
from typing import NamedTuple

from pages import checked, derivation, explorer, orders, placement
from pages.visit import Visit


class Room(NamedTuple):
    """One page: its name in the address and in the text catalogue, and what draws it."""

    name: str
    show: Callable[[Visit], None]


PAGES: tuple[Room, ...] = (
    Room("explorer", explorer.show),
    Room("derivation", derivation.show),
    Room("orders", orders.show),
    Room("placement", placement.show),
    Room("checked", checked.show),
)
