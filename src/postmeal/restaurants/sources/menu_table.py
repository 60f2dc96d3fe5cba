"""Importer for CSV files of menu items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from postmeal.errors import DataSetError, InputError
from postmeal.foods.food import Food, Serving
from postmeal.foods.glycemic import NO_INDEX, GlycemicIndex, index_of
from postmeal.foods.nutrients import NUTRIENTS, Nutrients
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.collection.text_lines import (
    TextLines,
    check_columns,
    csv_rows,
    header_of,
)
from postmeal.foods.sources.labels.label_text import clean
from postmeal.foods.sources.labels.numbers_in_text import amount
from postmeal.foods.sources.labels.plausible_amounts import plausible
from postmeal.restaurants.menus import ImportedDish

_TEXT_COLUMNS = ("restaurant", "place_id", "name", "serving_unit", "serving_g", "glycemic_index",
                 "image_url")  # fmt: skip
MENU_COLUMNS: tuple[str, ...] = (*_TEXT_COLUMNS, *NUTRIENTS)
"""Supported columns. Nutrients are per serving; ``restaurant`` and ``name`` are required."""

_REQUIRED = ("restaurant", "name")
_HEAVIEST_G = 5_000.0  # the heaviest food that a prediction accepts
_KCAL_PER_G = 9.0  # energy of fat, the nutrient with the most energy


def read_menu_table(path: Path, report: ImportReport) -> Iterator[ImportedDish]:
    """Yield the menu items in a CSV file.

    Negative and impossible amounts are treated as unknown, as in food imports. If a row states the
    weight of a serving but no glycemic index, the index is estimated from the name and the amounts,
    as for other foods.
    """
    header, delimiter = header_of(path)
    check_columns(path, header, MENU_COLUMNS)
    if missing := [column for column in _REQUIRED if column not in header]:
        raise DataSetError(f"{path} is missing required columns: {', '.join(missing)}")
    seen: set[str] = set()
    with TextLines(path, report) as lines:
        for row in csv_rows(lines, report, header, delimiter=delimiter):
            values = {column: clean(text) for column, text in zip(header, row, strict=True)}
            try:
                dish = _dish(values, report, lines.mark.line)
            except InputError as error:
                report.skip(lines.mark.line, f"{error.field} {error.problem}", values["name"])
                continue
            if dish.key in seen:
                reason = "the item occurs more than once; the first one is kept"
                report.skip(lines.mark.line, reason, values["name"])
                continue
            seen.add(dish.key)
            report.taken += 1
            yield dish


def _dish(row: Mapping[str, str], report: ImportReport, line: int) -> ImportedDish:
    for column in _REQUIRED:
        if not row[column]:
            raise InputError(f"column {column}", "must not be empty")
    weight_g = _number(row, "serving_g", _HEAVIEST_G) if row.get("serving_g") else None
    if weight_g == 0:
        raise InputError("column serving_g", "must be above 0", row["serving_g"])
    amounts = _amounts(row, weight_g, report, line)
    nutrients = Nutrients(amounts)
    index = NO_INDEX
    if row.get("glycemic_index"):
        index = GlycemicIndex(_number(row, "glycemic_index", 150.0), "measured")
    elif weight_g is not None and not math.isnan(nutrients.net_carbs_g):
        per_100_g = (nutrients * (100 / weight_g)).known()
        index = index_of(row["name"], "Restaurant menus", per_100_g)
    servings = [Serving(2, 1.0, row.get("serving_unit") or "item", 1.0, weight_g, is_default=True)]
    if weight_g is not None:
        servings.append(Serving(1, 100.0, "g", 100 / weight_g, 100.0))
    food = Food(
        id=0,
        name=row["name"],
        kind="branded",
        category="Restaurant menus",
        nutrients=nutrients,
        servings=tuple(servings),
        brand_name=row["restaurant"],
        glycemic_index=index.value,
        gi_source=index.source,
        gi_sd=index.sd,
        gi_in_model=index.in_model,
        image_url=row.get("image_url") or None,
    )
    return ImportedDish(food, row["restaurant"], row.get("place_id", ""))


def _amounts(
    row: Mapping[str, str], weight_g: float | None, report: ImportReport, line: int
) -> dict[str, float]:
    """Return the plausible amounts of nutrients per serving; report and omit other amounts.

    If the weight of a serving is unknown, it is assumed to be the smallest weight that could
    contain the amounts, but at least 100 g.
    """
    given: dict[str, float] = {}
    for key in NUTRIENTS:
        if not row.get(key):
            continue
        number = amount(row[key])
        if number is None:
            report.warn(line, f"{key} is not a number", row[key])
        elif number < 0:
            report.warn(line, f"{key} is below zero", row[key])
        else:
            given[key] = number
    if weight_g is None:
        macros_g = sum(given.get(key, 0.0) for key in ("protein_g", "carbs_g", "fat_g"))
        energy_g = given.get("energy_kcal", 0.0) / _KCAL_PER_G
        weight_g = min(_HEAVIEST_G, max(100.0, macros_g, energy_g))
    per_100_g = {key: number * 100 / weight_g for key, number in given.items()}
    kept, problems = plausible(per_100_g, "g")
    for problem in problems:
        report.warn(line, f"{problem} per 100 g", row["name"])
    return {key: given.get(key, number * weight_g / 100) for key, number in kept.items()}


def _number(row: Mapping[str, str], column: str, most: float) -> float:
    number = amount(row[column])
    if number is None or not 0 <= number <= most:
        raise InputError(f"column {column}", f"must be a number from 0 to {most:,.0f}", row[column])
    return number
