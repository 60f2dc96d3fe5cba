"""Published means of the glycemic index of common foods, read from ``means.csv``.

The means and standard errors (glucose = 100) of 62 foods are table 1 of Atkinson, Foster-Powell and
Brand-Miller, International Tables of Glycemic Index and Glycemic Load Values: 2008, Diabetes Care
31:2281, doi:10.2337/dc08-1239. The means of 10 additional foods are from public lists without
standard errors. These lists reproduce the tables of single studies by Foster-Powell, Holt and
Brand-Miller 2002, doi:10.1093/ajcn/76.1.5, and, for quinoa, the tables of 2008. The glucose model
was fitted without the additional foods and does not use them.
"""

from __future__ import annotations

import csv
from math import sqrt
from pathlib import Path
from statistics import mean, median, variance
from typing import Final

BETWEEN_LABORATORIES_SD: Final = 9.0
"""Standard deviation of the glycemic index of one food between laboratories.

Sources: Wolever et al. 2003, doi:10.1038/sj.ejcn.1601551 (9.0 with capillary blood), and Wolever et
al. 2008, doi:10.1093/ajcn/87.1.247S (about 9 in 28 laboratories).
"""

_NO_ERROR: Final = 9  # assumed standard error of a mean that is listed without one


with Path(__file__).with_name("means.csv").open(newline="", encoding="utf-8") as _file:
    _ROWS = list(csv.DictReader(_file))

MEANS: dict[str, int] = {row["food"]: int(row["glycemic_index"]) for row in _ROWS}
"""Mean glycemic index (glucose = 100) of each published food."""

STANDARD_ERRORS: dict[str, int] = {
    row["food"]: int(row["standard_error"] or _NO_ERROR) for row in _ROWS
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
