"""The GPU grid: one heatmap cell for each rank, shaded quietly by one axis.

x grows to the right, y grows downwards; the figure carries tiles only: frames, numbers, labels and
whatever lights up are drawn over it in the browser.
"""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from layout import Axis, Layout, Ranks
from pages.figures.palette import MAX_STEPS, Theme, base_colours
from pages.figures.placement import Placement

MAX_RANKS_DRAWN = 131_072
"""Of a larger job no picture is drawn all at once."""

# Levels of the continuous scale: enough for the eye, and they fit one byte.
_CONTINUOUS_LEVELS = 100
_NO_TILE = -1  # the cells between blocks
_NO_TEMPLATE = go.layout.Template()  # Plotly's own is 7 kB that nothing here uses


def rank_grid(
    layout: Layout,
    placement: Placement,
    *,
    drawn: Ranks | None = None,
    colour_by: Axis | None = "pp",
    theme: Theme = "light",
) -> go.Figure:
    """A heatmap with one cell for each rank that is drawn, and empty cells between the blocks.

    `drawn` are those ranks, where they are not all. `colour_by` names the axis whose coordinate shades
    a tile; None leaves all tiles alike. Cells are one byte each, so that a change of degrees costs
    little on the wire.

    >>> from pages.figures.placement import by_node
    >>> layout = Layout(tp=2, dp=4)
    >>> figure = rank_grid(layout, by_node(8, gpus_per_node=8, width=400, height=300)[0])
    >>> figure.data[0].z.shape
    (1, 8)
    """
    ranks = np.arange(layout.world_size) if drawn is None else drawn
    levels, num_levels = shades(layout, ranks, colour_by=colour_by)
    cells, x_edges, y_edges = _cells(placement, ranks, levels)
    colours = base_colours(min(num_levels, MAX_STEPS), theme=theme)
    heatmap = go.Heatmap(
        z=cells,
        x=x_edges,
        y=y_edges,
        zmin=_NO_TILE - 0.5,
        zmax=num_levels - 0.5,
        colorscale=_colour_scale(colours, num_levels),
        showscale=False,
        hoverinfo="none",
        xgap=gap(placement.tile),
        ygap=gap(placement.tile),
    )
    settings = go.Layout(  # all at once: `update_layout` takes ten times as long
        template=_NO_TEMPLATE,
        width=placement.width,
        height=placement.height,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        xaxis={"visible": False, "fixedrange": True, "range": [0, placement.width]},
        yaxis={"visible": False, "fixedrange": True, "range": [placement.height, 0]},
    )
    return go.Figure(data=heatmap, layout=settings)


def geometry(placement: Placement) -> dict[str, Any]:
    """What the browser needs to draw frames and numbers, and to find the rank under the pointer."""
    return {
        "tile": placement.tile,
        "tall": placement.tall,
        "across": placement.across,
        "down": placement.down,
        "origin": placement.origin,
        "bands": placement.bands,
        "width": placement.width,
        "height": placement.height,
        "frame": placement.frame,
        "number": placement.number,
        "gap": gap(placement.tile),
    }


def legend(layout: Layout, shading: Axis | None, theme: Theme) -> dict[str, Any]:
    """What the shades mean, as the browser wants it: the axis, its colours, and its last position."""
    degree = layout.degree_of(shading) if shading else 1
    colours = base_colours(min(degree, MAX_STEPS), theme=theme)
    return {"axis": shading, "colours": colours, "last": degree - 1}


def gap(tile: int) -> int:
    """Pixels between neighbouring tiles, which a tile gives up itself; the smallest have none to give.

    >>> gap(44), gap(5), gap(3)
    (2, 1, 0)
    """
    if tile >= 7:
        return 2
    return 1 if tile >= 5 else 0


def shades(layout: Layout, ranks: Ranks, *, colour_by: Axis | None) -> tuple[NDArray[np.int8], int]:
    """The shade of each of `ranks`, and how many shades there are.

    Up to 8 values have a shade each; more share a continuous scale of 100 levels.

    >>> shades(Layout(tp=2, pp=2), np.arange(4), colour_by="pp")
    (array([0, 0, 1, 1], dtype=int8), 2)
    """
    if colour_by is None:
        return np.zeros(len(ranks), dtype=np.int8), 1
    degree = layout.degree_of(colour_by)
    values = ranks // layout.stride_of(colour_by) % degree
    if degree <= MAX_STEPS:
        return values.astype(np.int8), degree
    return (values * (_CONTINUOUS_LEVELS - 1) // (degree - 1)).astype(np.int8), _CONTINUOUS_LEVELS


def _cells(
    placement: Placement, ranks: Ranks, levels: NDArray[np.int8]
) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any]]:
    """The heatmap's cells, and the edges of its columns and rows in pixels."""
    x_edges, column_at = _indexed(placement.columns, placement.tile)
    y_edges, row_at = _indexed(placement.rows, placement.tall)
    x, y = placement.corners_of(ranks)
    cells = np.full((len(y_edges) - 1, len(x_edges) - 1), _NO_TILE, dtype=np.int8)
    cells[row_at[y], column_at[x]] = levels
    small = np.int16 if max(placement.width, placement.height) < 2**15 else np.int32
    return cells, x_edges.astype(small), y_edges.astype(small)


def _indexed(corners: Ranks, tile: int) -> tuple[Ranks, Ranks]:
    """The edges of cells along one direction, and for each pixel that is one the cell that begins there."""
    is_edge = np.zeros(corners[-1] + tile + 1, dtype=bool)
    is_edge[corners] = is_edge[corners + tile] = True
    return np.flatnonzero(is_edge), np.cumsum(is_edge) - 1


def _colour_scale(colours: list[str], num_levels: int) -> list[tuple[float, str]]:
    """Nothing for the cells between blocks; then a step for each shade, or one even run of them."""
    edges = [round(level / (num_levels + 1), 4) for level in range(num_levels + 2)]
    scale = [(edges[0], "rgba(0,0,0,0)"), (edges[1], "rgba(0,0,0,0)")]
    if num_levels > MAX_STEPS:
        return [*scale, (edges[1], colours[0]), (edges[-1], colours[-1])]
    for shade, colour in enumerate(colours, start=1):
        scale += [(edges[shade], colour), (edges[shade + 1], colour)]
    return scale
