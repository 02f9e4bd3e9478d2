"""The table of groups in the browser: pages, finding, choosing columns and copying need no server."""

from collections.abc import Sequence

from assets.component import component

_mount = component("group_table")


def show(
    axes: Sequence[str],
    sizes: Sequence[int],
    *,
    kind: str,
    gpus_per_node: int,
    pin: int | None,
    key: str,
    language: str,
) -> None:
    """Lists the groups whose ranks differ along the axes named in `kind`, such as "dp-cp".

    `axes` go from fastest to slowest, `sizes` with them. The group of `pin` is marked. What is sent
    is as short for a million ranks as for one: the rows are made in the browser.
    """
    _mount(
        key=key,
        data={
            "axes": axes,
            "sizes": sizes,
            "kind": kind,
            "gpusPerNode": gpus_per_node,
            "pin": pin,
            "language": language,
        },
    )
