"""Kinds of foods that a dietitian recommends in place of another food, in order.

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
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.alternatives.kinds import EatenAs

__all__ = ["StandIns", "stand_ins"]


class StandIns(NamedTuple):
    """Kinds of plain foods that can replace a food, best kind first."""

    first: tuple[str, ...] = ()
    then: tuple[str, ...] = ()


def stand_ins(kind: EatenAs) -> StandIns:
    """Return the kinds of plain foods that can replace foods of the given kind."""
    return _table().get(kind.name) or _table().get(kind.family) or StandIns()


@cache
def _table() -> dict[str, StandIns]:
    table = files("postmeal.foods.alternatives").joinpath("stand_ins.csv").read_text("utf-8")
    return {
        line["food"]: StandIns(_split(line["first"]), _split(line["then"]))
        for line in csv.DictReader(table.splitlines())
    }


def _split(kinds: str) -> tuple[str, ...]:
    return tuple(filter(None, kinds.split("; ")))
