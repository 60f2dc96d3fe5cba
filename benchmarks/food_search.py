"""Benchmark of food search in catalogs with millions of foods, compared with PostgreSQL.

``python -m benchmarks.food_search --rows 20000000`` builds catalogs with 1 million, 5 million and
the given number of synthetic foods in the folder ``var/food_search``, times searches in each of
them with `Catalog`, and writes ``food_search.png`` to that folder. The catalogs are deleted unless
``--keep`` is given. The exit status is 0 if the largest catalog reaches every aim, otherwise 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import postgres_food_search
from benchmarks.food_search_figures import Cost, Queries, Scale
from benchmarks.food_search_plot import plot
from benchmarks.synthetic_foods import in_parallel
from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.file import write_catalog_file

__all__ = ["AIMS", "main"]

_SIZES = (1_000_000, 5_000_000)
_EXTRAPOLATED = 54_000_000
AIMS = {  # p50 and p99 in ms
    "one word": (1.0, 20.0),
    "two words of a food": (1.0, 20.0),
    "two unrelated words": (1.0, 20.0),
    "typeahead": (0.2, 10.0),
    "barcode": (0.05, None),
}
_AIM_BYTES = 240


def measure(path: Path, rows: int, built_s: float) -> Scale:
    """Time all queries on a catalog whose foods are not cached in memory.

    Parameters
    ----------
    path : Path
        The catalog file.
    rows : int
        Number of foods in the catalog.
    built_s : float
        Time in seconds that it took to build the catalog.
    """
    queries = Queries.about(path)
    catalog = Catalog(path)

    def uncached(search: Callable[[str], Any]) -> Callable[[str], object]:
        return lambda query: (search(query), catalog._food_at.cache_clear())

    searches = dict.fromkeys(queries.by_kind, catalog.search)
    searches |= {"typeahead": catalog.suggest, "barcode": catalog.barcode}
    catalog.search("rice")
    _read_through(path)
    before_mib = _resident_mib()
    costs = {
        kind: Cost.of(uncached(searches[kind]), texts) for kind, texts in queries.by_kind.items()
    }
    grown_mib = _resident_mib() - before_mib
    return Scale(rows, path.stat().st_size / rows, built_s, costs, grown_mib)


def report(scales: Sequence[Scale], peers: dict[str, Cost]) -> str:
    """Format the measured times, the extrapolated times and the aims as text."""
    lines = [f"{'ms, p50 / p99 / max':<24}" + "".join(f"{scale.rows:>26,}" for scale in scales)]
    lines[0] += f"{'PostgreSQL 1,000,000':>28}"
    for kind in AIMS:
        figures = [_figures(scale.costs[kind]) for scale in scales]
        line = f"{kind:<24}" + "".join(f"{figure:>26}" for figure in figures)
        lines.append(line + f"{_figures(peers[kind]) if kind in peers else '':>28}")
    lines.append(
        f"{'bytes per food':<24}" + "".join(f"{each.bytes_a_row:>26.1f}" for each in scales)
    )
    lines.append(f"{'built in s':<24}" + "".join(f"{each.built_s:>26.0f}" for each in scales))
    lines.append(
        f"{'memory growth, MiB':<24}" + "".join(f"{each.grown_mib:>26.1f}" for each in scales)
    )
    largest = scales[-1]
    lines.append(f"extrapolated to {_EXTRAPOLATED:,} foods: {_extrapolate(scales)}")
    for aim, met in aims(largest):
        lines.append(f"aim: {aim}: {'reached' if met else 'MISSED'}")
    return "\n".join(lines)


def aims(scale: Scale) -> list[tuple[str, bool]]:
    """Return each aim as text, and whether the catalog reaches it."""
    listed = []
    for kind, (p50_ms, p99_ms) in AIMS.items():
        cost = scale.costs[kind]
        listed.append((f"{kind}: p50 at most {p50_ms} ms", cost.p50_ms <= p50_ms))
        if p99_ms:
            listed.append((f"{kind}: p99 at most {p99_ms} ms", cost.p99_ms <= p99_ms))
    listed.append((f"at most {_AIM_BYTES} bytes per food", scale.bytes_a_row <= _AIM_BYTES))
    return listed


def main() -> None:
    """Build the catalogs, time their queries, and write the plot.

    Raises
    ------
    SystemExit
        Always: with status 0 if every aim is reached, otherwise 1.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows",
        type=int,
        default=20_000_000,
        help="number of foods in the largest catalog (default: %(default)s)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("var/food_search"),
        help="folder for the catalogs and the plot (default: %(default)s)",
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep the catalogs (default: delete them)"
    )
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    scales, peers = [], {}
    for rows in (*(size for size in _SIZES if size < options.rows), options.rows):
        path = folder / f"{rows}.sqlite3"
        start = perf_counter()
        if not path.exists():
            part = path.with_suffix(".part")
            part.unlink(missing_ok=True)
            write_catalog_file(in_parallel(rows, os.cpu_count() or 1), part)
            part.rename(path)
        scales.append(measure(path, rows, perf_counter() - start))
        print(scales[-1], flush=True)
        if rows == _SIZES[0]:
            peers = postgres_food_search.measure(Queries.about(path), rows)
            print("PostgreSQL", peers, flush=True)
        if not options.keep:
            path.unlink()
    print(report(scales, peers))
    plot(scales, peers, AIMS, folder / "food_search.png")
    sys.exit(0 if all(met for _, met in aims(scales[-1])) else 1)


def _figures(cost: Cost) -> str:
    return f"{cost.p50_ms:.3f} / {cost.p99_ms:.2f} / {cost.max_ms:.1f}"


def _extrapolate(scales: Sequence[Scale]) -> str:
    """Extrapolate each time to more foods, using a power law with an exponent of at least 0."""
    log_rows = np.log([scale.rows for scale in scales])
    costs = []
    for kind in AIMS:
        figures = []
        for name in ("p50_ms", "p99_ms"):
            log_ms = np.log([getattr(scale.costs[kind], name) for scale in scales])
            slope = max(0.0, np.polyfit(log_rows, log_ms, 1)[0]) if len(scales) > 1 else 0.0
            figures.append(np.exp(log_ms[-1] + slope * (np.log(_EXTRAPOLATED) - log_rows[-1])))
        costs.append(f"{kind} {figures[0]:.2f} / {figures[1]:.1f} ms")
    costs.append(f"{scales[-1].bytes_a_row * _EXTRAPOLATED / 1e9:.1f} GB")
    return ", ".join(costs)


def _read_through(path: Path) -> None:
    """Read the whole file to fill the page cache, as on a machine that serves the file."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
