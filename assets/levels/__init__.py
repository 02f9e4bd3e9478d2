"""The levels of one CP group, in the browser: which of its ranks meet at which level."""

from collections.abc import Mapping, Sequence
from typing import Any

from assets.component import component

_mount = component("levels")


def show(levels: Sequence[Mapping[str, Any]], *, key: str, language: str) -> None:
    """One line for each of `levels`, the innermost first.

    A level has a `title`, its `how` and `reach` in words, and how far it reaches (`part`, as in
    assets/reach). `groups` are those that are drawn, each with its own `part` and its `members`: [rank,
    where it lies], or None for ranks left out. `more` says how many groups are not drawn.
    """
    _mount(key=key, data={"levels": levels, "language": language})
