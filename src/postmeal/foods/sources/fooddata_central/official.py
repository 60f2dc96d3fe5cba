"""Foods of FoodData Central that do not come from labels: FNDDS, SR Legacy and Foundation foods.

Source: US Department of Agriculture, Agricultural Research Service,
https://fdc.nal.usda.gov/download-datasets; in the public domain (CC0). Foods from FNDDS and SR
Legacy that are in the shipped table keep their IDs. Official portions replace estimated portions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace

from postmeal.foods.food import CatalogKind
from postmeal.foods.glycemic import index_of
from postmeal.foods.sources.collection.collection import Imported
from postmeal.foods.sources.fooddata_central.joined_rows import StagedFood, StagedPortion
from postmeal.foods.sources.labels.label_text import leading_number
from postmeal.foods.sources.labels.plausible_amounts import complete
from postmeal.foods.sources.spoken_names import same_brand, split_brand
from postmeal.foods.table import Portion, TableFood

_NO_UNIT = {"", "undetermined", "9999"}
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
_UNSPECIFIED = "Quantity not specified"
_NO_MEASURE = re.compile(r"^(Quantity not specified|Guideline amount)", re.IGNORECASE)
_SYNONYMS = ((r"\btablespoons?\b", "tbsp"), (r"\bteaspoons?\b", "tsp"))
_FIRST_NUMBER = 2  # number 1 is 100 g; number 2 was an estimated serving and must not be reused
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


def survey_food_of(
    food: StagedFood, amounts: dict[str, float], portions: Iterable[StagedPortion]
) -> Imported:
    """Build a food of FNDDS with its official portions.

    The default serving is the measure whose weight is closest to the weight that the survey assumes
    for an unspecified amount. If the food does not have a measure, the default serving is 100 g.
    """
    survey = _with_index(survey_food(" ".join(food.description.split()), food.category, amounts))
    usual_g, measures = measured((p.number, p.description, p.weight_g) for p in portions)
    hundred = survey.portions[0]
    default = default_measure(usual_g, measures) or hundred
    return Imported(_with_portions(survey, (hundred, *measures), default), food.fdc_id)


def reference_food(
    source: str,
    key: str,
    food: StagedFood,
    amounts: dict[str, float],
    portions: Iterable[StagedPortion],
) -> Imported:
    """Build a food of SR Legacy (source ``sr28``) or Foundation (source ``foundation``)."""
    brand_name, name = split_brand(" ".join(food.description.split()), "")
    reference = _with_index(
        TableFood(
            source=source,
            key=key,
            kind="branded" if brand_name else "generic",
            category=food.category,
            name=name,
            brand_name=brand_name,
            description=food.description,
            portions=(Portion(1, 100, "g", 100),),
            per_100_g=complete({key: max(0.0, amount) for key, amount in amounts.items()}),
        )
    )
    measures = tuple(
        Portion(portion.number + 1, float(portion.amount or 1), _unit(portion), portion.weight_g)
        for portion in portions
        if portion.weight_g > 0 and _unit(portion)
    )
    listed = (*reference.portions, *measures)
    return Imported(
        _with_portions(reference, listed, default_portion(listed, food.category)), food.fdc_id
    )


def _with_portions(food: TableFood, portions: tuple[Portion, ...], default: Portion) -> TableFood:
    return replace(food, portions=portions).with_default(default)


def _with_index(food: TableFood) -> TableFood:
    return food.with_index(index_of(food.description, food.category, food.per_100_g))


def _unit(portion: StagedPortion) -> str:
    words = (portion.measure, portion.description, portion.modifier)
    return household_unit(", ".join(word for word in words if word not in _NO_UNIT))


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


def _kind(name: str, category: str) -> CatalogKind:
    """Return "dish" for a mixed dish, and "generic" for a single food such as fruit or milk."""
    mixed = _MIXED_CATEGORY.search(category) and not _PLAIN_NAME.search(name)
    return "dish" if mixed else "generic"


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


def measured(
    listed: Iterable[tuple[int, str, float]],
) -> tuple[float | None, tuple[Portion, ...]]:
    """Return the usual weight and the household measures of a survey food."""
    rows = list(listed)
    usual_g = next((grams for _, text, grams in rows if text == _UNSPECIFIED and grams > 0), None)
    measures = (
        Portion(number + _FIRST_NUMBER, *_measure(text), grams)
        for number, text, grams in rows
        if grams > 0 and not _NO_MEASURE.match(text)
    )
    return usual_g, tuple(measures)


def default_measure(usual_g: float | None, measures: tuple[Portion, ...]) -> Portion | None:
    """Return the measure closest to the usual weight; the first one if this weight is unknown."""
    if usual_g is None:
        return next(iter(measures), None)
    return min(measures, key=lambda m: abs(math.log(m.weight_g / usual_g)), default=None)


def _measure(description: str) -> tuple[float, str]:
    """Split a measure such as "1 cup, cooked" into its number and its unit."""
    for pattern, unit in _SYNONYMS:
        description = re.sub(pattern, unit, description)
    counted = leading_number(description)
    if counted and counted[0] > 0 and counted[1].startswith(" "):
        return counted[0], counted[1].strip()
    return 1.0, description
