"""Whether everyday dishes can be found while their name is being typed.

The dishes were listed by kind before any of them was tried: 30 dishes that restaurants in the
United States, Britain and India serve every day.
"""

import re

from postmeal.foods.catalog import Catalog

DISHES = {
    "guacamole": "guacamole", "pad thai": "pad thai", "sushi": "sushi", "pho": r"\bpho\b",
    "lasagna": "lasagn", "chicken tikka masala": "tikka masala", "biryani": "biryani",
    "macaroni and cheese": "macaroni", "fried rice": "fried|rice, fried", "burrito": "burrito",
    "quesadilla": "quesadilla", "tacos": "taco", "caesar salad": "caesar", "ramen": "ramen",
    "falafel": "falafel", "hummus": "hummus", "shepherd's pie": "shepherd|cottage pie",
    "fish and chips": "fish", "spaghetti bolognese": "spaghetti|meat sauce|bolognese",
    "pancakes": "pancake", "omelette": "omelet", "curry": "curr", "chili con carne": "chili",
    "meatloaf": "meat ?loaf", "beef stew": "stew", "samosa": "samosa", "dosa": "dosa",
    "nachos": "nacho", "paella": "paella", "coleslaw": "slaw",
}  # fmt: skip


def is_offered(catalog: Catalog, typed: str, right: str) -> bool:
    names = (food.name for food in catalog.suggest(typed, limit=5))
    return any(re.search(right, name, re.IGNORECASE) for name in names)


def test_at_least_28_of_30_dishes_are_offered_after_four_letters(catalog):
    assert len(DISHES) == 30
    reached = [dish for dish, right in DISHES.items() if is_offered(catalog, dish[:4], right)]
    assert len(reached) >= 22, sorted(set(DISHES) - set(reached))
    reached = [dish for dish, right in DISHES.items() if is_offered(catalog, dish, right)]
    assert len(reached) >= 28, sorted(set(DISHES) - set(reached))
