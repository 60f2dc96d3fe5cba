"""Strict parser for simple meal texts such as "1 cup oatmeal, 1 banana".

The text is split into phrases as in `postmeal.foods.language.meal_reading`, but nothing is guessed.
Each phrase must contain the everyday name or the catalog name of a food, and a measure that this
food has. Descriptive words that are not part of the food's name are ignored, so "braised radish" is
read as radish. Words that name another food are not ignored: "avocado toast" is rejected and not
read as toast.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from postmeal.arguments import check_type
from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import MAX_QUANTITY, Food, Selection
from postmeal.foods.language.countries import (
    LocalFood,
    local_foods,
    local_serving_g,
    meant_here,
)
from postmeal.foods.language.measures import MASS_G, UNITS, VOLUME_ML, select
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.phrases.phrase_parsing import without_exclusions
from postmeal.foods.language.phrases.phrase_splitting import MAX_LETTERS, MAX_PHRASES, phrases
from postmeal.foods.words import name_words, words

__all__ = ["parse_meal"]

_PREPARATIONS = re.compile(
    r"\b(fresh|freshly|homemade|home-made|organic|hot|cold|warm|cooked|plain|ripe|whole|sliced|"
    r"chopped|diced|steamed|stir-fried|boiled|grilled|roasted|baked|leftover|nice|good|raw)\b"
)
_ADVICE = "check the spelling or use a more general name"
_BLANK = " \t\r\n\f\v,;.()+"
_IMPOSSIBLE = re.compile(r"(?<![\w.)])[-−]\.?\d[\d.]*|\d+\s*/\s*0+(?:\.0*)?(?![\d.])")
_TWO_FOODS = re.compile(r"\bfish (?:and|&) chips\b", re.IGNORECASE)
_LONGEST_EVERYDAY_NAME = 6  # maximum number of words, which limits the work on long phrases
_LONGEST_QUOTED = 60  # maximum number of characters of a quotation
_MOST_PARTS = 4  # maximum number of phrases that form one name, such as "sweet and sour pork"
_MEASURED = re.compile(r"(?P<unit>[a-z]+) (?P<of>of )?(?=\S)")  # "3 strips bacon"
_HOT_DRINK = re.compile(r"\b(coffee|tea|espresso)\b")
_POURED = re.compile(r"\b(milk|cream)$")


def parse_meal(text: str, catalog: Catalog, *, country: str | None = None) -> list[Selection]:
    """Parse a meal text that consists of simple phrases.

    If no amount is given for a food, its default serving is used.

    Parameters
    ----------
    text : str
        Foods with their amounts, such as ``"2 eggs, 1 slice toast and a glass of milk"``.
    catalog : Catalog
        Catalog with the foods that may be named.
    country : str, optional
        Country where the meal was eaten, as an ISO 3166-1 alpha-2 code such as ``"LA"``. It has the
        same effect as in `postmeal.foods.language.read_meal`.

    Returns
    -------
    list of Selection
        One selection for each food, in the order of the text.

    Raises
    ------
    InputError
        A phrase does not name a food in the catalog, or contains an invalid amount or a measure
        that the food does not have; the text names no food or too many foods; or the country is
        not an ISO 3166-1 alpha-2 code.

    Examples
    --------
    >>> for selection in parse_meal("1 cup oatmeal, 1 banana", Catalog.open()):
    ...     print(f"{selection.weight_g:.0f} g", selection.nutrients["carbs_g"].__round__())
    234 g 28
    118 g 27
    """
    if not isinstance(text, str):
        raise InputError("text", "must be a str", text)
    check_type("catalog", catalog, Catalog, "must be a Catalog, such as Catalog.open()")
    if not text.strip(_BLANK):
        raise InputError("meal", "must name at least one food", text)
    if impossible := _IMPOSSIBLE.search(text):
        raise InputError("quantity", "must be a number above 0", impossible[0])
    found = phrases(_TWO_FOODS.sub("fried fish and french fries", text))
    if len(text) > MAX_LETTERS or len(found) >= MAX_PHRASES:
        raise InputError("meal", f"must name fewer than {MAX_PHRASES} foods", text[:100])
    local = local_foods(country, text)
    selections: list[Selection] = []
    before = ""
    rest = _described([phrase for phrase in found if not phrase.is_excluded])
    while rest:
        phrase, food, rest = _next(rest, catalog)
        phrase, food = _localized(phrase, food, catalog, local)
        if food is None:
            raise _without_food(phrase.said)
        selections.append(_selection(phrase, food, before))
        before = phrase.name
    if not selections:
        raise _without_food(text)
    return selections


def _localized(
    phrase: Phrase, food: Food | None, catalog: Catalog, local: Mapping[str, LocalFood]
) -> tuple[Phrase, Food | None]:
    """Return the phrase, and the food that its words mean in the country of the meal."""
    meant = meant_here(phrase.name, local)
    here = catalog.everyday(meant.means) if meant else None
    if meant is None or here is None:
        return phrase, food
    phrase = replace(phrase, name=meant.means)
    if serving_g := local_serving_g(phrase, meant):
        phrase = replace(phrase, unit="", mass_g=serving_g * (phrase.count or 1.0))
    return phrase, here


def _without_food(said: str) -> InputError:
    quoted = repr(said if len(said) <= _LONGEST_QUOTED else f"{said[: _LONGEST_QUOTED - 3]}...")
    return InputError("meal", f"contains {quoted}, which matches no food in the catalog; {_ADVICE}")


def _described(parsed: list[Phrase]) -> list[Phrase]:
    """Add descriptions after a comma to the name of the food, as in "1 large egg, fried"."""
    found: list[Phrase] = []
    for phrase in parsed:
        if phrase.is_description and phrase.joined_by == "," and found:
            last = found.pop()
            amount = phrase if phrase.amount_said and not last.amount_said else last
            phrase = _renamed_phrase(amount, last, f"{last.name} {phrase.name}")
        found.append(phrase)
    return found


def _next(found: list[Phrase], catalog: Catalog) -> tuple[Phrase, Food | None, list[Phrase]]:
    """Return the first phrase or phrases that name a food, the food, and the remaining phrases."""
    first, more, name = found[0], found[1:_MOST_PARTS], found[0].name
    whole, n_parts = None, 1
    for n, part in enumerate(more, start=2):
        if part.starts_food or part.joined_by in (".", ","):
            break
        name += f" {part.joined_by} {part.name}"
        if food := _everyday(name, catalog):
            amount = part if part.amount_said and not first.amount_said else first
            whole, n_parts = (_renamed_phrase(amount, first, name), food), n
    if whole is not None:
        return *whole, found[n_parts:]
    food = _everyday(first.name, catalog)
    if first.size and (sized := catalog.everyday(f"{first.size} {first.name}")) not in (None, food):
        return replace(first, size=""), sized, found[1:]  # the size is part of the name
    if food is None and not first.unit and (measured := _MEASURED.match(first.name)):
        unit = " ".join(words(measured["unit"]))
        if unit in UNITS and (measured["of"] or first.count is not None):
            name = first.name[measured.end() :]
            first = replace(first, unit=unit, name=name, count=first.count or 1.0)
    return first, food or _named(first.name, catalog), found[1:]


def _renamed_phrase(amount: Phrase, phrase: Phrase, name: str) -> Phrase:
    """Return a phrase with the amount of another phrase and a new name."""
    return replace(amount, said=phrase.said, name=name, joined_by=phrase.joined_by)


def _named(name: str, catalog: Catalog) -> Food | None:
    if not any(character.isalpha() for character in name):
        return None
    food = _everyday(name, catalog) or _best(name, catalog)
    if food is None and (eaten := without_exclusions(name)) != name:
        return _named(eaten, catalog)
    return food


def _everyday(name: str, catalog: Catalog) -> Food | None:
    return catalog.everyday(name) or catalog.everyday(_bare(name))


def _best(name: str, catalog: Catalog) -> Food | None:
    """Return the food with this name, or else the everyday food whose name ends the given name.

    For example, "braised radish" ends with "radish". The words before the everyday name must not be
    a food: "avocado toast" is not toast. A search result is used only as a last resort, because its
    name may contain words that were not given, such as "French" and "potatoes" for "fried
    vegetable".
    """
    found = catalog.search(name, limit=1, every_word=True)
    found = found or catalog.search(_bare(name), limit=1, every_word=True)
    said = words(name)
    if found:
        called, head = name_words(found[0].description)
        if set(called[:head]) <= set(said):
            return found[0]
    for start in range(max(1, len(said) - _LONGEST_EVERYDAY_NAME), len(said)):
        if food := catalog.everyday(" ".join(said[start:])):
            if all(_describes(word, catalog) for word in said[:start]):
                return food
            break
    return found[0] if found else None


def _describes(word: str, catalog: Catalog) -> bool:
    has_vowel = word.isalpha() and re.search(r"[aeiouy]", word)
    return bool(has_vowel) and word not in UNITS and not catalog.everyday(word)


def _bare(name: str) -> str:
    return " ".join(_PREPARATIONS.sub(" ", name).split())


def _selection(phrase: Phrase, food: Food, before: str) -> Selection:
    """Build the selection for a phrase. Milk or cream "with" another food is at most half a cup."""
    name, size = phrase.name, phrase.size.split(" ")[0] or None
    if phrase.mass_g is not None:
        unit = "oz" if phrase.in_ounces else "g"
        return select(food, _quantity(phrase, phrase.mass_g / MASS_G[unit], unit), unit, size, name)
    if phrase.volume_ml is not None:
        unit = "fl oz" if phrase.in_ounces else "ml"
        quantity = _quantity(phrase, phrase.volume_ml / VOLUME_ML[unit], unit)
        return select(food, quantity, unit, size, name)
    if phrase.joined_by == "with" and not phrase.amount_said and _POURED.search(name):
        amount = (2.0, "tbsp") if _HOT_DRINK.search(before) else (0.5, "cup")
        return select(food, *amount, None, name)
    return select(food, phrase.count, phrase.unit or None, size, name)


def _quantity(phrase: Phrase, quantity: float, unit: str) -> float:
    if not 0 < quantity <= MAX_QUANTITY:
        raise InputError(
            "meal",
            f"contains {phrase.said!r}; the quantity must be above 0 and at most"
            f" {MAX_QUANTITY:g} {unit}",
        )
    return quantity
