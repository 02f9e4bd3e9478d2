"""The Explorer's picture in the browser: Plotly's heatmap, what lights up over it, and the card."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from plotly.graph_objects import Figure

from assets.component import component
from assets.served import PLOTLY_URL

_mount = component("rank_grid")


def show(
    figure: Figure,
    *,
    key: str,
    language: str,
    facts: Mapping[str, Any],
    on_pin_change: Callable[[], None],
    on_look_change: Callable[[], None],
) -> None:
    """Draws `figure` and answers the pointer and the keys in the browser.

    `facts` is all the browser needs to know of a rank without asking: axes, sizes, where a rank is
    drawn. The component reports `pin` ({"rank": r or None, "sent": when}) and `look`, where the
    picture was drawn for another: {"room": pixels of width, "theme": "light" or "dark", "card": "beside"
    or "below"}.
    """
    _mount(
        key=key,
        data={
            **facts,
            "figure": json.loads(figure.to_json()),
            "language": language,
            "plotlyUrl": PLOTLY_URL,
        },
        on_pin_change=on_pin_change,
        on_look_change=on_look_change,
    )
