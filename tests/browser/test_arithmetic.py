"""The browser's arithmetic is the model's: thousands of ranks, compared in Chromium."""

import random

import numpy as np

from layout import DENSE_AXES, Grid
from pages.explorer import geometry
from pages.figures.placement import by_node
from tests.browser.conftest import OpenExplorer

IN_BROWSER = """async (layouts) => {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const url = loaded.find((name) => name.endsWith("rank_grid/arithmetic.js"));
    const { Grid, Placement, nodesSpanned } = await import(url);
    return layouts.map(({ axes, sizes, ranks, sets, gpus, placement }) => {
        const grid = new Grid(axes, sizes);
        const place = new Placement({ ...placement, worldSize: grid.worldSize });
        place.index(placement.width, placement.height);
        return ranks.map((rank) => ({
            coordinate: grid.coordinateOf(rank),
            groups: sets.map((set) => grid.groupOf(rank, set)),
            indices: sets.map((set) => grid.groupIndexOf(rank, set)),
            nodes: sets.map((set) => nodesSpanned(grid.groupOf(rank, set), gpus)),
            corner: place.cornerOf(rank),
            found: place.rankAt(...place.cornerOf(rank).map((edge) => edge + placement.tile / 2)),
        }));
    });
}"""
SETS = [
    *([axis] for axis in DENSE_AXES),
    *(["dp", "cp"], ["tp", "pp"], ["tp", "cp", "pp"], ["tp", "dp", "pp"], ["tp", "cp"]),
]


def test_the_browsers_arithmetic_is_the_models(open_explorer: OpenExplorer) -> None:
    chance = random.Random(2)
    cases = []
    for _ in range(60):
        axes = chance.sample(DENSE_AXES, k=4)
        sizes = [chance.choice((1, 2, 3, 4, 5, 7)) for _ in axes]
        grid = Grid(axes=tuple(axes), sizes=tuple(sizes))
        gpus = chance.choice((1, 3, 4, 8, 16, 72))
        ranks = [chance.randrange(grid.world_size) for _ in range(50)]
        placement = by_node(grid.world_size, gpus_per_node=gpus, width=700, height=560)
        cases.append((grid, gpus, ranks, placement))
    answers = open_explorer().page.evaluate(
        IN_BROWSER,
        [
            {
                "axes": grid.axes,
                "sizes": grid.sizes,
                "ranks": ranks,
                "sets": SETS,
                "gpus": gpus,
                "placement": geometry(placement),
            }
            for grid, gpus, ranks, placement in cases
        ],
    )
    compared = 0
    for (grid, gpus, ranks, placement), rows in zip(cases, answers, strict=True):
        for rank, row in zip(ranks, rows, strict=True):
            groups = [grid.group_of(rank, *axes) for axes in SETS]
            assert row == {
                "coordinate": grid.coordinate_of(rank),
                "groups": [group.tolist() for group in groups],
                "indices": [grid.group_index_of(rank, *axes) for axes in SETS],
                "nodes": [len(np.unique(group // gpus)) for group in groups],
                "corner": [int(edge) for edge in placement.corners_of(rank)],
                "found": rank,
            }
            compared += 1
    assert compared == 3000
