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
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from postmeal.foods.alternatives import alternatives
from postmeal.foods.catalog import Catalog
from postmeal.foods.diets.rules import PREFERENCES, RESTRICTIONS
from postmeal.foods.food import Food
from tools.evaluate.alternative_foods import (
    JudgedFood,
    Judgment,
    judge,
    read_judged_foods,
)

__all__ = ["ASKED", "Answer", "Judged", "judged", "share"]

ASKED: tuple[str | None, ...] = (None, *RESTRICTIONS, *PREFERENCES)
"""Rules that are asked for, each by itself; None is no rule."""

_HERE = Path(__file__).parent


class Answer(NamedTuple):
    """One alternative and its judgment."""

    food: Food
    verdict: Judgment


class Judged(NamedTuple):
    """The alternatives of a food under one rule."""

    name: str
    rule: str | None
    answers: tuple[Answer, ...]

    def count(self, verdict: Judgment) -> int:
        """Count the answers of one verdict."""
        return sum(answer.verdict == verdict for answer in self.answers)


def judged(catalog: Catalog, *, aside: bool, every: int = 1) -> Iterator[Judged]:
    """Judge the alternatives of every food of the list, without a rule and under each rule.

    Half of the foods was put aside while the alternatives were made better; for the roles of foods
    (D66), those of them with few good alternatives were looked at. With `every` = 3, a
    food is judged under a third of the rules, and the next food under another third.
    """
    half = [
        one
        for one in read_judged_foods(_HERE / "alternatives.csv")
        if (zlib.crc32(one.food.encode()) % 2 == 1) == aside
    ]
    for number, one in enumerate(half):
        assert one.id is not None
        food = catalog.food(one.id)
        assert food.description == one.food
        truth = _with_other_kinds(one)
        for place, rule in enumerate(ASKED):
            if rule is not None and (number + place) % every:
                continue
            restrictions = [rule] if rule in RESTRICTIONS else []
            preferences = [rule] if rule in PREFERENCES else []
            best = alternatives(food, catalog, restrictions, preferences).best
            fits = rule is None or food.diets[rule] == "free"
            verdicts = (
                Answer(each.food, judge(truth, food, each.food, must_improve=fits)) for each in best
            )
            yield Judged(food.name, rule, tuple(verdicts))


def share(cells: list[Judged], verdict: Judgment, least: int) -> float:
    """Return the share of cells with at least this many answers of a verdict."""
    return sum(cell.count(verdict) >= least for cell in cells) / len(cells)


def _with_other_kinds(food: JudgedFood) -> JudgedFood:
    """Add the plain foods of other kinds that can take the place of a food to its good ones."""
    also = (line["good"] for line in _ALSO if re.search(line["of"], food.food, re.IGNORECASE))
    good = "|".join(f"(?:{pattern})" for pattern in (food.good.pattern, *also))
    return replace(food, good=re.compile(good, re.IGNORECASE))


def _read(name: str) -> list[dict[str, str]]:
    with (_HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


_ALSO = _read("alternatives_of_other_kinds.csv")
