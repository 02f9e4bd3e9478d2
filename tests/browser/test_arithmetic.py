"""The browser's arithmetic is the model's: thousands of ranks, compared in Chromium."""

import json
import random

import numpy as np

from layout import DENSE_AXES, Grid, Job, Layout, LayoutError, Part, groups_of_key, kinds_of
from pages.explorer import placements
from pages.figures.rank_grid import geometry
from pages.kinds import in_browser
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


KINDS_IN_BROWSER = """async (kinds) => {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const { Kind } = await import(loaded.find((name) => name.endsWith("assets/kinds.js")));
    return JSON.stringify(kinds.map((each) => {
        const kind = new Kind(each);
        const groups = Array.from({ length: kind.numGroups }, (_, index) => kind.at(index));
        const ranks = Array.from({ length: kind.worldSize }, (_, rank) => rank);
        return {
            groups: groups.map((group) => group.ranks()),
            sizes: groups.every((group) => group.size === kind.size),
            steps: groups.map((group) => group.step),
            places: groups.every((group) => group.ranks().every((rank, at) => group.placeOf(rank) === at)),
            nodes: groups.map((group) => group.numNodes(3)),
            indices: ranks.map((rank) => kind.indexOf(rank)),
        };
    }));
}"""


def test_every_kind_of_group_is_made_in_the_browser_as_in_the_model(
    open_explorer: OpenExplorer,
) -> None:
    chance = random.Random(5)
    jobs = [
        Job(tp=2, cp=3, dp=4, pp=2, dist_opt_instances=4, order="dp-cp-tp-ep-pp"),
        Job(tp=2, cp=4, dp=6, pp=3, dist_opt_instances=8, order="cp-tp-ep-dp-pp"),  # uneven runs
        Job(tp=2, cp=8, dp=4, pp=2, ep=4, etp=1, hierarchical_cp=(2, 2, 2), dist_opt_instances=2),
    ]
    for _ in range(25):
        axes = "-".join([*chance.sample(["tp", "cp", "ep", "dp"], k=4), "pp"])
        tp, cp, dp, pp, ep, parts = (chance.choice((1, 2, 3, 4)) for _ in range(6))
        levels = {4: (2, 2), 3: (3, 1)}.get(cp, ())
        job = Job(tp=tp, cp=cp, dp=dp, pp=pp, ep=ep, etp=1, order=axes, hierarchical_cp=levels)
        jobs.append(job.with_(dist_opt_instances=parts))
    cases, expected, cuts = [], [], set()
    for job in jobs:
        for kind in kinds_of(job):
            try:
                groups = groups_of_key(job, kind.key)
            except LayoutError:
                continue
            cases.append(in_browser(job, kind.key))
            expected.append(np.sort(groups, axis=1))
            cuts.add(cases[-1]["cut"])
    assert cuts == {"whole", "ends", "first", "level", "instance"}
    answers = json.loads(open_explorer().page.evaluate(KINDS_IN_BROWSER, cases))
    assert len(answers) > 300
    for case, groups, answer in zip(cases, expected, answers, strict=True):
        assert answer["groups"] == groups.tolist(), case
        assert answer["sizes"] and answer["places"], case
        assert answer["steps"] == [step_of(group) for group in groups], case
        assert answer["nodes"] == [len(np.unique(group // 3)) for group in groups], case
        holding = {int(rank): index for index, group in enumerate(groups) for rank in group}
        world = int(np.prod(case["sizes"]))
        assert answer["indices"] == [holding.get(rank) for rank in range(world)], case
