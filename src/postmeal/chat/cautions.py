"""Cautions for computed answers, which say what the model does not take into account."""

from __future__ import annotations

import re
from collections.abc import Sequence

from postmeal.chat.computation_gate import states_medicine
from postmeal.chat.glucose_readings import readings, states_limits
from postmeal.chat.meal_question import MealQuestion

_ALLERGENS = re.compile(
    r"\ballerg(?:y|ies|ic)\b|\banaphyla\w+|\bcoeliac|\bceliac|\bintoleran(?:t|ce)\b"
    r"|\b(?:gluten|lactose|dairy|nut|peanut|egg|soy|wheat)[- ]free\b"
)
_ALCOHOL = re.compile(
    r"(?<!free )(?<!non-)(?<!alcoholic )(?<!ginger )(?<!root )"
    r"\b(?:alcohol\w*|beer|lager|ale|wine|champagne|prosecco|cider|vodka|whiske?y|bourbon|rum|gin"
    r"|tequila|brandy|cognac|liqueur|schnapps|sake|cocktail|margarita|mojito|martini|daiquiri)s?\b"
    r"(?![- ]?(?:vinegar|free))"
)


def cautions(question: MealQuestion, texts: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of the cautions that the answer to a question about meals needs."""
    text = question.text
    foods = " . ".join(
        selection.food.name.lower()
        for option in question.options
        for selection in option.selections
    )
    has_reading = bool(readings(text)) and not states_limits(text)
    is_predicted = question.asked != "meal_nutrients"
    names_medicine = states_medicine([*texts, text])
    needed = {
        "caution_medicine": is_predicted and names_medicine,
        "caution_start": is_predicted and has_reading,
        "caution_alcohol": is_predicted and _ALCOHOL.search(foods),
        "caution_allergens": question.asked == "alternatives"
        or any(_ALLERGENS.search(each) for each in (*texts, text)),
    }
    return tuple(name for name, is_needed in needed.items() if is_needed)
