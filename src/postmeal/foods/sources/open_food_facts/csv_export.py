"""Read the products in the CSV export and the JSONL dump of Open Food Facts.

The data is from the Open Food Facts contributors, https://world.openfoodfacts.org/data, under the
Open Database License. A published catalog that contains these foods must name Open Food Facts as
their source and be shared under the same license. Both files contain amounts in grams per 100 g or
100 ml, and energy in kcal and kJ (https://static.openfoodfacts.org/data/data-fields.txt).

`carbs_g` includes fiber, as on labels in the United States (21 CFR 101.9(c)(6)). Regulation (EU)
1169/2011, annex I, point 4, defines carbohydrate as the part that humans metabolize, and lists
fiber separately. The same rule applies in Iceland, Liechtenstein and Norway (which apply the
regulation), the United Kingdom (which retained it), Switzerland (ordinance SR 817.022.16), and
Australia and New Zealand (Food Standards Code, schedule 11). For labels from these countries, fiber
is added to the carbohydrate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from postmeal.foods.barcodes import gtin14
from postmeal.foods.sources.collection.collection import Imported
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.collection.text_lines import TextLines, csv_rows
from postmeal.foods.sources.labels.label_text import clean, household_measure, serving_portions
from postmeal.foods.sources.labels.numbers_in_text import amount as amount_of
from postmeal.foods.sources.labels.numbers_in_text import whole_number
from postmeal.foods.sources.labels.plausible_amounts import Basis, plausible
from postmeal.foods.sources.nutrients_by_publisher import OPEN_FOOD_FACTS_COLUMNS
from postmeal.foods.sources.open_food_facts.jsonl_dump import flat_product
from postmeal.foods.table import TableFood

_NUTRIMENTS = tuple(name for places in OPEN_FOOD_FACTS_COLUMNS.values() for name, _ in places)
_REQUIRED = ("code", "product_name")
_OPTIONAL = (
    "generic_name", "abbreviated_product_name", "brands", "brand_owner", "categories_tags",
    "labels_tags", "allergens", "traces_tags", "ingredients_text", "ingredients_analysis_tags",
    "serving_size", "serving_quantity", "quantity", "no_nutrition_data", "unique_scans_n",
    "image_url", "last_modified_t", "countries_tags", *_NUTRIMENTS,
)  # fmt: skip
_DECLARED = {"allergens": "contains", "traces_tags": "traces", "labels_tags": "label",
             "ingredients_analysis_tags": "analysis"}  # fmt: skip
_METRIC = re.compile(r"(?<!\d)(\d+(?:[.,]\d+)?)\s*(g|gr|grm|kg|mg|ml|mlt|cl|dl|l)\b", re.I)
_FLUID = re.compile(r"\d\s*(fl\.? ?oz|oza)\b", re.IGNORECASE)
_TO_BASIS: dict[str, tuple[float, Basis]] = {
    "mg": (1e-3, "g"), "g": (1, "g"), "gr": (1, "g"), "grm": (1, "g"), "kg": (1e3, "g"),
    "ml": (1, "ml"), "mlt": (1, "ml"), "cl": (10, "ml"), "dl": (100, "ml"), "l": (1e3, "ml"),
}  # fmt: skip


def read_open_food_facts_csv(lines: TextLines, report: ImportReport) -> Iterator[Imported]:
    """Yield the products of the CSV export, which is tab-delimited and never quoted."""
    columns = _REQUIRED + _OPTIONAL
    rows = csv_rows(lines, report, _REQUIRED, _OPTIONAL, delimiter="\t", quoted=False)
    for row in rows:
        product = {column: text for column, text in zip(columns, row, strict=True) if text}
        if food := _food(product, lines.mark.line, report):
            yield food


def read_open_food_facts_jsonl(
    lines: TextLines, report: ImportReport, languages: Sequence[str] = ("en",)
) -> Iterator[Imported]:
    """Yield the products of the JSONL dump, which has one product per line."""
    for text in lines:
        if not text.strip():
            continue
        try:
            product = json.loads(text)
        except (ValueError, RecursionError) as error:
            lines.raise_if_truncated()
            report.skip(lines.mark.line, "not valid JSON", error)
            continue
        if not isinstance(product, dict):
            report.skip(lines.mark.line, "not a JSON object", text)
        elif food := _food(flat_product(product, languages), lines.mark.line, report):
            yield food


def product_food(product: Mapping[str, Any]) -> TableFood | None:
    """Build a food from a product of the Open Food Facts API; None if its code is no number."""
    imported = _food(flat_product(product, ["en"]), 0, ImportReport("Open Food Facts"))
    return imported and imported.food


def _food(product: Mapping[str, str], line: int, report: ImportReport) -> Imported | None:
    code = product.get("code", "").strip()
    if not (code.isascii() and code.isdigit() and len(code) <= 24 and code.strip("0")):
        report.skip(line, "the code is not a number", code)
        return None
    barcode = gtin14(code) or ""
    if not barcode:
        report.warn(line, "the code is not a barcode or has a wrong check digit", code)
    size, basis = _serving(product)
    amounts, problems = plausible(_amounts(product, line, report), basis)
    for problem in problems:
        report.warn(line, problem, code)
    if not product.get("carbohydrates-total_100g"):
        carbs_g = total_carbohydrate(amounts, product.get("countries_tags", ""))
        amounts |= {} if carbs_g is None else {"carbs_g": carbs_g}
    if "energy_kcal" not in amounts and "carbs_g" not in amounts:
        report.warn(line, "energy and carbohydrate are unknown", code)
    brand = ", ".join(dict.fromkeys(filter(None, map(clean, product.get("brands", "").split(",")))))
    brand = clean(brand or product.get("brand_owner", ""), 100)
    category = _category(product.get("categories_tags", ""))
    name_fields = ("product_name", "abbreviated_product_name", "generic_name")
    name = next(filter(None, (clean(product.get(field, "")) for field in name_fields)), "")
    if not name:
        report.warn(line, "the name is missing", code)
        name = category or f"Product {code}"
    declared = (
        f"{prefix}:{tag.strip().removeprefix('en:')}"
        for field, prefix in _DECLARED.items()
        for tag in product.get(field, "").split(",")
        if tag.strip() and not tag.endswith("-unknown")
    )
    food = TableFood(
        source="off",
        key=barcode or code.lstrip("0"),
        kind="branded",
        category=category,
        name=name,
        brand_name=brand,
        barcode=barcode,
        portions=serving_portions(size, basis, household_measure(product.get("serving_size", ""))),
        per_100_g=amounts,
        image_url=product.get("image_url", ""),
        popularity=max(0.0, amount_of(product.get("unique_scans_n", "")) or 0.0),
        ingredients=clean(product.get("ingredients_text", ""), 10_000) or None,
        declared=tuple(dict.fromkeys(declared)),
    )
    return Imported(food, whole_number(product.get("last_modified_t", "")))


def _amounts(product: Mapping[str, str], line: int, report: ImportReport) -> dict[str, float]:
    if product.get("no_nutrition_data") in ("on", "true"):
        return {}
    amounts: dict[str, float] = {}
    for key, columns in OPEN_FOOD_FACTS_COLUMNS.items():
        for name, factor in columns:
            if not (text := product.get(name)):
                continue
            if (amount := amount_of(text)) is not None:
                amounts[key] = amount * factor
                break
            report.warn(line, f"{name} is not a number", text)
    return amounts


def _serving(product: Mapping[str, str]) -> tuple[float | None, Basis]:
    """Return the serving size, and whether the size and the amounts are in grams or milliliters."""
    size = amount_of(product.get("serving_quantity", ""))
    measures = []
    for field in ("serving_size", "quantity"):
        text = product.get(field, "")
        for number, unit in _METRIC.findall(text):
            factor, basis = _TO_BASIS[unit.lower()]
            measures.append((float(number.replace(",", ".")) * factor, basis))
        if measures or _FLUID.search(text):
            break
    if measures and size is None and field == "serving_size":
        return measures[0]
    if measures:  # "30 g (makes 200 ml)": choose the measure closest to the serving size
        return size, min(measures, key=lambda measure: abs(measure[0] - (size or 0)))[1]
    return size, "ml" if _FLUID.search(text) else "g"


def _category(tags: str) -> str:
    """Return the most specific category that has an English name."""
    known = [tag[3:] for tag in tags.split(",") if tag.startswith("en:") and tag != "en:null"]
    return clean(known[-1].replace("-", " ").capitalize()) if known else ""


LABELED_WITHOUT_FIBER = frozenset(
    (
        "australia", "austria", "belgium", "bulgaria", "croatia", "cyprus", "czech-republic",
        "denmark", "estonia", "european-union", "finland", "france", "french-guiana", "germany",
        "greece", "guadeloupe", "hungary", "iceland", "ireland", "italy", "latvia",
        "liechtenstein", "lithuania", "luxembourg", "malta", "martinique", "mayotte",
        "netherlands", "new-zealand", "norway", "poland", "portugal", "reunion", "romania",
        "slovakia", "slovenia", "spain", "sweden", "switzerland", "united-kingdom",
    )
)  # fmt: skip
"""Country tags of Open Food Facts, without the prefix ``en:``."""

_ENERGY_KCAL = {"protein_g": 4.0, "carbs_g": 4.0, "fat_g": 9.0}
"""Energy per gram in kcal (Regulation (EU) 1169/2011, annex XIV); fiber has 2 kcal per gram."""
_MOST_G = 100.0


def total_carbohydrate(amounts: Mapping[str, float], countries_tags: str) -> float | None:
    """Return the carbohydrate of a label plus its fiber, if the label excludes fiber.

    A label excludes fiber if this is required in all countries where the product is sold, unless
    the amounts contradict it. They do if the sum of protein, carbohydrate, fat and fiber exceeds
    100 g, or if the stated energy agrees better with carbohydrate that includes fiber. If
    carbohydrate includes fiber, the energy is 2 kcal per gram of fiber lower than the energy
    calculated with 4, 4 and 9 kcal per gram of protein, carbohydrate and fat.
    """
    countries = {tag.strip().removeprefix("en:") for tag in countries_tags.split(",")} - {""}
    if not countries or not countries <= LABELED_WITHOUT_FIBER:
        return None
    carbs_g, fiber_g = amounts.get("carbs_g"), amounts.get("fiber_g")
    if carbs_g is None or not fiber_g:
        return None
    if fiber_g + sum(amounts.get(key, 0.0) for key in _ENERGY_KCAL) > _MOST_G:
        return None
    if amounts.keys() >= {"energy_kcal", *_ENERGY_KCAL}:
        by_factors = sum(amounts[key] * factor for key, factor in _ENERGY_KCAL.items())
        if amounts["energy_kcal"] < by_factors - fiber_g:
            return None
    return float(f"{carbs_g + fiber_g:.7g}")
