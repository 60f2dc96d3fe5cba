"""The kind of answer that a message gets.

The routes are tried in a fixed order: emergency, self-harm and eating disorders, medicines and
diagnoses, meals, literature, smalltalk and scope. What could hurt someone comes first, and is found
by rules and by a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from postmeal.chat.danger import current_readings
from postmeal.chat.danger_model import is_surely_harmless, likely_danger
from postmeal.chat.glucose_unit import GlucoseUnit, unit_of
from postmeal.chat.language import is_english
from postmeal.chat.meal_question import MealQuestion, meal_question
from postmeal.chat.medicines import medical_question, without_disclaimer
from postmeal.chat.plain_messages import recent_texts
from postmeal.chat.read_message import MEAL_INTENTS, ReadMessage, read_messages
from postmeal.chat.readings import converted, worst
from postmeal.chat.replies import unclear_reading
from postmeal.chat.state import danger_of
from postmeal.chat.wording import has, unmasked, without_instructions
from postmeal.foods.catalog import Catalog
from postmeal.foods.words import words

__all__ = ["FIXED_ROUTES", "Route", "Routed", "route_of"]

Route = Literal[
    "emergency",
    "selfharm",
    "dosing",
    "computed",
    "clarify",
    "literature",
    "smalltalk",
    "scope",
    "nothing",
]
FIXED_ROUTES: frozenset[Route] = frozenset(
    ("emergency", "selfharm", "dosing", "clarify", "smalltalk", "scope", "nothing")
)
"""Routes with a fixed text: their answers are never reworded by a language model."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SHORT = 12  # words
_SURE, _VERY_SURE = 0.5, 0.8  # likelihoods of an intent


@dataclass(frozen=True, slots=True)
class Routed:
    """The route of a message, with what it needs.

    Attributes
    ----------
    route : str
        The route.
    text : str
        Name of the fixed text; empty for computed and literature answers.
    reading : str
        Glucose reading with its units, for texts that repeat it.
    question : MealQuestion or None
        What is asked about a meal.
    is_earlier : bool
        Whether an earlier message than the last one decides the route.
    """

    route: Route
    text: str = ""
    reading: str = ""
    question: MealQuestion | None = None
    is_earlier: bool = False


def route_of(texts: Sequence[str], catalog: Catalog, system: Sequence[str] = ()) -> Routed:
    """Return the route of the last of the user's plain texts.

    Parameters
    ----------
    texts : sequence of str
        The user's messages, the last one last.
    catalog : Catalog
        The foods that may be named.
    system : sequence of str, optional
        System messages. Dangers and units in them count, instructions do not.
    """
    if danger := danger_of(texts, system):
        return Routed(danger.route, danger.text, danger.reading, is_earlier=danger.is_earlier)
    text = _without_prompt_questions(without_instructions(texts[-1]))
    if not is_english(text):
        return Routed("scope", "english")
    if medical := _medical(text):
        return Routed("dosing", medical)
    if not any(letter.isalnum() for letter in text):
        return Routed("scope", "scope")
    if has("stored_data", text):
        return Routed("scope", "no_memory")
    asked = [without_instructions(each) for each in recent_texts(texts[:-1])] + [text]
    read = read_messages(asked, catalog)
    unit = unit_of([*system, *texts])
    if question := meal_question(read, catalog):
        unclear = (_unit_asked(each, unit) for each in asked[-2:])
        return next(filter(None, unclear), Routed("computed", question=question))
    if text != texts[-1] and max(read[-1].likelihoods.values()) < _SURE:
        return Routed("scope", "scope")  # what is left beside pretended instructions
    return _clarified(text, unit) or _other(read)


def _without_prompt_questions(text: str) -> str:
    """Return a plain text without sentences that ask for the instructions of the chat."""
    kept = (each for each in _SENTENCE.split(text) if not has("prompt_question", each))
    return " ".join(kept)


def _medical(text: str) -> str | None:
    """Return the name of the text for a question about medicines or a diagnosis, or None."""
    text = unmasked(without_disclaimer(text))
    if (name := medical_question(text)) and not is_surely_harmless(text):
        return name
    if likely_danger(text) != "dosing" or converted(text):
        return None
    return "diagnosis" if has("diagnosis", text) else "dosing"


def _unit_asked(text: str, unit: GlucoseUnit | None) -> Routed | None:
    """Return a question for the unit of a reading, or for a number that fits the stated one."""
    reading = unclear_reading(text, unit)
    if reading is None:
        return None
    name = "unlikely_reading" if unit_of([text]) or unit else "ask_unit"
    return Routed("clarify", name, reading.text)


def _clarified(text: str, unit: GlucoseUnit | None) -> Routed | None:
    """Return a question back if a reading has no unit, or a meal is not described."""
    if reading := converted(text):
        return Routed("clarify", "conversion", reading.text)
    measured = current_readings(text, unit)
    if measured and not has("evidence", text) and len(words(text)) <= _SHORT:
        if asked := _unit_asked(text, unit):
            return asked
        return Routed("dosing", "reading", worst(measured).text)
    return Routed("clarify", "no_memory") if has("meal_of_a_day", text) else None


def _other(read: Sequence[ReadMessage]) -> Routed:
    """Return the route of a message that names no meal."""
    text, intent = read[-1].text, read[-1].intent
    if intent == "smalltalk":
        is_about = "?" in text or has("question_word", text)
        name = "about" if is_about else "thanks" if has("thanks", text) else "greeting"
        return Routed("smalltalk", name)
    about_meal = sum(read[-1].likelihoods[each] for each in MEAL_INTENTS)
    if about_meal > _SURE and has("unknown_property", text):
        return Routed("clarify", "unknown_property")
    if intent == "describe" or about_meal > (_VERY_SURE if read[-1].food_text else _SURE):
        return Routed("clarify", "ask_meal")
    if intent == "recall":
        return Routed("scope", "no_memory")
    if read[-1].likelihoods["scope"] > (_VERY_SURE if has("topic", text) else _SURE):
        return Routed("scope", "scope")
    return Routed("literature")
