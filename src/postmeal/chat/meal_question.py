"""What a message asks about meals, with the meals of the turns before where it refers to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from postmeal.chat.intents import Intent
from postmeal.chat.meal_edit import edited, is_edit, is_same_meal
from postmeal.chat.meals import NamedMeal, changed, named_options
from postmeal.chat.named_again import named_again
from postmeal.chat.read_message import MEAL_INTENTS, ReadMessage
from postmeal.chat.wording import has
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Selection
from postmeal.foods.language import Detection
from postmeal.foods.words import words

__all__ = ["TURNS", "Asked", "MealQuestion", "meal_question"]

Asked = Literal["meal_nutrients", "predict_meal", "compare_meals", "alternatives", "explain"]

TURNS = 10
"""Number of the user's messages before the last one that it can refer to."""
_TOOLS: dict[Intent, Asked] = {
    "effect": "predict_meal",
    "describe": "predict_meal",
    "nutrients": "meal_nutrients",
    "compare": "compare_meals",
    "swap": "alternatives",
    "why": "explain",
}
"""The tool for each intent that a meal answers."""
_ADDED = re.compile(
    r"^(?:(?:and|ok(?:ay)?|so|now|but|then|hm+|what|how|about|if|i|we|would)[ ,]+)*(?:with"
    r"|plus|add(?:ed|ing)?|also)\b|\badd\b|\bon top\b|\bas well\b|\bwith it\b"
)
_HALF = re.compile(r"\bhal(?:f|ve) (?:of |the |that |as much |a |portion )*([a-z ]*)")
_DOUBLE = re.compile(r"\b(?:double|twice)(?: the| of| as much| that)* ?([a-z ]*)")
_LEFT_OUT = re.compile(
    r"\b(?:without|no|leav(?:e|ing) out|skip(?:ping)?|minus) (?:the |any )?([a-z]+)"
)
_LESS = re.compile(
    r"\b(?:less|only|just|fewer|more|smaller|instead)\b[^.?!]{0,20}?([a-z]+),? (?:say"
    r"|maybe|about|like|only)? ?(\d+) ?(?:g|gm|grams?)?\b"
)
_AND = re.compile(r"and (?!what|how|if|instead)")
_SWAPPED = re.compile(
    r"^(?:and |ok |so |but )*(?:what|how) about\b|^and (?:if|what|with|for)?\b|\binstead\b"
)


@dataclass(frozen=True, slots=True)
class MealQuestion:
    """A question about meals.

    Attributes
    ----------
    asked : str
        Name of the tool that answers it.
    text : str
        The last message, plain.
    options : tuple of NamedMeal
        The meals: one, or several to compare.
    is_change : bool
        Whether the message changes, or refers to, the meals of the turn before.
    food_text : str
        The words of the message that were read as food.
    other_texts : tuple of str
        The texts before, between and after them.
    problem : str
        Words that were not understood as a change of the meal; nothing is computed then.
    """

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
    """Return what the last of the user's messages asks about meals, or None.

    Parameters
    ----------
    read : sequence of ReadMessage
        The user's messages, the last one last.
    catalog : Catalog
        The foods that may be named.
    is_fallback : bool, default=False
        Whether the literature does not answer the text, so that a food is enough.
    """
    earlier = None
    if len(read) > 1 and (_points_back(read[-1]) or _is_short(read[-1])):
        earlier = _earlier(read[:-1], catalog)
    return _question(read[-1], earlier, catalog, is_fallback=is_fallback)


def _points_back(read: ReadMessage) -> bool:
    """Return whether a message refers to an earlier meal, or needs one."""
    if is_edit(read.text) or (read.intent in MEAL_INTENTS and not read.food_text):
        return True
    if _is_short(read) and _ADDED.search(read.text):
        return True
    return has("pointing_back", read.text) and read.intent != "research"


def _is_short(read: ReadMessage) -> bool:
    return read.is_short and read.intent in (*MEAL_INTENTS, "describe")


def _earlier(read: Sequence[ReadMessage], catalog: Catalog) -> MealQuestion | None:
    """Return the last question about a meal in the turns before."""
    question = None
    for message in read[-TURNS:]:
        earlier = question if _points_back(message) or _is_short(message) else None
        question = _question(message, earlier, catalog, is_fallback=True) or question
    return question


def _question(
    read: ReadMessage, earlier: MealQuestion | None, catalog: Catalog, *, is_fallback: bool
) -> MealQuestion | None:
    """Return what a message asks about its meals, or about those of the turn before."""
    text = read.text
    intent = read.meal_intent if is_fallback else read.intent
    options = named_options(text, read.spans, catalog, are_compared=intent == "compare")
    asked = _TOOLS.get(intent) if options else None
    if len(options) > 1 and asked in ("predict_meal", "meal_nutrients"):
        asked = "compare_meals"
    if earlier is not None and is_edit(text):
        return _edited(earlier, text, catalog)
    if earlier is not None and not read.food_text and intent in MEAL_INTENTS:
        asked = _TOOLS[intent]
    if earlier is not None and (again := named_again(earlier.options, read, options)):
        if not again.is_understood:
            return replace(earlier, text=text, is_change=True, problem=text)
        kept = "predict_meal" if earlier.asked in ("alternatives", "explain") else earlier.asked
        return MealQuestion(kept, text, (again.meal,), is_change=True)
    if earlier is not None and not _points_back(read):
        earlier = None
    if earlier is not None and (later := _followed(earlier, text, options, asked)):
        return replace(later, is_change=later.options != options)
    if not asked or not options:
        return None
    return MealQuestion(
        asked, text, options, food_text=read.food_text, other_texts=read.other_texts
    )


def _edited(earlier: MealQuestion, text: str, catalog: Catalog) -> MealQuestion:
    """Return the question before about the changed meal, or with the change as a problem."""
    if is_same_meal(text):
        kind: Asked = "predict_meal" if earlier.asked == "meal_nutrients" else earlier.asked
        return replace(earlier, asked=kind, text=text, is_change=True)
    meal = edited(earlier.options[0], text, catalog) if len(earlier.options) == 1 else None
    if meal is None and len(earlier.options) == 1:
        meal = _scaled(earlier.options[0], text)  # "only half of the rice"
    if meal is None:
        return replace(earlier, text=text, is_change=True, problem=text)
    kept = "predict_meal" if earlier.asked == "alternatives" else earlier.asked
    return MealQuestion(kept, text, (meal,), is_change=True)


def _followed(
    earlier: MealQuestion, text: str, options: tuple[NamedMeal, ...], asked: Asked | None
) -> MealQuestion | None:
    """Return a question that refers to the meals of the turn before."""
    if earlier.asked == "alternatives" and (asked == "alternatives" or not asked):
        return MealQuestion("alternatives", text, earlier.options)
    if len(earlier.options) > 1:
        if len(options) > 1 or (not options and not asked):
            return None
        return MealQuestion("compare_meals", text, (*earlier.options, *options))
    meal = _changed_meal(earlier.options[0], text, options)
    if meal is not None:
        kept: Asked = "meal_nutrients" if asked == "meal_nutrients" else earlier.asked
        return MealQuestion("predict_meal" if kept == "alternatives" else kept, text, (meal,))
    if not asked:
        return None
    return MealQuestion(asked, text, options or earlier.options)


def _changed_meal(meal: NamedMeal, text: str, options: tuple[NamedMeal, ...]) -> NamedMeal | None:
    """Return a meal after additions, other amounts, omissions and swaps."""
    new = options[0].detections if options else ()
    scaled = _scaled(meal, text)
    if scaled is not None:
        names = {word for one in meal.detections for word in words(one.selection.food.name)}
        others = [one for one in new if not names & set(words(one.selection.food.name))]
        return changed(scaled, (*scaled.detections, *others))
    if (left_out := _LEFT_OUT.search(text)) and not new:
        rest = [one for one in meal.detections if left_out.group(1) not in one.said]
        return changed(meal, rest) if rest and len(rest) < len(meal.detections) else None
    if new and _ADDED.search(text):
        return changed(meal, (*meal.detections, *new))
    if new and _SWAPPED.search(text) and len(new) == 1:
        return _swapped(meal, new[0], text)
    return None


def _swapped(meal: NamedMeal, new: Detection, text: str) -> NamedMeal:
    """Return the meal with a food in place of the most similar one, in its amount."""
    named = set(words(new.selection.food.name))
    likeness = [len(named & set(words(one.selection.food.name))) for one in meal.detections]
    if not max(likeness) and _AND.match(text):
        return changed(meal, (*meal.detections, new))
    place = likeness.index(max(likeness))
    old = meal.detections[place]
    if not new.amount_said and max(likeness):
        new = _weighing(new, old.selection.weight_g or 0.0)
    rest = meal.detections if max(likeness) else (old,)
    return changed(meal, (*rest[:place], new, *rest[place + 1 :]))


def _scaled(meal: NamedMeal, text: str) -> NamedMeal | None:
    if (amount := _LESS.search(text)) and float(amount.group(2)) > 0:
        place = _place(meal, amount.group(1))
        found = list(meal.detections)
        found[place] = _weighing(found[place], float(amount.group(2)))
        return changed(meal, found)
    for expression, factor in ((_HALF, 0.5), (_DOUBLE, 2.0)):
        if match := expression.search(text):
            named = [
                place
                for place, one in enumerate(meal.detections)
                if set(words(match.group(1))) & set(words(one.said + " " + one.selection.food.name))
            ]
            places = named or range(len(meal.detections))
            found = list(meal.detections)
            for place in places:
                found[place] = _weighing(
                    found[place], (found[place].selection.weight_g or 0.0) * factor
                )
            return changed(meal, found)
    return None


def _place(meal: NamedMeal, name: str) -> int:
    named = [place for place, one in enumerate(meal.detections) if name in one.said]
    return named[0] if named else 0


def _weighing(detection: Detection, grams: float) -> Detection:
    """Return a detection with another weight, in grams of the same food."""
    selection = detection.selection
    factor = grams / (selection.weight_g or grams)
    serving = selection.serving
    return Detection(
        detection.said,
        Selection(selection.food, serving, selection.quantity * factor),
        detection.amount_said,
        detection.confidence,
    )
