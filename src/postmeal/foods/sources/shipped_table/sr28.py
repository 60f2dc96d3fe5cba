"""Read the USDA National Nutrient Database for Standard Reference, release 28 (SR28).

Source: Haytowitz et al. (2015, revised 2016), US Department of Agriculture, Agricultural Research
Service, doi:10.15482/USDA.ADC/1324304; a work of the US government, in the public domain. In the
text files of the database, fields are separated by ``^``, text is enclosed in ``~``, and the
encoding is Latin-1.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.sources.labels.plausible_amounts import complete
from postmeal.foods.sources.nutrients_by_publisher import SR28_NUMBERS
from postmeal.foods.sources.shipped_table.spoken_names import split_brand
from postmeal.foods.table import Portion, TableFood

__all__ = ["default_portion", "household_unit", "read_sr28"]

_UNIT_SYNONYMS = (
    (re.compile(r"^tablespoons?\b", re.IGNORECASE), "tbsp"),
    (re.compile(r"^teaspoons?\b", re.IGNORECASE), "tsp"),
    (re.compile(r"^Cup\b"), "cup"),
)
_USUAL_UNITS = (
    r"^medium(?! \(approx)",
    r"^(fruit|egg|bagel|roll|muffin|biscuit|sandwich|burger|taco|burrito|pancake|waffle)\b",
    r"^(item|each|order|entree|bar|cookie|patty|link|frankfurter|doughnut)\b",
    r"^slice\b(?!,)",
    r"^large\b",
    r"^cup\b(?!.*(mashed|pureed|unthawed|sifted|packed|crumbs|condensed|melted))",
    r"^serving\b",
)
_UNITS_BY_GROUP = {
    "Spices and Herbs": (r"^tsp",),
    "Fats and Oils": (r"^tbsp",),
    "Sweets": (r"^(bar|piece|package|tbsp|tsp)\b",),
    "Beverages": (
        r"^(serving|cup|can|bottle|drink|packet|tsp|jigger|cocktail|glass)\b",
        r"^fl oz",
    ),
    **dict.fromkeys(
        (
            "Poultry Products",
            "Pork Products",
            "Beef Products",
            "Lamb, Veal, and Game Products",
            "Finfish and Shellfish Products",
        ),
        (r"^(medium|large)\b", r"^(patty|piece|fillet|chop|thigh|drumstick|wing)$", r"^serving\b"),
    ),
}
_OUNCE = re.compile(r"^(oz|fl oz|lb|cubic inch)\b")
_UNUSUAL_UNIT = re.compile(r"yield|\bhole\b|\bmini\b|crust not eaten|snack-size")


def read_sr28(folder: Path) -> Iterator[TableFood]:
    """Yield every food of SR28 with its nutrients and all its household portions."""
    groups = dict(_lines(folder / "FD_GROUP.txt", 2))
    amounts: dict[str, dict[str, float]] = defaultdict(dict)
    for line in _lines(folder / "NUT_DATA.txt", 18):
        if key := SR28_NUMBERS.get(line[1]):
            amounts[line[0]][key] = max(0.0, float(line[2]))
    portions: dict[str, list[Portion]] = defaultdict(list)
    for number, order, quantity, unit, grams, *_ in _lines(folder / "WEIGHT.txt", 7):
        if float(quantity) > 0 and float(grams) > 0:
            portions[number].append(
                Portion(int(order) + 1, float(quantity), household_unit(unit), float(grams))
            )
    for number, group, description, _, _, manufacturer, *_ in _lines(folder / "FOOD_DES.txt", 14):
        brand_name, name = split_brand(description, manufacturer)
        food = TableFood(
            source="sr28",
            key=number,
            kind="branded" if brand_name else "generic",
            category=groups[group],
            name=name,
            brand_name=brand_name,
            description=description,
            portions=(Portion(1, 100, "g", 100), *portions[number]),
            per_100_g=complete(amounts[number]),
        )
        yield food.with_default(default_portion(food.portions, groups[group]))


def _lines(path: Path, fields: int) -> Iterator[list[str]]:
    try:
        text = path.read_text(encoding="latin-1")
    except OSError as error:
        raise DataSetError(f"{path} cannot be read: {error.strerror}; check the path") from error
    for number, line in enumerate(text.splitlines(), 1):
        values = [value.strip("~").strip() for value in line.split("^")]
        if len(values) != fields:
            raise DataSetError(
                f"{path.name}, line {number} must have {fields} fields, got {len(values)}"
            )
        yield values


def household_unit(text: str) -> str:
    """Return the canonical spelling of a unit, such as "tbsp" for "tablespoons"."""
    for pattern, unit in _UNIT_SYNONYMS:
        text = pattern.sub(unit, text)
    return " ".join(text.split())


def default_portion(portions: tuple[Portion, ...], group: str) -> Portion:
    """Return the most common household portion of 1 to 600 g, or 100 g if there is none."""
    household = [p for p in portions[1:] if 1 <= p.weight_g <= 600]
    household = [p for p in household if not _UNUSUAL_UNIT.search(p.unit)]
    if any(p.unit.startswith("fl oz") and p.quantity >= 6 for p in household):
        household = [p for p in household if not (p.unit == "fl oz" and p.quantity < 6)]
    three_ounces = [p for p in household if p.unit == "oz" and p.quantity == 3]
    for pattern in _UNITS_BY_GROUP.get(group, ()) or _USUAL_UNITS:
        for portion in household:
            if portion.quantity >= 0.5 and re.search(pattern, portion.unit):
                return portion
    if three_ounces:
        return three_ounces[0]
    usual = (p for p in household if not _OUNCE.search(p.unit) and 5 <= p.weight_g <= 400)
    return next(usual, portions[0])
