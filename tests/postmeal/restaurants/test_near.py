"""The nearest places, compared with the distances to all places."""

import math

import numpy as np
import pytest

from postmeal.restaurants.near import (
    EARTH_RADIUS_M,
    ROWS,
    PlaceIndex,
    distances_m,
    latitude_rows,
    longitude_reach,
)

RADII_M = (1, 400, 3_000, 20_000, 50_000)


def index_of(latitudes, longitudes, names):
    """Sort places as a places file does; their IDs rank in a random order."""
    order = np.lexsort((latitudes, longitudes, latitude_rows(latitudes)))
    latitudes, longitudes, names = latitudes[order], longitudes[order], names[order]
    ranks = np.random.default_rng(5).permutation(len(order)).astype(np.uint32)
    return PlaceIndex(
        latitudes,
        longitudes,
        names,
        ranks,
        np.searchsorted(latitude_rows(latitudes), np.arange(ROWS + 1)).astype(np.uint32),
        np.lexsort((ranks, names)).astype(np.uint32),
        np.searchsorted(np.sort(names), np.arange(names.max() + 2)).astype(np.uint32),
    )


def drawn_points(count, draw):
    """A third within 50 km of a pole or the antimeridian; some of all lie at the same point."""
    latitudes = np.degrees(np.arcsin(draw.uniform(-1, 1, count)))
    longitudes = draw.uniform(-180, 180, count)
    third = count // 3
    at_pole = draw.random(third) < 0.5
    poles = draw.choice([-1.0, 1.0], third) * (90 - draw.uniform(0, 0.45, third))
    latitudes[:third] = np.where(at_pole, poles, latitudes[:third])
    line = 180 - draw.uniform(0, 0.4, third) * draw.choice([-1, 1], third)
    line = np.where(line > 180, line - 360, line)
    longitudes[:third] = np.where(at_pole, longitudes[:third], line)
    longitudes[:40] = draw.choice([-180.0, 180.0], 40)
    latitudes[40:44] = [90, -90, 90, -90]
    return latitudes, longitudes


@pytest.fixture(scope="module")
def many():
    """Places in towns, also near the poles and the antimeridian; every tenth shares a spot."""
    draw = np.random.default_rng(20)
    towns = drawn_points(60, draw)
    town = draw.integers(60, size=4_000)
    latitudes = np.clip(towns[0][town] + draw.normal(0, 0.03, 4_000), -90, 90)
    longitudes = (towns[1][town] + draw.normal(0, 0.03, 4_000) + 180) % 360 - 180
    latitudes[::10], longitudes[::10] = latitudes[1::10], longitudes[1::10]
    return index_of(latitudes, longitudes, draw.zipf(1.3, 4_000).clip(1, 900).astype(np.uint32))


def brute_force(index, latitude, longitude, radius_m, limit, names):
    distances = distances_m(latitude, longitude, index.latitudes, index.longitudes)
    order = np.lexsort((index.id_ranks, distances))
    order = order[distances[order] <= radius_m]
    if names is not None:
        order = order[np.isin(index.names[order], names)]
    return order[:limit], distances[order[:limit]]


@pytest.mark.sampled(cases=10_000)
def test_the_nearest_places_are_those_of_brute_force(many, cases):
    draw = np.random.default_rng(1)
    near_places = draw.integers(len(many.latitudes), size=cases)
    latitudes, longitudes = drawn_points(cases, draw)
    close = draw.random(cases) < 0.6
    latitudes[close] = many.latitudes[near_places[close]]
    longitudes[close] = many.longitudes[near_places[close]]
    special = (np.abs(latitudes) > 89.55) | (np.abs(longitudes) > 179.2)
    assert special.mean() > 0.15
    found = 0
    for at in range(cases):
        point = float(latitudes[at]), float(longitudes[at])
        radius_m, limit = RADII_M[at % 5], (1, 10, 100)[at % 3]
        names = None if at % 2 else np.array([1 + at % 7, 20, 300], np.uint32)
        rows, distances = many.nearest(*point, radius_m, limit, names)
        expected = brute_force(many, *point, radius_m, limit, names)
        assert rows.tolist() == expected[0].tolist(), point
        assert distances.tolist() == expected[1].tolist()
        found += len(rows)
    assert found > cases


def test_a_frequent_name_is_found_by_the_growing_radius_as_by_brute_force(many, monkeypatch):
    monkeypatch.setattr("postmeal.restaurants.near._FEW", 0)
    draw = np.random.default_rng(2)
    names = np.array([1, 2, 5], np.uint32)
    for row in draw.integers(len(many.latitudes), size=500):
        point = float(many.latitudes[row]) / 1.0001, float(many.longitudes[row])
        rows, _ = many.nearest(*point, 50_000, 10, names)
        assert rows.tolist() == brute_force(many, *point, 50_000, 10, names)[0].tolist()


def test_places_at_the_same_distance_are_ordered_by_their_ids():
    same = np.zeros(50)
    index = index_of(same, same + 10, np.zeros(50, np.uint32))
    rows, distances = index.nearest(0.0, 10.0, 1, 5)
    assert index.id_ranks[rows].tolist() == [0, 1, 2, 3, 4]
    assert not distances.any()


def test_distances_agree_with_the_cosine_formula_and_with_known_ones():
    draw = np.random.default_rng(3)
    latitudes, longitudes = drawn_points(200, draw)
    for latitude, longitude in zip(*drawn_points(50, draw), strict=True):
        found = distances_m(latitude, longitude, latitudes, longitudes)
        for at in range(200):
            a, b = math.radians(latitude), math.radians(latitudes[at])
            east = math.radians(longitudes[at] - longitude)
            cosine = math.sin(a) * math.sin(b) + math.cos(a) * math.cos(b) * math.cos(east)
            expected = EARTH_RADIUS_M * math.acos(max(-1.0, min(1.0, cosine)))
            assert found[at] == pytest.approx(expected, abs=1.0)
    quarter = EARTH_RADIUS_M * math.pi / 2
    assert distances_m(90.0, 0.0, np.zeros(1), np.array([77.0]))[0] == pytest.approx(quarter)
    assert distances_m(0.0, 180.0, np.zeros(1), np.array([-180.0]))[0] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("latitude", [0.0, 45.0, -60.0, 89.0, 89.54])
def test_no_point_of_a_circle_is_beyond_the_reach_in_longitude(latitude):
    bearings = np.radians(np.arange(0, 360, 0.5))
    angle = 50_000 / EARTH_RADIUS_M
    a = math.radians(latitude)
    sine = math.sin(a) * math.cos(angle) + math.cos(a) * math.sin(angle) * np.cos(bearings)
    east = np.arctan2(
        np.sin(bearings) * math.sin(angle) * math.cos(a), math.cos(angle) - math.sin(a) * sine
    )
    reach = longitude_reach(latitude, 50_000)
    assert np.degrees(np.abs(east)).max() <= reach + 1e-9
    assert np.degrees(np.abs(east)).max() > reach * 0.99


def test_a_range_has_a_place_if_one_of_all_places_is_in_it():
    draw = np.random.default_rng(8)
    latitudes, longitudes = drawn_points(3_000, draw)[:2]
    index = index_of(latitudes, longitudes, np.zeros(3_000, np.uint32))
    answers = set()
    for _ in range(2_000):
        height, width = draw.uniform(0, 3, 2)
        south, west = draw.uniform(-90, 90 - height), draw.uniform(-180, 180 - width)
        north, east = south + height, west + width
        inside = (latitudes >= south) & (latitudes < north)
        expected = bool(np.any(inside & (longitudes >= west) & (longitudes < east)))
        assert index.any_within(south, west, north, east) == expected
        answers.add(expected)
    assert answers == {True, False}
