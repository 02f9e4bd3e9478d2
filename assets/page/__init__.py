"""What is around a page's content in the browser: the address, the panel that gives it, and styles."""

from collections.abc import Callable

from assets.component import component

_mount = component("page")

EMBED_HEIGHT = 840
"""Pixels: an iframe of this height holds the picture and the card at any width from 360 pixels."""


def show(
    query: str,
    *,
    path: str,
    title: str,
    visit: str,
    is_embedded: bool,
    scrolls: bool,
    heard: int | None,
    num_pictures: int = 1,
    key: str,
    language: str,
    on_link_change: Callable[[], None],
) -> None:
    """Makes `query` the parameters of the page's address, without a history entry.

    `st.query_params` would add one on each change, and Back would walk through every slider move. Where
    the browser meets a new `visit` (the server was restarted, say) it keeps its own address instead and
    reports it as `link`: {"query": parameters, "sent": when}; and so it does where the reader follows a
    link to another layout. Hand the newest time back as `heard`. The styles of what Streamlit draws come
    along as a file: as `st.html` they would travel with each change.

    A panel gives the link to the page at `path`, and the iframe that shows it in a wiki; `title` is what
    the iframe is called, "" where there is nothing to show. It has room for `num_pictures` below each other;
    `scrolls` says that the page may be longer than the iframe.
    """
    _mount(
        key=key,
        data={
            "query": query,
            "path": path,
            "title": title,
            "visit": visit,
            "isEmbedded": is_embedded,
            "scrolls": scrolls,
            "heard": heard,
            "embedHeight": EMBED_HEIGHT * num_pictures,
            "language": language,
        },
        on_link_change=on_link_change,
        width="content",
    )
