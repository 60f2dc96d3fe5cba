"""Short messages that change the meal of the turn before: another amount, a swap, an omission."""

from __future__ import annotations

import re
from dataclasses import replace

from postmeal.chat.meals import NamedMeal, changed, options_in
from postmeal.chat.wording import has
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import Detection
from postmeal.foods.words import words

__all__ = ["edited", "is_edit", "is_same_meal"]

_LEAD = (
    r"^(?:(?:and|ok(?:ay)?|sorry|no|so|what|how|about|make|it|that|if|i|have|had|eat|ate|with|to"
    r"|actually|rather|instead|only|just|or|for|then|but|meant|mean|the|same)[ ,.]+)*"
)
_AMOUNT = re.compile(
    rf"{_LEAD}(\d+(?:\.\d+)?) ?(?:g|gm|grams?)(?: (?:of (?:it|that|this)|instead|then))*[?.! ]*$"
)
_FACTORS = {"half": 0.5, "double": 2.0, "twice": 2.0, "triple": 3.0, "a third": 1 / 3}
_FACTOR = re.compile(
    rf"{_LEAD}(?:(half|double|twice|triple|a third)|(\d+) ?(?:x|times))"
    r"(?: (?:of|the|that|it|this|as|much|amount|portion|size))*[?.! ]*$"
)
_REPLACED = re.compile(
    r"\b(?:replac(?:e|ing)|swap(?:ping)?|exchang(?:e|ing)|chang(?:e|ing)|substitut(?:e|ing))"
    r" (?:the |my )?(?P<old>[a-z ]+?) (?:with|by|for|to) (?P<new>.+)"
)
_INSTEAD = re.compile(
    r"^(?:and |or |what |how |about |if |i |have |had "
    r"|with )*(?P<new>[^?.!]+?) (?:instead of|in place of|rather than)"
    r" (?:the |my )?(?P<old>[a-z ]+)"
)
_OMITTED = re.compile(
    r"^(?:and |but |ok |what |if |i |just )*(?:without|no|leav(?:e|ing) out"
    r"|skip(?:ping)?|minus|drop)"
    r" (?:the |any |my )?(?P<old>[a-z ]+?)[?.! ]*$"
)
_SAME_MEAL = re.compile(
    r"^(?:and|or|ok|so|what|how|about|now|but|if|it|is|was|i|eat|have| )*"
    r"(?:(?:for|in|as|with|at|on|i have|i had) )?(?:a |an |the |my |someone with |people with )?"
    r"(?:type ?[12]|t[12]d?|pre-?diabetes|gestational diabetes|\d{1,3}[- ]year[- ]old(?: \w+)?|man"
    r"|woman|dinner|breakfast|lunch|supper|noon|midnight|bedtime|night|(?:\d{1,2}(?::\d\d)?"
    r" ?(?:am|pm)))(?: diabetes| time)?[?.! ]*$"
)
_UNCLEAR = re.compile(
    r"^(?:and |so |the |is |in |what's |what is )*(?:total|sum|altogether|all|both)\b|\btotal of"
    r"|\bis (?:it|that) \d|\b(?:half|double|twice|triple|times)\b|\b(?:first|second"
    r"|third) (?:one )?with\b"
    r"|^(?:sorry|no|make it|i meant)\b.*\d"
)
_SHORT = 9


def is_edit(text: str) -> bool:
    """Return whether a plain text alone means a change of what was said before."""
    if len(words(text)) > _SHORT or has("evidence", text) or has("studies", text):
        return False
    kinds = (_AMOUNT, _FACTOR, _REPLACED, _INSTEAD, _OMITTED, _SAME_MEAL, _UNCLEAR)
    return any(kind.search(text) for kind in kinds)


def is_same_meal(text: str) -> bool:
    """Return whether a plain text asks about the same meal for another person or time."""
    return _SAME_MEAL.search(text) is not None


def edited(meal: NamedMeal, text: str, catalog: Catalog) -> NamedMeal | None:
    """Return a meal after the change of a plain text; None if it was not understood.

    Examples
    --------
    >>> catalog = Catalog.open()
    >>> meal = options_in("150 g white rice", catalog)[0]
    >>> edited(meal, "make it 200 g", catalog).text
    '200 g of White rice, cooked'
    """
    if match := _AMOUNT.search(text):
        return _scaled(meal, grams=float(match.group(1)))
    if match := _FACTOR.search(text):
        factor = _FACTORS.get(match.group(1) or "") or float(match.group(2))
        return changed(meal, (weighing(one, factor) for one in meal.detections))
    for expression in (_REPLACED, _INSTEAD):
        if match := expression.search(text):
            return _replaced(meal, match.group("old"), match.group("new"), catalog)
    if match := _OMITTED.search(text):
        place = _place(meal, match.group("old"))
        if place is None or len(meal.detections) == 1:
            return None
        return changed(meal, (*meal.detections[:place], *meal.detections[place + 1 :]))
    return None


def weighing(detection: Detection, factor: float) -> Detection:
    """Return a detection with a multiple of its weight."""
    selection = detection.selection
    return replace(detection, selection=replace(selection, quantity=selection.quantity * factor))


def _scaled(meal: NamedMeal, grams: float) -> NamedMeal | None:
    weight = meal.selections[0].weight_g or 0.0
    if len(meal.detections) > 1 or weight <= 0 or grams <= 0:
        return None
    only = replace(weighing(meal.detections[0], grams / weight), amount_said=True)
    return changed(meal, (only,))


def _replaced(meal: NamedMeal, old: str, new: str, catalog: Catalog) -> NamedMeal | None:
    place = _place(meal, old)
    found = options_in(new, catalog)
    if place is None or len(found) != 1 or found[0].missing:
        return None
    one = found[0].detections[0]
    weight = meal.selections[place].weight_g or 0.0
    if not one.amount_said and weight > 0 and one.selection.weight_g:
        one = weighing(one, weight / one.selection.weight_g)
    rest = meal.detections
    return changed(meal, (*rest[:place], one, *found[0].detections[1:], *rest[place + 1 :]))


def _place(meal: NamedMeal, name: str) -> int | None:
    """Return the place of the only food of a meal that a name means."""
    said = set(words(name))
    places = [
        place
        for place, one in enumerate(meal.detections)
        if said & {*words(one.said), *words(one.selection.food.name)}
    ]
    return places[0] if len(places) == 1 else None
