"""The survey food that another publisher's food is most like.

Only the survey states what people usually eat of a food. Foods of other publishers take this from
the survey food whose name shares the most words with theirs, rare words counting more.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from postmeal.foods.portions.features import Described

__all__ = ["ALIKE", "SurveyTwins"]

ALIKE = 0.6
"""From this likeness on, the survey's usual amount is that of the other food too."""

_OWN_WORDS = 0.7  # a word that only the survey's name has counts this much more than the reverse
_STATES = frozenset({"raw", "cooked", "boiled", "dried", "canned", "frozen", "fresh", "salt",
                     "prepared", "mature", "drained", "roasted", "whole"})  # fmt: skip
_STATE = 0.3
_OTHER_ENERGY = 0.6
_MOST_STEPS = 1  # of energy density, each half a natural logarithm
_HEAD = 2.0


class SurveyTwins:
    """Finds survey foods by likeness.

    Parameters
    ----------
    survey : sequence of Described
        The survey foods.
    """

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
        """Return the survey food that a food is most like.

        Returns
        -------
        tuple of int and float, or None
            Its place among the survey foods, and the likeness from 0 to 1; None if no word of the
            name is known.
        """
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
