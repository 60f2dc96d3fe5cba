"""Compute great-circle distances on a sphere, and the range of longitudes within a radius."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["EARTH_RADIUS_M", "Degrees", "distances_m", "longitude_reach"]

EARTH_RADIUS_M = 6_371_008.8
"""Mean radius of the Earth in meters: (2a + b) / 3 of GRS 80, Moritz 2000
(doi:10.1007/s001900050278)."""

Degrees: TypeAlias = NDArray[np.float64]


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
