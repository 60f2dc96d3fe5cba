"""Benchmark of searches for places near a point, compared with a SQLite R*Tree in the same run.

``python -m benchmarks.places --places 1000000`` writes synthetic places and menus to the folder
``var/places``, imports them, and times searches. With ``--extract``, it also times the import of an
OpenStreetMap extract. The exit status is 0 if every aim is reached, otherwise 1.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks.places_rtree import RTree
from benchmarks.synthetic_places import write_menus, write_places
from postmeal.foods.catalog import Catalog
from postmeal.restaurants.places import Places
from postmeal.restaurants.sources.import_places import import_places

__all__ = ["main"]

RADII_M = (1, 1_000, 8_000, 50_000)
CHAIN = "mcdonalds"
DISHES = ("pizza", "chicken soup", "burger", "rice", "salad", "chese sandwich", "fish stew")
P50_MS, P99_MS, DISH_P99_MS = 0.5, 10.0, 25.0
OPEN_S, MEMORY_MIB, IMPORT_S, IMPORT_MIB = 0.5, 60.0, 240.0, 400.0
OBJECTS_PER_S = 20_000
_QUERIES, _PEER_QUERIES = 1_000, 60
_IMPORT = """
import resource, sys
from pathlib import Path
from postmeal.restaurants.sources.import_places import import_places
import_places([Path(sys.argv[1])], Path(sys.argv[2]), [Path(each) for each in sys.argv[3:]])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
_FIRST = """
import sys
from pathlib import Path
from time import perf_counter
from postmeal.restaurants.places import Places
def private_mib():
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024
before, start = private_mib(), perf_counter()
places = Places.open(Path(sys.argv[1]))
places.near("mcdonalds", float(sys.argv[2]), float(sys.argv[3]), 50_000)
seconds = perf_counter() - start
for query in ("", "mcdonalds", "pizza", "burger king", "sushi"):
    for latitude in range(-60, 70):
        places.near(query, latitude, float(sys.argv[3]), 50_000)
print(seconds, private_mib() - before)
"""


class Cost(NamedTuple):
    """Median and 99th percentile of query times, in ms."""

    p50_ms: float
    p99_ms: float

    def __str__(self) -> str:
        return f"{self.p50_ms:.3f} / {self.p99_ms:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--places", type=int, default=1_000_000, help="number of places (default: %(default)s)"
    )
    parser.add_argument(
        "--menu-items",
        type=int,
        default=100_000,
        help="number of menu items (default: %(default)s)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("var/places"),
        help="folder for the places file and its sources (default: %(default)s)",
    )
    parser.add_argument("--extract", type=Path, help="also time the import of this .osm.pbf file")
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    aims: list[tuple[str, bool]] = []
    plain, with_menus = folder / "plain.places", folder / "menus.places"
    geojson, menus = folder / "places.geojson", folder / "menus.csv"
    write_places(geojson, options.places)
    write_menus(menus, options.menu_items)
    for output, extra in ((plain, []), (with_menus, [menus])):
        seconds, mib = _import(geojson, output, extra)
        kind = "with menus" if extra else "places"
        print(f"import, {kind}: {seconds:.0f} s, {mib:.0f} MiB", flush=True)
        if not extra:
            aims.append((f"import in at most {IMPORT_S:g} s", seconds <= IMPORT_S))
            aims.append((f"import with at most {IMPORT_MIB:g} MiB", mib <= IMPORT_MIB))
    if options.extract is not None:
        aims.append(_import_extract(options.extract, folder / "extract.places"))
    places = Places.open(plain)
    centers = _centers(places, _QUERIES)
    seconds, mib = map(float, _run(_FIRST, str(plain), *map(str, centers[0])).split())
    print(f"open and first query: {seconds:.3f} s; private memory: {mib:.1f} MiB")
    aims.append((f"open and first query in at most {OPEN_S:g} s", seconds <= OPEN_S))
    aims.append((f"at most {MEMORY_MIB:g} MiB per process", mib <= MEMORY_MIB))
    aims += _compare(places, centers, RTree(plain, folder / "rtree.sqlite3"))
    aims.append(_dishes(Places.open(with_menus)))
    for aim, met in aims:
        print(f"aim: {aim}: {'reached' if met else 'MISSED'}")
    sys.exit(0 if all(met for _, met in aims) else 1)


def _import_extract(extract: Path, output: Path) -> tuple[str, bool]:
    """Time a second import of an extract, when all modules and word lists are already loaded."""
    import osmium

    objects = sum(1 for _ in osmium.FileProcessor(str(extract)))
    import_places([extract], output)
    start = perf_counter()
    imported = import_places([extract], output)
    rate = objects / (perf_counter() - start)
    print(f"import of {extract.name}: {objects:,} objects, {imported.places:,} places")
    print(f"import of {extract.name}: {rate:,.0f} objects/s", flush=True)
    return f"import of an extract: at least {OBJECTS_PER_S:,} objects/s", rate >= OBJECTS_PER_S


def _compare(
    places: Places, centers: list[tuple[float, float]], peer: RTree
) -> list[tuple[str, bool]]:
    aims = []
    print(f"{'ms, p50 / p99':<28}{'postmeal':>20}{'R*Tree':>24}")
    for query in ("", CHAIN):
        for radius_m in RADII_M:
            cost = _cost(lambda at, q=query, r=radius_m: places.near(q, *at, r, 10), centers)
            other = _cost(
                lambda at, q=query, r=radius_m: peer.near(q, *at, r, 10), centers[:_PEER_QUERIES]
            )
            name = f"{query or 'nearest 10'}, {radius_m:,} m"
            print(f"{name:<28}{cost!s:>20}{other!s:>24}", flush=True)
            aims.append((f"{name}: p50 at most {P50_MS} ms", cost.p50_ms <= P50_MS))
            aims.append((f"{name}: p99 at most {P99_MS:g} ms", cost.p99_ms <= P99_MS))
    return aims


def _dishes(places: Places) -> tuple[str, bool]:
    catalog = Catalog.open()
    places.dishes("rice", 0.0, 0.0, 1_000, 10, catalog)
    centers = _centers(places, _QUERIES)
    queries = [(DISHES[at % len(DISHES)], center) for at, center in enumerate(centers)]
    cost = _cost(lambda each: places.dishes(each[0], *each[1], 8_000, 10, catalog), queries)
    print(f"{'dishes, 8,000 m':<28}{cost!s:>20}")
    return f"dishes: p99 at most {DISH_P99_MS:g} ms", cost.p99_ms <= DISH_P99_MS


def _cost(search: Callable[[Any], object], queries: Sequence[Any]) -> Cost:
    times = []
    for query in queries:
        start = perf_counter()
        search(query)
        times.append((perf_counter() - start) * 1000)
    return Cost(*np.percentile(times, [50, 99]).tolist())


def _centers(places: Places, count: int) -> list[tuple[float, float]]:
    """Return random points near places, so that most of them are in dense towns."""
    draw = np.random.default_rng(3)
    index = places._index
    rows = draw.integers(len(places), size=count)
    latitudes = np.clip(index.latitudes[rows] + draw.normal(0, 0.01, count), -90, 90)
    longitudes = np.clip(index.longitudes[rows] + draw.normal(0, 0.01, count), -180, 180)
    return list(zip(latitudes.tolist(), longitudes.tolist(), strict=True))


def _import(geojson: Path, output: Path, menus: list[Path]) -> tuple[float, float]:
    start = perf_counter()
    mib = float(_run(_IMPORT, str(geojson), str(output), *map(str, menus)))
    return perf_counter() - start, mib


def _run(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
