"""Estimate whether the best match of a search is the food that the user meant.

A query may ask for something that the catalog does not contain. The search then drops words or
corrects them to other words, and may return the wrong food. Gradient-boosted decision trees
estimate the probability that the food is right. `tests/relevance/train_confidence.py` trains the
trees on the tuning queries (unchanged, with typos, truncated, with a made-up word, and with the
name of a shop) and on names of people, cities and things that are not foods. It writes
``confidence_trees.csv`` and the minimum probability in ``confidence.toml``.
"""

from __future__ import annotations

import csv
import math
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.catalog.ranking import FORMS, LINKING
from postmeal.foods.catalog.search import Found
from postmeal.foods.catalog.vocabulary import Vocabulary
from postmeal.foods.catalog.wordings import Wording, plain_words
from postmeal.foods.ordinary_words import ORDINARY

FEATURES = (
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
    "dropped_ordinary",
    "dropped_shop",
    "dropped_before_named",
    "kept_class",
    "edited_first_letter",
    "edited_all",
    "edited_all_short",
    "edited_rarity",
    "edited_beside_known",
    "popularity",
    "words",
    "longest",
    "edited_ordinary",
)
"""Names of the features, in order."""

_UNIMPORTANT = FORMS | LINKING | frozenset({
    "bag", "bottle", "box", "can", "dozen", "eight", "five", "four", "g", "glass", "gram",
    "handful", "kg", "lb", "ml", "nine", "one", "ounce", "oz", "pc", "pcs", "seven", "six",
    "tablespoon", "tbsp", "teaspoon", "ten", "three", "tsp", "two", "w", "without",
})  # fmt: skip
_SHOPS = frozenset({
    "aldi", "asda", "auchan", "biedronka", "bigbasket", "billa", "boots", "budgens",
    "carrefour", "coles", "conad", "continente", "costco", "coop", "delhaize", "dmart",
    "ocado", "edeka", "eroski", "esselunga", "franprix", "hofer", "iga", "ica", "iceland",
    "intermarche", "jumbo", "kaufland", "kirkland", "kroger", "leclerc", "lidl", "loblaw",
    "meijer", "mercadona", "migros", "monoprix", "morrison", "netto", "picard", "poundland",
    "publix", "rewe", "safeway", "sainsbury", "shoprite", "sobey", "spar", "sprout", "target",
    "tesco", "waitrose", "walmart", "wegman", "willy", "woolworth", "zabka",
})  # fmt: skip
"""Normalized names of the largest food retailers in Europe, North America, Australia and India, and
of their brands. A plain food remains the same food if a shop is named with it."""

_CLASSES = frozenset({
    "bake", "bar", "bite", "bowl", "bread", "burger", "cake", "candy", "casserole", "cereal",
    "cheese", "chip", "cocktail", "cookie", "cooky", "crisp", "curry", "cutlet", "dip",
    "dish", "drink", "flake", "fry", "gum", "ice", "jam", "jelly", "juice", "meal", "mix",
    "munch", "noodle", "nugget", "pie", "pizza", "pop", "pot", "powder", "protein", "pudding",
    "roast", "roll", "rib", "salad", "sandwich", "sauce", "shake", "smoothie", "snack",
    "soda", "soup", "spread", "steak", "stew", "supplement", "syrup", "tail", "tea", "toast",
    "topping", "treat", "water", "wing", "wrap",
})  # fmt: skip
"""Words for foods that vary with the word before them, such as "stew" in "beef stew"."""

_NAMED = 0.9  # cost of a food found by an everyday name
_MOST_COST = 6.0
_SHORT = 6  # words with fewer letters count as short
_LEAST_POPULAR = 7.0
_TYPO = 0.21  # maximum distance of a misspelled word from the correct one, per letter


def is_answer(
    query_words: list[str],
    found: Found,
    vocabulary: Vocabulary,
    others: Callable[[], Sequence[Wording]] = tuple,
) -> bool:
    """Return whether the best match of a search is likely to be the food that was meant.

    A food whose names contain all words of the query as typed is always an answer.
    """
    reading = found.reading
    if not (reading.is_prefix or reading.edits or qualifiers(reading.dropped)):
        return True
    if reading.is_prefix and not (reading.dropped or "".join(query_words).isascii()):
        return True  # the trees were trained on Latin letters; a Chinese character may be a word
    plain = plain_words(query_words, others())
    _, floor = _trees()
    return confidence(features(plain, found, vocabulary)) >= floor


def confidence(values: Sequence[float]) -> float:
    """Return the probability that a match with these features is right."""
    return _trees()[0].probability(values)


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
    misspelled = [word for word in misspelled if word not in _SHOPS]
    unread = [word for word in query_words if not vocabulary.foods(word)]
    shops = [word for word in unknown if word in _SHOPS]
    letters = sum(map(len, content_words)) or 1
    is_named = found.cost < _NAMED
    last_kept = bool(kept) and kept[-1] == query_words[-1]
    is_class = len(kept) == 1 and kept[0] in _CLASSES
    return [
        len(unknown) - len(misspelled) - len(shops),
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
        float(is_named),
        sum(word in ORDINARY for word in dropped),
        len(shops),
        float(bool(unknown) and is_named and last_kept and not reading.edits and not is_class),
        float(bool(unknown) and is_class),
        sum(all(word[0] != other[0] for other in unread) for word in edited),
        float(bool(edited) and len(edited) == len(kept)),
        sum(len(word) < _SHORT for word in edited) if len(edited) == len(kept) else 0.0,
        sum(vocabulary.rarity(word) for word in edited) / 10,
        float(bool(edited) and len(edited) < len(kept) and is_named),
        min(math.log2(1 + found.places[0] / 100), _LEAST_POPULAR),
        len(query_words),
        max(map(len, reading.words)),
        sum(word in ORDINARY and word not in dropped for word in unread),
    ]


def qualifiers(dropped: Sequence[str]) -> list[str]:
    """Return the dropped words that may change the food, unlike amounts and preparations."""
    return [word for word in dropped if word not in _UNIMPORTANT and not word[0].isdigit()]


def _is_misspelled(word: str, vocabulary: Vocabulary) -> bool:
    """Return whether a word is so similar to a catalog word that it is probably misspelled."""
    distance = next((distance for distance, _ in vocabulary.corrections(word, 1)), math.inf)
    return distance <= _TYPO * len(word)


@cache
def _trees() -> tuple[DecisionTrees, float]:
    folder = files("postmeal.foods.catalog")
    trees = folder.joinpath("confidence_trees.csv").read_text("utf-8")
    floor = tomllib.loads(folder.joinpath("confidence.toml").read_text("utf-8"))["floor"]
    return DecisionTrees(trees), floor


class _Node(NamedTuple):
    """A node of a tree: a split by a feature, or a leaf, which has a negative feature number."""

    feature: int
    threshold: float
    at_most: int
    above: int
    value: float


class DecisionTrees:
    """Decision trees whose sum is the log odds of an event."""

    def __init__(self, text: str) -> None:
        trees: dict[str, list[_Node]] = {}
        for row in csv.DictReader(text.splitlines()):
            nodes = trees.setdefault(row["tree"], [])
            if row["feature"]:
                split = (int(row["feature"]), float(row["threshold"]))
                nodes.append(_Node(*split, int(row["at_most"]), int(row["above"]), 0.0))
            else:
                nodes.append(_Node(-1, 0.0, 0, 0, float(row["value"])))
        self._trees = tuple(map(tuple, trees.values()))

    def probability(self, features: Sequence[float]) -> float:
        """Return the probability of the event for features in the order of their numbers."""
        log_odds = 0.0
        for nodes in self._trees:
            node = nodes[0]
            while node.feature >= 0:
                is_above = features[node.feature] > node.threshold
                node = nodes[node.above if is_above else node.at_most]
            log_odds += node.value
        return 1 / (1 + math.exp(-log_odds))
