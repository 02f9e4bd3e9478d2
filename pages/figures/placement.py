"""Where each rank is drawn: by node, one block of tiles for each; or by coordinate, nested blocks.

x grows to the right, y grows downwards, both in pixels. A rank has a seat, a whole number, and a
tile's corner is a sum over levels, outer ones first: at each level the seat has a digit,
((seat mod modulo) div divisor) mod size, and each step of the digit is `pitch` pixels. That one form
serves both arrangements and both directions, and the browser follows the same levels without a table.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import ceil, isqrt
from typing import NamedTuple, overload

import numpy as np

from layout import Axis, Grid, Ranks
from layout.nearest import divisors
from layout.nodes import num_nodes

LARGEST_TILE = 44
LEGIBLE_TILE = 34
"""From this side on a lit tile has room for its number and a letter: no need to come closer."""

CLOSER_TILES = (2, 3, 5, 8, 12, 18, 26, 36, LARGEST_TILE)
"""The sides of tiles at which one may look closer, where everything at once makes smaller ones."""

# Pixels for the labels of one axis, of a picture by coordinate: a column at its left, a line above it.
LABEL_WIDTH, LABEL_HEIGHT = 56, 16


SIGN = 6
"""Pixels around the smallest tiles, for the signs that are drawn over them."""


class Level(NamedTuple):
    """A digit of a seat, and how far apart its values are; `axis` is the axis it counts, if one."""

    modulo: int
    divisor: int
    size: int
    pitch: int
    axis: Axis = ""


class _Spacing(NamedTuple):
    """Pixels around a block: from tiles to frame, between frames (across, down), and for its number."""

    frame: int
    between: int
    below: int
    number: int


@dataclass(frozen=True)
class Placement:
    """A picture's geometry: tiles of width `tile` and height `tall`, and the levels that lead to each.

    All in pixels. Tiles are square but for the smallest, which may be a pixel taller than wide.
    `margin` is the space at the picture's edges, `frame` the space from a block's tiles to its frame,
    `number` the height kept above a frame for its node's number (0: no number is drawn); `bands` are the
    width and height kept for labels. `nodes` are the nodes that are drawn, where those are not all;
    `lowest` is the rank in seat 0 of a picture by coordinate, where `gpus_per_node` is 0.
    """

    tile: int
    tall: int
    across: tuple[Level, ...]
    down: tuple[Level, ...]
    origin: tuple[int, int]
    margin: int
    bands: tuple[int, int] = (0, 0)
    frame: int = 0
    number: int = 0
    gpus_per_node: int = 0
    nodes: Ranks | None = field(default=None, compare=False)
    lowest: int = 0

    @property
    def width(self) -> int:
        """The picture's width in pixels."""
        return self.origin[0] + _extent(self.across, self.tile) + self.margin

    @property
    def height(self) -> int:
        """The picture's height in pixels."""
        return self.origin[1] + _extent(self.down, self.tall) + self.margin

    @property
    def columns(self) -> Ranks:
        """The left edges of all columns of tiles, ascending, in pixels."""
        return _edges(self.across) + self.origin[0]

    @property
    def rows(self) -> Ranks:
        """The top edges of all rows of tiles, ascending, in pixels."""
        return _edges(self.down) + self.origin[1]

    @overload
    def corners_of(self, ranks: int) -> tuple[int, int]: ...
    @overload
    def corners_of(self, ranks: Ranks) -> tuple[Ranks, Ranks]: ...
    def corners_of(self, ranks: int | Ranks) -> tuple[int | Ranks, int | Ranks]:
        """The left and top edges of the tiles of `ranks`, in pixels; arrays give arrays.

        >>> by_node(16, gpus_per_node=8, width=900, height=600)[0].corners_of(1)
        (51, 25)
        """
        seats = self._seats_of(ranks)
        x, y = self.origin
        return _along(self.across, seats, x), _along(self.down, seats, y)

    def _seats_of(self, ranks: int | Ranks) -> int | Ranks:
        if self.nodes is None:
            return ranks - self.lowest
        block = np.searchsorted(self.nodes, ranks // self.gpus_per_node)
        seats: int | Ranks = block * self.gpus_per_node + ranks % self.gpus_per_node
        return seats


def by_node(
    world_size: int,
    *,
    gpus_per_node: int,
    width: int,
    height: int,
    drawn: Ranks | None = None,
) -> tuple[Placement, ...]:
    """One block for each node, in rows: the largest tiles with which all fit, then closer looks.

    `drawn` are the ranks that are drawn, ascending, where those are not all: of their nodes each keeps
    all its places. A picture fits `width` x `height` pixels; where even the smallest tiles do not, it
    grows downwards. It never grows beyond `width` unless one block of the smallest tiles does.

    >>> [placement.tile for placement in by_node(64, gpus_per_node=8, width=700, height=520)]
    [41]
    """
    gpus_per_node = min(gpus_per_node, world_size)
    nodes = None if drawn is None else np.unique(drawn // gpus_per_node)
    blocks = num_nodes(world_size, gpus_per_node=gpus_per_node) if nodes is None else len(nodes)
    columns = _block_columns(gpus_per_node)
    rows = ceil(gpus_per_node / columns)

    def placed(tile: int, tall: int, blocks_across: int) -> Placement:
        frame, between, below, number = _spacing(tile, rows)
        margin = _margin(frame)
        block_width = columns * tile + 2 * frame + between
        block_height = number + rows * tall + 2 * frame + below
        down = ceil(blocks / blocks_across)
        per_row = gpus_per_node * blocks_across
        beyond = per_row * down
        return Placement(
            tile=tile,
            tall=tall,
            across=(
                Level(beyond, gpus_per_node, blocks_across, block_width),
                Level(gpus_per_node, 1, columns, tile),
            ),
            down=(
                Level(beyond, per_row, down, block_height),
                Level(gpus_per_node, columns, rows, tall),
            ),
            origin=(margin, margin + number),
            margin=margin,
            frame=frame,
            number=number,
            gpus_per_node=gpus_per_node,
            nodes=nodes,
        )

    def fitting() -> Placement:
        squares = [(tile, tile) for tile in range(LARGEST_TILE, 2, -1)]
        for tile, tall in (*squares, (2, 3), (2, 2), (1, 2), (1, 1)):
            frame, between, *_ = _spacing(tile, rows)
            room = width - 2 * (_margin(frame) - frame) + between
            most = max(room // (columns * tile + 2 * frame + between), 1)
            for blocks_across in _evenly(blocks, most):
                placement = placed(tile, tall, blocks_across)
                if placement.width <= width and placement.height <= height:
                    return placement
        return placement

    fit = fitting()
    return fit, *(placed(tile, tile, fit.across[0].size) for tile in _closer(fit.tile))


def by_coordinate(
    grid: Grid, *, axes: Iterable[Axis], lowest: int, width: int, height: int
) -> tuple[Placement, ...]:
    """Nested blocks, the order's fast axes across and its slow ones down; then closer looks.

    Draws the group along `axes` whose lowest rank is `lowest`; all axes and 0 draw the whole grid. One
    axis, where across meets down, may be set in lines, as words are in a text. A picture fits `width` x
    `height` pixels; where even tiles of one pixel do not, it reaches as little beyond as it can. Labels
    stand in a column for each level at the left and in a line for each above.

    >>> grid = Grid(axes=("tp", "cp", "dp", "pp"), sizes=(2, 2, 2, 2))
    >>> fit, *closer = by_coordinate(grid, axes=grid.axes, lowest=0, width=700, height=520)
    >>> [level.axis for level in fit.across], [level.axis for level in fit.down]
    (['cp', 'tp'], ['pp', 'dp'])
    """
    chosen = set(axes)
    split = [axis for axis in grid.axes if axis in chosen and grid.size_of(axis) > 1]

    def placed(tile: int, shape: tuple[int, int]) -> Placement:
        across, down = _nested(grid, split, shape, tile)
        left, top = LABEL_WIDTH * len(down), LABEL_HEIGHT * len(across)
        margin = 1 if tile >= 5 else SIGN
        return Placement(
            tile=tile,
            tall=tile,
            across=across,
            down=down,
            origin=(left + margin, top + margin),
            margin=margin,
            bands=(left, top),
            lowest=lowest,
        )

    def fits(placement: Placement) -> bool:
        return placement.width <= width and placement.height <= height

    def largest_tile(shape: tuple[int, int]) -> int:
        return _largest(LARGEST_TILE, lambda tile: fits(placed(tile, shape)))

    def merit(shape: tuple[int, int]) -> tuple[float, ...]:
        boundary, in_line = shape
        full = not split or in_line in (1, grid.size_of(split[boundary]))
        middle = abs(boundary + (in_line > 1) - len(split) / 2)
        smallest = placed(1, shape)
        too_wide, too_high = max(smallest.width - width, 0), max(smallest.height - height, 0)
        return largest_tile(shape), -too_wide, -too_high, full, -middle

    shape = max(_shapes(grid, split), key=merit)
    tile = max(largest_tile(shape), 1)
    return placed(tile, shape), *(placed(closer, shape) for closer in _closer(tile))


def _shapes(grid: Grid, split: list[Axis]) -> list[tuple[int, int]]:
    """Where across meets down: the place of an axis, and how many of its positions stand in a line."""
    shapes = [
        (place, in_line)
        for place, axis in enumerate(split)
        for in_line in _lines(grid.size_of(axis))
    ]
    return shapes or [(0, 1)]


def _lines(size: int) -> list[int]:
    """How many positions of an axis to try in a line: what divides it, else what nearly does.

    >>> _lines(6), _lines(7)
    ([1, 2, 3, 6], [1, 4, 7])
    """
    even = divisors(size)
    if len(even) > 2:
        return even
    return sorted({1, *(ceil(size / 2**lines) for lines in range(size.bit_length() - 1))} - {2})


def _nested(
    grid: Grid, split: list[Axis], shape: tuple[int, int], tile: int
) -> tuple[tuple[Level, ...], tuple[Level, ...]]:
    """The levels across and down, outer ones first."""
    boundary, in_line = shape
    across: list[Level] = []
    down: list[Level] = []

    def add(levels: list[Level], axis: Axis, divisor: int, count: int) -> None:
        modulo = grid.stride_of(axis) * grid.size_of(axis)
        inner = _extent(tuple(reversed(levels)), tile)
        pitch = inner + _gap(tile, len(levels))
        levels.append(Level(modulo, divisor, count, pitch, axis))

    for place, axis in enumerate(split):
        stride, size = grid.stride_of(axis), grid.size_of(axis)
        num_across = size if place < boundary else in_line if place == boundary else 1
        if num_across > 1:
            add(across, axis, stride, num_across)
        if num_across < size:
            add(down, axis, stride * num_across, ceil(size / num_across))
    return tuple(reversed(across)), tuple(reversed(down))


def _gap(tile: int, level: int) -> int:
    """Pixels between the blocks of a level, the innermost 0; wider outside, all narrower with the tiles."""
    if level == 0:
        return 0
    for least, width in ((20, 6), (12, 4), (7, 3), (3, 2)):
        if tile >= least:
            return width * level
    return 1 if level < 3 else 2


def _extent(levels: tuple[Level, ...], tile: int) -> int:
    """The pixels from the first tile's near edge to the last one's far edge."""
    return sum((level.size - 1) * level.pitch for level in levels) + tile


def _edges(levels: tuple[Level, ...]) -> Ranks:
    """The near edges of all tiles along one direction, ascending, from the first on."""
    edges = np.zeros(1, dtype=np.int64)
    for level in levels:
        edges = np.add.outer(edges, np.arange(level.size) * level.pitch).reshape(-1)
    return edges


def _along(levels: tuple[Level, ...], seats: int | Ranks, origin: int) -> int | Ranks:
    """The near edge, along one direction, of the tile in each seat."""
    edge: int | Ranks = seats * 0 + origin
    for level in levels:
        edge = edge + seats % level.modulo // level.divisor % level.size * level.pitch
    return edge


def _closer(tile: int) -> list[int]:
    """The tiles with which one may look closer than with `tile`."""
    return [larger for larger in CLOSER_TILES if larger > tile] if tile < LEGIBLE_TILE else []


def _largest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `most` that fits, where all smaller ones do too; 0 if none does."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _evenly(blocks: int, most: int) -> list[int]:
    """How many blocks to try in a row: a number that fills every row if there is one, else `most`."""
    most = min(most, blocks)
    even = max(d for d in divisors(blocks) if d <= most)
    return [even, most] if 2 * even > most else [most]


def _block_columns(gpus_per_node: int) -> int:
    """How many tiles stand in a row of a block: all up to 8 GPUs, then some four times as many as rows."""
    if gpus_per_node <= 8:
        return gpus_per_node
    widest = 2 * isqrt(gpus_per_node)
    even = [d for d in divisors(gpus_per_node) if widest // 2 <= d <= widest + 2]
    return max(even) if even else widest


def _margin(frame: int) -> int:
    """The space at the picture's edges: for a frame, or for the signs where tiles have none."""
    return frame + 1 if frame else SIGN


def _spacing(tile: int, rows: int) -> _Spacing:
    """The space around blocks shrinks with the tiles; numbers disappear first, then frames, then gaps.

    Blocks of one row need no gap below them to be told apart.
    """
    if tile >= 20:
        return _Spacing(frame=6, between=12, below=12, number=18)
    if tile >= 12:
        return _Spacing(frame=4, between=6, below=6, number=13)
    if tile >= 7:
        return _Spacing(frame=3, between=3, below=3, number=0)
    if tile >= 5:
        return _Spacing(frame=2, between=2, below=2, number=0)
    if tile >= 3:
        return _Spacing(frame=0, between=2, below=2, number=0)
    return _Spacing(frame=0, between=1, below=0 if rows == 1 else 1, number=0)
