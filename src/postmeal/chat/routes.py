"""Routes of messages. The route of a message is the kind of answer that it gets.

Dangers are checked first, in this order: emergencies, self-harm and eating disorders, low glucose,
other needs for care today, questions about medicines and diagnoses. Both rules and a model
recognize most of them. Next are meals, small talk and messages on other topics. All remaining
messages are answered from the literature.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from postmeal.chat.avoided_foods import without_restrictions
from postmeal.chat.danger import current_readings
from postmeal.chat.danger_model import is_overruled, likely_danger
from postmeal.chat.glucose_readings import converted, worst
from postmeal.chat.glucose_unit import GlucoseUnit, unit_of
from postmeal.chat.injected_instructions import without_instructions
from postmeal.chat.language import is_english
from postmeal.chat.lasting_dangers import danger_of
from postmeal.chat.meal_question import MealQuestion, meal_question
from postmeal.chat.medicines import medical_question, without_disclaimer
from postmeal.chat.patterns import has, pattern
from postmeal.chat.plain_messages import recent_texts
from postmeal.chat.plain_text import unmasked
from postmeal.chat.read_message import MEAL_INTENTS, ReadMessage, read_messages
from postmeal.chat.stated_facts import without_facts
from postmeal.chat.unit_replies import unclear_reading
from postmeal.chat.urgent_care import urgent_care
from postmeal.foods.catalog import Catalog
from postmeal.foods.words import words

Route = Literal[
    "emergency",
    "selfharm",
    "low_glucose",
    "dosing",
    "computed",
    "clarify",
    "literature",
    "smalltalk",
    "scope",
    "nothing",
]
FIXED_ROUTES: frozenset[Route] = frozenset(
    ("emergency", "selfharm", "low_glucose", "dosing", "clarify", "smalltalk", "scope", "nothing")
)
"""Routes whose answers are fixed texts. A language model never rewords these answers."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_GLUCOSE_TABLETS = re.compile(r"\b(?:glucose|dextrose|sugar) (?:tab\w*|pills?)\b")
_SHORT = 12  # words
_SURE, _VERY_SURE = 0.5, 0.8  # probabilities of an intent


@dataclass(frozen=True, slots=True)
class Routed:
    """The route of a message, and the data that its answer needs."""

    route: Route
    text: str = ""
    reading: str = ""
    question: MealQuestion | None = None
    is_earlier: bool = False
    read: tuple[ReadMessage, ...] = ()
    care: str = ""


def route_of(texts: Sequence[str], catalog: Catalog, system: Sequence[str] = ()) -> Routed:
    """Return the route of the user's last message."""
    danger = danger_of(texts, system)
    if danger and not (danger.route == "low_glucose" and danger.is_earlier):
        return Routed(
            danger.route,
            danger.text,
            danger.reading,
            is_earlier=danger.is_earlier,
            care=danger.care,
        )
    low = danger.reading if danger else ""
    unit = unit_of([*system, *texts])
    if care := urgent_care(texts[-1], unit):
        is_low = care.text == "low_glucose"
        if is_low and not care.reading and (medical := _about_medicine(texts[-1])):
            return Routed("dosing", medical, care=care.text)
        return Routed("low_glucose" if is_low else "dosing", care.text, care.reading)
    text = _without_prompt_questions(without_instructions(texts[-1]))
    if not is_english(text):
        return Routed("scope", "english")
    if unwell := pattern("only_unwell").search(text):
        return Routed("clarify", "ask_unwell", unwell.group().strip(" .!"))
    rest = without_restrictions(text)
    if medical := _medical(rest):
        return Routed("dosing", medical)
    if not any(letter.isalnum() for letter in text):
        return Routed("scope", "scope")
    if has("stored_data", text):
        return Routed("scope", "no_memory")
    asked = [without_instructions(each) for each in recent_texts(texts[:-1])] + [text]
    read = read_messages(asked, catalog)
    question = meal_question(read, catalog)
    if not rest and not (question and question.is_change):
        return Routed("clarify", "noted_avoided")
    if question:
        unclear = (_unit_asked(each, unit) for each in asked[-2:])
        return next(filter(None, unclear), Routed("computed", reading=low, question=question))
    if text != texts[-1] and max(read[-1].likelihoods.values()) < _SURE:
        return Routed("scope", "scope")  # the message also contains pretended instructions
    return _clarified(text, unit) or replace(_other(read), reading=low)


def _without_prompt_questions(text: str) -> str:
    """Remove sentences that ask for the instructions of the chat from a plain text."""
    kept = (each for each in _SENTENCE.split(text) if not has("prompt_question", each))
    return " ".join(kept)


def _about_medicine(text: str) -> str | None:
    """Return the fixed text for a question about a medicine or a diagnosis, or None.

    "How many should I take for a hypo?" is a question about sugar if it names no medicine.
    """
    rest = _GLUCOSE_TABLETS.sub(" ", text)
    is_about_sugar = has("low_named", rest) and not has("medicine_word", rest)
    return None if is_about_sugar and not has("diagnosis", rest) else _medical(rest)


def _medical(text: str) -> str | None:
    """Return the name of the fixed text for a question about medicines or diagnoses, or None."""
    text = without_facts(unmasked(without_disclaimer(text)))
    if (name := medical_question(text)) and not is_overruled(medical_question, text):
        return name
    if likely_danger(text) != "dosing" or converted(text):
        return None
    return "diagnosis" if has("diagnosis", text) else "dosing"


def _unit_asked(text: str, unit: GlucoseUnit | None) -> Routed | None:
    """Return the route for a reading whose unit or value the chat must ask about, or None."""
    reading = unclear_reading(text, unit)
    if reading is None:
        return None
    name = "unlikely_reading" if unit_of([text]) or unit else "ask_unit"
    return Routed("clarify", name, reading.text)


def _clarified(text: str, unit: GlucoseUnit | None) -> Routed | None:
    """Return the route of a message about a reading or an earlier day's meal, or None."""
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
    return Routed("literature", read=tuple(read))
