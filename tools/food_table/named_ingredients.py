"""Find ingredients that a short name must not hide: meats, and allergens such as milk and nuts."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from postmeal.foods.words import words

__all__ = ["hidden_ingredients", "with_hidden_ingredients"]

_TABLE = Path(__file__).with_name("named_ingredients.csv")
_NOT_IN_THE_FOOD = re.compile(
    r"\([^()]*\)|\b(no|not|without|other than|excludes?|imitation|substitutes?|replacers?|analog)\b"
    r"[^,]*|\b\S+[ -](free|less)\b|\bmeatless\b|\bnon-?dairy\b[^,]*",
    re.IGNORECASE,
)
_OTHER_MEANING = re.compile(
    r"\b(?P<kept>almond|cashew|cocoa|coconut|oat|peanut|rice|sesame|soy) (milk|cream|butter)\b|"
    r"apple butter|fruit butters?|butter ?beans?|"
    r"cream of (tartar|rice|wheat)|cream[- ]style|lean meat|coconut meat|mustard (greens|spinach)|"
    r"butter lettuce|chicken-?fried|milkfish|fish-shaped|goat milk|clam ?shell|egg rolls?|nutmeg|"
    r"soy sauce made from soy|hard butter|ice cream coatings",
    re.IGNORECASE,
)
_ALTERNATIVE = r"\bor (\w+ )?{0}|{0}s? or\b|\band/or {0}"


_WITH_LAST = re.compile(r"\bwith (?!out)[^,]*$")


class _Ingredient(NamedTuple):
    name: str
    words: tuple[str, ...]
    implied_by: frozenset[str]
    implied_in: str


def with_hidden_ingredients(name: str, description: str, category: str) -> str:
    """Add to a short name the ingredients that it would otherwise hide."""
    if not (hidden := hidden_ingredients(name, description, category)):
        return name
    possible = [other for other in hidden if _is_alternative(other, description)]
    certain = [other for other in hidden if other not in possible]
    first = next((other for other in certain if _is_before(other, name, description)), None)
    if first is not None:
        certain.remove(first)
        name = f"{first} {name if name[1:2].isupper() else name[0].lower() + name[1:]}"
    if certain:
        link = " and " if _WITH_LAST.search(name) else ", with "
        name += f"{link}{_listed(certain)}"
    return f"{name}, may contain {_listed(possible)}" if possible else name


def hidden_ingredients(name: str, description: str, category: str) -> list[str]:
    """Return the ingredients that the description mentions and the short name hides.

    An ingredient that the name implies is not hidden: "brie" is cheese, and "bacon" is pork.
    """
    name_words = set(words(name))
    stated = set(words(_OTHER_MEANING.sub(r"\g<kept> ", _NOT_IN_THE_FOOD.sub(" ", description))))
    hidden = []
    for ingredient in _ingredients():
        named = next((word for word in ingredient.words if word in stated), None)
        if named is None or not name_words.isdisjoint(ingredient.implied_by):
            continue
        if not (ingredient.implied_in and re.search(ingredient.implied_in, category)):
            is_group = named == words(ingredient.name)[0]
            hidden.append(ingredient.name if is_group else _said(named))
    return hidden


def _said(word: str) -> str:
    word = "soy" if word == "soybean" else word
    return f"{word}s" if word in {"almond", "walnut", "pecan", "cashew", "hazelnut"} else word


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _is_before(ingredient: str, name: str, description: str) -> bool:
    """Return whether the ingredient precedes the name in a description, as in "chicken curry".

    The result is also True if the description begins with the ingredient: "Beef, bacon" is beef
    bacon.
    """
    first = re.split(r"[ ,]", name, maxsplit=1)[0]
    pattern = rf"^{re.escape(ingredient)},|\b{re.escape(ingredient)} {re.escape(first)}"
    return re.search(pattern, description, re.IGNORECASE) is not None


def _is_alternative(ingredient: str, description: str) -> bool:
    pattern = _ALTERNATIVE.format(re.escape(ingredient.removesuffix("s")))
    return re.search(pattern, description, re.IGNORECASE) is not None


@cache
def _ingredients() -> tuple[_Ingredient, ...]:
    with _TABLE.open(newline="", encoding="utf-8") as file:
        return tuple(
            _Ingredient(
                line["ingredient"],
                tuple(words(line["words"].replace(";", " "))),
                frozenset(words(f"{line['words']} {line['implied_by']}".replace(";", " "))),
                line["implied_in"],
            )
            for line in csv.DictReader(file)
        )
