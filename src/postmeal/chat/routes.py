"""The kind of answer that a message gets.

The routes are tried in a fixed order: emergency, self-harm and eating disorders, medicines and
diagnoses, meals, literature, smalltalk and scope. What could hurt someone comes first, and is found
by rules and by a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from postmeal.chat.danger import emergency, self_harm
from postmeal.chat.danger_model import is_surely_harmless, likely_danger
from postmeal.chat.language import is_english
from postmeal.chat.meal_question import MealQuestion, meal_question
from postmeal.chat.medicines import medical_question
from postmeal.chat.plain_messages import recent_texts
from postmeal.chat.readings import readings, states_limits
from postmeal.chat.wording import has, without_instructions
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

_SHORT = 12  # words


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
    """

    route: Route
    text: str = ""
    reading: str = ""
    question: MealQuestion | None = None


def route_of(texts: Sequence[str], catalog: Catalog) -> Routed:
    """Return the route of the last of the user's plain texts.

    Parameters
    ----------
    texts : sequence of str
        The user's messages, the last one last.
    catalog : Catalog
        The foods that may be named.
    """
    if dangerous := _dangerous(texts):
        return dangerous
    text = without_instructions(texts[-1])
    if not is_english(text):
        return Routed("scope", "english")
    if medical := _medical(text):
        return Routed("dosing", medical)
    if has("prompt_question", text) or not any(letter.isalnum() for letter in text):
        return Routed("scope", "scope")
    if has("stored_data", text):
        return Routed("scope", "no_memory")
    asked = [without_instructions(each) for each in recent_texts(texts[:-1])] + [text]
    if question := meal_question(asked, catalog):
        return Routed("computed", question=question)
    return _clarified(text) or _other(asked)


def _dangerous(texts: Sequence[str]) -> Routed | None:
    """Return the route of an emergency or of self-harm in the last two messages."""
    for text in (texts[-1], " . ".join(texts[-2:])):
        if text != texts[-1] and has("resolved", texts[-1]):
            return None
        if found := _danger_in(text):
            return found
    return None


def _danger_in(text: str) -> Routed | None:
    """Return the route of a danger that the rules or the model find in a text."""
    if found := emergency(text):
        return Routed("emergency", *found)
    likely = likely_danger(text)
    if likely == "emergency":
        return Routed("emergency", "emergency")
    if (name := self_harm(text)) and not is_surely_harmless(text):
        return Routed("selfharm", name)
    if likely in ("self_harm", "eating_disorder"):
        return Routed("selfharm", likely)
    return None


def _medical(text: str) -> str | None:
    """Return the name of the text for a question about medicines or a diagnosis, or None."""
    if (name := medical_question(text)) and not is_surely_harmless(text):
        return name
    if likely_danger(text) != "dosing" or has("no_dose_wanted", text):
        return None
    return "diagnosis" if has("diagnosis", text) else "dosing"


def _clarified(text: str) -> Routed | None:
    """Return a question back if a reading has no unit, or a meal is not described."""
    measured = () if states_limits(text) else readings(text)
    if measured and not has("evidence", text) and len(words(text)) <= _SHORT:
        unclear = next((each for each in measured if each.unit is None), None)
        if unclear is not None:
            return Routed("clarify", "ask_unit")
        return Routed("dosing", "reading", measured[0].text)
    if has("meal_of_a_day", text):
        return Routed("clarify", "no_memory")
    is_about_meal = (has("unnamed_meal", text) or has("amount", text)) and (
        has("effect", text) or has("nutrient_question", text)
    )
    if is_about_meal and not has("evidence", text) and not has("general_subject", text):
        return Routed("clarify", "ask_meal") if len(words(text)) <= _SHORT else None
    return None


def _other(texts: Sequence[str]) -> Routed:
    text = texts[-1]
    is_topical = has("topic", text)
    if has("smalltalk", text) and (not is_topical or len(words(text)) <= 3):
        is_thanks = any(
            word in text
            for word in (
                "thank",
                "thx",
                "cheers",
                "great",
                "bye",
                "appreciate",
                "perfect",
                "awesome",
                "kind",
                "nice",
            )
        )
        is_about = "?" in text or any(
            text.startswith(word) for word in ("who", "what", "are", "how")
        )
        return Routed("smalltalk", "about" if is_about else "thanks" if is_thanks else "greeting")
    goes_on = len(texts) > 1 and has("pointing_back", text) and has("topic", texts[-2])
    return Routed("literature") if is_topical or goes_on else Routed("scope", "scope")
