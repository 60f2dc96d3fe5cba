"""Thresholds for reading a meal text, with the results from which they were chosen."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_TUNING", "Tuning"]


@dataclass(frozen=True, slots=True)
class Tuning:
    """Thresholds for the stages of `postmeal.foods.language.read_meal`.

    Results are stated for two data sets. "US meals" are the meals from the United States in the
    development part of NutriBench v2, described in everyday words. Their result is the share of
    meals with a carbohydrate error of at most 7.5 g. "Blind meals" are the open half of
    tests/relevance/blind_meals. Their result is the mean carbohydrate error or the share of foods
    that were found. Thresholds without a result were set by hand, and no other values were tried.

    Attributes
    ----------
    understood : float
        Minimum score of a match; phrases with lower scores are not read. US meals: 74.0% at 0.1,
        73.9% at 0.2, 73.8% at 0.3; blind meals: 31.0 g, 29.2 g and 29.2 g.
    foreign_share : float
        Minimum share of words in another language for a text to be translated as a whole.
    shared_word : float
        Weight of a word as evidence for a language if the word also occurs in English.
    whole_share : float
        Minimum share of words in one language for a text of at least four words to be translated,
        even if all of them occur in food names. Blind meals: same result from 0.6 to 0.9.
    likelihood_margin : float
        Maximum difference between the best score and the score of a match that is still considered.
    respelled_gain : float
        Minimum improvement of the score by a corrected spelling. Blind meals, foods found: 74.3% at
        0.0 and 0.1, 73.7% at 0.4.
    whole_parts : tuple of float
        Minimum score of a match that joins phrases into one food. The other two values are the
        minimum shares of words that the match must contain, for the first phrase and for each other
        phrase.
    dish_parts : tuple of float
        Like `whole_parts`, but for phrases of which the last one names a dish, as in "peanut butter
        and jelly sandwich".
    well_held : float
        Minimum share of a name's words in a match at which no better match is searched for.
    surely : float
        Minimum score at which a name is treated as certain to refer to a food.
    perhaps : float
        Minimum score at which a name in a remark may refer to a food.
    unsaid_margin : float
        Maximum difference between the scores of a sugar-free match and a match with sugar at which
        the match with sugar is preferred, if the text does not say "sugar free".
    unknown_head : float
        Minimum score of a match if the main word of the name does not occur in any food name. US
        meals: 73.6% at 0.5, 73.9% at 0.35.
    dropped_qualifier : float
        Factor for the confidence of a match that lacks a word such as "low carb".
    implausible_amount : float
        Factor for the confidence if the text states more of a food than people eat.
    """

    understood: float = 0.2
    foreign_share: float = 0.3
    shared_word: float = 0.3
    whole_share: float = 0.75
    likelihood_margin: float = 0.15
    respelled_gain: float = 0.1
    whole_parts: tuple[float, float, float] = (0.4, 0.5, 0.35)
    dish_parts: tuple[float, float, float] = (0.3, 0.3, 0.15)
    well_held: float = 0.8
    surely: float = 0.9
    perhaps: float = 0.5
    unsaid_margin: float = 0.35
    unknown_head: float = 0.35
    dropped_qualifier: float = 0.5
    implausible_amount: float = 0.5


DEFAULT_TUNING = Tuning()
"""Thresholds that `read_meal` uses."""
