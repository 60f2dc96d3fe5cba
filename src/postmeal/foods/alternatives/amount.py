"""Choose how much of a food replaces a given amount of another food."""

from __future__ import annotations

import math
from collections.abc import Iterator

from postmeal.foods.food import MAX_QUANTITY, Food, Selection, Serving

_OF_VOLUME = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
_OF_PIECES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_CLOSE = math.log(1.35)
_NOT_DEFAULT, _FROM_ONE, _IN_PARTS, _IN_GRAMS, _ODD = 0.05, 0.03, 0.05, 0.25, 0.3
_METRIC = {"g", "gram", "grams"}
_VOLUMES = ("cup", "fl oz", "oz", "tbsp", "tsp", "ml", "can", "bottle", "pint")
_ODD_WORDS = ("refuse", "yield", "nlea", "package", "guideline", "recipe", "cubic inch", "quart",
              "dry", "unpopped", "lb", "nonfat")  # fmt: skip


def as_much_as(amount: Selection, food: Food, *, same_kind: bool = True) -> Selection:
    """Return how much of a food replaces a given amount of another food.

    The result is in household servings, such as two slices, if these are close to the target;
    otherwise, it is in grams.
    """
    target_g = _target_g(amount, food, same_kind)
    if target_g is None:
        return Selection.of(food)
    best: tuple[float, Serving, float] | None = None
    for serving in food.servings:
        for multiple, once in _multiples(serving, target_g):
            assert serving.weight_g is not None
            off = abs(math.log(serving.weight_g * multiple / target_g))
            cost = off + once + (0 if serving.is_default else _NOT_DEFAULT)
            quantity = serving.quantity * multiple
            if off <= _CLOSE and quantity <= MAX_QUANTITY and (best is None or cost < best[0]):
                best = (cost, serving, quantity)
    if best is not None:
        return Selection(food, best[1], best[2])
    for serving in food.servings:
        if serving.unit.lower() in _METRIC and serving.weight_g:
            grams = max(5.0, 5.0 * round(target_g / 5))
            quantity = min(grams * serving.quantity / serving.weight_g, MAX_QUANTITY)
            return Selection(food, serving, round(quantity, 1))
    return Selection.of(food)


def _multiples(serving: Serving, target_g: float) -> Iterator[tuple[float, float]]:
    """Yield practical multiples of a serving, each with a cost; lower costs are better."""
    if not serving.weight_g:
        return
    unit = serving.unit.lower()
    if unit in _METRIC:
        step = 5.0 if target_g < 50 else 10.0
        yield step * max(1, round(target_g / step)) / serving.weight_g, _IN_GRAMS
        return
    odd = _ODD * any(word in unit for word in _ODD_WORDS)
    yield 1.0, odd
    for quantity in _OF_VOLUME if unit.startswith(_VOLUMES) else _OF_PIECES:
        in_parts = 0.0 if quantity % 1 == 0 else _IN_PARTS
        cost = odd + in_parts + _FROM_ONE * abs(math.log2(quantity))
        yield quantity / serving.quantity, cost


def _target_g(amount: Selection, food: Food, same_kind: bool) -> float | None:
    mass_g, default = amount.weight_g, food.default_serving
    if not mass_g or not default.weight_g:
        return None
    if not same_kind and default.unit.lower() not in _METRIC:
        mass_g = default.weight_g
    energy_kcal = amount.nutrients.amount("energy_kcal")
    dense = food.nutrients.amount("energy_kcal") / default.weight_g
    if dense > 0 and energy_kcal > 0:
        return min(mass_g, energy_kcal / dense)
    return mass_g
