"""Fit the confidence of a search answer: ``python tests/relevance/train_confidence.py``.

The queries are those of ``relevance.csv`` that may be used for tuning. Each is searched as it is,
with typos, and with each of its words replaced by a made-up word. Whether the first food is right
is known from the pattern of the query. A logistic regression with an L2 penalty is fitted by
Newton's method (iteratively reweighted least squares), with as much weight on wrong answers as on
right ones. The floor is the highest one at which at most three in a thousand of the queries, as
they are or with typos, lose their right answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from relevance import read, with_typos

from postmeal.foods.catalog import Catalog, confidence, search
from postmeal.foods.catalog.readings import search_readings
from postmeal.foods.catalog.vocabulary import Vocabulary
from postmeal.foods.words import words
from postmeal.training.evaluation.food_texts import FoodTexts

_LOST = 0.003  # share of the queries without made-up words that lose their right answer
_PENALTY = 1.0
_ENDS = ("b", "ck", "d", "g", "ll", "m", "n", "rt", "sh", "sk", "st", "x", "zz", "")
_STARTS = ("b", "br", "cl", "d", "fl", "g", "gl", "h", "j", "kr", "m", "n", "pl", "sn", "v", "w")


def made_up(chance: random.Random) -> str:
    """Return a pronounceable word of two or three syllables that does not exist."""
    syllables = (
        chance.choice(_STARTS) + chance.choice("aeiou") + chance.choice(_ENDS)
        for _ in range(chance.choice((2, 2, 3)))
    )
    return "".join(syllables)


def variants(query: str) -> Iterator[tuple[str, bool]]:
    """Yield a query as it is, with typos, and with each word made up, and whether one is."""
    chance = random.Random(query)
    yield query, False
    for seed in (0, 1):
        yield with_typos(query, seed), False
    typed = query.split()
    for at in range(len(typed)):
        yield " ".join((*typed[:at], made_up(chance), *typed[at + 1 :])), True


class Examples(NamedTuple):
    """Answers to queries, without those that have all words as typed."""

    rows: np.ndarray
    """Features of each answer."""
    right: np.ndarray
    """Whether each answer is right."""
    made_up: np.ndarray
    """Whether the query has a made-up word."""
    n_queries: int
    """Number of queries without made-up words, with all kinds of answers."""


def examples(catalog: Catalog, *, untouched: bool) -> Examples:
    """Search for the queries of one part and return the answers."""
    rows, right, has_made_up, n_queries = [], [], [], 0
    with catalog._file.reading(3600) as index:
        vocabulary = Vocabulary(index, len(catalog), catalog._word_cache)
        for asked in read("relevance.csv"):
            if asked.untouched != untouched:
                continue
            for query, is_made_up in variants(asked.query):
                n_queries += not is_made_up
                query_words = words(query)
                rounds = search_readings(query_words, vocabulary)
                found = search.search(index, rounds, catalog._spans)
                if found is None or not (
                    found.reading.is_prefix
                    or found.reading.edits
                    or confidence.qualifiers(found.reading.dropped)
                ):
                    continue
                rows.append(confidence.features(query_words, found, vocabulary))
                food = catalog._food_at(found.places[0])
                right.append(bool(FoodTexts.of(food).matches(asked.right)))
                has_made_up.append(is_made_up)
    return Examples(np.array(rows), np.array(right), np.array(has_made_up), n_queries)


def fit(rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the weights of the regression."""
    balance = np.where(right, 0.5 / right.mean(), 0.5 / (~right).mean())
    weights = np.zeros(rows.shape[1])
    ridge = _PENALTY * np.eye(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (balance * (right - chance)) - ridge @ weights
        curvature = (rows.T * (balance * chance * (1 - chance))) @ rows + ridge
        step = np.linalg.solve(curvature, gradient)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def main() -> None:
    """Fit the weights and the floor, and write the file."""
    catalog = Catalog.open()
    parts = {name: examples(catalog, untouched=name == "untouched") for name in PARTS}
    tuned = parts["tuned"]
    weights = fit(tuned.rows, tuned.right)
    chances = 1 / (1 + np.exp(-tuned.rows @ weights))
    floor = float(np.sort(chances[tuned.right & ~tuned.made_up])[int(_LOST * tuned.n_queries)])
    pairs = zip(confidence.FEATURES, weights, strict=True)
    lines = "".join(f"{name} = {weight:.4f}\n" for name, weight in pairs)
    head = "# Written by tests/relevance/train_confidence.py."
    text = f"{head}\nfloor = {floor:.4f}\n\n[weights]\n{lines}"
    Path(confidence.__file__).with_name("confidence.toml").write_text(text, encoding="utf-8")
    for name, part in parts.items():
        below = 1 / (1 + np.exp(-part.rows @ weights)) < floor
        lost = (below & part.right & ~part.made_up).sum()
        refused = below[~part.right].mean()
        print(f"{name}: {lost} of {part.n_queries} queries lose their right answer,"
              f" and {refused:.1%} of {(~part.right).sum()} wrong answers are refused")  # fmt: skip


PARTS = ("tuned", "untouched")

if __name__ == "__main__":
    main()
