"""Find the nearest places exactly.

The Earth is divided into rows of equal height. Places are ordered by row and, within each row, by
longitude, so that the places in a row and a range of longitudes are one slice of the arrays. A
search starts with a small radius, which grows until the circle contains enough places. All places
inside the circle are nearer than any place outside it, so the result is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint32]

ROWS = 9_000
"""Number of rows of latitude. Each row is 0.02 degrees, or 2.2 km, high."""

_FIRST_RADIUS_M = 500.0
_GROWTH = 3.0
_FEW = 20_000  # maximum number of places with a matching name whose distances are all computed
_SLACK_DEG = 1e-7  # margin in degrees, about 1 cm, which is larger than rounding errors

EARTH_RADIUS_M = 6_371_008.8
"""Mean radius of the Earth in meters: (2a + b) / 3 of GRS 80, Moritz 2000
(doi:10.1007/s001900050278)."""

Degrees: TypeAlias = NDArray[np.float64]


def latitude_rows(latitudes: Degrees) -> NDArray[np.int64]:
    """Return the row of each latitude, from 0 in the south to `ROWS` - 1 in the north."""
    rows = np.floor((latitudes + 90) * (ROWS / 180)).astype(np.int64)
    return np.clip(rows, 0, ROWS - 1)


@dataclass(frozen=True)
class PlaceIndex:
    """The arrays of a places file, in file order: by row of latitude, then by longitude."""

    latitudes: Degrees
    longitudes: Degrees
    names: Numbers
    id_ranks: Numbers
    row_starts: Numbers
    by_name: Numbers
    name_starts: Numbers

    def nearest(
        self,
        latitude: float,
        longitude: float,
        radius_m: float,
        limit: int,
        names: Numbers | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nearest places within a radius, ordered by distance, then by ID."""
        if names is not None and self._named(names)[1].sum() <= _FEW:
            candidates = self.places_named(names)
            height = _height(radius_m)  # no place within the radius is farther north or south
            candidates = candidates[np.abs(self.latitudes[candidates] - latitude) <= height]
            return self._best(latitude, longitude, radius_m, limit, candidates)
        wanted = None
        if names is not None:
            wanted = np.zeros(len(self.name_starts), bool)
            wanted[names] = True
        tried_m = min(_FIRST_RADIUS_M, radius_m)
        while True:
            candidates = self._within_box(latitude, longitude, tried_m)
            if wanted is not None:
                candidates = candidates[wanted[self.names[candidates]]]
            found = self._best(latitude, longitude, tried_m, limit, candidates)
            if len(found[0]) >= limit or tried_m >= radius_m:
                return found
            tried_m = min(tried_m * _GROWTH, radius_m)

    def any_within(self, south: float, west: float, north: float, east: float) -> bool:
        """Return whether any place is within a range of latitudes and longitudes."""
        first, last = latitude_rows(np.array([south, north])).tolist()
        for start, end in pairwise(self.row_starts[first : last + 2].tolist()):
            begin, stop = self.longitudes[start:end].searchsorted([west, east], "left").tolist()
            latitudes = self.latitudes[start + begin : start + stop]
            if np.any((latitudes >= south) & (latitudes < north)):
                return True
        return False

    def places_named(self, names: Numbers, limit: int | None = None) -> NDArray[np.int64]:
        """Return the places with the given names, sorted by name and ID."""
        starts, counts = self._named(names)
        shifts = (
            starts - np.cumsum(counts) + counts
        )  # shift from positions in the result to positions in `by_name`
        positions = np.repeat(shifts, counts)[:limit]
        found: Numbers = self.by_name[positions + np.arange(len(positions))]
        return found.astype(np.int64)

    def _named(self, names: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the position in `by_name` of each name's first place, and its number of places."""
        starts = self.name_starts[names].astype(np.int64)
        return starts, self.name_starts[names + 1] - starts

    def _within_box(self, latitude: float, longitude: float, radius_m: float) -> NDArray[np.int64]:
        """Return the places in the rows, and in the range of longitudes, that a circle touches."""
        height = _height(radius_m)
        reach = longitude_reach(latitude, radius_m) + _SLACK_DEG
        south, north = latitude_rows(np.array([latitude - height, latitude + height])).tolist()
        starts = self.row_starts[south : north + 2].tolist()
        slices = []
        for west, east in _longitude_ranges(longitude, reach):
            for start, end in pairwise(starts):
                if start == end:
                    continue
                row = self.longitudes[start:end]
                first = start + int(row.searchsorted(west, "left"))
                last = start + int(row.searchsorted(east, "right"))
                if first < last:
                    slices.append(np.arange(first, last))
        return np.concatenate(slices) if slices else np.empty(0, np.int64)

    def _best(
        self,
        latitude: float,
        longitude: float,
        radius_m: float,
        limit: int,
        candidates: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nearest candidates within a radius, ordered by distance, then by ID."""
        distances = distances_m(
            latitude, longitude, self.latitudes[candidates], self.longitudes[candidates]
        )
        within = distances <= radius_m
        candidates, distances = candidates[within], distances[within]
        if len(candidates) > limit:
            farthest = np.partition(distances, limit - 1)[limit - 1]
            within = distances <= farthest
            candidates, distances = candidates[within], distances[within]
        order = np.lexsort((self.id_ranks[candidates], distances))[:limit]
        return candidates[order], distances[order]


def _height(radius_m: float) -> float:
    """Convert a radius to degrees of latitude, with a margin for rounding errors."""
    return math.degrees(radius_m / EARTH_RADIUS_M) + _SLACK_DEG


def _longitude_ranges(longitude: float, reach: float) -> Iterator[tuple[float, float]]:
    """Yield the range of longitudes within `reach` degrees, in two parts at the antimeridian."""
    west, east = longitude - reach, longitude + reach
    if east - west >= 360:
        yield -180.0, 180.0
        return
    yield max(west, -180.0), min(east, 180.0)
    if west <= -180:
        yield west + 360, 180.0
    if east >= 180:
        yield -180.0, east - 360


def distances_m(
    latitude: float, longitude: float, latitudes: Degrees, longitudes: Degrees
) -> NDArray[np.float64]:
    """Compute the great-circle distances from one point to many other points.

    The haversine formula is accurate for nearby points, at the poles and across the antimeridian
    (Sinnott 1984, Virtues of the Haversine, Sky and Telescope 68(2):159).
    """
    north = np.radians(latitudes)
    half_north = np.sin((north - math.radians(latitude)) / 2)
    half_east = np.sin(np.radians(longitudes - longitude) / 2)
    haversines = half_north**2 + math.cos(math.radians(latitude)) * np.cos(north) * half_east**2
    angles: NDArray[np.float64] = 2 * np.arcsin(np.sqrt(np.minimum(haversines, 1.0)))
    return angles * EARTH_RADIUS_M


def longitude_reach(latitude: float, radius_m: float) -> float:
    """Return the largest difference in longitude between a point and any point within a radius.

    If the radius is expressed as an angle, the circle around the point touches a meridian at the
    difference in longitude for which sin(difference) = sin(angle) / cos(latitude) (Napier's rule;
    Bronshtein et al., Handbook of Mathematics, section 3.4).
    """
    angle = radius_m / EARTH_RADIUS_M
    if math.radians(abs(latitude)) + angle >= math.pi / 2 - 1e-9:
        return 180.0
    ratio = math.sin(angle) / math.cos(math.radians(latitude))
    return min(180.0, math.degrees(math.asin(min(1.0, ratio))))
