"""Figures of the food search: questions, what they cost, and one catalog's costs."""

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

__all__ = ["Cost", "Questions", "Scale"]

_ASKED = 2_000
_SEED = 7


@dataclass(frozen=True)
class Cost:
    """What one kind of question takes, in ms."""

    p50_ms: float
    p99_ms: float
    max_ms: float

    @classmethod
    def of(cls, ask: Callable[[str], object], questions: Sequence[str]) -> Cost:
        """Ask one by one; the first hundredth warms up and does not count."""
        taken_ms = []
        for question in questions:
            start = perf_counter()
            ask(question)
            taken_ms.append((perf_counter() - start) * 1e3)
        taken_ms = taken_ms[len(taken_ms) // 100 :]
        p50_ms, p99_ms = np.percentile(taken_ms, (50, 99)).tolist()
        return cls(p50_ms, p99_ms, max(taken_ms))


@dataclass(frozen=True)
class Questions:
    """What is asked: words by the law of the names, and beginnings of words of foods."""

    by_kind: dict[str, list[str]]

    @classmethod
    def about(cls, path: Path, count: int = _ASKED) -> Questions:
        """Draw questions from the foods of a catalogue's file."""
        drawn = random.Random(_SEED)
        with closing(sqlite3.connect(path)) as database:
            (last,) = database.execute("SELECT max(place) FROM food").fetchone()
            found = (
                database.execute(
                    "SELECT words, barcode FROM food WHERE place = ?", (drawn.randint(1, last),)
                ).fetchone()
                for _ in range(count * 3)
            )
            held = [(words.split(), barcode) for words, barcode in found if barcode]
        several = [words for words, _ in held if len(words) > 1][:count]
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
                "barcode": [f"{barcode:013d}" for _, barcode in held[:count]],
            }
        )  # fmt: skip


@dataclass(frozen=True)
class Scale:
    """One catalogue: its size, and what each kind of question takes."""

    rows: int
    bytes_a_row: float
    built_s: float
    costs: dict[str, Cost]
    grown_mib: float
    """By how much the process grew while it answered all questions."""
