"""Ingredients that a publisher's food group rules out unless the name of a food mentions them.

The name of a food such as "Beef, chuck, blade roast" does not list its ingredients. Its food group
nevertheless rules out some ingredients that the name does not mention: plain cuts of meat do not
contain tree nuts. ``food_groups.csv`` lists these facts for the food groups of the USDA data sets
SR28 and FNDDS. Only the groups of basic foods rule out allergens. A row does not apply to foods
whose name contains a word in the column ``unless``. It applies to branded foods only if the column
``branded`` says so. The rules describe ordinary recipes and do not cover contamination.
"""

from __future__ import annotations

import csv
import re
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.diets.words import facts

_NUTTY = re.compile(
    r"nut|almond|amandine|cashew|pecan|pistachio|praline|marzipan|nougat|trail|granola|muesli|baklava|"
    r"biscotti|florentine|ch[ea]stnut|marron|tiramisu|divinity|ambrosia|candy|snickers|reese|m&m|"
    r"toffee|chocolate|mocha|fudge|butterfinger|cookie dough|dessert|energy|protein|cocoa|"
    r"gluten.free|nfs$",
    re.IGNORECASE,
)
"""Words for sweet or nutty foods, which often contain nuts, sesame or cocoa, as a pattern."""

_UNUSUAL = re.compile(
    r"pesto|mole\b|romesco|curry|korma|masala|thai\b|satay|kung pao|waldorf|mortadella|biryani|"
    r"tajine|pastilla|african|indonesian|gado|red.eye|surf and turf|oriental|szechuan|vegan|"
    r"vegetarian|moroccan|korean|pilaf|flavored rice|grape lea|dolma|paneer|mulligat|stuffing|"
    r"persian|lebanese|middle east|turkish delight|haroset|plant-based|"
    r"colada|coconut|hawaiian|japanese|asian|bubble|laulau|macaroon",
    re.IGNORECASE,
)
"""Words for dishes whose usual ingredients differ from those of their group."""

_OF_NUTTY = facts("tree_nuts peanuts sesame caffeine eggs soy wheat gluten dairy lactose")


class _Group(NamedTuple):
    groups: re.Pattern[str]
    branded: bool
    unless: re.Pattern[str] | None
    cannot: int


def cannot_contain(name: str, category: str, *, branded: bool) -> int:
    """Return the facts that the food group of an SR28 or FNDDS food rules out."""
    if _UNUSUAL.search(name):
        return 0
    cannot = 0
    for group in _groups_of(category):
        if (group.branded or not branded) and not (group.unless and group.unless.search(name)):
            cannot |= group.cannot
    return cannot & ~_OF_NUTTY if _NUTTY.search(name) else cannot


@lru_cache(1024)
def _groups_of(category: str) -> tuple[_Group, ...]:
    return tuple(group for group in _groups() if group.groups.match(category))


@lru_cache(1)
def _groups() -> tuple[_Group, ...]:
    table = files("postmeal.foods.diets").joinpath("food_groups.csv").read_text("utf-8")
    return tuple(
        _Group(
            re.compile(line["groups"]),
            line["branded"] == "yes",
            re.compile(line["unless"], re.IGNORECASE) if line["unless"] else None,
            facts(line["cannot"]),
        )
        for line in csv.DictReader(table.splitlines())
    )
