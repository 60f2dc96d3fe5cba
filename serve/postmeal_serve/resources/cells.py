"""Cells of about 5.6 km, in which the service stores places from an external source."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["Bounds", "Cell", "cell_at"]

_HEIGHT = 0.05  # degrees of latitude: 5.56 km
_ROWS = round(180 / _HEIGHT)


class Bounds(NamedTuple):
    """A range of latitudes and longitudes in degrees, excluding its northern and eastern edges."""

    south: float
    west: float
    north: float
    east: float


class Cell(NamedTuple):
    """A cell of the Earth's surface, between two latitudes and two longitudes.

    Each cell is 5.56 km high and, at its middle latitude, about as wide. A cell next to a pole can
    be up to twice as wide.
    """

    row: int
    column: int

    @property
    def key(self) -> str:
        """The cell as text, for the database."""
        return f"{self.row}/{self.column}"

    @property
    def bounds(self) -> Bounds:
        """The range of latitudes and longitudes of the cell."""
        width = 360 / _columns(self.row)
        south, west = self.row * _HEIGHT - 90, self.column * width - 180
        return Bounds(south, west, south + _HEIGHT, west + width)

    def neighborhood(self) -> tuple[Cell, ...]:
        """Return this cell and all cells that are less than one cell width away from it."""
        found = {self}
        _, west, _, east = self.bounds
        width = east - west
        for row in range(max(self.row - 1, 0), min(self.row + 2, _ROWS)):
            columns = _columns(row)
            size = 360 / columns
            first = math.floor((west - width + 180) / size + 1e-9)
            last = math.ceil((east + width + 180) / size - 1e-9)
            steps = range(first, min(last, first + columns))
            found.update(Cell(row, column % columns) for column in steps)
        return (self, *sorted(found - {self}))


def cell_at(latitude: float, longitude: float) -> Cell:
    """Return the cell of a point."""
    row = min(math.floor((latitude + 90) / _HEIGHT), _ROWS - 1)
    columns = _columns(row)
    return Cell(row, math.floor((longitude + 180) * columns / 360) % columns)


def _columns(row: int) -> int:
    """Return the number of cells in a row that makes them about as wide as they are high."""
    middle = (row + 0.5) * _HEIGHT - 90
    return max(1, math.floor(360 / _HEIGHT * math.cos(math.radians(middle))))
