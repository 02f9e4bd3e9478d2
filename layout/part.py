"""A part of a job, where the whole is too much to look at: one group along some axes, of many alike.

One replica is a group along tp, cp and pp; one stage along tp, cp and dp; one weight copy along tp and
pp. Parts are numbered as groups are, from 0 in Megatron's creation order; so in every order a stage's
number is its pp coordinate and a replica's its dp coordinate, while a weight copy's counts cp and dp
together, the faster of the two first.
"""

from dataclasses import dataclass
from math import prod

from layout.errors import LayoutError
from layout.grid import Axis, Grid, Ranks


@dataclass(frozen=True)
class Part:
    """The group along `axes` with this number. Raises LayoutError for a number that no group has.

    >>> from layout import Layout
    >>> Part(Layout(tp=2, dp=2, pp=2).grid, axes=("tp", "cp", "pp"), number=1).ranks
    array([2, 3, 6, 7])
    """

    grid: Grid
    axes: tuple[Axis, ...]
    number: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.number < self.num_parts:
            raise LayoutError("no_such_part", number=self.number, last=self.num_parts - 1)

    @property
    def num_parts(self) -> int:
        """How many parts of this kind make the whole.

        >>> from layout import Layout
        >>> Part(Layout(tp=2, dp=2, pp=4).grid, axes=("tp", "cp", "dp")).num_parts
        4
        """
        return self.grid.world_size // self.size

    @property
    def size(self) -> int:
        """How many ranks the part holds."""
        return prod(self.grid.size_of(axis) for axis in self.axes)

    @property
    def lowest(self) -> int:
        """The part's lowest rank.

        >>> from layout import Layout
        >>> Part(Layout(tp=2, dp=2, pp=2).grid, axes=("tp", "cp", "pp"), number=1).lowest
        2
        """
        rest, lowest = self.number, self.grid.first_rank
        for axis in self.grid.axes:
            if axis not in self.axes:
                rest, position = divmod(rest, self.grid.size_of(axis))
                lowest += position * self.grid.stride_of(axis)
        return lowest

    @property
    def ranks(self) -> Ranks:
        """The part's ranks, ascending: shape (size,)."""
        return self.lowest + self.grid.steps_along(*self.axes)
