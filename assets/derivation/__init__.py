"""The derivation in the browser: a stage of tiles that copy, fly and are numbered, step by step."""

from collections.abc import Callable, Mapping
from typing import Any

from assets.component import component

_mount = component("derivation")


def show(
    *,
    key: str,
    language: str,
    facts: Mapping[str, Any],
    on_step_change: Callable[[], None],
    on_pin_change: Callable[[], None],
    on_order_change: Callable[[], None],
) -> None:
    """Plays the derivation; while it plays the server is not asked.

    `facts` are the axes with their sizes and how much of each is drawn, the words of each step, and what
    the reader has set. The component reports, each with the time "sent": `step` ({"step": n}) when it
    comes to rest at another one, `pin` ({"rank": r or None}) and `order` ({"order": text}).
    """
    _mount(
        key=key,
        data={**facts, "language": language},
        on_step_change=on_step_change,
        on_pin_change=on_pin_change,
        on_order_change=on_order_change,
    )
