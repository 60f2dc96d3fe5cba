"""Benchmark of parsing meal texts that are not cached, and of the first meal text in a process."""

from __future__ import annotations

import random
from time import perf_counter_ns

import numpy as np

from benchmarks.comparison import Comparison
from postmeal import Catalog
from postmeal.foods.language import read_meal

__all__ = ["compare"]

_TEXTS = 2_000
_AIM_MS = 5.0
_AMOUNTS = (
    "a cup of",
    "120 grams of",
    "two small",
    "a medium slice of",
    "some",
    "a 12 fl oz can of",
)
_SEED = 11


def compare() -> Comparison:
    """Time the parsing of texts with one to four foods, each named by its words in random order."""
    catalog = Catalog.open()
    chance = random.Random(_SEED)
    names = [food.words for food in catalog.listed() if len(food.words.split()) <= 6]
    texts = [_text(chance, names) for _ in range(_TEXTS)]
    elapsed_ms = []
    for text in ("an egg", *texts):
        start = perf_counter_ns()
        read_meal(text, catalog)
        elapsed_ms.append((perf_counter_ns() - start) / 1e6)
    first, *others = elapsed_ms
    p50_ms, p99_ms = np.percentile(others, [50, 99])
    return Comparison(
        "parsing a meal text with 1 to 4 foods, in ms",
        ("p50", "p99", "first text"),
        (("postmeal", f"{p50_ms:.2f}", f"{p99_ms:.2f}", f"{first:.0f}"),),
        [(f"p50 at most {_AIM_MS:g} ms", p50_ms <= _AIM_MS)],
    )


def _text(chance: random.Random, names: list[str]) -> str:
    foods = []
    for name in chance.sample(names, chance.randint(1, 4)):
        name_words = name.split()
        chance.shuffle(name_words)
        foods.append(f"{chance.choice(_AMOUNTS)} {' '.join(name_words)}")
    return f"For lunch today I'm having {', '.join(foods)}."
