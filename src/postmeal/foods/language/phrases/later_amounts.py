"""Assign amounts that follow the names of foods, as in "a banana and a pear. The pear is 150 g"."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile

from postmeal.foods.language.phrases.masses_and_volumes import NUMBER, contains_each, masses
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.words.units import MASS_G, unit_pattern

LATER_MASS = re.compile(
    r"(?:the|my|each|one|it|this|that|both|they|these|all)\b(?P<name>.*?)\s*"
    r"(?:'s|is|was|are|were|weighs?|weighed|comes? (?:in )?(?:at|to)|came (?:in )?(?:at|to)|"
    r"at|being|of)\s+(?:about |around |roughly |approximately |exactly |just |only )*"
    rf"(?P<mass>{NUMBER}[\s-]*{unit_pattern(MASS_G)})\s*"
    r"(?P<each>each)?[\s.]*$"
)
"""A clause such as "the pear is 150 g", with the groups ``name``, ``mass`` and ``each``."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def assign_amounts(foods: list[Phrase], amounts: list[Phrase]) -> None:
    """Assign amounts without a name, in order, to the last foods without a mass or volume.

    An amount with "each" is multiplied by the count of its food. If several single foods precede
    it, it is assigned to all of them. Amounts that are left over are added to the foods. The list
    of amounts is cleared.
    """
    missing = [n for n, one in enumerate(foods) if one.mass_g is None and one.volume_ml is None]
    if len(amounts) == 1 and contains_each(amounts[0].said):
        amounts *= _n_single_at_the_end(foods)
    follows = bool(amounts) and amounts[0].joined_by == ","
    if len(amounts) == 1 and follows and missing and missing[-1] == len(foods) - 1:
        foods[-1] = replace(foods[-1], said=f"{foods[-1].said}, {amounts[0].said}")
    for place, amount in zip(missing[-len(amounts) :], amounts, strict=False):
        food, mass_g, volume_ml = foods[place], amount.mass_g, amount.volume_ml
        if contains_each(amount.said):
            mass_g = mass_g and mass_g * (food.count or 1.0)
            volume_ml = volume_ml and volume_ml * (food.count or 1.0)
        foods[place] = replace(food, mass_g=mass_g, volume_ml=volume_ml, in_ounces=amount.in_ounces)
    foods += amounts[len(missing) :]
    amounts.clear()


def _n_single_at_the_end(foods: list[Phrase]) -> int:
    """Return the number of foods to which an amount such as "100 g each" belongs, at least 1.

    In "an apple and a pear, 100 g each", it belongs to both foods, but in "an apple and 2 rolls,
    100 g each", only to the rolls.
    """
    return max(1, sum(1 for _ in takewhile(_is_single, reversed(foods))))


def _is_single(food: Phrase) -> bool:
    is_weighed = food.mass_g is not None or food.volume_ml is not None
    return not (is_weighed or food.unit) and food.count in (None, 1.0)


def assign_later_mass(foods: list[Phrase], later: re.Match[str]) -> None:
    """Assign the mass in a match of `LATER_MASS` to its food."""
    mass = masses(later["mass"])[0]
    words = set(re.findall(r"\w+", later["name"]))
    place = _place(foods, words)
    food = foods[place]
    is_each = later["each"] or later[0].startswith("each")
    pieces = (food.count or 1.0) if is_each else 1.0
    is_named = not words.isdisjoint(re.findall(r"\w+", food.name))
    foods[place] = replace(
        food,
        mass_g=(mass.mass_g or 0.0) * pieces,
        in_ounces=mass.in_ounces,
        starts_food=food.starts_food or is_named,
    )


def _place(foods: list[Phrase], words: set[str]) -> int:
    """Return the index of the food that words such as "the second" or "the pear" refer to.

    Without such words, it is the last food without a mass.
    """
    ordinal = next((n for n, word in enumerate(_ORDINALS) if word in words), None)
    if ordinal is not None:
        return min(ordinal, len(foods) - 1)
    unweighed = [n for n, food in enumerate(foods) if food.mass_g is None] or [len(foods) - 1]
    if not words:
        return unweighed[-1]
    return max(unweighed, key=lambda n: len(words & set(re.findall(r"\w+", foods[n].name))))
