"""Meanings of common words in a country, such as glutinous rice for "rice" in Laos.

The file ``countries.csv`` has one row per rule, with these columns in order:

- the country
- the words, separated by semicolons
- the everyday name of the food that they mean in this country
- the weight of a serving in grams, if it differs from the catalog
- words that switch the rule off if they occur anywhere in the text
- the reason for the rule, the source and the date

A rule applies only if a food is named by exactly these words: "brown rice" in Laos is not
glutinous. A rule must change the carbohydrate per serving or per 100 g by at least 2 g. Therefore,
there are no rules for a country's bread or cheese.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

from postmeal.errors import InputError
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.words import words

_ASSIGNED = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR "
    "BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ "
    "EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW "
    "GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY "
    "KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV "
    "MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY "
    "QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG "
    "TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM "
    "ZW"
)
_CODES = frozenset(_ASSIGNED.split(" "))
_SERVED = frozenset({"", "cup", "serving", "portion", "ladle"})


class LocalFood(NamedTuple):
    """The food that a word means in a country."""

    means: str
    serving_g: float | None = None
    unless: frozenset[str] = frozenset()


NO_COUNTRY: Mapping[str, LocalFood] = MappingProxyType({})
"""An empty set of rules, for meals without a country."""


def country_code(country: str | None) -> str:
    """Return a country code in upper case; empty if no country is given."""
    if country is None:
        return ""
    code = country.upper() if isinstance(country, str) else ""
    if code == "UK":
        problem = "code, such as 'PK' or, for the United Kingdom, 'GB'"
        raise InputError("country", f"must be an ISO 3166-1 alpha-2 {problem}; got {country!r}")
    if code not in _CODES:
        raise InputError("country", "must be an ISO 3166-1 alpha-2 code such as 'PK'", country)
    return code


def local_foods(country: str | None, text: str) -> Mapping[str, LocalFood]:
    """Return the foods that common words mean in a country."""
    code = country_code(country)
    rules = _rules().get(code, NO_COUNTRY)
    if not rules:
        return NO_COUNTRY
    said = set(words(text))
    return {name: food for name, food in rules.items() if said.isdisjoint(food.unless)}


def meant_here(name: str, local: Mapping[str, LocalFood]) -> LocalFood | None:
    """Return the food that a name means according to local rules; None if no rule applies."""
    return local.get(" ".join(words(name))) if local else None


def local_serving_g(phrase: Phrase, food: LocalFood) -> float | None:
    """Return the local weight of a serving if the text counts servings or states no amount.

    Otherwise, the result is None.
    """
    stated = phrase.mass_g is not None or phrase.volume_ml is not None or phrase.size
    return None if stated or phrase.unit not in _SERVED else food.serving_g


@lru_cache(1)
def _rules() -> Mapping[str, Mapping[str, LocalFood]]:
    file = files("postmeal.foods.language").joinpath("countries.csv")
    rules: dict[str, dict[str, LocalFood]] = {}
    for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
        grams = float(row["serving_g"]) if row["serving_g"] else None
        unless = frozenset(word for said in row["unless"].split(";") for word in words(said))
        food = LocalFood(row["means"], grams, unless)
        named = rules.setdefault(row["country"], {})
        named.update((" ".join(words(said)), food) for said in row["said"].split(";"))
    return MappingProxyType(rules)
