"""Rules for published means of the glycemic index that the glucose model does not use.

The first rule that matches a food's name determines its index, as in
`postmeal.foods.glycemic.released_rules`. These rules were added after the released model was
fitted. They apply only to foods without an index from the released rules, and only to the displayed
value.
"""

from __future__ import annotations

from functools import cache

from postmeal.foods.glycemic.name_rules import NameRule, compiled, first_match

__all__ = ["further_foods"]

_RULES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    # pattern, excluded pattern, published foods (one: measured; several: group median)
    (r"^bulgur\b", "with", ("bulgur",)),
    (r"^buckwheat\b", "flour|pancake", ("buckwheat",)),
    (r"^quinoa\b", "salad|flour", ("quinoa",)),
    (r"^hummus\b", "", ("hummus",)),
    (r"^chicken,? .*nuggets", "sandwich|salad", ("chicken nuggets",)),
    (r"\bmacaroni (and|&|or noodles with) cheese",
     "loaf|salad|with (meat|beef|tuna|chicken)|and egg", ("macaroni and cheese",)),
    (r"^apricots, dried", "with added sugar|sweetened$", ("apricots, dried",)),
    (r"^(plums, dried \(prunes\)|prunes\b)", "with added sugar|syrup", ("prunes",)),
    (r"^raisins\b", "", ("raisins",)),
    (r"^sports drink|\bgatorade\b|\bpowerade\b", "low calorie|zero", ("sports drink",)),
)  # fmt: skip


def further_foods(name: str, available_carbs_g: float | None) -> tuple[str, ...]:
    """Return the published foods whose means determine the displayed glycemic index of a food.

    The glucose model does not use this index.
    """
    return first_match(_compiled(), name, available_carbs_g)


@cache
def _compiled() -> tuple[NameRule, ...]:
    """Return the rules, which are compiled on first use because predictions do not need them."""
    return compiled(_RULES)
