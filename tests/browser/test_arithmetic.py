"""The browser's arithmetic is the model's: thousands of ranks, compared in Chromium."""

import json
import random

import numpy as np

from layout import DENSE_AXES, Grid, Layout, Part
from pages.explorer import placements
from pages.figures.rank_grid import geometry
from tests.browser.conftest import OpenExplorer

IN_BROWSER = """async (layouts) => {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const imported = (end) => import(loaded.find((name) => name.endsWith(end)));
    const { Grid } = await imported("assets/ranks.js");
    const { Placement, Seats } = await imported("rank_grid/placement.js");
    return JSON.stringify(layouts.map(({ axes, sizes, ranks, sets, gpus, arrange, geometry, part }) => {
        const grid = new Grid(axes, sizes);
        const drawn = part ? grid.groupAt(part.number, part.axes) : grid.groupOf(0, axes);
        const seats = new Seats({ arrange, drawn, worldSize: grid.worldSize, gpusPerNode: gpus });
        const place = new Placement(geometry, seats);
        const answers = ranks.map((rank) => {
            const groups = sets.map((set) => grid.groupOf(rank, set));
            const nodes = groups.map((group) => {
                const touched = [];
                group.eachNode(gpus, (node) => touched.push(node));
                return touched;
            });
            const runs = groups.map((group) => {
                const found = [];
                group.eachRun((first) => {
                    for (let more = 0; more < group.runLength; more++) found.push(first + more);
                });
                return found;
            });
            const corner = place.cornerOf(rank);
            return {
                coordinate: grid.coordinateOf(rank),
                groups: groups.map((group) => group.ranks()),
                runs: runs.map((run, place) => String(run) === String(groups[place].ranks())),
                indices: sets.map((set) => grid.groupIndexOf(rank, set)),
                again: sets.map((set, place) => {
                    const again = grid.groupAt(grid.groupIndexOf(rank, set), set);
                    return again.lowest === groups[place].lowest && again.size === groups[place].size;
                }),
                places: groups.map((group) => group.placeOf(rank)),
                holding: groups.map((group) => ranks.filter((other) => group.includes(other))),
                steps: groups.map((group) => group.step),
                nodes,
                numNodes: groups.map((group) => group.numNodes(gpus)),
                corner,
                found: place.rankAt(corner[0] + geometry.tile / 2, corner[1] + geometry.tall / 2),
            };
        });
        return [drawn.ranks(), answers];
    }));
}"""
SETS = [
    *([axis] for axis in DENSE_AXES),
    *(["dp", "cp"], ["tp", "pp"], ["tp", "cp", "pp"], ["tp", "dp", "pp"], ["tp", "cp"]),
]
PARTS = ((), ("tp", "cp", "pp"), ("tp", "cp", "dp"), ("tp", "pp"))


def step_of(group: np.ndarray) -> int | None:
    """The one step between neighbours, if there is one."""
    steps = set(np.diff(group).tolist())
    return steps.pop() if len(steps) == 1 else None


def test_the_browsers_arithmetic_is_the_models(open_explorer: OpenExplorer) -> None:
    chance = random.Random(2)
    cases = []
    for number in range(60):
        axes = chance.sample(DENSE_AXES, k=4)
        sizes = {axis: chance.choice((1, 2, 3, 4, 5, 7)) for axis in axes}
        layout = Layout(**sizes, order="-".join(axes))
        grid: Grid = layout.grid
        gpus = chance.choice((1, 3, 4, 8, 16, 72))
        arrange = ("node", "coordinate")[number % 2]
        kind = PARTS[number % 4]
        part = Part(grid, kind, chance.randrange(Part(grid, kind).num_parts)) if kind else None
        drawn = part.ranks if part else np.arange(grid.world_size)
        room = {"width": chance.randrange(330, 900), "height": chance.randrange(300, 600)}
        looks = placements(layout, part, arrange=arrange, gpus_per_node=gpus, **room)
        ranks = [int(chance.choice(drawn)) for _ in range(50)]
        cases.append((grid, gpus, ranks, arrange, part, chance.choice(looks)))
    said = open_explorer().page.evaluate(
        IN_BROWSER,
        [
            {
                "axes": grid.axes,
                "sizes": grid.sizes,
                "ranks": ranks,
                "sets": SETS,
                "gpus": gpus,
                "arrange": arrange,
                "geometry": geometry(placement),
                "part": {"axes": part.axes, "number": part.number} if part else None,
            }
            for grid, gpus, ranks, arrange, part, placement in cases
        ],
    )
    answers = json.loads(said)  # as text: Playwright takes half a minute over so many numbers
    compared = 0
    for (grid, gpus, ranks, _, part, placement), (drawn, rows) in zip(cases, answers, strict=True):
        assert drawn == (part.ranks if part else np.arange(grid.world_size)).tolist()
        for rank, row in zip(ranks, rows, strict=True):
            groups = [grid.group_of(rank, *axes) for axes in SETS]
            members = [set(group.tolist()) for group in groups]
            nodes = [np.unique(group // gpus).tolist() for group in groups]
            assert row == {
                "coordinate": grid.coordinate_of(rank),
                "groups": [group.tolist() for group in groups],
                "runs": [True] * len(SETS),
                "indices": [grid.group_index_of(rank, *axes) for axes in SETS],
                "again": [True] * len(SETS),
                "places": [group.tolist().index(rank) for group in groups],
                "holding": [[other for other in ranks if other in group] for group in members],
                "steps": [step_of(group) for group in groups],
                "nodes": nodes,
                "numNodes": [len(touched) for touched in nodes],
                "corner": [int(edge) for edge in placement.corners_of(rank)],
                "found": rank,
            }
            compared += 1
    assert compared == 3000
