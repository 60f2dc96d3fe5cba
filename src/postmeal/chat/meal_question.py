"""What a message asks about meals, with the meals of the turns before where it refers to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from postmeal.chat.meal_edit import edited, is_edit, is_same_meal
from postmeal.chat.meals import NamedMeal, changed, options_in, without_glucose
from postmeal.chat.wording import has
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Selection
from postmeal.foods.language import Detection
from postmeal.foods.words import words

__all__ = ["TURNS", "Asked", "MealQuestion", "meal_question"]

Asked = Literal["meal_nutrients", "predict_meal", "compare_meals", "alternatives", "explain"]

TURNS = 10
"""Number of the user's messages before the last one that it can refer to."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_QUESTION_END = re.compile(r"\?\s*$")
_ADDED = re.compile(
    r"^(?:(?:and|ok(?:ay)?|so|now|but|then|hm+|what|how|about|if|i|we|would)[ ,]+)*(?:with"
    r"|plus|add(?:ed|ing)?|also)\b|\badd\b|\bon top\b|\bas well\b|\bwith it\b"
)
_HALF = re.compile(r"\bhalf (?:of |the |that |as much |a |portion )*([a-z ]*)")
_DOUBLE = re.compile(r"\b(?:double|twice)(?: the| of| as much| that)* ?([a-z ]*)")
_LEFT_OUT = re.compile(
    r"\b(?:without|no|leav(?:e|ing) out|skip(?:ping)?|minus) (?:the |any )?([a-z]+)"
)
_LESS = re.compile(
    r"\b(?:less|only|just|fewer|more|smaller|instead)\b[^.?!]{0,20}?([a-z]+),? (?:say"
    r"|maybe|about|like|only)? ?(\d+) ?(?:g|gm|grams?)?\b"
)
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
    problem : str
        Words that were not understood as a change of the meal; nothing is computed then.
    """

    asked: Asked
    text: str
    options: tuple[NamedMeal, ...]
    is_change: bool = False
    problem: str = ""


def meal_question(
    texts: Sequence[str], catalog: Catalog, *, is_fallback: bool = False
) -> MealQuestion | None:
    """Return what the last of the user's plain texts asks about meals, or None.

    Parameters
    ----------
    texts : sequence of str
        The user's messages, the last one last.
    catalog : Catalog
        The foods that may be named.
    is_fallback : bool, default=False
        Whether the literature does not answer the text, so that a food and an effect are enough.
    """
    earlier = None
    if len(texts) > 1 and _points_back(texts[-1]):
        earlier = _earlier(texts[:-1], catalog)
    return _question(texts[-1], earlier, catalog, is_fallback=is_fallback)


def _points_back(text: str) -> bool:
    return is_edit(text) or (has("pointing_back", text) and not has("evidence", text))


def _earlier(texts: Sequence[str], catalog: Catalog) -> MealQuestion | None:
    """Return the last question about a meal in the turns before."""
    question = None
    for text in texts[-TURNS:]:
        earlier = question if _points_back(text) else None
        question = _question(text, earlier, catalog, is_fallback=True) or question
    return question


def _question(
    text: str, earlier: MealQuestion | None, catalog: Catalog, *, is_fallback: bool
) -> MealQuestion | None:
    """Return what a text asks about its meals, or about those of the turn before."""
    options = options_in(text, catalog)
    asked = _asked(text, options, is_fallback=is_fallback)
    if len(options) > 1 and asked in ("predict_meal", "meal_nutrients"):
        asked = "compare_meals"
    if earlier is not None and is_edit(text):
        return _edited(earlier, text, catalog)
    if earlier is not None and (later := _followed(earlier, text, options, asked)):
        return replace(later, is_change=later.options != options)
    return MealQuestion(asked, text, options) if asked and options else None


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
    if has("nutrient_question", text):
        kept = "meal_nutrients"
    return MealQuestion(kept, text, (meal,), is_change=True)


def _asked(text: str, options: Sequence[NamedMeal], *, is_fallback: bool) -> Asked | None:
    """Return what a text asks about the meals that it names."""
    if not options:
        return None
    question = _question_of(text)
    has_amount = any(option.has_amount for option in options)
    if has("studies", text) or (
        not has_amount and (has("evidence", text) or has("health_question", text))
    ):
        return None
    if has("alternative", question) or (has("alternative", text) and not has("effect", question)):
        return "alternatives"
    if (
        (len(options) > 1 or (has_amount and options[0].missing))
        and has("comparison", text)
        and (has_amount or not has("general_subject", question))
    ):
        return "compare_meals"
    if has("nutrient_question", without_glucose(question)) and not has("general_subject", question):
        return "meal_nutrients"
    if has("general_subject", question) and not has_amount:
        return None
    if has("why", question) and has("effect", text):
        return "explain"
    if has("effect", text) and (
        is_fallback
        or has_amount
        or has("own_glucose", text)
        or has("would_eat", text)
        or len(words(text)) <= 6
    ):
        if question != text and has("general_subject", question):
            return None
        return "predict_meal"
    if has_amount and (has("would_eat", text) or _is_list(text, options)):
        return "predict_meal"
    return None


def _is_list(text: str, options: Sequence[NamedMeal]) -> bool:
    """Return whether at least half of the words of a text are foods and amounts."""
    said = sum(len(words(one.said)) for option in options for one in option.detections)
    return 2 * said >= len(words(text))


def _question_of(text: str) -> str:
    """Return the sentence of a text that asks, or the whole text."""
    asking = [each for each in _SENTENCE.split(text) if _QUESTION_END.search(each)]
    return asking[-1] if asking and len(words(asking[-1])) > 2 else text


def _followed(
    earlier: MealQuestion, text: str, options: tuple[NamedMeal, ...], asked: Asked | None
) -> MealQuestion | None:
    """Return a question that refers to the meals of the turn before."""
    if not options and has("nutrient_question", text):
        kind: Asked = "compare_meals" if len(earlier.options) > 1 else "meal_nutrients"
        return MealQuestion(kind, text, earlier.options)
    if earlier.asked == "alternatives" and (has("alternative", text) or not asked):
        return MealQuestion("alternatives", text, earlier.options)
    if len(earlier.options) > 1:
        return _with_comparison(earlier, text, options)
    meal = _changed_meal(earlier.options[0], text, options)
    if meal is not None:
        kept: Asked = "meal_nutrients" if has("nutrient_question", text) else earlier.asked
        return MealQuestion("predict_meal" if kept == "alternatives" else kept, text, (meal,))
    if asked and options:
        return MealQuestion(asked, text, options)
    if has("alternative", text):
        return MealQuestion("alternatives", text, earlier.options)
    if has("why", text):
        return MealQuestion("explain", text, earlier.options)
    if not options and has("effect", text):
        return MealQuestion("predict_meal", text, earlier.options)
    return None


def _with_comparison(
    earlier: MealQuestion, text: str, options: tuple[NamedMeal, ...]
) -> MealQuestion | None:
    if options and len(options) == 1:
        return MealQuestion("compare_meals", text, (*earlier.options, *options))
    if not options and (has("why", text) or has("comparison", text) or has("effect", text)):
        return MealQuestion("compare_meals", text, earlier.options)
    return None


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
        return _swapped(meal, new[0])
    return None


def _swapped(meal: NamedMeal, new: Detection) -> NamedMeal:
    """Return the meal with a food in place of the most similar one, in its amount."""
    named = set(words(new.selection.food.name))
    likeness = [len(named & set(words(one.selection.food.name))) for one in meal.detections]
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
