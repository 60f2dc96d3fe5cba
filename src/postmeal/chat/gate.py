"""What stops a computation: words that say that a message is not only about a meal.

The rules for dangers find what they describe; other wordings reach the meals. There, the words that
the parser left out or forced into a food are the best sign that a question was not understood.
Numbers about food are no answer to a question about a medicine or a symptom, so nothing is
computed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from postmeal.chat.amounts_said import not_understood
from postmeal.chat.meal_question import TURNS, MealQuestion
from postmeal.chat.medicines import misspelled_medicine
from postmeal.chat.wording import has, pattern, unmasked, without_instructions
from postmeal.foods.words import words

__all__ = ["Stop", "states_medicine", "stop_of"]

_OWN = re.compile(r"\b(?:my|his|her|their|our|the|your) (?:\w+ )?$")


class Stop(NamedTuple):
    """The fixed text that takes the place of a computation.

    Attributes
    ----------
    name : str
        Name of the fixed text.
    said : str
        The words that were not understood.
    """

    name: str
    said: str = ""


def stop_of(question: MealQuestion, texts: Sequence[str]) -> Stop | None:
    """Return what stops the computation of a question, or None.

    Parameters
    ----------
    question : MealQuestion
        The question and its meals.
    texts : sequence of str
        The user's plain texts, the last one last.
    """
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
    """Return whether one of the user's last plain texts names a medicine."""
    return any(has("meal_medicine", text) for text in texts[-TURNS:])


def _outside_foods(name: str, text: str, question: MealQuestion) -> str:
    """Return the first match of a pattern that is no word of a food of the meal."""
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
