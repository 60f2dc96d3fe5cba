"""Evaluate the verdicts of the diet rules on ingredient lists with a known allergen.

The correct answers are in a semicolon-separated file with the columns ``text`` (an ingredient
list), ``language`` (the BCP 47 code of its language) and ``allergen`` (an allergen in the list, as
a key of `ALLERGENS`). A verdict of "free" for this allergen is a dangerous error.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.diets.allergens import RULES_OF_ALLERGENS
from postmeal.foods.diets.food_diets import diets_of
from postmeal.foods.diets.verdicts import Verdict
from postmeal.foods.table import TableFood
from tools.evaluate.truth_file import read_rows

__all__ = [
    "ALLERGENS",
    "COLUMNS",
    "AllergenLabel",
    "LabelFinding",
    "judge_labels",
    "label_figures",
    "read_allergen_labels",
    "write_label_findings",
]

COLUMNS = ("text", "language", "allergen")
"""Columns of a file of ingredient lists, in order."""

ALLERGENS: dict[str, str | None] = {
    allergen: rule for allergen, rule in RULES_OF_ALLERGENS.items() if allergen != "wheat"
}
"""Diet rule for each allergen in Annex II of Regulation (EU) No 1169/2011, or None.

Annex II counts wheat among the cereals that contain gluten.
"""


@dataclass(frozen=True, slots=True)
class AllergenLabel:
    """An ingredient list and an allergen that it contains."""

    text: str
    language: str
    allergen: str


@dataclass(frozen=True, slots=True)
class LabelFinding:
    """The verdict on an ingredient list."""

    label: AllergenLabel
    verdict: Verdict


def read_allergen_labels(path: Path) -> list[AllergenLabel]:
    """Read a file of ingredient lists."""
    labels = [AllergenLabel(*line) for line in read_rows(path, COLUMNS)]
    for number, label in enumerate(labels, 2):
        if label.allergen not in ALLERGENS:
            raise DataSetError(
                f"{path.name}: line {number}: allergen must be one of: {', '.join(ALLERGENS)};"
                f" got {label.allergen!r}"
            )
    return labels


def judge_labels(labels: Sequence[AllergenLabel]) -> list[LabelFinding]:
    """Judge each ingredient list with the diet rule for its allergen; keep the order of the lists.

    Lists whose allergen has no rule are omitted. The food is named "Food product", so that the
    verdict depends only on the list.
    """
    findings = []
    for label in labels:
        rule = ALLERGENS[label.allergen]
        if rule is not None:
            food = TableFood(
                "labels", "1", "branded", "", "Food product", (), {}, ingredients=label.text
            )
            findings.append(LabelFinding(label, diets_of(food)[rule]))
    return findings


def label_figures(findings: Sequence[LabelFinding]) -> list[tuple[str, float, int]]:
    """Compute the figures for a file of ingredient lists."""
    n = len(findings)

    def count(verdict: Verdict) -> int:
        return sum(each.verdict is verdict for each in findings)

    return [
        ("free", float(count(Verdict.FREE)), n),
        ("contains", count(Verdict.CONTAINS) / n if n else 0.0, n),
        ("unknown", count(Verdict.UNKNOWN) / n if n else 0.0, n),
    ]


def write_label_findings(findings: Sequence[LabelFinding], path: Path) -> None:
    """Write a CSV file with the text, language, allergen and verdict of each ingredient list."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*COLUMNS, "verdict"))
        for each in findings:
            label = each.label
            writer.writerow((label.text, label.language, label.allergen, str(each.verdict)))
