"""Foods that a dietitian does not recommend as replacements, regardless of their nutrients.

These foods are never recommended:

- alcoholic drinks and foods with alcohol in their name, because no amount of alcohol is recommended
  to anyone (Dietary Guidelines for Americans 2020-2025, 9th edition, chapter 1; World Health
  Organization, doi:10.1016/S2468-2667(22)00317-6)
- fried and candied foods, hydrogenated fat, poultry with its skin, salted nuts, loaves of cured
  meat, canned dishes and offal
- ingredients for kitchens and factories, glucose gel and tablets, and foods without a detailed
  description
- foods for infants, because the nutrient profile does not apply to infants

``vetoes.csv`` lists the kinds that must not replace a certain food, with the reason. The columns
``food`` and ``never`` contain names of kinds or families (see `postmeal.foods.alternatives.kinds`).
"""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files

from postmeal.foods.alternatives.kinds import EatenAs

__all__ = ["is_alcoholic", "is_never_recommended", "is_vetoed"]

_ALCOHOL = {"alcohol", "spirits"}
_WITHOUT_ALCOHOL = re.compile(
    r"\b(non[- ]?alcoholic|(alcohol|de-?alcohol\w+)[- ]free|without alcohol|no alcohol|virgin)\b",
    re.IGNORECASE,
)
_NAMES_ALCOHOL = re.compile(
    r"(?<!root )(?<!ginger )(?<!birch )\bbeer\b|(?<!ginger )\bale\b|\b(wine|champagne|prosecco|"
    r"vodka|rum|gin|tequila|whiske?y|bourbon|brandy|cognac|liqueurs?|sake|sherry|marsala|alcohol|"
    r"alcoholic|malt liquor)\b",
    re.IGNORECASE,
)
_VINEGAR = re.compile(r"\bvinegar\b", re.IGNORECASE)
_MEATS = {"meat", "cured meat", "fish"}
_OFFAL = {"tripe", "gizzard", "brain", "lung", "spleen", "pancreas", "thymus", "variety", "feet",
          "giblet", "chitterling", "tail", "ear", "snout", "udder", "liver", "heart", "kidney",
          "tongue", "sweetbread", "neck", "jowl", "head", "headcheese", "blood", "pate", "haggis",
          "scrapple", "muskrat", "beaver", "squirrel", "raccoon", "opossum", "horse", "bear",
          "seal", "whale", "turtle", "frog"}  # fmt: skip
"""Words for meats that few people would accept in place of steak or chicken."""
_FOR_KITCHENS = {"ingredient", "industrial", "commodity", "school", "usda", "use", "manufacturing",
                 "human", "babyfood", "diglyceride", "stability"}  # fmt: skip
_FRIED = re.compile(
    r"(?<!stir[ -])(?<!pan[ -])(?<!air[ -])\bfried\b(?! rice| with cooking)"
    r"|\b(pakoras?|samosas?|vada|puri|chimichangas?|taquitos?|corn dogs?|churros?)\b"
    r"|\b(breaded|battered|tempura|fritters?|nuggets?|creamed|cream style|candied|au gratin)\b",
    re.IGNORECASE,
)
"""Preparations that add fat, sugar or starch, which the nutrient profile counts only partly. The
Dietary Guidelines for Americans 2020-2025 recommend foods "prepared with no or little added"
sugars, saturated fat and sodium."""
_HYDROGENATED = re.compile(r"(?<!un)(?<!non-)\bhydrogenated\b", re.IGNORECASE)
"""Words for industrial trans fat (World Health Organization, REPLACE trans fat, 2018)."""
_WITH_SKIN = re.compile(r"\b(skin eaten|meat and skin|skin only)\b", re.IGNORECASE)
"""Words for poultry with skin (Dietary Guidelines for Americans 2020-2025: "lean" poultry)."""
_SALTED = re.compile(r"\b(salted|with salt|(?<!without )salt added)\b", re.IGNORECASE)
"""Words for salted nuts (Dietary Guidelines for Americans 2020-2025: "unsalted" nuts)."""
_MEDICAL = re.compile(r"\b(glucose|dextrose) (gel|tablets?|shots?|drink)\b", re.IGNORECASE)
"""Words for products that treat low blood glucose."""
_DISHES = {"pasta dishes", "plates", "handhelds"}
_CANNED = re.compile(r"\bcanned\b", re.IGNORECASE)
_VAGUE = re.compile(r"\bNS as to\b|\bNFS\b|\bwater, tap, (municipal|well)\b")
"""Phrases in descriptions of foods that people cannot choose, such as "NFS" in survey foods."""


def is_alcoholic(name: str, kind: EatenAs | None) -> bool:
    """Return whether a food contains alcohol according to its kind or name."""
    if _WITHOUT_ALCOHOL.search(name) and "includes" not in name:
        return False
    if kind is not None and kind.family in _ALCOHOL:
        return True
    return bool(_NAMES_ALCOHOL.search(name)) and not _VINEGAR.search(name)


def is_never_recommended(
    name: str, category: str, kind: EatenAs | None, words: frozenset[str]
) -> bool:
    """Return whether a food is never recommended as a replacement."""
    if kind is None or category == "American Indian/Alaska Native Foods":
        return True
    if kind.name == "energy drink" or is_alcoholic(name, kind) or kind.family == "baby foods":
        return True
    if kind.family in _DISHES and _CANNED.search(name):
        return True
    if kind.family in _MEATS and _OFFAL & words:
        return True
    if kind.family == "cured meat" and "loaf" in words:
        return True
    if (kind.name == "poultry" and _WITH_SKIN.search(name)) or (
        kind.family == "nuts" and _SALTED.search(name)
    ):
        return True
    marks = (_FRIED, _HYDROGENATED, _MEDICAL, _VAGUE)
    return bool(_FOR_KITCHENS & words) or any(mark.search(name) for mark in marks)


def is_vetoed(own: EatenAs, other: EatenAs) -> bool:
    """Return whether foods of one kind must not replace foods of another kind."""
    never = _vetoes().get(own.name, frozenset()) | _vetoes().get(own.family, frozenset())
    return other.name in never or other.family in never


@cache
def _vetoes() -> dict[str, frozenset[str]]:
    table = files("postmeal.foods.alternatives").joinpath("vetoes.csv").read_text("utf-8")
    lines = csv.DictReader(table.splitlines())
    return {line["food"]: frozenset(line["never"].split("; ")) for line in lines}
