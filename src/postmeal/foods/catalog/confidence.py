"""Confidence that the best match of a search is the food that was meant.

A query may ask for something that the catalog does not contain. A search then finds a food only by
leaving out words or by correcting them to other words. Whether such a food is still an answer is
estimated by a logistic regression. `tests/relevance/train_confidence.py` fits its weights, which
are stored in ``confidence.toml``, to the queries used for tuning: as they are, with typos, and with
a word replaced by a made-up word.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from postmeal.foods.catalog.ranking import FORMS, LINKING
from postmeal.foods.catalog.search import Found
from postmeal.foods.catalog.vocabulary import Vocabulary

__all__ = ["FEATURES", "confidence", "features", "is_answer", "qualifiers"]

FEATURES = (
    "intercept",
    "dropped_unknown",
    "dropped_misspelled",
    "dropped_beside_edits",
    "dropped_known",
    "dropped_rarity",
    "dropped_last",
    "dropped_share",
    "kept",
    "kept_forms_only",
    "edits",
    "edits_per_letter",
    "shortest_edited",
    "is_prefix",
    "cost",
    "is_named",
)
"""Names of the features, in order."""

_UNIMPORTANT = FORMS | LINKING | frozenset({
    "bag", "bottle", "box", "can", "dozen", "eight", "five", "four", "g", "glass", "gram",
    "handful", "kg", "lb", "ml", "nine", "one", "ounce", "oz", "pc", "pcs", "seven", "six",
    "tablespoon", "tbsp", "teaspoon", "ten", "three", "tsp", "two", "w", "without",
})  # fmt: skip
_NAMED = 0.9  # cost of a food found by an everyday name
_MOST_COST = 6.0
_TYPO = 0.21  # distance per letter of a misspelled word from the correct one


def is_answer(query_words: Sequence[str], found: Found, vocabulary: Vocabulary) -> bool:
    """Return whether the best match of a search is likely to be the food that was meant.

    A food whose names contain all words of the query as typed is always an answer.

    Parameters
    ----------
    query_words : sequence of str
        The words of the query.
    found : Found
        The result of the search.
    vocabulary : Vocabulary
        Vocabulary of the catalog.

    Returns
    -------
    bool
        Whether the confidence reaches the floor in ``confidence.toml``.
    """
    reading = found.reading
    if not (reading.is_prefix or reading.edits or qualifiers(reading.dropped)):
        return True
    return confidence(features(query_words, found, vocabulary)) >= _weights()[1]


def confidence(values: Sequence[float]) -> float:
    """Return the probability that a match is right, from its features."""
    weights, _ = _weights()
    total = sum(weight * value for weight, value in zip(weights, values, strict=True))
    return 1 / (1 + math.exp(-total))


def features(query_words: Sequence[str], found: Found, vocabulary: Vocabulary) -> list[float]:
    """Return the features of the best match of a search, in the order of `FEATURES`."""
    reading = found.reading
    content_words = [word for word in query_words if word not in LINKING]
    dropped = qualifiers(reading.dropped)
    unknown = [word for word in dropped if not vocabulary.foods(word)]
    misspelled = [word for word in unknown if _is_misspelled(word, vocabulary)]
    known = [word for word in dropped if vocabulary.foods(word)]
    kept = [word for word in reading.words if word not in LINKING]
    edited = [word for word in reading.words if word not in query_words] if reading.edits else []
    letters = sum(map(len, content_words)) or 1
    return [
        1.0,
        len(unknown) - len(misspelled),
        len(misspelled),
        float(bool(unknown) and reading.edits > 0),
        len(known),
        sum(vocabulary.rarity(word) for word in known) / 10,
        float(bool(content_words) and content_words[-1] in dropped),
        sum(map(len, dropped)) / letters,
        min(len(kept), 3) / 3,
        float(FORMS.issuperset(kept)),
        reading.edits,
        reading.edits / (sum(map(len, edited)) or 1),
        1 / min(map(len, edited)) if edited else 0.0,
        float(reading.is_prefix),
        min(found.cost, _MOST_COST) / _MOST_COST,
        float(found.cost < _NAMED),
    ]


def qualifiers(dropped: Sequence[str]) -> list[str]:
    """Return the words that may change the food: no amounts, measures or preparations."""
    return [word for word in dropped if word not in _UNIMPORTANT and not word[0].isdigit()]


def _is_misspelled(word: str, vocabulary: Vocabulary) -> bool:
    """Return whether a word is close to a word of the catalog, relative to its length."""
    distance = next((distance for distance, _ in vocabulary.corrections(word, 1)), math.inf)
    return distance <= _TYPO * len(word)


@cache
def _weights() -> tuple[tuple[float, ...], float]:
    text = files("postmeal.foods.catalog").joinpath("confidence.toml").read_text("utf-8")
    fitted = tomllib.loads(text)
    return tuple(fitted["weights"][name] for name in FEATURES), fitted["floor"]
