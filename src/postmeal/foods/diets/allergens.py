"""Names of allergens in many languages, for ingredient lists.

``allergen_names.csv`` has one row per language, allergen and source. It contains the names of the
14 allergens of Regulation (EU) No 1169/2011, Annex II, in more than 20 languages. They include
Latin names, trade names and ingredients made from the allergens. The column for the source marks
the names from menuella-food-safety 2.1.0 (MIT license, copyright 2026 Nuh Kayran,
https://github.com/menuella/food-safety). The postmeal project collected the other names. The
allergen ``wheat`` is separate from the other cereals with gluten.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.diets.rules import RESTRICTIONS

FACTS_OF_ALLERGENS: dict[str, tuple[str, str]] = {
    "gluten": ("gluten", "wheat fodmaps kosher"),
    "wheat": ("wheat", "fodmaps kosher"),
    "crustaceans": ("shellfish", "halal fodmaps"),
    "eggs": ("eggs", ""),
    "fish": ("fish", "kosher"),
    "peanuts": ("peanuts", ""),
    "soybeans": ("soy", "fodmaps"),
    "milk": ("dairy", "lactose fodmaps vegetarian kosher halal"),
    "nuts": ("tree_nuts", "fodmaps"),
    "celery": ("celery", "fodmaps"),
    "mustard": ("mustard", "sulfites"),
    "sesame": ("sesame", "fodmaps"),
    "sulphites": ("sulfites", ""),
    "lupin": ("lupin legume fodmaps", ""),
    "molluscs": ("shellfish", "halal fodmaps"),
}
"""For each allergen, the certain and the possible facts about an ingredient that contains it.

The first fact names the allergen. If it is one of `RESTRICTIONS`, it is the diet rule for the
allergen. Otherwise, there is no rule for the allergen yet, but the tables of words already contain
the fact. To add the rule, add the fact to `RESTRICTIONS`.
"""

RULES_OF_ALLERGENS: dict[str, str | None] = {
    allergen: contains.split()[0] if contains.split()[0] in RESTRICTIONS else None
    for allergen, (contains, _) in FACTS_OF_ALLERGENS.items()
}
"""Diet rule for each allergen, or None if there is none."""

NAMED_AS_ALLERGENS: tuple[str, ...] = tuple(
    allergen for allergen, rule in RULES_OF_ALLERGENS.items() if rule == allergen
)
"""Allergens whose diet rule has the same name."""

FACTS_WITHOUT_RULE: tuple[str, ...] = tuple(
    FACTS_OF_ALLERGENS[allergen][0].split()[0]
    for allergen, rule in RULES_OF_ALLERGENS.items()
    if rule is None
)
"""Facts that name allergens for which there is no diet rule."""

_ARABIC_ARTICLE = "\u0627\u0644"
_COMBINING = re.compile(r"[\u0300-\u036f]")
_SHORTEST = 5  # minimum number of letters of a name at the beginning of a compound word


class AllergenName(NamedTuple):
    """A name of an allergen."""

    language: str
    allergen: str
    name: str


@cache
def allergen_names() -> tuple[AllergenName, ...]:
    """Return all names in ``allergen_names.csv``, in the order of the file."""
    table = files("postmeal.foods.diets").joinpath("allergen_names.csv").read_text("utf-8")
    return tuple(
        AllergenName(line["language"], line["allergen"], name.strip())
        for line in csv.DictReader(table.splitlines())
        for name in line["names"].split(";")
    )


def is_spaced(name: str) -> bool:
    """Return whether a name is compared with whole words of a text.

    Names in other scripts, such as Chinese, Korean, Hindi and Thai, are searched for anywhere in a
    text.
    """
    return _without_spaces().search(name) is None


@lru_cache(maxsize=50_000)
def allergen_within(word: str) -> str | None:
    """Return the allergen whose name is the beginning of an unrecognized word.

    German, the Nordic languages and others write ingredients as one word: "Weizenmehl" is wheat
    flour. Slavic and Baltic languages change the ending of names. In Arabic, an article may precede
    the name. Names shorter than five letters are ignored.
    """
    beginnings = _beginnings()
    for length in range(min(len(word), 24), _SHORTEST - 1, -1):
        if allergen := beginnings.get(word[:length]):
            return allergen
    if word.startswith(_ARABIC_ARTICLE):
        return _arabic().get(word.removeprefix(_ARABIC_ARTICLE))
    return None


def allergens_in_script(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names of allergens found anywhere in a text in a script such as Thai."""
    if _without_spaces().search(text) is not None:
        pattern, allergens = _script_pattern()
        for found in pattern.findall(unicodedata.normalize("NFKC", text)):
            yield found, allergens[found]


@cache
def _without_spaces() -> re.Pattern[str]:
    """Return a cached pattern for the scripts in which names are searched for anywhere."""
    return re.compile(r"[\u0900-\u10ff\u1100-\u1cff\u3040-\u9fff\uac00-\ud7a3]")


def _plain(name: str) -> str:
    """Return a name in lowercase and without accents."""
    return _COMBINING.sub("", unicodedata.normalize("NFKD", name.casefold()))


@cache
def _beginnings() -> dict[str, str]:
    """Return the allergen for each one-word name, both with and without its final vowel."""
    beginnings: dict[str, str] = {}
    for _, allergen, name in allergen_names():
        plain = _plain(name)
        if is_spaced(name) and plain.isalpha():
            for stem in (plain, plain[:-1] if plain[-1] in _VOWELS else plain):
                if len(stem) >= _SHORTEST:
                    beginnings.setdefault(stem, allergen)
    return beginnings


_VOWELS = "aeiouy\u0430\u0435\u0438\u043e\u0443\u044b\u044f\u044e\u044c\u0456\u0457"


@cache
def _arabic() -> dict[str, str]:
    return {
        _plain(name).removeprefix(_ARABIC_ARTICLE): allergen
        for _, allergen, name in allergen_names()
        if "\u0600" <= name[0] <= "\u06ff"
    }


@cache
def _script_pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    allergens = {
        unicodedata.normalize("NFKC", name): allergen
        for _, allergen, name in allergen_names()
        if not is_spaced(name)
    }
    longest_first = sorted(allergens, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))), allergens
