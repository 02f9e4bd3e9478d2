"""What a kind of group is called: "dp", "dp-cp", "embd", …, and the groups of that name.

A key is the axis names joined by '-', in any order, or a name from the recordings of megatron-core.
It names the same groups on a screen, in a file and on the command line.
"""

from collections.abc import Mapping

from layout.errors import LayoutError
from layout.grid import Axis, Grid, Ranks
from layout.ranks import Layout, grid_of

NAMED_KEYS: Mapping[str, tuple[Axis, ...]] = {
    "dp_cp": ("dp", "cp"),
    "mp": ("tp", "pp"),
    "tp_dp": ("tp", "dp"),
    "tp_cp": ("tp", "cp"),
    "tp_dp_cp": ("tp", "dp", "cp"),
    "embd": ("pp",),
    "pos_embd": ("pp",),
}
"""The names in the recordings of megatron-core, and the axes along which the members differ.

`initialize_model_parallel` in megatron/core/parallel_state.py of megatron-core 0.19.2 makes these
groups; "mp" is its "model parallel group". "embd" keeps the first and last rank of each PP group,
"pos_embd" the first alone.
"""


def axes_of_key(layout: Grid | Layout, key: str) -> tuple[Axis, ...]:
    """The axes along which the members of a `key` group differ, in the order that `key` has.

    Raises LayoutError for a key that is none, and for one that names an axis twice.

    >>> from layout import Layout
    >>> axes_of_key(Layout(), "mp")
    ('tp', 'pp')
    """
    grid = grid_of(layout)
    axes = NAMED_KEYS.get(key, tuple(key.split("-")))
    if not set(axes) <= set(grid.axes):
        raise LayoutError(
            "no_such_group_key",
            key=repr(key),
            axes=", ".join(grid.axes),
            names=", ".join(NAMED_KEYS),
        )
    grid.steps_along(*axes)  # an axis named twice is refused here
    return axes


def groups_of_key(layout: Grid | Layout, key: str) -> Ranks:
    """The groups called `key`, one per row, in Megatron's creation order.

    Shape (num_groups, group_size); ranks ascend within a group. Raises LayoutError for a key
    that is none.

    >>> from layout import Layout
    >>> groups_of_key(Layout(tp=2, pp=4), "embd")
    array([[0, 6],
           [1, 7]])
    """
    grid = grid_of(layout)
    return grid.groups(*axes_of_key(grid, key))[:, _kept(grid, key)]


def group_of_key(layout: Grid | Layout, rank: int, key: str) -> tuple[int, Ranks] | None:
    """The row of `groups_of_key` that holds `rank`, and that row; None where no row holds it.

    Only "embd" and "pos_embd" leave ranks out: those of the stages in between. Raises LayoutError
    for a rank that is not in the world and a key that is none.

    >>> from layout import Layout
    >>> group_of_key(Layout(tp=2, pp=4), 7, "embd")
    (1, array([1, 7]))
    >>> group_of_key(Layout(tp=2, pp=4), 5, "embd") is None
    True
    """
    grid = grid_of(layout)
    axes = axes_of_key(grid, key)
    ranks = grid.group_of(rank, *axes)[_kept(grid, key)]
    return (grid.group_index_of(rank, *axes), ranks) if rank in ranks else None


def _kept(grid: Grid, key: str) -> slice:
    """Which members of each group along the key's axes belong to it: all, but for the embeddings.

    Source: `default_embedding_ranks` and `default_position_embedding_ranks` in
    megatron/core/parallel_state.py of megatron-core 0.19.2.
    """
    if key == "embd":  # first and last stage, which are one where PP is 1
        return slice(None, None, max(grid.size_of("pp") - 1, 1))
    return slice(1) if key == "pos_embd" else slice(None)
