"""The picture as plain values: where tiles are, what shades them, and whether they can be read."""

import json
import re
from math import dist
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layout import DENSE_AXES, Layout, Part
from layout.nodes import node_of
from pages.explorer import placements
from pages.figures.palette import AXIS_COLOURS, EXPERT_COLOURS, MAX_STEPS, Theme, base_colours
from pages.figures.placement import LARGEST_TILE, LEGIBLE_TILE, Placement, by_coordinate, by_node
from pages.figures.rank_grid import rank_grid, shades

ASSETS = Path(__file__).parent.parent / "assets"
INK: dict[Theme, tuple[str, str]] = {
    "light": ("#12151c", "#ffffff"),
    "dark": ("#e8eaee", "#111418"),
}

DEGREES = st.tuples(*[st.sampled_from([1, 2, 3, 4, 5, 7, 8, 12])] * 4)


@st.composite
def pictures(draw: st.DrawFn) -> tuple[Placement, np.ndarray, Layout, dict[str, int]]:
    """Any look at a layout or a part of it, in either arrangement; the ranks drawn; the room."""
    tp, cp, dp, pp = draw(DEGREES)
    order = "-".join(draw(st.permutations(DENSE_AXES)))
    layout = Layout(tp=tp, cp=cp, dp=dp, pp=pp, order=order)
    kind = draw(st.sampled_from([(), ("tp", "cp", "pp"), ("tp", "cp", "dp"), ("tp", "pp")]))
    part = None
    if kind:
        number = draw(st.integers(0, Part(layout.grid, kind).num_parts - 1))
        part = Part(layout.grid, kind, number)
    room = {"width": draw(st.integers(330, 1200)), "height": draw(st.integers(300, 700))}
    arrange = draw(st.sampled_from(["node", "coordinate"]))
    gpus = draw(st.integers(1, 100))
    looks = placements(layout, part, arrange=arrange, gpus_per_node=gpus, **room)
    drawn = part.ranks if part else np.arange(layout.world_size)
    return draw(st.sampled_from(looks)), drawn, layout, room


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    linear = [_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5)]
    return sum(w * channel for w, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(one: str, other: str, share: float) -> str:
    """CSS `color-mix(in srgb, one share, other)`."""
    a, b = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (one, other))
    return "#" + "".join(
        f"{round(x * share + y * (1 - share)):02X}" for x, y in zip(a, b, strict=True)
    )


@given(pictures())
def test_tiles_do_not_overlap_and_stay_inside_the_picture(
    picture: tuple[Placement, np.ndarray, Layout, dict[str, int]],
) -> None:
    placement, drawn, *_ = picture
    x, y = placement.corners_of(drawn)
    assert x.min() >= placement.bands[0] and x.max() + placement.tile <= placement.width
    assert y.min() >= placement.bands[1] and y.max() + placement.tall <= placement.height
    assert len(set(zip(x.tolist(), y.tolist(), strict=True))) == len(drawn)
    for edges, side in ((placement.columns, placement.tile), (placement.rows, placement.tall)):
        assert np.diff(edges).min(initial=side) >= side
    assert np.isin(x, placement.columns).all() and np.isin(y, placement.rows).all()


@given(st.integers(1, 131_072), st.integers(1, 100), st.integers(330, 1200))
def test_a_picture_fits_its_room(world: int, gpus: int, width: int) -> None:
    fit, *closer = by_node(world, gpus_per_node=gpus, width=width, height=560)
    assert fit.width <= width
    assert fit.height <= 560 or fit.tile == 1
    assert [look.tile for look in closer] == sorted({look.tile for look in closer} - {fit.tile})
    assert (closer[-1].tile == LARGEST_TILE) if closer else fit.tile >= LEGIBLE_TILE


@given(st.integers(1, 2048), st.integers(1, 100), st.integers(330, 1200))
def test_a_frame_holds_the_tiles_of_one_node(world: int, gpus: int, width: int) -> None:
    for placement in by_node(world, gpus_per_node=gpus, width=width, height=560):
        ranks = np.arange(world)
        x, y = placement.corners_of(ranks)
        first = ranks[node_of(ranks, gpus_per_node=gpus) * min(gpus, world)]
        columns, rows = placement.across[1].size, placement.down[1].size
        assert ((x >= x[first]) & (x < x[first] + columns * placement.tile)).all()
        assert ((y >= y[first]) & (y < y[first] + rows * placement.tall)).all()


@given(DEGREES, st.permutations(DENSE_AXES))
def test_by_coordinate_fast_axes_go_across_and_slow_ones_down(
    degrees: tuple[int, ...], order: list[str]
) -> None:
    sizes = dict(zip(DENSE_AXES, degrees, strict=True))
    grid = Layout(**sizes, order="-".join(order)).grid
    fit = by_coordinate(grid, axes=grid.axes, lowest=0, width=700, height=560)[0]
    across = [level.axis for level in reversed(fit.across)]
    down = [level.axis for level in reversed(fit.down)]
    split = [axis for axis in grid.axes if grid.size_of(axis) > 1]
    # One axis may stand on both sides of where across meets down; else each stands once, in order.
    assert list(dict.fromkeys(across + down)) == split
    assert len(across) + len(down) <= len(split) + 1
    x, y = fit.corners_of(np.arange(grid.world_size))
    for axis, positions in grid.coordinate_of(np.arange(grid.world_size)).items():
        if axis not in down:  # wholly across: it never moves a tile down
            assert all(len(set(y[grid.group_of(r, axis)])) == 1 for r in range(0, len(x), 97))
        if axis not in across:
            assert all(len(set(x[grid.group_of(r, axis)])) == 1 for r in range(0, len(x), 97))
        assert positions.max() == grid.size_of(axis) - 1


@pytest.mark.parametrize(
    "degrees", [(131_072, 1, 1, 1), (1, 1, 131_071, 1), (1, 1, 1024, 128), (8, 1, 128, 128)]
)
def test_by_coordinate_a_picture_that_fits_nowhere_reaches_as_little_beyond_as_it_can(
    degrees: tuple[int, int, int, int],
) -> None:
    tp, cp, dp, pp = degrees
    grid = Layout(tp=tp, cp=cp, dp=dp, pp=pp).grid
    fit = by_coordinate(grid, axes=grid.axes, lowest=0, width=350, height=440)[0]
    assert fit.width <= 350 and fit.height <= 5 * 440


def test_eight_gpus_stand_in_a_row_and_more_fold() -> None:
    rows = {8: (8, 1), 16: (8, 2), 72: (18, 4), 4: (4, 1), 13: (6, 3)}
    for gpus, (columns, down) in rows.items():
        placement = by_node(gpus * 2, gpus_per_node=gpus, width=700, height=560)[0]
        assert (placement.across[1].size, placement.down[1].size) == (columns, down), gpus


@given(pictures(), st.sampled_from(DENSE_AXES))
def test_each_cell_is_shaded_by_its_rank(
    picture: tuple[Placement, np.ndarray, Layout, dict[str, int]], axis: str
) -> None:
    placement, drawn, layout, _ = picture
    heatmap = rank_grid(layout, placement, drawn=drawn, colour_by=axis).data[0]
    x, y = placement.corners_of(drawn)
    z = heatmap.z[np.searchsorted(heatmap.y, y), np.searchsorted(heatmap.x, x)]
    expected, num_levels = shades(layout, drawn, colour_by=axis)
    assert (z == expected).all()
    assert (heatmap.z == -1).sum() == heatmap.z.size - len(drawn)
    degree = layout.degree_of(axis)
    if degree <= MAX_STEPS:
        assert (z == layout.coordinate_of(drawn)[axis]).all()
        assert num_levels == degree


def test_a_figure_is_small() -> None:
    layout = Layout(tp=8, cp=4, dp=8, pp=8)
    placement = by_node(layout.world_size, gpus_per_node=8, width=700, height=560)[0]
    figure = rank_grid(layout, placement)
    sent = json.dumps(json.loads(figure.to_json()))  # Plotly writes each "/" as six characters
    assert len(sent) <= 3 * 1024 + 1.4 * figure.data[0].z.size


def test_css_and_palette_name_the_same_axis_colours() -> None:
    css = (ASSETS / "axes.css").read_text("utf-8")
    named = {**AXIS_COLOURS, "ep": EXPERT_COLOURS["ep"]}
    assert dict(re.findall(r"--ra-(\w+): (#\w{6})", css)) == named
    same = dict(re.findall(r"--ra-(\w+): var\(--ra-(\w+)\)", css))
    assert {axis: AXIS_COLOURS[other] for axis, other in same.items()} == {
        axis: EXPERT_COLOURS[axis] for axis in ("etp", "edp")
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_can_be_read_on_every_tile(theme: Theme) -> None:
    ink, paper = INK[theme]
    number = mixed(ink, paper, 0.78)
    for num_values in range(1, MAX_STEPS + 1):
        for tile in base_colours(num_values, theme=theme):
            assert contrast(number, tile) >= 4.5, (num_values, tile)


def test_white_can_be_read_on_every_axis_colour() -> None:
    for axis, colour in AXIS_COLOURS.items():
        assert contrast("#FFFFFF", colour) >= 4.5, axis
        assert contrast("#111418", colour) >= 3, axis


def lab(colour: str) -> tuple[float, float, float]:
    """CIE L*a*b* under D65."""
    r, g, b = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_lit_tile_stands_out_from_every_tile_and_every_other_axis(theme: Theme) -> None:
    for axis, colour in AXIS_COLOURS.items():
        others = set(AXIS_COLOURS.values()) - {colour}
        for other in (*base_colours(MAX_STEPS, theme=theme), *others):
            assert dist(lab(colour), lab(other)) >= 24, (axis, other)
