"""A panel in the browser that gives this page's link, and the iframe that shows it in a wiki."""

from assets.component import component

_mount = component("share")

EMBED_HEIGHT = 840
"""Pixels: an iframe of this height holds the picture and the card at any width from 360 pixels."""


def show(query: str, *, title: str, key: str, language: str) -> None:
    """The panel for the page whose parameters are `query`; `title` says what an embedded page shows."""
    _mount(
        key=key,
        data={"query": query, "title": title, "height": EMBED_HEIGHT, "language": language},
    )
