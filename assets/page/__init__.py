"""What is around a page's content in the browser: the address, equal to what was set, and styles."""

from assets.component import component

_mount = component("page")


def show(query: str, *, key: str) -> None:
    """Makes `query` the parameters of the page's address, without a history entry.

    `st.query_params` would add one on each change, and Back would walk through every slider move. The
    styles of what Streamlit draws come along as a file: as `st.html` they would travel with each change.
    """
    _mount(key=key, data={"query": query}, height=1)
