"""Evaluate corrections of meal scans in plain English.

The cases are in a file with one JSON object per line. Its keys are ``scan`` and ``expect``, which
are lists of names and grams, and ``text``, which is the correction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.scans import Scan, ScannedFood, correct

__all__ = ["CorrectedScan", "ScanCase", "correct_scans", "corrections_report", "read_scan_cases"]

_SHARE, _GRAMS = 0.02, 1.0

Foods = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class ScanCase:
    """A scan, a correction, and the scan that a person expects after the correction."""

    scan: Foods
    text: str
    expected: Foods


@dataclass(frozen=True, slots=True)
class CorrectedScan:
    """The scan after a correction, and whether it is the expected scan."""

    case: ScanCase
    answered: Foods
    outcome: Literal["right", "wrong", "abstained"]


def read_scan_cases(path: Path) -> list[ScanCase]:
    """Read the cases in a file of scans and corrections."""
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            cases.append(ScanCase(_foods(row["scan"]), str(row["text"]), _foods(row["expect"])))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"corrections, line {number}",
                "must be a JSON object with the keys scan, text and expect",
                line[:100],
            ) from error
    return cases


def correct_scans(cases: Sequence[ScanCase], catalog: Catalog) -> list[CorrectedScan]:
    """Correct each scan, and compare the result with the expected scan.

    A correction is right if the scan has as many foods as expected, and each expected food matches
    one of them. Two foods match if their amounts differ by at most 2% or 1 g, and their names match
    as well: either they are the same (ignoring case), or one food is the first result of a search
    for the name of the other.
    """
    return [_corrected(case, catalog) for case in cases]


def corrections_report(found: Sequence[CorrectedScan]) -> str:
    """Format a report of the cases that are not right, and the number of cases by outcome."""
    lines = []
    for one in found:
        if one.outcome != "right":
            lines.append(f"{one.outcome}: {one.case.text}")
            lines += [
                f"  {label} {_written(foods)}".rstrip()
                for label, foods in (
                    ("scan    ", one.case.scan),
                    ("expected", one.case.expected),
                    ("answered", one.answered),
                )
            ]
    counts = [sum(one.outcome == name for one in found) for name in ("right", "wrong", "abstained")]
    return "\n".join([*lines, f"{counts[0]} right, {counts[1]} wrong, {counts[2]} abstained"])


def _foods(rows: Sequence[Sequence[object]]) -> Foods:
    return tuple((str(name), float(str(grams))) for name, grams in rows)


def _written(foods: Foods) -> str:
    return ", ".join(f"{name} {grams:g} g" for name, grams in foods)


def _corrected(case: ScanCase, catalog: Catalog) -> CorrectedScan:
    before = Scan.of(case.scan)
    after = correct(before, case.text, catalog)
    answered = tuple((food.name, round(food.grams, 1)) for food in after.scan.foods)
    if _agree(after.scan.foods, case.expected, catalog):
        return CorrectedScan(case, answered, "right")
    abstained = after.scan.foods == before.foods
    return CorrectedScan(case, answered, "abstained" if abstained else "wrong")


def _agree(foods: Sequence[ScannedFood], expected: Foods, catalog: Catalog) -> bool:
    left = list(foods)
    for name, grams in expected:
        same = next((food for food in left if _is_food(food, name, grams, catalog)), None)
        if same is None:
            return False
        left.remove(same)
    return not left


def _is_food(food: ScannedFood, name: str, grams: float, catalog: Catalog) -> bool:
    if abs(food.grams - grams) > max(_SHARE * grams, _GRAMS):
        return False
    if food.name.casefold() == name.casefold():
        return True
    found = catalog.search(name, limit=1)
    return bool(found) and food.food is not None and found[0].id == food.food.id
