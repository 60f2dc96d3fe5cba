"""Glycemic index of a food, with its source and its standard deviation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from postmeal.foods.food import GISource
from postmeal.foods.glycemic.name_rules import further_foods, published_foods
from postmeal.foods.glycemic.parts import Part, mean_of_parts, parts_of
from postmeal.foods.glycemic.published import group_median, group_sd

_LEAST_KNOWN: Final = 0.9  # minimum share of a recipe's carbohydrate with a known index
_ONE_SOURCE: Final = 0.9  # share from which the index of one part is used for the whole food


class GlycemicIndex(NamedTuple):
    """The glycemic index of a food.

    Attributes
    ----------
    value : float or None
        Glycemic index, glucose = 100; None if unknown.
    source : {"measured", "group median", "none", "computed"}
        Source of the value.
    sd : float or None
        Standard deviation of the value; None if unknown.
    in_model : bool
        Whether the glucose model may use the value. The released model was fitted only with indices
        from `postmeal.foods.glycemic.name_rules`.
    """

    value: float | None = None
    source: GISource = "none"
    sd: float | None = None
    in_model: bool = True


NO_INDEX = GlycemicIndex()
"""Result for a food whose index is unknown."""


def index_of(name: str, category: str, per_100_g: Mapping[str, float]) -> GlycemicIndex:
    """Return the glycemic index of a food.

    Parameters
    ----------
    name : str
        The publisher's description of the food.
    category : str
        The publisher's food group.
    per_100_g : mapping of str to float
        Known nutrient amounts per 100 g.

    Returns
    -------
    GlycemicIndex
        The published mean of this food (``measured``), the median of a group of published foods
        (``group median``), the carbohydrate-weighted mean of the food's parts (``computed``), or
        `NO_INDEX` if the source of its carbohydrate is unknown.

    Examples
    --------
    >>> index_of("Bananas, raw", "Fruits and Fruit Juices", {"carbs_g": 22.8, "fiber_g": 2.6})[:2]
    (51.0, 'measured')
    >>> lentils = {"carbs_g": 63.0, "fiber_g": 11.0, "sugars_g": 2.0}
    >>> index_of("Lentils, raw", "Legumes and Legume Products", lentils)[:2]
    (26.0, 'group median')
    """
    carbs_g = per_100_g.get("carbs_g")
    available_g = None if carbs_g is None else carbs_g - per_100_g.get("fiber_g", 0.0)
    for in_model, rules in ((True, published_foods), (False, further_foods)):
        if published := rules(name, available_g):
            source: GISource = "measured" if len(published) == 1 else "group median"
            sd = _rounded(group_sd(published))
            return GlycemicIndex(group_median(published), source, sd, in_model)
    parts = parts_of(name, category, per_100_g)
    if not parts:
        return NO_INDEX
    index, sd = mean_of_parts([part for _, part in parts])
    main, share = max(((source, part.share) for source, part in parts), key=lambda part: part[1])
    if share >= _ONE_SOURCE and len(main.published) > 1:
        return GlycemicIndex(main.value, "group median", _rounded(sd), in_model=False)
    return GlycemicIndex(float(round(index)), "computed", _rounded(sd), in_model=False)


def index_of_recipe(ingredients: Iterable[tuple[float, GlycemicIndex]]) -> GlycemicIndex:
    """Return the glycemic index of a dish from its recipe.

    Parameters
    ----------
    ingredients : iterable of (float, GlycemicIndex)
        Available carbohydrate in grams and index of each ingredient.

    Returns
    -------
    GlycemicIndex
        The carbohydrate-weighted mean. `NO_INDEX` if the amount of carbohydrate in an ingredient is
        unknown, or if the index is unknown for more than 10% of the carbohydrate.

    Examples
    --------
    >>> rice = GlycemicIndex(73.0, "measured", 10.0)
    >>> beans = GlycemicIndex(25.0, "group median", 13.0)
    >>> index_of_recipe([(60.0, rice), (20.0, beans), (0.5, NO_INDEX)])
    GlycemicIndex(value=61.0, source='computed', sd=10.8, in_model=False)
    """
    listed = list(ingredients)
    total_g = sum(available_g for available_g, _ in listed)
    parts = [
        Part(index.value, index.sd or 0.0, available_g)
        for available_g, index in listed
        if index.value is not None and available_g > 0
    ]
    if not total_g > 0 or not sum(part.share for part in parts) >= _LEAST_KNOWN * total_g:
        return NO_INDEX
    mean, sd = mean_of_parts(parts, inferred=False)
    return GlycemicIndex(float(round(mean)), "computed", _rounded(sd), in_model=False)


def _rounded(sd: float) -> float:
    return round(sd, 1)
