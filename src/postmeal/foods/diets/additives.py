"""E numbers and INS numbers of food additives, for ingredient lists.

``additives.csv`` lists two kinds of facts about products with each additive: facts that are
certain, and facts that are possible because the additive can be made from an allergen or an animal.
The numbers are those of Regulation (EC) No 1333/2008, Annex II, and of the Codex Alimentarius
(CXG 36-1989). The facts about the origin of the additives are from Regulation (EU) No 1169/2011,
Annex II (E 220-228 sulphites, E 322 lecithins, E 426 and E 479b from soya, E 966 lactitol from
milk, E 1105 lysozyme from eggs) and Regulation (EU) No 231/2012.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files

__all__ = ["additive_facts", "additive_number"]

_NUMBER = re.compile(r"(?:e|ins)(\d{3,4})(?:[a-h]|i{1,3}|iv|vi{0,3})?")


def additive_number(word: str) -> int | None:
    """Return the number of an additive from its code, such as "e322"; None for other words."""
    match = _NUMBER.fullmatch(word)
    return int(match[1]) if match else None


def additive_facts(number: int) -> tuple[str, str] | None:
    """Return the certain and the possible facts about products with an additive.

    The facts are separated by spaces. The result is None if the number is unknown.
    """
    return _facts_by_number().get(number)


@cache
def _facts_by_number() -> dict[int, tuple[str, str]]:
    table = files("postmeal.foods.diets").joinpath("additives.csv").read_text("utf-8")
    by_number: dict[int, tuple[str, str]] = {}
    for line in csv.DictReader(table.splitlines()):
        for span in line["numbers"].split(";"):
            first, _, last = span.strip().partition("-")
            for number in range(int(first), int(last or first) + 1):
                by_number[number] = (line["contains"], line["may"])
    return by_number
