"""Short messages that name foods of the meal before again: with another amount, or left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from postmeal.chat.food_names import core_words
from postmeal.chat.meals import NamedMeal, changed
from postmeal.chat.read_message import ReadMessage
from postmeal.foods.words import words

__all__ = ["NamedAgain", "named_again"]

_FEW = 3  # words
_OTHER_INTENTS = frozenset(("compare", "why", "research"))
_HANDLED = re.compile(
    r"\b(?:half|halve|double|twice|with|add|added|plus|also|instead|swap|replace|what about"
    r"|how about)\b"
)


class NamedAgain(NamedTuple):
    """The meal before after a message that names its foods again.

    Attributes
    ----------
    meal : NamedMeal
        The meal.
    is_understood : bool
        Whether the message says how the meal changes.
    """

    meal: NamedMeal
    is_understood: bool


def named_again(
    earlier: Sequence[NamedMeal], read: ReadMessage, options: Sequence[NamedMeal]
) -> NamedAgain | None:
    """Return the meal before after a message, or None if the message does not name its foods.

    Parameters
    ----------
    earlier : sequence of NamedMeal
        The meals of the question before.
    read : ReadMessage
        The message.
    options : sequence of NamedMeal
        The meals that it names.
    """
    if len(earlier) != 1 or len(options) > 1 or not read.is_short or _HANDLED.search(read.text):
        return None
    if read.intent in _OTHER_INTENTS and len(words(read.text)) > _FEW:
        return None
    meal = earlier[0]
    foods = [
        set(core_words(one.said)) | set(core_words(one.selection.food.name))
        for one in meal.detections
    ]
    kept = list(meal.detections)
    removed: set[int] = set()
    for span in read.spans:
        if not span.is_eaten:
            removed |= {*_places(foods, span.text(read.text))}
    is_changed = bool(removed) and len(removed) < len(kept)
    new = options[0].detections if options else ()
    added = []
    for one in new:
        places = _places(foods, one.said)
        if len(places) == 1 and any(letter.isdigit() for letter in one.said):
            kept[places[0]] = one
            is_changed = True
        elif not places:
            added.append(one)
    if not is_changed and not any(food & set(words(read.text)) for food in foods):
        return None
    rest = [one for place, one in enumerate(kept) if place not in removed]
    return NamedAgain(changed(meal, (*rest, *added)), is_changed)


def _places(foods: Sequence[set[str]], said: str) -> list[int]:
    named = set(core_words(said))
    return [place for place, food in enumerate(foods) if food & named]
