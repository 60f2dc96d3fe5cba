"""Evaluate suggested alternatives to foods, using patterns that a dietitian wrote.

The patterns are in a semicolon-separated file with the columns in `COLUMNS`: the ID of a food in
the catalog, its name, the nutrients that a good alternative improves, and regular expressions for
the names of good and of absurd alternatives. If the ID is empty, the food is the first result of a
search for the name.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from postmeal.errors import DataSetError
from postmeal.foods.alternatives import alternatives
from postmeal.foods.alternatives.pool import per_100_g
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.foods.nutrients import NUTRIENTS
from tools.evaluate.truth_file import FoodTexts, read_rows

__all__ = [
    "COLUMNS",
    "AlternativesFinding",
    "JudgedFood",
    "Judgment",
    "alternatives_figures",
    "judge",
    "judge_alternatives",
    "read_judged_foods",
    "write_alternatives_findings",
]

COLUMNS = ("id", "food", "matters", "good", "absurd")
"""Columns of a file of foods, in order."""

Judgment = Literal["good", "absurd", "neither"]

_NEVER = re.compile(
    r"babyfood|baby toddler|^baby|infant|toddler|water, baby|industrial|ns as to|human", re.I
)
_NOT_DECISIVE = re.compile(
    r"unsweetened|(root|ginger) beer|sweet potatoe?s?|rice cakes?|tofu, raw|(dry|moist) heat"
    r"|(reduced|low|less|lower)[- ](sugar|fat|sodium|salt)"
    r"|\b(no|without|not|non)[- ]+\w+( \w+)? (added|eaten)|\b(no|without|non)[- ]+\w+",
    re.I,
)
_LESS, _MORE_FIBER_G = 0.9, 0.5


@dataclass(frozen=True, slots=True)
class JudgedFood:
    """A food, and a dietitian's judgment of alternatives to it."""

    id: int | None
    food: str
    matters: tuple[str, ...]
    good: re.Pattern[str]
    absurd: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class AlternativesFinding:
    """The alternatives to a food, and the judgment of each."""

    judged: JudgedFood
    food: Food | None
    alternatives: tuple[tuple[Food, Judgment], ...]

    def count(self, judgment: Judgment, first: int | None = None) -> int:
        """Count the alternatives with a given judgment, among all or only the `first` best."""
        return sum(each == judgment for _, each in self.alternatives[:first])


def read_judged_foods(path: Path) -> list[JudgedFood]:
    """Read a file of foods with patterns for their alternatives."""
    rows = read_rows(path, COLUMNS)
    return [_parse(path, number, line) for number, line in enumerate(rows, 2)]


def _parse(path: Path, number: int, line: list[str]) -> JudgedFood:
    try:
        id_, food, matters, good, absurd = line
        unknown = [key for key in matters.split() if key not in NUTRIENTS]
        if unknown:
            raise ValueError(
                f"unknown nutrients: {', '.join(unknown)}; supported: {', '.join(NUTRIENTS)}"
            )
        return JudgedFood(
            int(id_) if id_ else None,
            food,
            tuple(matters.split()),
            good=re.compile(good, re.IGNORECASE),
            absurd=re.compile(absurd, re.IGNORECASE),
        )
    except (ValueError, re.error) as error:
        raise DataSetError(f"{path.name}: line {number} is invalid: {error}") from error


def judge_alternatives(foods: Sequence[JudgedFood], catalog: Catalog) -> list[AlternativesFinding]:
    """Judge the alternatives to each food, and return one finding per food in the same order."""
    findings = []
    for judged in foods:
        food = _look_up(judged, catalog)
        best = alternatives(food, catalog, [], []).best if food is not None else ()
        verdicts = [(one.food, judge(judged, food, one.food)) for one in best if food]
        findings.append(AlternativesFinding(judged, food, tuple(verdicts)))
    return findings


def judge(judged: JudgedFood, food: Food, other: Food, *, must_improve: bool = True) -> Judgment:
    """Judge an alternative to a food."""
    texts = FoodTexts(other.name, other.description)
    decisive = FoodTexts(*(_NOT_DECISIVE.sub(" ", text) for text in texts))
    if texts.matches(_NEVER) or decisive.matches(judged.absurd):
        return "absurd"
    if not texts.matches(judged.good):
        return "neither"
    return "good" if not must_improve or _improves(judged.matters, food, other) else "neither"


def alternatives_figures(
    findings: Sequence[AlternativesFinding],
) -> list[tuple[str, float, int]]:
    """Compute the figures for a file of foods."""
    n = len(findings)
    return [
        ("three_good", sum(each.count("good") >= 3 for each in findings) / n, n),
        (
            "an_absurd_in_three",
            sum(each.count("absurd", 3) > 0 for each in findings) / n,
            n,
        ),
        ("an_absurd", sum(each.count("absurd") > 0 for each in findings) / n, n),
        ("no_alternative", float(sum(not each.alternatives for each in findings)), n),
        ("food_not_found", float(sum(each.food is None for each in findings)), n),
    ]


def write_alternatives_findings(findings: Sequence[AlternativesFinding], path: Path) -> None:
    """Write a CSV file with one row per food, which contains the judged alternatives."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("food", "found", "good", "absurd", "alternatives"))
        for each in findings:
            writer.writerow(
                (
                    each.judged.food,
                    "" if each.food is None else each.food.name,
                    each.count("good"),
                    each.count("absurd"),
                    " | ".join(f"{food.name} ({verdict})" for food, verdict in each.alternatives),
                )
            )


def _look_up(judged: JudgedFood, catalog: Catalog) -> Food | None:
    if judged.id is not None:
        return catalog.food(judged.id)
    return next(iter(catalog.search(judged.food, limit=1)), None)


def _improves(matters: Sequence[str], food: Food, other: Food) -> bool:
    """Return whether an alternative is clearly better in one of the nutrients that matter."""
    before, after = per_100_g(food), per_100_g(other)
    return any(
        after[key] >= before[key] + _MORE_FIBER_G
        if key == "fiber_g"
        else before[key] > 0 and after[key] <= _LESS * before[key]
        for key in matters
        if key in before and key in after
    )
