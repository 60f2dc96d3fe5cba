"""Signs of what is in a food: its label, its list of ingredients, its name.

A list of ingredients must name the allergens by law, whatever else it hides behind "natural
flavor"; "may contain" never makes a food safe. Without a list, a dish or a product holds more than
its name tells, and so does every food one of whose words is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from postmeal.foods.diets.words import EVERYTHING, Sense, facts, rules_of, senses
from postmeal.foods.table import TableFood

__all__ = ["ALLERGENS", "OF_ANIMALS", "Evidence", "Sign", "signs_of"]

_ONE_FOOD = {
    "Beef Products",
    "Lamb, Veal, and Game Products",
    "Pork Products",
    "Poultry Products",
    "Finfish and Shellfish Products",
}
"""Categories of single foods: a word that is not understood names a cut or a grade."""

_BAKED = EVERYTHING & ~facts("fish shellfish mushrooms")
_SWEET = EVERYTHING & ~facts("shellfish mushrooms")
_CAN_HOLD: dict[str, int] = {
    "Cookies and brownies": _BAKED,
    "Cakes and pies": _BAKED,
    "Doughnuts, sweet rolls, pastries": _BAKED,
    "Yeast breads": _BAKED,
    "Rolls and buns": _BAKED,
    "Bagels and English muffins": _BAKED,
    "Ice cream and frozen dairy desserts": _SWEET,
    "Pudding": _SWEET,
    "Candy containing chocolate": _SWEET,
    "Candy not containing chocolate": _SWEET,
    "Sweets": _SWEET,
    "Jams, syrups, toppings": _SWEET,
}
"""Facts that a food of a category can hold though its name does not tell; else everything."""

_MIXED = ("Baby", "Formula", "Fast Foods", "Restaurant Foods", "Meals, Entrees", "Soups, Sauces",
          "Sausages", "Protein and nutritional", "Nutrition bars")  # fmt: skip
"""Beginnings of categories whose foods are of more than their names tell."""

_CAFFEINE, _GLUTEN, _VEGAN, _WHEAT = (
    facts(rule) for rule in ("caffeine", "gluten", "vegan", "wheat")
)
_FROM_MILK_OR_EGGS = facts("dairy eggs")
_FROM_ANIMALS = facts("dairy eggs fish shellfish meat")
_UNDECLARED = EVERYTHING & ~facts(
    "wheat dairy lactose eggs fish shellfish peanuts tree_nuts soy sesame sulfites caffeine"
)
_ONLY_LABELS_TELL = facts("kosher halal")
OF_ANIMALS = rules_of("pork fish shellfish eggs dairy lactose") & ~facts("paleo fodmaps")
_ABSENT = {
    "gluten": "gluten wheat", "wheat": "wheat", "dairy": "dairy lactose", "milk": "dairy lactose",
    "lactose": "lactose", "egg": "eggs", "soy": "soy", "nut": "tree_nuts", "tree nut": "tree_nuts",
    "peanut": "peanuts", "fish": "fish", "shellfish": "shellfish", "sesame": "sesame",
    "yeast": "yeast", "caffeine": "caffeine",
}  # fmt: skip
"""What a name can say that there is none of, and what is doubted then of its other words."""
_TAKEN_OUT = {"lactose", "caffeine", "yeast"}
"""What can be left out of a food without something else in its place."""
_CLAIM = re.compile(
    rf"\b(?<!non[ -])(?<!not[ -])({'|'.join(_ABSENT)})[ -]free\b|"
    r"\b(?:no|without|non)[ -](caffeine)\b",
    re.I,
)
_DECAFFEINATED = re.compile(r"\bdecaf", re.I)
_LIKE = {"shaped", "flavored", "flavoured", "flavor", "flavour"}
_INSTEAD = {
    "meatless", "vegetarian", "vegan", "veggie", "imitation", "substitute", "non dairy",
    "nondairy", "non dairy milk", "meat substitute", "egg substitute", "egg replacer", "plant",
}  # fmt: skip
_NOT = {"no", "without", "non", "not", "less"}
_DENIALS = {"free", *_NOT}
_SENTENCE, _PART = re.compile(r"[.;\n*]"), re.compile(r"[,()\[\]{}:]")
_TRACES = re.compile(
    r"\b(may (also )?contain|(may|can) (also )?have|traces?|(produced|made|manufactured|processed|"
    r"packed|packaged) (in|on)|facility|not suitable for|peut contenir|"
    r"kann .{0,20}enthalten|puede contener|può contenere)",
    re.I,
)
_NUTS = re.compile(r"^nuts, (?=\w)", re.I)  # the class of those that the name tells
_LONGEST_REMEMBERED = 64  # characters of a part of a label
_CUT_AT = (255, 256)  # characters, where databases cut long lists
_LEAST_UNDERSTOOD = 0.7
_TAGS = {
    "gluten": "gluten", "milk": "dairy lactose", "eggs": "eggs", "egg": "eggs",
    "nuts": "tree_nuts", "tree-nuts": "tree_nuts", "peanuts": "peanuts", "soybeans": "soy",
    "soy": "soy", "fish": "fish", "crustaceans": "shellfish", "molluscs": "shellfish",
    "shellfish": "shellfish", "sesame-seeds": "sesame", "sesame": "sesame", "wheat": "wheat",
    "sulphur-dioxide-and-sulphites": "sulfites", "sulfites": "sulfites", "dairy": "dairy lactose",
    "caffeine": "caffeine", "yeast": "yeast", "mushrooms": "mushrooms",
    "monosodium-glutamate": "msg",
}  # fmt: skip
_LABELS = {
    "vegan": "vegan vegetarian", "vegetarian": "vegetarian", "kosher": "kosher", "halal": "halal",
    "gluten-free": "gluten", "no-gluten": "gluten", "lactose-free": "lactose",
    "no-lactose": "lactose", "no-milk": "dairy lactose", "dairy-free": "dairy lactose",
    "no-eggs": "eggs", "no-nuts": "tree_nuts", "no-peanuts": "peanuts", "no-soy": "soy",
    "no-wheat": "wheat", "caffeine-free": "caffeine",
}  # fmt: skip
_BREAKING_LABELS = {"non-vegan": "vegan", "non-vegetarian": "vegetarian"}

ALLERGENS: frozenset[str] = frozenset(_TAGS)
"""What a label can declare, or warn of traces of."""


class Evidence(StrEnum):
    """Where a sign was found, in words; ``{}`` is its phrase."""

    LABEL_FREE = "its label says so"
    DECLARED = "its label declares {}"
    WARNED = "its label warns of {}"
    LABELED = "its label says {}"
    INGREDIENT = "its ingredients name {}"
    CUT_OFF = "its ingredients break off"
    NOT_UNDERSTOOD = "its ingredients are not all understood"
    NO_LABEL = "no label speaks of it"
    REPLACED = "what stands in for it is not known"
    NAMED = "its name says {}"
    NAMED_IN_PART = "its name says {}, and not all that is in it"
    NO_LIST = "no list of its ingredients"
    NAMELESS = "its name tells nothing"
    MEAT_AND_MILK = "meat and milk together"
    ALL_KNOWN = "all that is in it is known"
    AMOUNT = "{}"


class Sign(NamedTuple):
    """What one sign tells: facts that are certain, possible and ruled out."""

    evidence: Evidence
    contains: int = 0
    may: int = 0
    free: int = 0
    phrase: str = ""

    @property
    def because(self) -> str:
        """The sign in words."""
        return self.evidence.format(self.phrase)


def signs_of(food: TableFood) -> Iterator[Sign]:
    """Collect what label, ingredients and name tell.

    Parameters
    ----------
    food : TableFood
        The food with what its publisher tells.

    Yields
    ------
    Sign
        What is settled by the label first.
    """
    label = list(_signs_of_label(food.declared))
    listed = [] if food.ingredients is None else list(_signs_of_ingredients(food.ingredients))
    certain = free = 0
    for sign in (*label, *listed):
        certain |= sign.contains
        free |= sign.free
    besides = _CLAIM.sub(" ", food.name).lower()
    for claim in _CLAIM.finditer(food.name):
        if (absent := (claim[1] or claim[2]).lower()) not in besides:
            free |= facts(_ABSENT[absent].split()[0])
    free &= ~certain
    if free:
        yield Sign(Evidence.LABEL_FREE, free=free)
    yield from (sign for sign in label if sign.contains | sign.may)
    for sign in (*listed, *_signs_of_name(food, free)):
        settled = sign.may & free and sign.evidence != Evidence.WARNED
        yield sign._replace(may=sign.may & ~free) if settled else sign


def _signs_of_label(declared: Iterable[str]) -> Iterator[Sign]:
    """Collect what the tags of a label tell."""
    for tag in declared:
        kind, _, what = tag.partition(":")
        what = what.removeprefix("en:").strip().lower().replace(" ", "-").replace("_", "-")
        if kind == "contains" and what in _TAGS:
            contains = rules_of(_TAGS[what])
            yield Sign(Evidence.DECLARED, contains=contains, phrase=what)
        elif kind == "traces" and what in _TAGS:
            yield Sign(Evidence.WARNED, may=facts(_TAGS[what]), phrase=what)
        elif kind in ("label", "analysis") and what in _BREAKING_LABELS:
            contains = rules_of(_BREAKING_LABELS[what])
            yield Sign(Evidence.LABELED, contains=contains, phrase=what)
        elif kind == "label" and what in _LABELS:
            yield Sign(Evidence.LABELED, free=facts(_LABELS[what]), phrase=what)


def _signs_of_ingredients(text: str) -> Iterator[Sign]:
    """Collect what a list of ingredients tells."""
    understood = total = 0
    for sentence in _SENTENCE.split(text):
        warns = _TRACES.search(sentence) is not None
        for part in _PART.split(sentence):
            for sense in _understood(part.strip().lower()):
                contains, may, phrase = sense.contains, sense.may, sense.phrase
                if warns:
                    yield Sign(Evidence.WARNED, may=contains, phrase=phrase)
                    continue
                if sense.is_open:
                    may |= _UNDECLARED
                if contains | may:
                    yield Sign(Evidence.INGREDIENT, contains=contains, may=may, phrase=phrase)
                understood += sense.is_known
                total += 1
    if len(text) in _CUT_AT or sum(map(text.count, "([{")) > sum(map(text.count, ")]}")):
        yield Sign(Evidence.CUT_OFF, may=EVERYTHING)
    if understood == 0 or understood < _LEAST_UNDERSTOOD * total:
        yield Sign(Evidence.NOT_UNDERSTOOD, may=EVERYTHING)
    yield Sign(Evidence.NO_LABEL, may=_ONLY_LABELS_TELL)


def _signs_of_name(food: TableFood, known_free: int) -> Iterator[Sign]:
    """Collect what a food's name tells; beside a list of ingredients only what is certain."""
    meant = _understood(_NUTS.sub("", food.name))
    has_list = food.ingredients is not None
    doubted, is_replaced = _denied(food.name)
    if known_free & _GLUTEN:
        doubted |= _WHEAT
    if known_free & _VEGAN or food.category.startswith("Plant-based"):
        doubted |= OF_ANIMALS
    if any(sense.phrase in _INSTEAD for sense in meant):
        doubted |= OF_ANIMALS
    holds = _CAN_HOLD.get(food.category, EVERYTHING)
    if is_replaced and not has_list:
        yield Sign(Evidence.REPLACED, may=holds & ~known_free)
    for at, sense in enumerate(meant):
        contains, may = sense.contains & ~known_free, sense.may
        unlike = at + 1 < len(meant) and meant[at + 1].phrase in _LIKE
        unsure = sense.contains if unlike else doubted
        if sense.contains & _FROM_MILK_OR_EGGS and not contains & ~unsure & _FROM_ANIMALS:
            unsure |= _VEGAN
        contains, may = contains & ~unsure, may | contains & unsure
        if contains | may:
            may = 0 if has_list else may
            yield Sign(Evidence.NAMED, contains=contains, may=may, phrase=sense.phrase)
        if sense.is_open and not has_list and (sense.is_known or food.category not in _ONE_FOOD):
            yield Sign(Evidence.NAMED_IN_PART, may=holds, phrase=sense.phrase)
    if has_list:
        return
    if food.kind != "generic" or food.category.startswith(_MIXED):
        yield Sign(Evidence.NO_LIST, may=holds)
    if not any(sense.is_food for sense in meant):
        yield Sign(Evidence.NAMELESS, may=EVERYTHING)


def _denied(name: str) -> tuple[int, bool]:
    """Tell what a name says that there is none of, and whether something stands in for it."""
    denied, is_replaced = 0, False
    for claim in _CLAIM.finditer(name):
        what = (claim[1] or claim[2]).lower()
        denied |= facts(_ABSENT[what])
        is_replaced |= what not in _TAKEN_OUT
    if _DECAFFEINATED.search(name):
        denied |= _CAFFEINE
    return denied, is_replaced


def _understood(text: str) -> tuple[Sense, ...]:
    """Read a text, and remember it if it is short: labels say the same over and over."""
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else _meant(text)


def _meant(text: str) -> tuple[Sense, ...]:
    """Read a text without what it says is not there: "no nuts", "without milk", "dairy free"."""
    found = senses(text)
    return tuple(
        sense
        for at, sense in enumerate(found)
        if sense.phrase not in _DENIALS
        and not (at and found[at - 1].phrase in _NOT)
        and not (at + 1 < len(found) and found[at + 1].phrase == "free")
    )


_remembered = lru_cache(maxsize=20_000)(_meant)  # at most 50 MB
