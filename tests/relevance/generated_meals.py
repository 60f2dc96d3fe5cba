"""Sentences generated from marked ones by exchanging foods for names in the catalog."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import pairwise

from marked_meals import MarkedMeal

from postmeal.words.tokens import tokens_of
from tools.food_table.names import DISHES, EVERYDAY, NAMES, joined_names, read_names

__all__ = ["generated"]

_OF_EACH = 30
_EXCHANGED = 0.8
_UNKNOWN = 0.25
_LONGEST_NAME = 4
_SEED = 17


def generated(meals: Sequence[MarkedMeal]) -> list[MarkedMeal]:
    """Exchange most foods for everyday names, and most amounts for those of other sentences.

    A quarter of the names are changed so that the catalog does not know them. Without such names, a
    tagger learns that unknown words are filler.
    """
    chance = random.Random(_SEED)
    known = joined_names(read_names((EVERYDAY, DISHES), NAMES))
    rows = [names.split(";") for names in known.values()]
    names = [name for row in rows for name in row[:3] if len(name.split()) <= _LONGEST_NAME]
    parts = [_said(meal, *span) for meal in meals for span in meal.spans("P")]
    labeled = [(meal, run) for meal in meals for run in runs(meal.labels)]
    amounts = [_said(meal, *run) for meal, run in labeled if meal.labels[run[0]] == "A"]
    made = []
    for meal in meals:
        for _ in range(_OF_EACH):
            said: list[str] = []
            labels: list[str] = []
            for start, end in runs(meal.labels):
                label = meal.labels[start]
                own = _said(meal, start, end)
                if chance.random() < _EXCHANGED:
                    if label in ("B-F", "N"):
                        name = chance.choice(names)
                        own = _unknown(name, chance) if chance.random() < _UNKNOWN else name
                    elif label == "B-P":
                        own = chance.choice((chance.choice(parts), chance.choice(names)))
                    elif label == "A":
                        own = chance.choice(amounts)
                words = [token.word for token in tokens_of(own)]
                said += words
                labels += [label, *([_inside(label)] * (len(words) - 1))]
            made.append(MarkedMeal(meal.voice, " ".join(said), tuple(labels)))
    return [meal for meal in made if len(meal.tokens) == len(meal.labels)]


def runs(labels: Sequence[str]) -> list[tuple[int, int]]:
    """Return the start and end of each name and of other words with the same label."""
    pairs = enumerate(pairwise(labels), 1)
    edges = [n for n, (before, now) in pairs if now == "O" or now != _inside(before)]
    return list(pairwise([0, *edges, len(labels)]))


def _inside(label: str) -> str:
    return label.replace("B-", "I-")


def _said(meal: MarkedMeal, start: int, end: int) -> str:
    return " ".join(token.word for token in meal.tokens[start:end])


def _unknown(name: str, chance: random.Random) -> str:
    """Exchange the vowels of a name."""
    return re.sub("[aeiou]", lambda _: chance.choice("aeiou"), name)
