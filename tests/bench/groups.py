"""How long the groups of all four axes take, beside merely writing as many numbers once.

    python -m tests.bench.groups

For each layout of 131,072 ranks: a new `Layout` and its tp, cp, dp and pp groups, against one
`np.arange` of the same total size, timed in turn within this one run. The ratio of the medians is
what to look at; the aim is at most 2. It is highest where the fastest axes have degree 2, for NumPy
then moves two numbers at a time.

`groups` is as the model hands the arrays out: a view of the grid where the memory allows one, else
a copy. `in rows` copies those views too, so that every group lies in one piece.
"""

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np

from layout import DENSE_AXES, Layout, Ranks

NUM_RANKS = 131_072
NUM_ROUNDS = 200

LAYOUTS = (
    Layout(tp=8, cp=16, dp=64, pp=16),
    Layout(tp=8, cp=16, pp=16, dp=64, order="tp-cp-pp-dp"),
    Layout(tp=8, cp=1, dp=1024, pp=16),
    Layout(tp=2, cp=2, dp=16384, pp=2),
    Layout(tp=2, cp=32, dp=64, pp=32, order="pp-dp-cp-tp"),
)


def groups_of_all_axes(layout: Layout) -> list[Ranks]:
    anew = layout.with_()  # with nothing remembered from the round before
    return [anew.groups(axis) for axis in DENSE_AXES]


def groups_in_rows(layout: Layout) -> list[Ranks]:
    return [np.ascontiguousarray(groups) for groups in groups_of_all_axes(layout)]


def seconds_for(*calls: Callable[[], object]) -> list[float]:
    """The median time of each call in seconds, the calls taking turns."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(NUM_ROUNDS):
        for call, spent in zip(calls, times, strict=True):
            begin = perf_counter()
            call()
            spent.append(perf_counter() - begin)
    return [median(spent) for spent in times]


def main() -> None:
    print(f"groups of 4 axes at {NUM_RANKS} ranks, as a multiple of writing the numbers once")
    print("groups  in rows")
    for layout in LAYOUTS:
        assert layout.world_size == NUM_RANKS
        written, groups, rows = seconds_for(
            partial(np.arange, len(DENSE_AXES) * NUM_RANKS, dtype=np.int64),
            partial(groups_of_all_axes, layout),
            partial(groups_in_rows, layout),
        )
        print(f"{groups / written:6.2f} {rows / written:8.2f}  {layout}")


if __name__ == "__main__":
    main()
