"""Derive the added sugars of foods whose publisher does not state them.

Added sugars are set to zero for basic foods from groups such as fruit, vegetables, grain, milk and
meat, if every word of the name is recognized and no word names a sugary product. Unsweetened juice
contains no added sugars by the definition of the US Food and Drug Administration (21 CFR
101.9(c)(6)(iii)). If all sugars in a sweet food come from sources of added sugar, as in candy or
cookies, the added sugars are estimated as the total sugars. This overestimates them slightly,
because flour contains about 1% sugars. For all other foods, added sugars remain unknown.
"""

from __future__ import annotations

import re
from dataclasses import replace

from postmeal.foods.diets.signs import signs_of
from postmeal.foods.diets.words import facts
from postmeal.foods.glycemic.sources import default_sources, named_sources
from postmeal.foods.table import TableFood

__all__ = ["with_added_sugars"]

_ADDED = {"sucrose", "honey", "glucose syrup", "soft drink"}
"""Sources of carbohydrate whose sugars are added sugars."""
_WITHOUT_SUGARS = 0.1  # maximum share of sugars in the carbohydrate from starchy sources
_PLAIN = re.compile(
    r"^(Fruits and Fruit|Vegetables and|Cereal Grains|Legumes|Nut and Seed|Beef Prod|Pork Prod|"
    r"Poultry|Lamb, Veal|Finfish|Dairy and Egg|Apples|Bananas|Citrus|Peaches|Grapes|Melons|Mango|"
    r"Pineapple|Strawberries|Blueberries|Other fruits|Dried fruits|Apple juice|Other fruit juice|"
    r"Milk, |Cheese|Cottage|Eggs|Carrots|Tomatoes|Broccoli|Spinach|Cabbage|Onions|Corn|Lettuce|"
    r"String beans|Other (dark|red|starchy|vegetables)|White potatoes|Rice$|Oatmeal|"
    r"Nuts and seeds|Beans, peas|Chicken, whole|Turkey, |Beef, |Ground beef|Pork$|Lamb|Fish$|"
    r"Shellfish)"
)
_MAY_BE_SWEETENED = re.compile(
    r"\b(applesauce|canned|cand|syrup|sauce|flavor|vanilla|chocolate|strawberry milk|dessert|"
    r"topping|nectar|cocktail|drink|fried|coat|glaze|pickle|cured|smoked|salad|butter|"
    r"(blueberr|cherr|cranberr|strawberr|mango|papaya|pineapple|banana|fruit)\w*, dried|"
    r"juice(?!.*(100%|unsweetened|raw|fresh)))",
    re.IGNORECASE,
)
_SWEET = re.compile(
    r"^(Candy|Sweets|Sugars|Cakes|Cookies|Doughnuts|Soft drinks|Fruit drinks|Sport and|Gelatins|"
    r"Jams|Baked Products|Biscuits, muffins|Beverages|Flavored or carb)"
)
_NOT_SWEETENED = re.compile(
    r"\b(un|not |without )sweetened|\b(no|reduced|low) (added )?(sugar|calorie)|sugar.free|"
    r"without (sugar|syrup)|excluding|diet\b|milk|sandwich|flour|coffee|tea\b|leches|juice|jam|"
    r"fruit|shell|crust|english muffin",
    re.IGNORECASE,
)
_SUGAR, _OPEN = facts("sugar"), facts("msg")  # MSG is possible if a word is not recognized


def with_added_sugars(food: TableFood) -> TableFood:
    """Derive the added sugars of a food from its name and total sugars, if possible."""
    if "added_sugars_g" in food.per_100_g or (sugars_g := food.per_100_g.get("sugars_g")) is None:
        return food
    if _is_plain(food):
        return replace(food, per_100_g=food.per_100_g | {"added_sugars_g": 0.0})
    if food.kind == "branded" or not _has_only_added_sugars(food):
        return food
    amounts = food.per_100_g | {"added_sugars_g": sugars_g}
    return replace(food, per_100_g=amounts, added_sugars_estimated=True)


def _is_plain(food: TableFood) -> bool:
    """Return whether a food is basic and its name has only known words, none of them sugary."""
    name = food.description or food.name
    if food.kind != "generic" or not _PLAIN.match(food.category) or _MAY_BE_SWEETENED.search(name):
        return False
    contains = may = 0
    for sign in signs_of(food):
        contains |= sign.contains
        may |= sign.may
    named = named_sources(name, food.category)
    is_sweet = any(source.name in {*_ADDED, "jam", "chocolate"} for source in named or ())
    return named is not None and not is_sweet and not (contains | may) & (_SUGAR | _OPEN)


def _has_only_added_sugars(food: TableFood) -> bool:
    """Return whether a name mentions sources of added sugars and no other sources of sugars."""
    name = food.description or food.name
    if not _SWEET.match(food.category) or _NOT_SWEETENED.search(name):
        return False
    named = named_sources(name, food.category)
    if named is None:
        return False
    sugary = [source for source in named if source.is_sugary]
    sugary = sugary or default_sources(food.category, sugary=True)
    starchy = [source for source in named if not source.is_sugary]
    return (
        bool(sugary)
        and all(source.name in _ADDED for source in sugary)
        and all(source.sugar_share <= _WITHOUT_SUGARS for source in starchy)
    )
