"""The browser's address, kept equal to what the reader set."""

from assets.component import component

_mount = component("address_bar")


def show(query: str, *, key: str) -> None:
    """Makes `query` the parameters of the page's address, without a history entry.

    `st.query_params` would add one on each change, and Back would walk through every slider move.
    """
    _mount(key=key, data={"query": query}, height=1)
