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
    vague: float = 0.6
    surely: float = 0.9
    perhaps: float = 0.5
    unsaid_margin: float = 0.35
    unknown_head: float = 0.35
    dropped_qualifier: float = 0.5
    implausible_amount: float = 0.5


DEFAULT_TUNING = Tuning()
"""Thresholds that `read_meal` uses."""
