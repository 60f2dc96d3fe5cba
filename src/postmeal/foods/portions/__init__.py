"""Grams of amounts as people name them, from published household portions.

``amounts``        grams of a unit of a food, of a food without an amount, and the most plausible
``own_servings``   what a food's own servings weigh, by unit and size
``model``          the portion model, for what a food's own servings do not state
``features``       what the model knows of a food and a measure
``measure``        units and sizes that a published measure names
``sizes``          sizes such as small and bite-sized
``units``          units such as cup and slice

The model is fitted by `postmeal.foods.sources.portions`.
"""

from postmeal.foods.portions.amounts import (
    Portion,
    is_surveyed,
    most_plausible_grams,
    portion_grams,
    stated_grams,
    usual_grams,
)

__all__ = [
    "Portion",
    "is_surveyed",
    "most_plausible_grams",
    "portion_grams",
    "stated_grams",
    "usual_grams",
]
