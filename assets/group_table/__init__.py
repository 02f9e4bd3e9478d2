"""The table of groups in the browser: pages, finding, choosing columns and copying need no server."""

from collections.abc import Callable, Mapping
from typing import Any

from assets.component import component

_mount = component("group_table")


def show(
    groups: Mapping[str, Any],
    *,
    kind: str,
    kinds: Mapping[str, str],
    megatron: str,
    members: str,
    files: str,
    gpus_per_node: int,
    pin: int | None,
    key: str,
    language: str,
    on_kind_change: Callable[[], None],
) -> None:
    """Lists the groups of the kind `kind`, such as "dp-cp", which assets/kinds.js makes of `groups`.

    The group of `pin` is marked. What is sent is as short for a million ranks as for one: the rows are
    made in the browser. `kinds` are what the reader may choose from, each with its name; the component
    reports another choice as `kind`. `megatron` is what Megatron calls these groups, if it makes them, and
    `members` a sentence about who is in one, where that needs saying. `files` are the parameters of the
    layout in a link, for the addresses of its files.
    """
    _mount(
        key=key,
        data={
            "groups": groups,
            "kind": kind,
            "kinds": kinds,
            "megatron": megatron,
            "members": members,
            "files": files,
            "gpusPerNode": gpus_per_node,
            "pin": pin,
            "language": language,
        },
        on_kind_change=on_kind_change,
    )
