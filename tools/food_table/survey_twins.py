"""Find the survey food that is most similar to a food from another publisher.

Only the US dietary survey (FNDDS) states how much of a food people usually eat. For a food from
another publisher, this amount is taken from the most similar survey food. The similarity is based
on the words that the names have in common, with larger weights for rare words.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from postmeal.foods.portions.features import Described

__all__ = ["ALIKE", "SurveyTwins"]

ALIKE = 0.6
"""Minimum similarity at which the usual amount of a survey food is used for another food."""

_OWN_WORDS = 0.7  # weight of words that only the survey food's name contains
_STATES = frozenset({"raw", "cooked", "boiled", "dried", "canned", "frozen", "fresh", "salt",
                     "prepared", "mature", "drained", "roasted", "whole"})  # fmt: skip
_STATE = 0.3
_OTHER_ENERGY = 0.6
_MOST_STEPS = 1  # maximum difference in energy density, in steps of `Described.energy`
_HEAD = 2.0


class SurveyTwins:
    """Index of survey foods for finding the most similar one."""

    def __init__(self, survey: Sequence[Described]) -> None:
        self._survey = survey
        self._having: dict[str, list[int]] = defaultdict(list)
        for place, food in enumerate(survey):
            for word in food.words:
                self._having[word].append(place)
        frequency = Counter(word for food in survey for word in food.words)
        self._rarity = {w: math.log(len(survey) / (1 + n)) + 1 for w, n in frequency.items()}
        self._rarest = math.log(len(survey)) + 1
        self._whole = [self._weight(food, food.words) for food in survey]

    def nearest(self, food: Described) -> tuple[int, float] | None:
        """Return the survey food that is most similar to a food."""
        shared: dict[int, float] = defaultdict(float)
        for word in food.words:
            for place in self._having.get(word, ()):
                shared[place] += self._weight(self._survey[place], (word,))
        if not shared:
            return None
        own = self._weight(food, food.words)
        alike = {
            place: self._likeness(food, place, common, own) for place, common in shared.items()
        }
        best = max(alike, key=lambda place: (alike[place], -place))
        return best, alike[best]

    def _likeness(self, food: Described, place: int, common: float, own: float) -> float:
        other = self._survey[place]
        like = common / (_OWN_WORDS * self._whole[place] + (1 - _OWN_WORDS) * own)
        if other.head not in food.words and food.head not in other.words:
            like *= _OTHER_ENERGY
        if food.energy is not None and other.energy is not None:
            like *= 1.0 if abs(food.energy - other.energy) <= _MOST_STEPS else _OTHER_ENERGY
        return min(like, 1.0)

    def _weight(self, food: Described, words: Sequence[str]) -> float:
        return sum(
            _STATE
            if word in _STATES
            else self._rarity.get(word, self._rarest) * (_HEAD if word == food.head else 1.0)
            for word in words
        )
