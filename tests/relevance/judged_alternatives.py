"""What a dietitian would say of the alternatives to everyday foods.

``alternatives.csv`` names for each food the nutrients that matter in it, and patterns of the names
of alternatives of the same use that are good and that are absurd. Plain foods of other kinds that
can take the place of some are in ``alternatives_of_other_kinds.csv``.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from postmeal.foods.alternatives import alternatives
from postmeal.foods.alternatives.pool import per_100_g
from postmeal.foods.catalog import Catalog
from postmeal.foods.diets.verdicts import PREFERENCES, RESTRICTIONS
from postmeal.foods.food import Food

__all__ = ["ASKED", "Answer", "Judged", "judged", "share"]

ASKED: tuple[str | None, ...] = (None, *RESTRICTIONS, *PREFERENCES)
"""Rules that are asked for, each by itself; None is no rule."""

Verdict = Literal["good", "absurd", "neither"]

_HERE = Path(__file__).parent
_NEVER = re.compile(
    r"babyfood|baby toddler|^baby|infant|toddler|water, baby|industrial|ns as to|human", re.I
)
_OF_NO_MATTER = re.compile(
    r"unsweetened|(root|ginger) beer|sweet potatoe?s?|rice cakes?|tofu, raw|(dry|moist) heat"
    r"|(reduced|low|less|lower)[- ](sugar|fat|sodium|salt)"
    r"|\b(no|without|not|non)[- ]+\w+( \w+)? (added|eaten)|\b(no|without|non)[- ]+\w+",
    re.I,
)
_LESS, _MORE_FIBER_G = 0.9, 0.5


class Answer(NamedTuple):
    """One alternative and what is thought of it."""

    food: Food
    verdict: Verdict


class Judged(NamedTuple):
    """The alternatives of a food under one rule."""

    name: str
    rule: str | None
    answers: tuple[Answer, ...]

    def count(self, verdict: Verdict) -> int:
        """Count the answers of one verdict."""
        return sum(answer.verdict == verdict for answer in self.answers)


def judged(catalog: Catalog, *, aside: bool, every: int = 1) -> Iterator[Judged]:
    """Judge the alternatives of every food of the list, without a rule and under each rule.

    Half of the foods was put aside while the alternatives were made better. With `every` = 3, a
    food is judged under a third of the rules, and the next food under another third.
    """
    half = (
        line
        for line in _read("alternatives.csv")
        if (zlib.crc32(line["food"].encode()) % 2 == 1) == aside
    )
    for number, line in enumerate(half):
        food = catalog.food(int(line["id"]))
        assert food.name == line["food"]
        for place, rule in enumerate(ASKED):
            if rule is not None and (number + place) % every:
                continue
            restrictions = [rule] if rule in RESTRICTIONS else []
            preferences = [rule] if rule in PREFERENCES else []
            best = alternatives(food, catalog, restrictions, preferences).best
            fits = rule is None or food.diets[rule] == "free"
            verdicts = (Answer(one.food, _verdict(line, food, one.food, fits)) for one in best)
            yield Judged(food.name, rule, tuple(verdicts))


def share(cells: list[Judged], verdict: Verdict, least: int) -> float:
    """Answer the share of cells with so many answers of a verdict at least."""
    return sum(cell.count(verdict) >= least for cell in cells) / len(cells)


def _verdict(line: dict[str, str], food: Food, other: Food, fits: bool) -> Verdict:
    name = other.name
    if _NEVER.search(name) or re.search(line["absurd"], _OF_NO_MATTER.sub(" ", name), re.I):
        return "absurd"
    also = (each["good"] for each in _ALSO if re.search(each["of"], food.name, re.I))
    if not any(re.search(pattern, name, re.I) for pattern in (line["good"], *also)):
        return "neither"
    return "good" if not fits or _is_better(line["matters"].split(), food, other) else "neither"


def _is_better(matters: list[str], food: Food, other: Food) -> bool:
    """Tell whether an alternative is plainly better in one of the nutrients that matter."""
    mine, its = per_100_g(food), per_100_g(other)
    return any(
        its[key] >= mine[key] + _MORE_FIBER_G
        if key == "fiber_g"
        else mine[key] > 0 and its[key] <= _LESS * mine[key]
        for key in matters
        if key in mine and key in its
    )


def _read(name: str) -> list[dict[str, str]]:
    with (_HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


_ALSO = _read("alternatives_of_other_kinds.csv")
