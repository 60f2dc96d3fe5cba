"""Foods of FoodData Central that do not come from labels: FNDDS, SR Legacy and Foundation foods.

Source: US Department of Agriculture, Agricultural Research Service,
https://fdc.nal.usda.gov/download-datasets; in the public domain (CC0). Foods from FNDDS and SR
Legacy that are in the shipped table keep their IDs. Official portions replace estimated portions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from postmeal.foods.glycemic import index_of
from postmeal.foods.sources.collection.collection import Imported
from postmeal.foods.sources.fooddata_central.joined_rows import StagedFood, StagedPortion
from postmeal.foods.sources.labels.plausible_amounts import complete
from postmeal.foods.sources.shipped_table.fndds import survey_food
from postmeal.foods.sources.shipped_table.spoken_names import split_brand
from postmeal.foods.sources.shipped_table.sr28 import default_portion, household_unit
from postmeal.foods.sources.shipped_table.survey_portions import default_measure, measured
from postmeal.foods.table import Portion, TableFood

__all__ = ["reference_food", "survey_food_of"]

_NO_UNIT = {"", "undetermined", "9999"}


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
