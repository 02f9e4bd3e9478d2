"""Where each rank is drawn: one block of tiles for each node, the blocks in rows.

x grows to the right, y grows downwards, both in pixels. A tile's corner is a sum of steps: for each
step (modulo, divisor, dx, dy) the rank moves it by ((rank mod modulo) div divisor) times (dx, dy).
That one form serves any arrangement, and the browser follows the same steps without a table.
"""

from dataclasses import dataclass
from math import ceil, isqrt
from typing import NamedTuple, overload

from layout import Ranks
from layout.nearest import divisors
from layout.nodes import num_nodes

LARGEST_TILE, SMALLEST_TILE = 44, 3


class Step(NamedTuple):
    """((rank mod modulo) div divisor) times (dx, dy) pixels."""

    modulo: int
    divisor: int
    dx: int
    dy: int


class _Spacing(NamedTuple):
    """Pixels around a block: from tiles to frame, between frames, and for the node's number."""

    frame: int
    between: int
    number: int


@dataclass(frozen=True)
class Placement:
    """A picture's geometry: square tiles, their steps, and a frame around each node's block.

    `tile` is the side of a tile, `frame` the space from tiles to frame, `number` the height kept
    above a frame for its node number (0: no number is drawn), all in pixels.
    """

    world_size: int
    gpus_per_node: int
    block_columns: int
    block_rows: int
    nodes_across: int
    tile: int
    frame: int
    between: int
    number: int

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that lead from the first tile to any rank's."""
        block_width = self.block_columns * self.tile + 2 * self.frame + self.between
        block_height = self.number + self.block_rows * self.tile + 2 * self.frame + self.between
        per_row = self.gpus_per_node * self.nodes_across
        return (
            Step(self.gpus_per_node, 1, self.tile, 0),
            Step(
                self.gpus_per_node, self.block_columns, -self.block_columns * self.tile, self.tile
            ),
            Step(per_row, self.gpus_per_node, block_width, 0),
            Step(self._beyond, per_row, 0, block_height),
        )

    @property
    def _beyond(self) -> int:
        """A modulus that leaves every rank as it is."""
        return self.gpus_per_node * self.nodes_across * self._nodes_down

    @property
    def _nodes_down(self) -> int:
        return ceil(
            num_nodes(self.world_size, gpus_per_node=self.gpus_per_node) / self.nodes_across
        )

    @property
    def width(self) -> int:
        """The picture's width in pixels."""
        nodes = min(num_nodes(self.world_size, gpus_per_node=self.gpus_per_node), self.nodes_across)
        block = self.block_columns * self.tile + 2 * self.frame
        return nodes * block + (nodes - 1) * self.between + 2

    @property
    def height(self) -> int:
        """The picture's height in pixels."""
        block = self.number + self.block_rows * self.tile + 2 * self.frame
        return self._nodes_down * block + (self._nodes_down - 1) * self.between + 2

    @property
    def origin(self) -> tuple[int, int]:
        """The left and top edge of the first tile, in pixels."""
        return self.frame + 1, self.frame + self.number + 1

    @overload
    def corners_of(self, ranks: int) -> tuple[int, int]: ...
    @overload
    def corners_of(self, ranks: Ranks) -> tuple[Ranks, Ranks]: ...
    def corners_of(self, ranks: int | Ranks) -> tuple[int | Ranks, int | Ranks]:
        """The left and top edges of the tiles of `ranks`, in pixels; arrays give arrays.

        >>> by_node(16, gpus_per_node=8, width=900, height=600).corners_of(1)
        (51, 25)
        """
        x: int | Ranks
        y: int | Ranks
        x, y = self.origin
        for step in self.steps:
            count = ranks % step.modulo // step.divisor
            x, y = x + count * step.dx, y + count * step.dy
        return x, y


def by_node(world_size: int, *, gpus_per_node: int, width: int, height: int) -> Placement:
    """The largest tiles with which all nodes fit into `width` x `height` pixels.

    Where even the smallest tiles do not fit the height, the picture grows downwards; it never grows
    beyond `width` unless one block of the smallest tiles does.

    >>> by_node(64, gpus_per_node=8, width=700, height=520).nodes_across
    2
    """
    gpus_per_node = min(gpus_per_node, world_size)
    nodes = num_nodes(world_size, gpus_per_node=gpus_per_node)
    columns = _block_columns(gpus_per_node)
    for tile in range(LARGEST_TILE, SMALLEST_TILE - 1, -1):
        spacing = _spacing(tile)
        block_width = columns * tile + 2 * spacing.frame + spacing.between
        most = max((width - 2 + spacing.between) // block_width, 1)
        for across in _evenly(nodes, most):
            placement = Placement(
                world_size=world_size,
                gpus_per_node=gpus_per_node,
                block_columns=columns,
                block_rows=ceil(gpus_per_node / columns),
                nodes_across=across,
                tile=tile,
                frame=spacing.frame,
                between=spacing.between,
                number=spacing.number,
            )
            if placement.width <= width and placement.height <= height:
                return placement
    return placement


def _evenly(nodes: int, most: int) -> list[int]:
    """How many nodes to try in a row: a number that fills every row if there is one, else `most`."""
    most = min(most, nodes)
    even = max(d for d in divisors(nodes) if d <= most)
    return [even, most] if 2 * even > most else [most]


def _block_columns(gpus_per_node: int) -> int:
    """How many tiles stand in a row of a block: one row up to 8 GPUs, then about twice as wide as high."""
    if gpus_per_node <= 8:
        return gpus_per_node
    widest = 2 * isqrt(gpus_per_node)
    even = [d for d in divisors(gpus_per_node) if widest // 2 <= d <= widest + 2]
    return max(even) if even else widest


def _spacing(tile: int) -> _Spacing:
    """The space around blocks shrinks with the tiles; numbers go first, frames stay."""
    if tile >= 20:
        return _Spacing(frame=6, between=12, number=18)
    if tile >= 12:
        return _Spacing(frame=4, between=6, number=13)
    if tile >= 7:
        return _Spacing(frame=3, between=3, number=0)
    return _Spacing(frame=2, between=2, number=0)
