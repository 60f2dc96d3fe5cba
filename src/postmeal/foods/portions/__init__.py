"""Weights of everyday amounts of foods, based on published household portions.

``amounts``        weights of one unit, of an unspecified amount and of the largest plausible amount
``own_servings``   weights of a food's own servings, by unit and size
``model``          model that predicts the weight of units that a food's own servings do not have
``features``       features of a food and a measure, which are the inputs of the model
``measure``        units and sizes in a published measure
``sizes``          sizes such as "small" and "bite-sized"
``serving_range``  range of typical servings
``units``          units such as "cup" and "slice"

The model is fitted by `tools/food_table/portion_model.py`.
"""

from postmeal.foods.portions.amounts import (
    SIZE_RATIOS,
    Portion,
    is_surveyed,
    most_plausible_grams,
    own_piece_grams,
    portion_grams,
    stated_grams,
    usual_grams,
)

__all__ = [
    "SIZE_RATIOS",
    "Portion",
    "is_surveyed",
    "most_plausible_grams",
    "own_piece_grams",
    "portion_grams",
    "stated_grams",
    "usual_grams",
]
