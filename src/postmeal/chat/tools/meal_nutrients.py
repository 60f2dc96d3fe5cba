"""Nutrients of a meal."""

from __future__ import annotations

import re

from postmeal.chat.answer import Computation
from postmeal.chat.lists_in_text import list_of
from postmeal.chat.named_meals import NamedMeal
from postmeal.chat.person import Eater
from postmeal.chat.tools.predict_meal import understood
from postmeal.chat.tools.request import amount_text, request_of
from postmeal.foods.nutrients import UNITS, Nutrients

_NAMES = {
    "carbs_g": ("carbohydrate", r"carb"),
    "fiber_g": ("fiber", r"fib(?:re|er)"),
    "sugars_g": ("sugars", r"sugars?\b"),
    "protein_g": ("protein", r"protein"),
    "fat_g": ("fat", r"(?<!saturated )\bfats?\b"),
    "saturated_fat_g": ("saturated fat", r"saturated"),
    "energy_kcal": ("energy", r"calor|kcal|\bcals\b|energy"),
    "sodium_mg": ("sodium", r"sodium|salt"),
    "cholesterol_mg": ("cholesterol", r"cholesterol"),
    "potassium_mg": ("potassium", r"potassium"),
    "calcium_mg": ("calcium", r"calcium"),
    "iron_mg": ("iron", r"\biron\b"),
    "vitamin_c_mg": ("vitamin C", r"vitamin c\b"),
    "caffeine_mg": ("caffeine", r"caffeine"),
}
_USUAL = ("carbs_g", "fiber_g", "protein_g", "fat_g", "energy_kcal")


def meal_nutrients(named: NamedMeal, eater: Eater, text: str) -> Computation:
    """Return the amounts of the nutrients in a meal that a question asks about.

    If the question names no nutrient, the amounts of carbohydrate, fiber, protein, fat and energy
    are returned.
    """
    asked = nutrients_asked(text) or _USUAL
    total = Nutrients.sum(selection.nutrients for selection in named.selections)
    facts = [understood(named), f"Together this contains {nutrients_text(total, asked)}."]
    if len(named.selections) > 1:
        parts = (
            f"{amount_text(each.nutrients[asked[0]], UNITS[asked[0]])} from {each.food.name}"
            for each in named.selections
        )
        facts.append(f"Of the {_NAMES[asked[0]][0]}, {list_of(parts)}.".replace(", ", ": ", 1))
    return Computation(1, "meal_nutrients", tuple(facts), request_of(named, eater))


def nutrients_asked(text: str) -> tuple[str, ...]:
    """Return the nutrients that a plain text names."""
    return tuple(key for key, (_, words) in _NAMES.items() if re.search(words, text))


def nutrients_text(nutrients: Nutrients, keys: tuple[str, ...]) -> str:
    """Return the amounts of the given nutrients in words, with units."""
    return list_of(
        f"{amount_text(nutrients[key] if key in nutrients else float('nan'), UNITS[key])} of"
        f" {_NAMES[key][0]}"
        for key in keys
    )
