"""The picture as plain values: where tiles are, what shades them, and whether they can be read."""

import json
import re
from math import dist
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layout import DENSE_AXES, Layout
from layout.nodes import node_of
from pages.figures.palette import AXIS_COLOURS, MAX_STEPS, Theme, base_colours
from pages.figures.placement import Placement, by_node
from pages.figures.rank_grid import rank_grid, shades

ASSETS = Path(__file__).parent.parent / "assets"
INK: dict[Theme, tuple[str, str]] = {
    "light": ("#12151c", "#ffffff"),
    "dark": ("#e8eaee", "#111418"),
}

placements = st.builds(
    by_node,
    st.integers(1, 2048),
    gpus_per_node=st.integers(1, 100),
    width=st.integers(330, 1200),
    height=st.integers(300, 700),
)


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


@given(placements)
def test_tiles_do_not_overlap_and_stay_inside_the_picture(placement: Placement) -> None:
    x, y = placement.corners_of(np.arange(placement.world_size))
    assert x.min() >= 0 and x.max() + placement.tile <= placement.width
    assert y.min() >= 0 and y.max() + placement.tile <= placement.height
    corners = set(zip(x.tolist(), y.tolist(), strict=True))
    assert len(corners) == placement.world_size
    assert all(
        np.diff(np.unique(values)).min(initial=placement.tile) >= placement.tile
        for values in (x, y)
    )


@given(placements)
def test_a_frame_holds_the_tiles_of_one_node(placement: Placement) -> None:
    ranks = np.arange(placement.world_size)
    x, y = placement.corners_of(ranks)
    nodes = node_of(ranks, gpus_per_node=placement.gpus_per_node)
    first = ranks[nodes * placement.gpus_per_node]
    width, height = placement.block_columns * placement.tile, placement.block_rows * placement.tile
    assert ((x >= x[first]) & (x < x[first] + width)).all()
    assert ((y >= y[first]) & (y < y[first] + height)).all()


@given(placements, st.integers(330, 1200))
def test_a_picture_is_no_wider_than_its_room(placement: Placement, width: int) -> None:
    drawn = by_node(
        placement.world_size,
        gpus_per_node=min(placement.gpus_per_node, 72),
        width=width,
        height=560,
    )
    assert drawn.width <= width


def test_eight_gpus_stand_in_a_row_and_more_fold() -> None:
    rows = {8: (8, 1), 16: (8, 2), 72: (18, 4), 4: (4, 1), 13: (6, 3)}
    for gpus, (columns, down) in rows.items():
        placement = by_node(gpus * 2, gpus_per_node=gpus, width=700, height=560)
        assert (placement.block_columns, placement.block_rows) == (columns, down), gpus


@given(
    st.tuples(*[st.integers(1, 12)] * 4).filter(lambda degrees: np.prod(degrees) <= 2048),
    st.sampled_from(DENSE_AXES),
    st.integers(1, 20),
)
def test_each_cell_is_shaded_by_its_rank(degrees: tuple[int, ...], axis: str, gpus: int) -> None:
    tp, cp, dp, pp = degrees
    layout = Layout(tp=tp, cp=cp, dp=dp, pp=pp)
    placement = by_node(layout.world_size, gpus_per_node=gpus, width=700, height=560)
    heatmap = rank_grid(layout, placement, colour_by=axis).data[0]
    x, y = placement.corners_of(np.arange(layout.world_size))
    z = heatmap.z[np.searchsorted(heatmap.y, y), np.searchsorted(heatmap.x, x)]
    expected, num_levels = shades(layout, colour_by=axis)
    assert (z == expected).all()
    assert (heatmap.z == -1).sum() == heatmap.z.size - layout.world_size
    degree = layout.degree_of(axis)
    if degree <= MAX_STEPS:
        assert (z == layout.coordinate_of(np.arange(layout.world_size))[axis]).all()
        assert num_levels == degree


def test_a_figure_is_small() -> None:
    layout = Layout(tp=8, cp=4, dp=8, pp=8)
    placement = by_node(layout.world_size, gpus_per_node=8, width=700, height=560)
    figure = rank_grid(layout, placement)
    sent = json.dumps(json.loads(figure.to_json()))  # Plotly writes each "/" as six characters
    assert len(sent) <= 3 * 1024 + 1.4 * figure.data[0].z.size


def test_css_and_palette_name_the_same_axis_colours() -> None:
    css = (ASSETS / "axes.css").read_text("utf-8")
    assert dict(re.findall(r"--ra-(tp|cp|dp|pp): (#\w{6})", css)) == AXIS_COLOURS


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
