"""Training examples for the portion model, one for each food and published measure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from postmeal.foods.portions.features import Described, describe
from postmeal.foods.portions.model import MOST, Key
from postmeal.foods.portions.own_servings import known_measures
from postmeal.foods.portions.units import USUAL
from postmeal.foods.table import TableFood
from tools.food_table.survey_portions import SurveyFood
from tools.food_table.survey_twins import ALIKE, SurveyTwins

__all__ = ["KIND", "SURVEY", "TWIN", "Example", "ExampleSet", "examples_of"]

SURVEY = "fndds"
KIND = "kind"
"""Value of `Example.source` for survey foods of which only the kind is known."""

TWIN = "twin"
"""Value of `Example.source` for foods with the weight of the most similar survey food."""

_MOST_PERCENTILE = 99.0
_LEAST_ALIKE = 0.3
_THE_SAME = 0.85
_SERVED = frozenset({"cup", "plate", "bowl", "serving", "glass", "sandwich", "cocktail"})
_LEAST_SERVED_G = 100.0


@dataclass(frozen=True, slots=True)
class Example:
    """A published portion, as a training example."""

    number: int
    source: str
    food: Described
    key: Key
    weight_g: float


@dataclass(frozen=True, slots=True)
class ExampleSet:
    """All training examples, and the usual amounts of foods."""

    rows: list[Example]
    twins: dict[int, int]
    usual_g: dict[int, float]


def examples_of(survey: Sequence[SurveyFood], table: Iterable[TableFood]) -> ExampleSet:
    """Build the training examples from the survey foods and the other foods in the table."""
    foods = list(table)
    in_table = {food.key: food for food in foods if food.source == SURVEY}
    most = _most_by_group(survey)
    rows: list[Example] = []
    usual_g: dict[int, float] = {}
    alike_to: dict[int, int] = {}
    described = [_survey_described(food, in_table.get(food.description)) for food in survey]
    for number, (food, what) in enumerate(zip(survey, described, strict=True)):
        known = known_measures(food.description, food.portions, food.usual_g)
        known[MOST, ""] = most[food.category]
        if food.usual_g is not None:
            known[USUAL, ""] = food.usual_g
            if food.description in in_table:
                usual_g[in_table[food.description].id] = food.usual_g
        source = SURVEY if food.is_named else KIND
        rows += (Example(number, source, what, key, grams) for key, grams in known.items())
    twins = SurveyTwins(described)
    surveyed = {food.description for food in survey}
    others = (food for food in foods if food.key not in surveyed)
    for number, other in enumerate(others, len(survey)):
        name = f"{other.name} ({other.brand_name})" if other.brand_name else other.name
        what = describe(name, other.category, other.per_100_g.get("energy_kcal"))
        known = known_measures(name, other.portions, None)
        if other.source == "postmeal" and (served_g := _served_g(other)):
            known[USUAL, ""] = usual_g[other.id] = served_g
        rows += (Example(number, other.source, what, key, grams) for key, grams in known.items())
        place, alike = twins.nearest(what) or (0, 0.0)
        if alike < _LEAST_ALIKE:
            continue
        twin = survey[place]
        rows.append(Example(number, TWIN, what, (MOST, ""), most[twin.category]))
        if twin.usual_g is not None and other.source != "postmeal":
            rows.append(Example(number, TWIN, what, (USUAL, ""), twin.usual_g))
            if alike >= ALIKE:
                usual_g[other.id] = twin.usual_g
        if alike >= _THE_SAME:
            alike_to[number] = place
    return ExampleSet(rows, alike_to, usual_g)


def _served_g(dish: TableFood) -> float | None:
    """Return the weight of a dish's default serving if it is a whole portion, otherwise None."""
    serving = dish.portions[0]
    eaten = serving.unit in _SERVED or serving.weight_g >= _LEAST_SERVED_G
    return serving.weight_g if eaten and serving.unit != "g" else None


def _survey_described(food: SurveyFood, row: TableFood | None) -> Described:
    energy_kcal = row.per_100_g.get("energy_kcal") if row else None
    return describe(food.description, food.category, energy_kcal)


def _most_by_group(survey: Iterable[SurveyFood]) -> dict[str, float]:
    amounts: dict[str, list[float]] = defaultdict(list)
    for food in survey:
        amounts[food.category] += [p.weight_g / p.quantity for p in food.portions]
        amounts[food.category] += [food.usual_g] if food.usual_g else []
    return {
        group: float(np.percentile(grams, _MOST_PERCENTILE)) for group, grams in amounts.items()
    }
