"""What is around a page's content in the browser: the address, equal to what was set, and styles."""

from collections.abc import Callable

from assets.component import component

_mount = component("page")


def show(
    query: str,
    *,
    visit: str,
    is_embedded: bool,
    key: str,
    on_link_change: Callable[[], None],
) -> None:
    """Makes `query` the parameters of the page's address, without a history entry.

    `st.query_params` would add one on each change, and Back would walk through every slider move. Where
    the browser meets a new `visit` (the server was restarted, say) it keeps its own address instead and
    reports it as `link`. The styles of what Streamlit draws come along as a file: as `st.html` they
    would travel with each change.
    """
    _mount(
        key=key,
        data={"query": query, "visit": visit, "isEmbedded": is_embedded},
        height=1,
        on_link_change=on_link_change,
    )
