"""Parts that the usual recipe of a dish includes, such as the egg in a pancake.

``usual_parts.csv`` lists the parts, the facts that each makes certain, and the names of the dishes.
A row does not apply to a food whose name contains a word in the column ``unless``, or denies or
replaces an ingredient ("eggless"). A usual recipe never proves that a dish is free of an
ingredient. Errors are on the safe side: if a cook omits the egg, the verdict is still that the dish
contains egg.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.diets.words import rules_of
from postmeal.foods.words import words

__all__ = ["facts_of_usual_parts"]

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
    """Yield the parts of a dish and the facts that each of them makes certain.

    A dish has a part if its name contains all words of a dish name in the table.
    """
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
