"""Find signs of what a food contains in its label, ingredient list and name.

By law, an ingredient list must name the allergens, although a term such as "natural flavor" can
hide other ingredients. A list proves that a food is free of an ingredient only if every word of the
list is recognized, because an unknown word may be an allergen that is misspelled or in another
language. A warning such as "may contain" never makes a food safe. A dish or product without an
ingredient list, or with an unrecognized word in its name, may contain more than its name says.

``usual_parts.csv`` lists the parts that the usual recipe of a dish includes, such as the egg in a
pancake. A row does not apply to a food whose name contains a word in the column ``unless``, or
denies or replaces an ingredient ("eggless"). A usual recipe never proves that a dish is free of an
ingredient.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.diets.allergens import (
    FACTS_OF_ALLERGENS,
    NAMED_AS_ALLERGENS,
    allergens_in_script,
)
from postmeal.foods.diets.food_groups import cannot_contain
from postmeal.foods.diets.recipes import facts_of_recipe
from postmeal.foods.diets.words import EVERYTHING, Sense, facts, rules_of, senses
from postmeal.foods.table import TableFood
from postmeal.foods.words import words

_ONE_FOOD = {
    "Beef Products",
    "Lamb, Veal, and Game Products",
    "Pork Products",
    "Poultry Products",
    "Finfish and Shellfish Products",
}
"""Categories of single foods. In their names, an unrecognized word is a cut or a grade."""

_BAKED = EVERYTHING & ~facts("fish shellfish mushrooms")
_SWEET = EVERYTHING & ~facts("shellfish mushrooms")
_CAN_CONTAIN: dict[str, int] = {
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
"""By category, the facts that may apply to a food although its name does not mention them. In all
other categories, any fact may apply."""

_MIXED = ("Baby", "Formula", "Fast Foods", "Restaurant Foods", "Meals, Entrees", "Soups, Sauces",
          "Sausages", "Protein and nutritional", "Nutrition bars")  # fmt: skip
"""Prefixes of categories whose foods contain more than their names say."""

_CAFFEINE, _GLUTEN, _VEGAN, _WHEAT = (
    facts(rule) for rule in ("caffeine", "gluten", "vegan", "wheat")
)
_FROM_MILK_OR_EGGS = facts("dairy eggs")
_FROM_ANIMALS = facts("dairy eggs fish shellfish meat")
_UNDECLARED = EVERYTHING & ~facts(
    "wheat dairy lactose eggs fish shellfish peanuts tree_nuts soy sesame sulfites caffeine"
)
_DECIDED_BY_LABELS = facts("kosher halal")
OF_ANIMALS = rules_of("pork fish shellfish eggs dairy lactose") & ~facts("paleo fodmaps")
_ABSENT = {
    "gluten": "gluten wheat", "wheat": "wheat", "dairy": "dairy lactose", "milk": "dairy lactose",
    "lactose": "lactose", "egg": "eggs", "soy": "soy", "nut": "tree_nuts", "tree nut": "tree_nuts",
    "peanut": "peanuts", "fish": "fish", "shellfish": "shellfish", "sesame": "sesame",
    "yeast": "yeast", "caffeine": "caffeine",
}  # fmt: skip
"""Words before "free" in names, each with the facts that such a claim makes doubtful."""
_REMOVABLE = {"lactose", "caffeine", "yeast"}
"""Ingredients that can be removed from a food without a substitute."""
_CLAIM = re.compile(
    rf"\b(?<!non[ -])(?<!not[ -])({'|'.join(_ABSENT)})[ -]free\b|"
    r"\b(?:no|without|non)[ -](caffeine)\b",
    re.I,
)
_DECAFFEINATED = re.compile(r"\bdecaf", re.I)
_IMITATION_WORDS = {"shaped", "flavored", "flavoured", "flavor", "flavour"}
_SUBSTITUTE_WORDS = {
    "meatless", "vegetarian", "vegan", "veggie", "imitation", "substitute", "non dairy",
    "nondairy", "non dairy milk", "meat substitute", "egg substitute", "egg replacer", "plant",
}  # fmt: skip
_NEGATIONS = {"no", "without", "non", "not", "less"}
_DENIALS = {"free", *_NEGATIONS}
_SENTENCE, _PART = re.compile(r"[.;\n*]"), re.compile(r"[,()\[\]{}:]")
_TRACES = re.compile(
    r"\b(may (also )?contain|(may|can) (also )?have|traces?|(produced|made|manufactured|processed|"
    r"packed|packaged) (in|on)|facility|not suitable for|peut contenir|"
    r"kann .{0,20}enthalten|puede contener|può contenere)",
    re.I,
)
_NUTS = re.compile(r"^nuts, (?=\w)", re.I)  # a food group, not an ingredient
_LONGEST_CACHED = 64  # maximum characters in a part of a label
_CUT_AT = (255, 256)  # lengths at which databases truncate long lists
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_PICTURE = re.compile("[\u2600-\u26ff\U0001f000-\U0001faff]")
_TAGS = {rule: rule for rule in NAMED_AS_ALLERGENS} | {
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

OWN_DISHES = "postmeal"
"""Value of `TableFood.source` for the dishes with known recipes."""

SHIPPED = "shipped"
"""Value of `TableFood.source` for shipped foods from an unknown publication."""

_GROUPED = {"sr28", "fndds", SHIPPED}
"""Sources whose foods have the food groups of `postmeal.foods.diets.food_groups`."""

ALLERGENS: frozenset[str] = frozenset(_TAGS)
"""Allergens and other ingredients that a label can declare or warn about."""


class Evidence(StrEnum):
    """Kinds of evidence, each with a text in which ``{}`` stands for the phrase that was found."""

    LABEL_FREE = "its label says so"
    DECLARED = "its label declares {}"
    WARNED = "its label warns of {}"
    LABELED = "its label says {}"
    INGREDIENT = "its ingredients include {}"
    CUT_OFF = "its ingredient list is truncated"
    NOT_UNDERSTOOD = "its ingredient list has the unknown word {}"
    NOTHING_LISTED = "none of its ingredients are recognized"
    NO_LABEL = "its label does not mention it"
    REPLACED = "the substitute in it is unknown"
    NAMED = "its name mentions {}"
    NAMED_IN_PART = "its name mentions {}, which has other ingredients too"
    NO_LIST = "it has no ingredient list"
    RECIPE = "its recipe includes {}"
    USUAL = "its usual recipe includes {}"
    GROUP = "foods of its group do not contain it"
    NAMELESS = "its name does not say what it is"
    MEAT_AND_MILK = "it contains both meat and milk"
    ALL_KNOWN = "everything in it is known"
    AMOUNT = "{}"


class Sign(NamedTuple):
    """One piece of evidence: the facts that it makes certain, makes possible or rules out."""

    evidence: Evidence
    contains: int = 0
    may: int = 0
    free: int = 0
    phrase: str = ""

    @property
    def because(self) -> str:
        """The evidence as text, such as "its name mentions wheat"."""
        return self.evidence.format(self.phrase)


def signs_of(food: TableFood) -> Iterator[Sign]:
    """Yield the signs in the label, ingredients and name of a food."""
    label = list(_signs_of_label(food.declared))
    listed = [] if food.ingredients is None else list(_signs_of_ingredients(food.ingredients))
    certain = free = 0
    for sign in (*label, *listed):
        certain |= sign.contains
        free |= sign.free
    without_claims = _CLAIM.sub(" ", food.name).lower()
    for claim in _CLAIM.finditer(food.name):
        if (absent := (claim[1] or claim[2]).lower()) not in without_claims:
            free |= facts(_ABSENT[absent].split()[0])
    free &= ~certain
    if free:
        yield Sign(Evidence.LABEL_FREE, free=free)
    yield from (sign for sign in label if sign.contains | sign.may)
    if food.source == OWN_DISHES:
        for ingredient, contains in facts_of_recipe(food.name):
            yield Sign(Evidence.RECIPE, contains=contains, phrase=ingredient)
    elif food.source in _GROUPED and food.kind != "branded" and food.ingredients is None:
        for part, contains in facts_of_usual_parts(food.name):
            yield Sign(Evidence.USUAL, contains=contains & ~free, phrase=part)
    for sign in (*listed, *_signs_of_name(food, free)):
        settled = sign.may & free and sign.evidence != Evidence.WARNED
        yield sign._replace(may=sign.may & ~free) if settled else sign


def _signs_of_label(declared: Iterable[str]) -> Iterator[Sign]:
    """Yield the signs in the tags of a label."""
    for tag in declared:
        kind, _, value = tag.partition(":")
        value = value.removeprefix("en:").strip().lower().replace(" ", "-").replace("_", "-")
        if kind == "contains" and value in _TAGS:
            contains = rules_of(_TAGS[value])
            yield Sign(Evidence.DECLARED, contains=contains, phrase=value)
        elif kind == "traces" and value in _TAGS:
            yield Sign(Evidence.WARNED, may=facts(_TAGS[value]), phrase=value)
        elif kind in ("label", "analysis") and value in _BREAKING_LABELS:
            contains = rules_of(_BREAKING_LABELS[value])
            yield Sign(Evidence.LABELED, contains=contains, phrase=value)
        elif kind == "label" and value in _LABELS:
            yield Sign(Evidence.LABELED, free=facts(_LABELS[value]), phrase=value)


def _signs_of_ingredients(text: str) -> Iterator[Sign]:
    """Yield the signs in an ingredient list; one unknown word makes every fact possible."""
    recognized = 0
    unrecognized = None
    text = _INVISIBLE.sub("", text)
    if symbol := _PICTURE.search(text):
        unrecognized = symbol[0]
    for sentence in _SENTENCE.split(text):
        is_warning = _TRACES.search(sentence) is not None
        for part in _PART.split(sentence):
            found = _senses(part.strip().lower(), listed=True)
            if found and not any(sense.is_food or sense.contains for sense in found):
                unrecognized = unrecognized or found[0].phrase
            for sense in found:
                contains, may, phrase = sense.contains, sense.may, sense.phrase
                if not sense.is_known:
                    unrecognized = unrecognized or phrase
                if is_warning:
                    yield Sign(Evidence.WARNED, may=contains, phrase=phrase)
                    continue
                if sense.is_open:
                    may |= _UNDECLARED
                if contains | may:
                    yield Sign(Evidence.INGREDIENT, contains=contains, may=may, phrase=phrase)
                recognized += sense.is_known
            if not part.isascii() and not is_warning:
                yield from _signs_in_script(part)
    if len(text) in _CUT_AT or sum(map(text.count, "([{")) > sum(map(text.count, ")]}")):
        yield Sign(Evidence.CUT_OFF, may=EVERYTHING)
    if unrecognized is not None:
        yield Sign(Evidence.NOT_UNDERSTOOD, may=EVERYTHING, phrase=unrecognized)
    if not recognized:
        yield Sign(Evidence.NOTHING_LISTED, may=EVERYTHING)
    yield Sign(Evidence.NO_LABEL, may=_DECIDED_BY_LABELS)


def _signs_in_script(part: str) -> Iterator[Sign]:
    """Yield the allergens in a part of an ingredient list in a script such as Chinese or Thai."""
    for phrase, allergen in allergens_in_script(part):
        contains, may = map(rules_of, FACTS_OF_ALLERGENS[allergen])
        yield Sign(Evidence.INGREDIENT, contains=contains, may=may, phrase=phrase)


def _signs_of_name(food: TableFood, known_free: int) -> Iterator[Sign]:
    """Yield the signs in a food's name; with an ingredient list, only those that are certain."""
    name_senses = _senses(_NUTS.sub("", food.name))
    has_list = food.ingredients is not None
    doubtful, is_replaced = _denied(food.name)
    if known_free & _GLUTEN:
        doubtful |= _WHEAT
    if known_free & _VEGAN or food.category.startswith("Plant-based"):
        doubtful |= OF_ANIMALS
    if any(sense.phrase in _SUBSTITUTE_WORDS for sense in name_senses):
        doubtful |= OF_ANIMALS
    possible = _CAN_CONTAIN.get(food.category, EVERYTHING)
    if food.source in _GROUPED and not has_list:
        cannot = cannot_contain(food.name, food.category, branded=food.kind == "branded")
        possible &= ~cannot
        if food.kind != "generic" or any(sense.is_open for sense in name_senses):
            yield Sign(Evidence.GROUP, free=cannot)
    if is_replaced and not has_list:
        yield Sign(Evidence.REPLACED, may=possible & ~known_free)
    for at, sense in enumerate(name_senses):
        contains, may = sense.contains & ~known_free, sense.may
        is_imitation = at + 1 < len(name_senses) and name_senses[at + 1].phrase in _IMITATION_WORDS
        uncertain = sense.contains if is_imitation else doubtful
        if sense.contains & _FROM_MILK_OR_EGGS and not contains & ~uncertain & _FROM_ANIMALS:
            uncertain |= _VEGAN
        contains, may = contains & ~uncertain, may | contains & uncertain
        if contains | may:
            may = 0 if has_list else may
            yield Sign(Evidence.NAMED, contains=contains, may=may, phrase=sense.phrase)
        if sense.is_open and not has_list and (sense.is_known or food.category not in _ONE_FOOD):
            yield Sign(Evidence.NAMED_IN_PART, may=possible, phrase=sense.phrase)
    if has_list:
        return
    if food.kind != "generic" or food.category.startswith(_MIXED):
        yield Sign(Evidence.NO_LIST, may=possible)
    if not any(sense.is_food for sense in name_senses):
        yield Sign(Evidence.NAMELESS, may=EVERYTHING)


def _denied(name: str) -> tuple[int, bool]:
    """Return the facts that a name denies ("gluten free") and whether it implies a substitute."""
    denied, is_replaced = 0, False
    for claim in _CLAIM.finditer(name):
        claimed = (claim[1] or claim[2]).lower()
        denied |= facts(_ABSENT[claimed])
        is_replaced |= claimed not in _REMOVABLE
    if _DECAFFEINATED.search(name):
        denied |= _CAFFEINE
    return denied, is_replaced


def _senses(text: str, *, listed: bool = False) -> tuple[Sense, ...]:
    """Return the meanings of the phrases in a text, which are cached if the text is short."""
    read = _cached_senses if len(text) <= _LONGEST_CACHED else _affirmed_senses
    return read(text, listed)


def _affirmed_senses(text: str, listed: bool) -> tuple[Sense, ...]:
    """Return the meanings of the phrases in a text, except negated phrases such as "no nuts".

    Unknown words in an ingredient list are always included, because "no" may be part of a word:
    "no-zes" is "nozes", Portuguese for nuts, split by a hyphen.
    """
    found = senses(text, listed=listed)
    return tuple(
        sense
        for at, sense in enumerate(found)
        if sense.phrase not in _DENIALS
        and (
            (listed and not sense.is_known)
            or (
                not (at and found[at - 1].phrase in _NEGATIONS)
                and not (at + 1 < len(found) and found[at + 1].phrase == "free")
            )
        )
    )


_cached_senses = lru_cache(maxsize=20_000)(_affirmed_senses)  # at most 50 MB


_REPLACED = re.compile(
    r"\b(free|vegan|vegetarian|without|no|non|less|eggless|substitute|imitation|meatless|plant|"
    r"sugar.free|low.carb|gluten|rice flour|almond|soy|tofu|dry mix|seasoning|mix, dry|rice cakes?|"
    r"syrups?|for use on|topping from|meat only|breading removed|skin not eaten|flavou?red?)\b",
    re.IGNORECASE,
)


class _Part(NamedTuple):
    part: str
    contains: int
    unless: re.Pattern[str] | None
    names: tuple[frozenset[str], ...]


def facts_of_usual_parts(name: str) -> Iterator[tuple[str, int]]:
    """Yield the parts of a dish whose name contains all words of a name in the table, and facts."""
    if _REPLACED.search(name):
        return
    found = frozenset(words(name))
    for part in _parts():
        if any(dish <= found for dish in part.names) and not (
            part.unless and part.unless.search(name)
        ):
            yield part.part, part.contains


@lru_cache(1)
def _parts() -> tuple[_Part, ...]:
    table = files("postmeal.foods.diets").joinpath("usual_parts.csv").read_text("utf-8")
    return tuple(
        _Part(
            line["part"],
            rules_of(line["contains"]),
            re.compile(line["unless"], re.IGNORECASE) if line["unless"] else None,
            tuple(frozenset(words(name)) for name in line["names"].split(";")),
        )
        for line in csv.DictReader(table.splitlines())
    )
