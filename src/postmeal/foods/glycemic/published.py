"""Published means of the glycemic index of common foods.

The means and standard errors (glucose = 100) of 62 foods are table 1 of Atkinson, Foster-Powell and
Brand-Miller, International Tables of Glycemic Index and Glycemic Load Values: 2008, Diabetes Care
31:2281, doi:10.2337/dc08-1239. The means of 10 additional foods are from public lists without
standard errors. These lists reproduce the tables of single studies by Foster-Powell, Holt and
Brand-Miller 2002, doi:10.1093/ajcn/76.1.5, and, for quinoa, the tables of 2008. The glucose model
was fitted without the additional foods and does not use them.
"""

from __future__ import annotations

from math import sqrt
from statistics import mean, median, variance
from typing import Final

__all__ = ["BETWEEN_LABORATORIES_SD", "MEANS", "STANDARD_ERRORS", "group_median", "group_sd"]

BETWEEN_LABORATORIES_SD: Final = 9.0
"""Standard deviation of the glycemic index of one food between laboratories.

Sources: Wolever et al. 2003, doi:10.1038/sj.ejcn.1601551 (9.0 with capillary blood), and Wolever et
al. 2008, doi:10.1093/ajcn/87.1.247S (about 9 in 28 laboratories).
"""

_NO_ERROR: Final = 9  # assumed standard error of a mean that is listed without one

_PUBLISHED: dict[str, tuple[int, int]] = {
    "white wheat bread": (75, 2),
    "whole wheat bread": (74, 2),
    "specialty grain bread": (53, 2),
    "unleavened wheat bread": (70, 5),
    "wheat roti": (62, 3),
    "chapatti": (52, 4),
    "corn tortilla": (46, 4),
    "white rice, boiled": (73, 4),
    "brown rice, boiled": (68, 4),
    "barley": (28, 2),
    "sweet corn": (52, 5),
    "spaghetti, white": (49, 2),
    "spaghetti, whole meal": (48, 5),
    "rice noodles": (53, 7),
    "udon noodles": (55, 7),
    "couscous": (65, 4),
    "cornflakes": (81, 6),
    "wheat flake biscuits": (69, 2),
    "porridge, rolled oats": (55, 2),
    "instant oat porridge": (79, 3),
    "rice porridge": (78, 9),
    "millet porridge": (67, 5),
    "muesli": (57, 2),
    "apple, raw": (36, 2),
    "orange, raw": (43, 3),
    "banana, raw": (51, 3),
    "pineapple, raw": (59, 8),
    "mango, raw": (51, 5),
    "watermelon, raw": (76, 4),
    "dates, raw": (42, 4),
    "peaches, canned": (43, 5),
    "strawberry jam": (49, 3),
    "apple juice": (41, 2),
    "orange juice": (50, 2),
    "potato, boiled": (78, 4),
    "potato, instant mash": (87, 3),
    "potato, french fries": (63, 5),
    "carrots, boiled": (39, 4),
    "sweet potato, boiled": (63, 6),
    "pumpkin, boiled": (64, 7),
    "plantain, green banana": (55, 6),
    "taro, boiled": (53, 2),
    "vegetable soup": (48, 5),
    "milk, full fat": (39, 3),
    "milk, skim": (37, 4),
    "ice cream": (51, 3),
    "yogurt, fruit": (41, 2),
    "soy milk": (34, 4),
    "rice milk": (86, 7),
    "chickpeas": (28, 9),
    "kidney beans": (24, 4),
    "lentils": (32, 5),
    "soya beans": (16, 1),
    "chocolate": (40, 3),
    "popcorn": (65, 5),
    "potato crisps": (56, 3),
    "soft drink": (59, 3),
    "rice crackers": (87, 2),
    "fructose": (15, 4),
    "sucrose": (65, 4),
    "glucose": (103, 3),
    "honey": (61, 3),
}

_FURTHER: dict[str, tuple[int, int]] = {
    "bulgur": (48, _NO_ERROR),
    "buckwheat": (54, _NO_ERROR),
    "quinoa": (53, _NO_ERROR),
    "hummus": (6, _NO_ERROR),
    "chicken nuggets": (46, _NO_ERROR),
    "macaroni and cheese": (64, _NO_ERROR),
    "apricots, dried": (31, _NO_ERROR),
    "prunes": (29, _NO_ERROR),
    "raisins": (64, _NO_ERROR),
    "sports drink": (78, _NO_ERROR),
}

MEANS: dict[str, int] = {food: index for food, (index, _) in (_PUBLISHED | _FURTHER).items()}
"""Mean glycemic index (glucose = 100) of each published food."""

STANDARD_ERRORS: dict[str, int] = {
    food: error for food, (_, error) in (_PUBLISHED | _FURTHER).items()
}
"""Standard error of each published mean."""


def group_median(foods: tuple[str, ...]) -> float:
    """Return the median of the mean glycemic indices of published foods."""
    return float(median(MEANS[food] for food in foods))


def group_sd(foods: tuple[str, ...]) -> float:
    """Return the standard deviation of the index of a food that belongs to a group.

    The variance is the sum of three parts: the variance of the published means of the group, the
    mean square of their standard errors, and the variance between laboratories. A group of one food
    has no variance between foods.
    """
    between_foods = variance(MEANS[food] for food in foods) if len(foods) > 1 else 0.0
    of_means = mean(STANDARD_ERRORS[food] ** 2 for food in foods)
    return sqrt(between_foods + of_means + BETWEEN_LABORATORIES_SD**2)
