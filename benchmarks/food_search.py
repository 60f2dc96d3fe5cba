"""Search among millions of foods: what it costs at three sizes, and beside PostgreSQL.

``python -m benchmarks.food_search --rows 20000000`` builds catalogues of 1 and 5 million and of
that many synthetic foods in the folder ``var/food_search``, measures each through `Catalog`, and
writes ``food_search.png`` there. The catalogues are removed unless they are to be kept. The exit
status is 0 if every aim is reached, else 1.
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
from benchmarks.food_search_figures import Cost, Questions, Scale
from benchmarks.food_search_plot import plot
from benchmarks.synthetic_foods import in_parallel
from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.file import write_catalog_file

__all__ = ["AIMS", "main"]

_SIZES = (1_000_000, 5_000_000)
_ON_PAPER = 54_000_000
AIMS = {  # at most so many ms for half, and for 99 of 100
    "one word": (1.0, 20.0),
    "two words of a food": (1.0, 20.0),
    "two unrelated words": (1.0, 20.0),
    "typeahead": (0.2, 10.0),
    "barcode": (0.05, None),
}
_AIM_BYTES = 240


def measure(path: Path, rows: int, built_s: float) -> Scale:
    """Ask a catalogue everything, each food read from the file."""
    questions = Questions.about(path)
    catalog = Catalog(path)

    def fresh(ask: Callable[[str], Any]) -> Callable[[str], object]:
        return lambda question: (ask(question), catalog._food_at.cache_clear())

    asked = dict.fromkeys(questions.by_kind, catalog.search)
    asked |= {"typeahead": catalog.suggest, "barcode": catalog.barcode}
    catalog.search("rice")
    _read_through(path)
    before_mib = _resident_mib()
    costs = {kind: Cost.of(fresh(asked[kind]), some) for kind, some in questions.by_kind.items()}
    grown_mib = _resident_mib() - before_mib
    return Scale(rows, path.stat().st_size / rows, built_s, costs, grown_mib)


def report(scales: Sequence[Scale], peers: dict[str, Cost]) -> str:
    """Write all figures as text, the extrapolation and the aims."""
    lines = [f"{'ms, p50 / p99 / max':<24}" + "".join(f"{one.rows:>26,}" for one in scales)]
    lines[0] += f"{'PostgreSQL 1,000,000':>28}"
    for kind in AIMS:
        figures = [_told(one.costs[kind]) for one in scales]
        line = f"{kind:<24}" + "".join(f"{figure:>26}" for figure in figures)
        lines.append(line + f"{_told(peers[kind]) if kind in peers else '':>28}")
    lines.append(f"{'bytes a food':<24}" + "".join(f"{one.bytes_a_row:>26.1f}" for one in scales))
    lines.append(f"{'built in s':<24}" + "".join(f"{one.built_s:>26.0f}" for one in scales))
    lines.append(f"{'memory grew, MiB':<24}" + "".join(f"{one.grown_mib:>26.1f}" for one in scales))
    largest = scales[-1]
    lines.append(f"on paper, {_ON_PAPER:,} foods: {_on_paper(scales)}")
    for aim, met in aims(largest):
        lines.append(f"aim: {aim}: {'reached' if met else 'MISSED'}")
    return "\n".join(lines)


def aims(scale: Scale) -> list[tuple[str, bool]]:
    """List each aim, and whether a scale reaches it."""
    listed = []
    for kind, (p50_ms, p99_ms) in AIMS.items():
        cost = scale.costs[kind]
        listed.append((f"{kind}: half within {p50_ms} ms", cost.p50_ms <= p50_ms))
        if p99_ms:
            listed.append((f"{kind}: 99 of 100 within {p99_ms} ms", cost.p99_ms <= p99_ms))
    listed.append((f"at most {_AIM_BYTES} bytes a food", scale.bytes_a_row <= _AIM_BYTES))
    return listed


def main() -> None:
    """Build, measure, compare and draw; exit with 1 if an aim is missed, else with 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--folder", type=Path, default=Path("var/food_search"))
    parser.add_argument("--keep", action="store_true", help="leave the catalogues there")
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
            peers = postgres_food_search.measure(Questions.about(path), rows)
            print("PostgreSQL", peers, flush=True)
        if not options.keep:
            path.unlink()
    print(report(scales, peers))
    plot(scales, peers, AIMS, folder / "food_search.png")
    sys.exit(0 if all(met for _, met in aims(scales[-1])) else 1)


def _told(cost: Cost) -> str:
    return f"{cost.p50_ms:.3f} / {cost.p99_ms:.2f} / {cost.max_ms:.1f}"


def _on_paper(scales: Sequence[Scale]) -> str:
    """Draw each cost on as a power of the number of foods, never as falling."""
    log_rows = np.log([one.rows for one in scales])
    told = []
    for kind in AIMS:
        figures = []
        for name in ("p50_ms", "p99_ms"):
            log_ms = np.log([getattr(one.costs[kind], name) for one in scales])
            slope = max(0.0, np.polyfit(log_rows, log_ms, 1)[0]) if len(scales) > 1 else 0.0
            figures.append(np.exp(log_ms[-1] + slope * (np.log(_ON_PAPER) - log_rows[-1])))
        told.append(f"{kind} {figures[0]:.2f} / {figures[1]:.1f} ms")
    told.append(f"{scales[-1].bytes_a_row * _ON_PAPER / 1e9:.1f} GB")
    return ", ".join(told)


def _read_through(path: Path) -> None:
    """Bring the file into the system's memory, where it is on a machine that serves."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
