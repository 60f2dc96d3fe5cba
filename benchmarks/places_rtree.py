"""Peer of the places benchmark: a SQLite R*Tree with distances computed in NumPy."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path

import numpy as np

from postmeal.foods.words import words
from postmeal.restaurants.near import EARTH_RADIUS_M, distances_m, longitude_reach
from postmeal.restaurants.places import Places

__all__ = ["RTree"]


class RTree:
    """The places in a places file as an R*Tree, which is built in a new file."""

    def __init__(self, places_file: Path, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
            "CREATE VIRTUAL TABLE place USING rtree(number, south, north, west, east,"
            " +name, +latitude, +longitude); BEGIN;"
        )
        places = Places.open(places_file)
        index = places._index
        source = sqlite3.connect(f"file:{places_file}?mode=ro&immutable=1", uri=True)
        rows = source.execute("SELECT number, name FROM place ORDER BY number")
        self._database.executemany(
            "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (number, latitude, latitude, longitude, longitude, " ".join(words(name)),
                 latitude, longitude)
                for (number, name), latitude, longitude in zip(
                    rows, index.latitudes.tolist(), index.longitudes.tolist(), strict=True
                )
            ),
        )  # fmt: skip
        self._database.execute("COMMIT")

    def near(
        self, query: str, latitude: float, longitude: float, radius_m: float, limit: int
    ) -> list[tuple[int, float]]:
        """Return the nearest places, without those beyond the antimeridian."""
        height = math.degrees(radius_m / EARTH_RADIUS_M)
        reach = longitude_reach(latitude, radius_m)
        box = (latitude - height, latitude + height, longitude - reach, longitude + reach)
        sql = (
            "SELECT number, latitude, longitude FROM place"
            " WHERE north >= ? AND south <= ? AND east >= ? AND west <= ?"
        )
        values: tuple[object, ...] = box
        if query:
            sql += " AND name = ?"
            values = (*box, " ".join(words(query)))
        rows = self._database.execute(sql, values).fetchall()
        if not rows:
            return []
        numbers, latitudes, longitudes = (np.array(each) for each in zip(*rows, strict=True))
        distances = distances_m(latitude, longitude, latitudes, longitudes)
        order = np.argsort(distances, kind="stable")[:limit]
        return [
            (int(numbers[at]), float(distances[at])) for at in order if distances[at] <= radius_m
        ]
