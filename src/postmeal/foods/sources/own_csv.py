"""Read the user's own foods from a CSV file with postmeal's column names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast, get_args

from postmeal.errors import DataSetError, InputError
from postmeal.foods.barcodes import gtin14
from postmeal.foods.diets.signs import ALLERGENS
from postmeal.foods.food import FoodKind
from postmeal.foods.nutrients import NUTRIENTS, UNITS
from postmeal.foods.sources.collection.collection import Imported
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.collection.text_lines import (
    TextLines,
    check_columns,
    csv_rows,
    header_of,
)
from postmeal.foods.sources.labels.label_text import clean
from postmeal.foods.sources.labels.numbers_in_text import amount
from postmeal.foods.sources.labels.plausible_amounts import complete
from postmeal.foods.table import Portion, TableFood

__all__ = ["OWN_COLUMNS", "read_own_csv"]

_TEXT_COLUMNS = (
    "name", "kind", "category", "brand_name", "also_called", "barcode", "key", "ingredients",
    "contains", "traces", "labels", "image_url",
)  # fmt: skip
_MAX = {"serving_quantity": 1e4, "serving_g": 1e4, "popularity": 1e12, "glycemic_index": 150.0}
_MAX_BY_UNIT = {"kcal": 930.0, "g": 100.0, "mg": 100_000.0, "IU": 1e9}
OWN_COLUMNS: tuple[str, ...] = (*_TEXT_COLUMNS, "serving_unit", *_MAX, *NUTRIENTS)
"""Supported columns, described in ``data/README.md``; only ``name`` is required."""

_LABEL_COLUMNS = {"contains": "contains", "traces": "traces", "labels": "label"}


def read_own_csv(lines: TextLines, report: ImportReport) -> Iterator[Imported]:
    """Yield the foods in a CSV file of the user's own foods.

    Parameters
    ----------
    lines : TextLines
        A CSV file with a header, delimited by commas, semicolons or tabs.
    report : ImportReport
        Receives the rejected rows, each with the invalid column and its accepted values.

    Yields
    ------
    Imported
        A food with the source ``own``.

    Raises
    ------
    DataSetError
        The column ``name`` is missing, or a column is duplicated or not supported.
    """
    header, delimiter = header_of(lines.path)
    check_columns(lines.path, header, OWN_COLUMNS)
    if "name" not in header:
        raise DataSetError(f"{lines.path}, line 1: the column 'name' is missing")
    for row in csv_rows(lines, report, header, delimiter=delimiter):
        try:
            food = _food({column: text.strip() for column, text in zip(header, row, strict=True)})
        except InputError as error:
            reason, _, value = str(error).replace("; got ", ", got ", 1).partition(", got ")
            report.skip(lines.mark.line, reason, value)
            continue
        yield Imported(food)


def _food(row: Mapping[str, str]) -> TableFood:
    name = clean(row["name"])
    if not name:
        raise InputError("column name", "must not be empty")
    kinds = get_args(FoodKind)
    kind = row.get("kind") or ("branded" if row.get("brand_name") else "generic")
    if kind not in kinds:
        raise InputError("column kind", "must be one of", kind, allowed=kinds)
    barcode = gtin14(row["barcode"]) if row.get("barcode") else ""
    if barcode is None:
        raise InputError(
            "column barcode",
            "must be a barcode of 8 to 14 digits with a valid check digit",
            row["barcode"],
        )
    brand = clean(row.get("brand_name", ""), 100)
    amounts = {key: _number(row, key) for key in NUTRIENTS if row.get(key)}
    index = _number(row, "glycemic_index") if row.get("glycemic_index") else None
    return TableFood(
        source="own",
        key=row.get("key") or barcode or f"{brand.lower()}: {name.lower()}".removeprefix(": "),
        kind=cast(FoodKind, kind),
        category=clean(row.get("category", "")),
        name=name,
        brand_name=brand,
        also_called=row.get("also_called", ""),
        barcode=barcode,
        portions=_portions(row),
        per_100_g=complete(amounts),
        glycemic_index=index,
        gi_source="none" if index is None else "measured",
        popularity=_number(row, "popularity") if row.get("popularity") else 0.0,
        ingredients=row.get("ingredients") or None,
        image_url=row.get("image_url", ""),
        declared=tuple(
            f"{prefix}:{tag}"
            for column, prefix in _LABEL_COLUMNS.items()
            for tag in _tags(row, column)
        ),
    )


def _tags(row: Mapping[str, str], column: str) -> list[str]:
    """Return the allergen or label tags in a column.

    Unknown allergens raise an InputError, because ignoring them could make an unsafe food look
    safe.
    """
    tags = [tag.strip().lower() for tag in re.split("[;,]", row.get(column, "")) if tag.strip()]
    for tag in tags if column != "labels" else ():
        if tag.removeprefix("en:").replace(" ", "-").replace("_", "-") not in ALLERGENS:
            allowed = sorted(ALLERGENS)
            raise InputError(
                f"column {column}", "must contain only these allergens", tag, allowed=allowed
            )
    return tags


def _portions(row: Mapping[str, str]) -> tuple[Portion, ...]:
    hundred = Portion(1, 100.0, "g", 100.0)
    given = [column for column in ("serving_quantity", "serving_unit", "serving_g")
             if row.get(column)]  # fmt: skip
    if not given:
        return (hundred,)
    if "serving_g" not in given:
        raise InputError("column serving_g", f"is required if {given[0]} is given")
    grams = _number(row, "serving_g", above_zero=True)
    quantity = 1.0
    if "serving_quantity" in given:
        quantity = _number(row, "serving_quantity", above_zero=True)
    return Portion(2, quantity, clean(row.get("serving_unit", ""), 60) or "serving", grams), hundred


def _number(row: Mapping[str, str], column: str, above_zero: bool = False) -> float:
    most = _MAX.get(column) or _MAX_BY_UNIT[UNITS[column]]
    accepted = f"above 0 and at most {most:,.0f}" if above_zero else f"from 0 to {most:,.0f}"
    number = amount(row[column])
    if number is None or not 0 <= number <= most or (above_zero and number == 0):
        raise InputError(f"column {column}", f"must be a number {accepted}", row[column])
    return number
