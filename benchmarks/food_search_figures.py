"""Queries of the food search benchmark, and the times and sizes that it measures."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.synthetic_foods import some_words

__all__ = ["Cost", "Queries", "Scale"]

_QUERIES = 2_000
_SEED = 7


@dataclass(frozen=True)
class Cost:
    """Time of one kind of query: median, 99th percentile and maximum, in ms."""

    p50_ms: float
    p99_ms: float
    max_ms: float

    @classmethod
    def of(cls, search: Callable[[str], object], queries: Sequence[str]) -> Cost:
        """Time queries one by one, excluding the first 1% as a warm-up."""
        elapsed_ms = []
        for query in queries:
            start = perf_counter()
            search(query)
            elapsed_ms.append((perf_counter() - start) * 1e3)
        elapsed_ms = elapsed_ms[len(elapsed_ms) // 100 :]
        p50_ms, p99_ms = np.percentile(elapsed_ms, (50, 99)).tolist()
        return cls(p50_ms, p99_ms, max(elapsed_ms))


@dataclass(frozen=True)
class Queries:
    """Queries by kind. Their words have the same distribution as in food names."""

    by_kind: dict[str, list[str]]

    @classmethod
    def about(cls, path: Path, count: int = _QUERIES) -> Queries:
        """Draw `count` queries of each kind for a catalog file of synthetic foods."""
        drawn = random.Random(_SEED)
        with closing(sqlite3.connect(path)) as database:
            (last,) = database.execute("SELECT max(place) FROM food").fetchone()
            found = (
                database.execute(
                    "SELECT words, barcode FROM food WHERE place = ?", (drawn.randint(1, last),)
                ).fetchone()
                for _ in range(count * 3)
            )
            products = [(words.split(), barcode) for words, barcode in found if barcode]
        several = [words for words, _ in products if len(words) > 1][:count]
        pairs = [drawn.sample(words, 2) for words in several]
        drawn_words = some_words(count * 2, _SEED)
        begun = [word[: 2 + at % 5] for at, word in enumerate(some_words(count, _SEED + 1))]
        begun += [f"{first} {second[0]}" for first, second in pairs[: count // 2]]
        drawn.shuffle(begun)
        return cls(
            {
                "one word": drawn_words[:count],
                "two words of a food": [" ".join(pair) for pair in pairs],
                "two unrelated words": [f"{a} {b}" for a, b in zip(
                    drawn_words[:count], drawn_words[count:], strict=True)],
                "typeahead": begun,
                "barcode": [f"{barcode:013d}" for _, barcode in products[:count]],
            }
        )  # fmt: skip


@dataclass(frozen=True)
class Scale:
    """Size of a catalog, and the time of each kind of query."""

    rows: int
    bytes_a_row: float
    built_s: float
    costs: dict[str, Cost]
    grown_mib: float
    """Growth of the memory of the process during all queries, in MiB."""
