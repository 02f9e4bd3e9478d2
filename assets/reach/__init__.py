"""How far the groups of each kind reach, in the browser: a table whose cells are the picture."""

from collections.abc import Mapping, Sequence
from typing import Any

from assets.component import component

_mount = component("reach")


def show(rows: Sequence[Mapping[str, Any]], *, is_embedded: bool, key: str, language: str) -> None:
    """One row for each of `rows`, those whose groups leave the NVLink domain first, under a heading.

    A row has its `key`, `name` and `axes`; `numbers` of groups in one node, in one domain and beyond;
    how large a group is in words (`size`); `said`, `often` and `more` as sentences; and the `strip` on
    which one group is drawn, from `pages/figures/strip.py`.
    """
    _mount(key=key, data={"rows": rows, "isEmbedded": is_embedded, "language": language})
