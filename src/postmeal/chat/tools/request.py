"""Conversion of a named meal to a `Meal` or an API request, and of amounts to words."""

from __future__ import annotations

from typing import Any

from postmeal.chat.glucose_readings import MG_DL_PER_MMOL_L
from postmeal.chat.named_meals import NamedMeal
from postmeal.chat.person import Eater
from postmeal.foods.food import Meal
from postmeal.rounding import MG_DL, rounded


def meal_of(named: NamedMeal, eater: Eater) -> Meal:
    """Return a named meal, eaten at the stated time, as a `Meal` of the library."""
    return Meal(named.selections, eater.time)


def request_of(named: NamedMeal, eater: Eater) -> dict[str, Any]:
    """Return the body of a ``POST /v1.2/glucose/predictions`` request for a meal."""
    profile = eater.profile
    assert profile.age is not None  # The chat assumes values that a message does not state.
    assert profile.height_cm is not None
    assert profile.weight_kg is not None
    person: dict[str, Any] = {
        "age": int(profile.age),
        "sex": profile.sex,
        "height": {"value": round(profile.height_cm, 1), "unit": "cm"},
        "weight": {"value": round(profile.weight_kg, 1), "unit": "kg"},
    }
    if profile.health_conditions:
        person["health_conditions"] = list(profile.health_conditions)
    foods = [
        {
            "id": str(selection.food.id),
            "serving": {"id": str(selection.serving.id)},
            "quantity": selection.quantity,
        }
        for selection in named.selections
    ]
    start = {"start_time": eater.time.isoformat(), "timezone": "UTC"}
    return {"user_profile": person, "foods": foods, **start}


def glucose_text(glucose_mg_dl: float, *, wants_mmol_l: bool = False) -> str:
    """Return a glucose value with its unit, rounded as in the output of ``postmeal predict``."""
    shown = rounded(glucose_mg_dl, MG_DL)
    text = f"{shown:.1f} mg/dL"
    return f"{shown / MG_DL_PER_MMOL_L:.1f} mmol/L ({text})" if wants_mmol_l else text


def amount_text(amount: float, unit: str) -> str:
    """Return the amount of a nutrient with its unit, rounded; NaN is an unknown amount."""
    if amount != amount:
        return "an unknown amount"
    shown = rounded(amount, unit)
    return f"{shown:.0f} {unit}" if unit in ("kcal", "mg") else f"{shown:.1f} {unit}"
