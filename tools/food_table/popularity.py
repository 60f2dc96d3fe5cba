"""Sort the foods in the shipped table by everyday popularity, most commonly eaten foods first.

The sources of the table do not state how often each food is eaten, so rules define the order:

1. Foods in the hand-written list ``everyday.csv`` come first, in the order of
   the list. They are common foods, each with its everyday names and usual serving.
2. All other foods are sorted by points. Each food group has a base score, which is higher for
   fruit, bread and dairy than for spices, game and infant formula. Ready-to-eat foods and foods
   with short names gain points. Dry foods, raw foods that are usually cooked, cuts of meat with a
   stated trim or grade, and foods for institutions lose points.
3. Foods with equal points are sorted by the length of their names, then alphabetically.
"""

from __future__ import annotations

import re

from postmeal.foods.table import TableFood

__all__ = ["place"]

_GROUP_POINTS = (
    (r"fruits and fruit juices|bananas|apples|citrus|berries|grapes|melons|peaches", 9.0),
    (r"dairy and egg|^milk|yogurt|^cheese|eggs", 9.0),
    (r"baked products|bread|rolls|bagels|tortillas", 8.0),
    (r"vegetables and|tomatoes|carrots|broccoli|lettuce|potatoes|corn$|beans", 8.0),
    (r"cereal grains|^rice|pasta|oatmeal|breakfast cereals|ready-to-eat", 8.0),
    (r"fast foods|restaurant|pizza|burgers|sandwich|burritos", 7.5),
    (r"beverages|coffee|^tea|soft drinks|water|juice|beer|wine", 7.5),
    (r"poultry|chicken|finfish|^fish|nut and seed|nuts and seeds", 7.0),
    (r"meals, entrees|mixed dishes|soups?|snacks|chips|popcorn|crackers|cookies", 7.0),
    (r"sweets|candy|cakes|ice cream|legume|sausages|cold cuts|pork products|bacon", 6.5),
    (r"beef|fats and oils|dressings|sauces|condiments", 6.0),
    (r"spices|lamb|game|liver", 3.0),
    (r"baby|infant|formula|american indian|not included", 0.5),
)
_RULES = (
    (r"\b(USDA commodity|school lunch|industrial|food distribution|NFSMI)\b", -4.0),
    (r"alaska native|navajo|apache|hopi|southwest|shoshone|northern plains", -4.0),
    (r"separable|trimmed to|all grades|imported|variety meats|by-products|from concentrate", -3.0),
    (r"\b(dry mix|dry form|powder|unprepared|uncooked|condensed|not reconstituted)\b", -2.5),
    (r"\bdry\b|dehydrated|freeze-dried|frozen, unprepared|mix\b", -2.0),
    (r"low sodium|reduced sodium|without salt|unsalted|no salt|low fat|lowfat|light", -1.0),
    (r"fortified|enriched with|added calcium|added vitamin|with added", -0.8),
    (r"imitation|substitute|diet|sugar free|low calorie|artificial", -1.0),
    (r"\b(NFS|NS as to)\b", 0.5),
    (r"\b(plain|whole|regular|cooked|roasted|boiled|baked)\b", 0.5),
)
_RAW = re.compile(r"\braw\b")
_COOKED_FIRST = re.compile(
    r"poultry|chicken|turkey|beef|pork|lamb|game|meat|fish|sausage|egg|liver|cereal|legume|beans",
    re.IGNORECASE,
)


def place(food: TableFood, everyday: int | None) -> tuple[float, int, str, str]:
    """Return the key by which foods are sorted by everyday popularity."""
    text = food.description or food.name
    rank = float(everyday) if everyday is not None else 100_000 - _points(food, text)
    return rank, len(text), text, food.key


def _points(food: TableFood, text: str) -> float:
    points = next((p for group, p in _GROUP_POINTS if re.search(group, food.category, re.I)), 5.0)
    points += sum(p for rule, p in _RULES if re.search(rule, text, re.IGNORECASE))
    if _RAW.search(text):
        points += -2.5 if _COOKED_FIRST.search(food.category) else 1.0
    if food.kind == "branded":
        points -= 1.5 if food.source == "sr28" else 3.0  # SR28 contains portions of branded foods
    return points - len(text) / 40
