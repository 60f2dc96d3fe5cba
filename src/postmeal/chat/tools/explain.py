"""Contributions of the foods of a meal to the predicted peak."""

from __future__ import annotations

from postmeal.chat.answer import Computation
from postmeal.chat.lists_in_text import list_of
from postmeal.chat.named_meals import NamedMeal
from postmeal.chat.person import Eater
from postmeal.chat.tools.predict_meal import understood
from postmeal.chat.tools.request import amount_text, glucose_text, meal_of, request_of
from postmeal.glucose.predictor import Predictor

_LISTED = 4


def explain(predictor: Predictor, named: NamedMeal, eater: Eater) -> Computation:
    """Return the four largest contributions of foods to the predicted peak, in descending order."""
    meal = meal_of(named, eater)
    parts = predictor.contributions(eater.profile, meal)
    unit = eater.wants_mmol_l
    order = sorted(range(len(meal.selections)), key=lambda place: -parts.foods_mg_dl[place])
    shown = list_of(
        f"{glucose_text(parts.foods_mg_dl[place], wants_mmol_l=unit)} from"
        f" {meal.selections[place].food.name}"
        f" ({amount_text(meal.selections[place].nutrients['carbs_g'], 'g')} of carbohydrate)"
        for place in order[:_LISTED]
    )
    facts = (
        understood(named),
        f"For {eater.description}, the predicted peak is"
        f" {glucose_text(parts.peak_mg_dl, wants_mmol_l=unit)}; without food it would be"
        f" {glucose_text(parts.start_mg_dl, wants_mmol_l=unit)}.",
        f"The rest comes from the foods: {shown}.",
    )
    return Computation(1, "explain", facts, request_of(named, eater))
