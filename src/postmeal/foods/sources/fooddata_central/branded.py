"""Branded foods of FoodData Central, from US food labels.

Source: US Department of Agriculture, Agricultural Research Service,
https://fdc.nal.usda.gov/download-datasets; in the public domain (CC0). Amounts are per 100 g or
100 ml of the product as sold.
"""

from __future__ import annotations

from collections.abc import Mapping

from postmeal.foods.barcodes import gtin14
from postmeal.foods.sources.collection.collection import Imported
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.labels.label_text import clean, household_measure, serving_portions
from postmeal.foods.sources.labels.numbers_in_text import amount
from postmeal.foods.sources.labels.plausible_amounts import Basis, plausible
from postmeal.foods.sources.spoken_names import same_brand, spoken
from postmeal.foods.table import TableFood

BRANDED_COLUMNS: tuple[str, ...] = (
    "fdc_id", "gtin_upc", "brand_owner", "brand_name", "subbrand_name", "short_description",
    "ingredients", "serving_size", "serving_size_unit", "household_serving_fulltext",
    "branded_food_category",
)  # fmt: skip
"""The columns read from ``branded_food.csv``; only the first two are required."""

_MILLILITERS = {"ml", "mlt"}


def branded_food(
    label: Mapping[str, str],
    description: str,
    amounts: Mapping[str, float],
    report: ImportReport,
    line: int = 0,
) -> Imported:
    """Build a food from the data of its label.

    Serving sizes are read as grams or milliliters regardless of their unit, because some products
    have the unit ``MG`` or ``IU`` although the size is in grams.
    """
    printed = label.get("gtin_upc", "").strip()
    barcode = gtin14(printed) or ""
    if printed and not barcode:
        report.warn(line, "gtin_upc is not a barcode or has a wrong check digit", printed)
    basis: Basis = "ml" if label.get("serving_size_unit", "").lower() in _MILLILITERS else "g"
    known, problems = plausible(amounts, basis)
    fdc_id = label["fdc_id"]
    for problem in problems:
        report.warn(line, problem, fdc_id)
    if "energy_kcal" not in known and "carbs_g" not in known:
        report.warn(line, "energy and carbohydrate are unknown", fdc_id)
    category = clean(label.get("branded_food_category", ""))
    brand = _spoken(label.get("brand_name", "")) or _spoken(label.get("brand_owner", ""))
    name = _spoken(description) or _spoken(label.get("short_description", ""))
    if not name:
        report.warn(line, "no description in food.csv", fdc_id)
        name = _spoken(label.get("subbrand_name", "")) or category or f"Product {printed or fdc_id}"
    digits = printed.lstrip("0") if printed.isascii() and printed.isdigit() else ""
    food = TableFood(
        source="fdc",
        key=barcode or digits or f"fdc_id {fdc_id}",
        kind="branded",
        category=category,
        name=name,
        brand_name=same_brand(brand[:100]),
        barcode=barcode,
        portions=serving_portions(
            amount(label.get("serving_size", "")),
            basis,
            household_measure(label.get("household_serving_fulltext", "")),
        ),
        per_100_g=known,
        ingredients=clean(label.get("ingredients", ""), 10_000) or None,
    )
    return Imported(food, int(fdc_id))


def _spoken(text: str) -> str:
    return spoken(words) if (words := clean(text)) else ""
