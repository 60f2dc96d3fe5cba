"""Cells of the Earth: every point is in exactly one, and its neighborhood surrounds it."""

import math
import random

import pytest

from postmeal.restaurants.near import EARTH_RADIUS_M
from postmeal_serve.resources.cells import cell_at

DEGREE_M = math.radians(1) * EARTH_RADIUS_M


def points(seed: int, count: int = 2000) -> list[tuple[float, float]]:
    """Random points, a third of them near a pole or the antimeridian."""
    drawn = random.Random(seed)
    found = []
    for number in range(count):
        latitude = math.degrees(math.asin(drawn.uniform(-1, 1)))
        longitude = drawn.uniform(-180, 180)
        if number % 6 == 0:
            latitude = math.copysign(90 - drawn.random() / 4, latitude)
        if number % 6 == 1:
            longitude = math.copysign(180 - drawn.random() / 4, longitude)
        found.append((latitude, longitude))
    return found


def test_a_point_is_within_the_bounds_of_its_cell():
    for latitude, longitude in points(1):
        south, west, north, east = cell_at(latitude, longitude).bounds
        assert south <= latitude < north
        assert west - 1e-9 <= longitude < east + 1e-9


def test_a_cell_is_about_five_kilometers_high_and_wide():
    for latitude, longitude in points(2):
        if abs(latitude) > 85:
            continue
        south, west, north, east = cell_at(latitude, longitude).bounds
        middle = math.cos(math.radians((south + north) / 2))
        assert (north - south) * DEGREE_M == pytest.approx(5560, rel=0.01)
        assert (east - west) * middle * DEGREE_M == pytest.approx(5560, rel=0.02)


def test_the_neighborhood_contains_every_point_within_five_kilometers():
    drawn = random.Random(3)
    for latitude, longitude in points(3):
        if abs(latitude) > 89:
            continue
        around = cell_at(latitude, longitude).neighborhood()
        assert around[0] == cell_at(latitude, longitude)
        assert 9 <= len(around) == len(set(around)) <= 12
        bearing = drawn.uniform(0, 2 * math.pi)
        north, east = 5000 * math.cos(bearing), 5000 * math.sin(bearing)
        other = latitude + north / DEGREE_M
        turned = longitude + east / DEGREE_M / math.cos(
            math.radians(max(abs(latitude), abs(other)))
        )
        assert cell_at(other, (turned + 180) % 360 - 180) in around


@pytest.mark.parametrize("latitude", [90.0, -90.0])
def test_the_cells_around_a_pole_are_neighbors(latitude):
    around = cell_at(latitude, 12.0).neighborhood()
    assert len(around) == len(set(around)) <= 24
    assert {cell_at(math.copysign(89.99, latitude), degrees) for degrees in (-170, 0, 170)} <= {
        *around
    }


def test_cells_meet_at_the_antimeridian():
    east, west = cell_at(10.0, 179.999), cell_at(10.0, -179.999)
    assert east != west
    assert east in west.neighborhood()
    assert west in east.neighborhood()
