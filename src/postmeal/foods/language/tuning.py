"""Thresholds of reading a meal text, each with the figure that chose it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_TUNING", "Tuning"]


@dataclass(frozen=True, slots=True)
class Tuning:
    """Thresholds of the stages of `postmeal.foods.language.read_meal`.

    "US meals" are those of NutriBench v2 (dev) from the United States, in everyday words: the
    share within 7.5 g of carbohydrate. "Blind meals" are the read half of those in
    tests/relevance/blind_meals: the mean error of carbohydrate, or the share of foods found. A
    threshold without a figure was set by hand and has not been varied.

    Attributes
    ----------
    understood : float
        Minimum score of a match; below, a phrase is unread. US meals: 74.0 % at 0.1, 73.9 % at
        0.2, 73.8 % at 0.3; blind meals: 31.0 g, 29.2 g and 29.2 g.
    foreign_share : float
        Minimum share of words in another language from which a text is translated as a whole.
    shared_word : float
        What a word counts for a language if it also occurs in English.
    whole_share : float
        Share of words in one language from which a text of four words or more is translated, even
        if all of them occur in names of foods. Blind meals: the same from 0.6 to 0.9.
    likelihood_margin : float
        Matches that score this much below the best may still be meant.
    respelled_gain : float
        By how much a corrected spelling must match better than the words that were written.
        Blind meals, foods found: 74.3 % at 0.0 and 0.1, 73.7 % at 0.4.
    whole_parts : tuple of float
        Score of a match, and shares of the first and of each other phrase that it must hold, from
        which phrases are one food.
    dish_parts : tuple of float
        The same where the last phrase names a dish: "peanut butter and jelly sandwich".
    well_held : float
        Share of a name that a match holds, from which nothing better is looked for.
    surely : float
        Score from which a name surely means a food.
    perhaps : float
        Score from which a name in a remark may mean a food.
    unsaid_margin : float
        A food that is not sugar free may score this much below one that is, where nobody said so.
    unknown_head : float
        Score below which a name is unread if its main word occurs in no name of a food. US meals:
        73.6 % at 0.5, 73.9 % at 0.35.
    dropped_qualifier : float
        Factor of the confidence of a match that lacks a word such as "low carb".
    implausible_amount : float
        Factor of the confidence of a food of which the text says more than people eat.
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
"""The thresholds in use."""
