"""Questions about meals, including follow-ups that refer to the meals of earlier messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from postmeal.chat.food_spans import FoodSpan, named_foods
from postmeal.chat.intents import Intent
from postmeal.chat.meal_changes import changed_meal, is_same_meal, is_unclear, states_change
from postmeal.chat.named_meals import NamedMeal, named_options
from postmeal.chat.patterns import has
from postmeal.chat.read_message import MEAL_INTENTS, ReadMessage
from postmeal.foods.catalog import Catalog

Asked = Literal["meal_nutrients", "predict_meal", "compare_meals", "alternatives", "explain"]

TURNS = 10
"""Number of earlier messages of the user that a follow-up can refer to."""
_TOOLS: dict[Intent, Asked] = {
    "effect": "predict_meal",
    "describe": "predict_meal",
    "nutrients": "meal_nutrients",
    "compare": "compare_meals",
    "swap": "alternatives",
    "why": "explain",
}
"""The tool that answers a question about a meal, by its intent."""
_BETTER = re.compile(r"\b(?:better|healthier|gentler) than\b")
_INSTEAD = re.compile(r"\binstead of\b")
_SENTENCE_END = re.compile(r"[.!?;]\s|,(?= (?:what|which|any|so)\b)")
_UNUSED_NUMBER = re.compile(
    r"(?<![\w:.])(?<!type )(?<!at )\d+(?:\.\d+)?(?![\w:.]*\d)"
    r"(?! ?(?:am|pm|h|hrs?|hours?|min\w*|mg|mmol\S*|years?|yrs?|yo|kg|kilos?|cm|lbs?|pounds?)\b)"
)
_DIGIT = re.compile(r"\d")
_SURE = 0.6  # probability above which the intent of a follow-up is clear
_POSSIBLE = 0.2  # probability above which "instead of" asks for an alternative


@dataclass(frozen=True, slots=True)
class MealQuestion:
    """A question about meals."""

    asked: Asked
    text: str
    options: tuple[NamedMeal, ...]
    is_change: bool = False
    food_text: str = ""
    other_texts: tuple[str, ...] = ()
    problem: str = ""


def meal_question(
    read: Sequence[ReadMessage], catalog: Catalog, *, is_fallback: bool = False
) -> MealQuestion | None:
    """Return the question about meals in the user's last message, or None."""
    earlier = None
    if len(read) > 1 and (_points_back(read[-1]) or _is_short(read[-1])):
        earlier = _earlier(read[:-1], catalog)
    return _question(read[-1], earlier, catalog, is_fallback=is_fallback)


def _points_back(read: ReadMessage) -> bool:
    """Return whether a message refers to an earlier meal or cannot be answered without one."""
    if states_change(read.text) or (read.intent in MEAL_INTENTS and not read.food_text):
        return True
    return has("pointing_back", read.text) and read.intent != "research"


def _is_short(read: ReadMessage) -> bool:
    return read.is_short and read.intent in (*MEAL_INTENTS, "describe")


def _earlier(read: Sequence[ReadMessage], catalog: Catalog) -> MealQuestion | None:
    """Return the last question about a meal in the earlier messages, or None."""
    question = None
    for message in read[-TURNS:]:
        earlier = question if _points_back(message) or _is_short(message) else None
        question = _question(message, earlier, catalog, is_fallback=True) or question
    return question


def _question(
    read: ReadMessage, earlier: MealQuestion | None, catalog: Catalog, *, is_fallback: bool
) -> MealQuestion | None:
    """Return what a message asks about its own meals or about those of an earlier question."""
    text = read.text
    intent = read.meal_intent if is_fallback else read.intent
    spans = read.spans
    if not spans and earlier is None and intent == "describe":
        spans = named_foods(text, catalog)
    if intent == "research" and _INSTEAD.search(text) and read.likelihoods["swap"] > _POSSIBLE:
        intent = "swap"
    if intent == "swap" or (intent == "compare" and _BETTER.search(text)):
        spans = _asked_about(text, spans)
    options = named_options(text, spans, catalog, are_compared=intent == "compare")
    asked = _TOOLS.get(intent) if options else None
    if len(options) > 1 and asked in ("predict_meal", "meal_nutrients"):
        asked = "compare_meals"
    if earlier is not None:
        if not read.food_text and intent in MEAL_INTENTS:
            asked = _TOOLS[intent]
        if later := _followed(earlier, read, options, asked):
            return later
    if not asked or not options:
        return None
    return MealQuestion(
        asked, text, options, food_text=read.food_text, other_texts=read.other_texts
    )


def _asked_about(text: str, spans: Sequence[FoodSpan]) -> tuple[FoodSpan, ...]:
    """Return the foods with an amount, and those in the last sentence that names food.

    In "nuts put me in hospital. what is better than a cookie?", the nuts are not part of the meal.
    """
    eaten = [span.start for span in spans if span.is_eaten]
    ends = [end.end() for end in _SENTENCE_END.finditer(text) if eaten and end.end() <= eaten[-1]]
    start = ends[-1] if ends else 0
    return tuple(span for span in spans if span.start >= start or _DIGIT.search(span.text(text)))


def _followed(
    earlier: MealQuestion, read: ReadMessage, options: tuple[NamedMeal, ...], asked: Asked | None
) -> MealQuestion | None:
    """Return the question of a follow-up about the meals of an earlier question, or None."""
    text = read.text
    if is_same_meal(text):
        kind: Asked = "predict_meal" if earlier.asked == "meal_nutrients" else earlier.asked
        return replace(earlier, asked=kind, text=text, is_change=True)
    if len(earlier.options) == 1:
        meal = changed_meal(earlier.options[0], read, options)
        if isinstance(meal, str):
            return replace(earlier, text=text, is_change=True, problem=meal)
        if meal is not None:
            return MealQuestion(_kept(earlier, read), text, (meal,), is_change=True)
    if not _points_back(read):
        return None
    if earlier.asked == "alternatives" and (asked == "alternatives" or not asked):
        return MealQuestion("alternatives", text, earlier.options, is_change=True)
    if len(earlier.options) > 1:
        if is_unclear(text) or (states_change(text) and not options):
            return replace(earlier, text=text, is_change=True, problem=text)
        if len(options) > 1 or (not options and not asked):
            return None
        together = (*earlier.options, *options)
        return MealQuestion("compare_meals", text, together, is_change=True)
    if not asked or options:
        return None
    problem = text if _UNUSED_NUMBER.search(text) else ""
    return MealQuestion(asked, text, earlier.options, is_change=True, problem=problem)


def _kept(earlier: MealQuestion, read: ReadMessage) -> Asked:
    """Return the tool for a changed meal.

    The intent of the message determines the tool if it is clear. Otherwise, the earlier question
    determines it.
    """
    if read.intent in ("effect", "nutrients") and read.likelihoods[read.intent] > _SURE:
        return _TOOLS[read.intent]
    return "predict_meal" if earlier.asked in ("alternatives", "explain") else earlier.asked
