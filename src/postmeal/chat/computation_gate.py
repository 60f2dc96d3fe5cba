"""Reasons not to compute an answer, such as words for a medicine or a symptom in the message.

The rules for dangers recognize only some wordings, so a question about a medicine or a symptom can
be taken for a question about a meal. The best signs of this are words that the meal parser left
out, and words that it wrongly took for a part of a food. Numbers about food do not answer such a
question, so nothing is computed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from postmeal.chat.injected_instructions import without_instructions
from postmeal.chat.meal_question import TURNS, MealQuestion
from postmeal.chat.medicines import misspelled_medicine
from postmeal.chat.patterns import has, pattern
from postmeal.chat.plain_text import unmasked
from postmeal.chat.unassigned_amounts import not_understood
from postmeal.foods.words import words

_OWN = re.compile(r"\b(?:my|his|her|their|our|the|your) (?:\w+ )?$")


class Stop(NamedTuple):
    """The fixed text that replaces a computed answer."""

    name: str
    said: str = ""


def stop_of(question: MealQuestion, texts: Sequence[str]) -> Stop | None:
    """Return the fixed text that replaces the computed answer to a question, or None."""
    text = pattern("no_dose_wanted").sub(" ", unmasked(without_instructions(texts[-1])))
    rest = pattern("medicine_statement").sub(" ", text)
    if said := _outside_foods("meal_medicine", rest, question):
        return Stop("dosing", said)
    if said := misspelled_medicine(rest):
        return Stop("dosing", said)
    if has("medicine_reference", text) and states_medicine(texts):
        return Stop("dosing")
    if said := _outside_foods("meal_body", text, question):
        return Stop("ask_unwell", said)
    if has("unknown_property", text):
        return Stop("unknown_property")
    if question.problem:
        return Stop("ask_change", question.problem)
    if said := not_understood(question):
        return Stop("ask_amount", said)
    return None


def states_medicine(texts: Sequence[str]) -> bool:
    """Return whether one of the user's last 10 plain texts names a medicine."""
    return any(has("meal_medicine", text) for text in texts[-TURNS:])


def _outside_foods(name: str, text: str, question: MealQuestion) -> str:
    """Return the first match of a pattern that is not part of a food of the meal.

    If there is no such match, return an empty string.
    """
    foods = {
        word
        for option in question.options
        for one in option.detections
        for word in words(f"{one.said} {one.selection.food.name}")
    }
    for match in pattern(name).finditer(text):
        is_own = _OWN.search(text[: match.start()]) is not None
        if is_own or not set(words(match.group())) <= foods:
            return match.group().strip()
    return ""
