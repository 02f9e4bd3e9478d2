"""The hosts' names on their way to the browser: it draws nothing, and tells `assets/hosts.js`.

A component of its own, because Streamlit sends a message that has not changed only once where it is
larger than 10 KB: thousands of names do not travel with every change of the picture.
"""

from collections.abc import Iterable

from assets.component import component

_mount = component("hosts")


def show(names: Iterable[str], *, key: str) -> None:
    """Gives the browser the names, by node; where this is no longer mounted, it forgets them.

    `assets/page/page.css` takes its place out of the page, by `key`.
    """
    _mount(key=key, data={"names": "\n".join(names)})
