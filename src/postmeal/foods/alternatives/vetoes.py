"""Which foods a dietitian recommends first in place of another food, and which never.

``stand_ins.csv`` has one row per kind or family of foods. Plain foods of the kinds in the column
``first`` precede the other foods of the family. If the family has few other foods, plain foods of
the kinds in the column ``then`` follow. "cooked" or "raw" before a kind restricts it to cooked or
raw foods. The order follows these guidelines:

- Sweets: fruit, plain yogurt and unsalted nuts come before other sweets (Dietary Guidelines for
  Americans 2020-2025, 9th edition, chapter 1, "nutrient-dense" snacks and desserts; Evert et al.
  2019, doi:10.2337/dci19-0014).
- Sweet drinks: water, tea and coffee without sugar come before drinks with sweeteners (Evert et al.
  2019; World Health Organization, Use of non-sugar sweeteners, 2023, ISBN 978-92-4-007361-6). Juice
  contains free sugars (World Health Organization, Sugars intake for adults and children, 2015,
  ISBN 978-92-4-154902-8).
- Cured meat is replaced with poultry, fish, eggs and legumes (International Agency for Research on
  Cancer, Monograph 114, 2018).
- Pickled vegetables are replaced with raw vegetables, because pickles contain salt. Coffee creamer
  is replaced with milk, and mayonnaise with dips made of legumes or yogurt (Dietary Guidelines for
  Americans 2020-2025, chapter 1, on sodium, added sugars and saturated fat).
- Salty sauces are replaced with spices, garlic and citrus, because foods should be prepared with
  little or no salt (Lichtenstein et al. 2021, doi:10.1161/CIR.0000000000001031).

These foods are never recommended, regardless of their nutrients:

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
from typing import NamedTuple

from postmeal.foods.alternatives.kinds import EatenAs

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
    marks = (_FRIED, _HYDROGENATED, _MEDICAL, _VAGUE)
    return bool(
        kind.name == "energy drink"
        or is_alcoholic(name, kind)
        or kind.family == "baby foods"
        or (kind.family in _DISHES and _CANNED.search(name))
        or (kind.family in _MEATS and _OFFAL & words)
        or (kind.family == "cured meat" and "loaf" in words)
        or (kind.name == "poultry" and _WITH_SKIN.search(name))
        or (kind.family == "nuts" and _SALTED.search(name))
        or _FOR_KITCHENS & words
        or any(mark.search(name) for mark in marks)
    )


def is_vetoed(own: EatenAs, other: EatenAs) -> bool:
    """Return whether foods of one kind must not replace foods of another kind."""
    vetoes = _table("vetoes.csv")
    never = [
        kind for name in (own.name, own.family) for kind in vetoes.get(name, {}).get("never", ())
    ]
    return other.name in never or other.family in never


class StandIns(NamedTuple):
    """Kinds of plain foods that can replace a food, best kind first."""

    first: tuple[str, ...] = ()
    then: tuple[str, ...] = ()


def stand_ins(kind: EatenAs) -> StandIns:
    """Return the kinds of plain foods that can replace foods of the given kind."""
    table = _table("stand_ins.csv")
    row = table.get(kind.name) or table.get(kind.family)
    return StandIns(row["first"], row["then"]) if row else StandIns()


@cache
def _table(name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the lists of kinds in the rows of a table, by kind or family of the food."""
    table = files("postmeal.foods.alternatives").joinpath(name).read_text("utf-8")
    return {
        row["food"]: {key: tuple(filter(None, kinds.split("; "))) for key, kinds in row.items()}
        for row in csv.DictReader(table.splitlines())
    }
