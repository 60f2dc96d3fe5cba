"""Weight carbohydrate by kind: pure glucose, other sugars, and all other carbohydrate.

A gram of carbohydrate raises glucose more if it is pure glucose, and less if the food contains
mostly other sugars. The model therefore weights the carbohydrate of each food before it adds up the
foods of a meal. The kind is determined from the food's glycemic index and its share of sugars.
Foods with an unknown share of sugars have a weight of one.

The weights are positive, so more of a food never lowers the weighted carbohydrate of a meal.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CarbKind = Literal["glucose", "sugars", "other"]

_LEAST_SUGARS, _MOST_SUGARS = 0.4, 0.7  # shares of sugars between which the weight changes
_MIN_GLUCOSE_INDEX = 95.0  # higher than the glycemic index of every published food but glucose
_INDEX_OF_GLUCOSE = 103.0  # Atkinson et al. 2008, doi:10.2337/dc08-1239


class CarbWeights(NamedTuple):
    """Weights of a gram of carbohydrate in sugary foods and in pure glucose.

    They are relative to the weight in all other foods, which is one.
    """

    sugary: float
    glucose: float


CARB_WEIGHTS = CarbWeights(sugary=0.6, glucose=1.38)
"""Weights of the shipped model.

The weights were fitted together with the formula. The fitted weight of glucose equals the ratio of
the published glycemic indices of glucose and white bread, 103 / 75 (Atkinson et al. 2008,
doi:10.2337/dc08-1239), although the fit did not use these indices. The fitted weight of sugars was
0.44. The shipped weight is higher: it is the glycemic index of sucrose relative to that of glucose.
The effect of a sugary meal is therefore overestimated rather than underestimated. Errors on
held-out data sets are hardly larger with this weight; see ``models/population/choices.md``.
"""

EQUAL_WEIGHTS = CarbWeights(sugary=1.0, glucose=1.0)
"""Weights for models that do not distinguish kinds of carbohydrate."""


def sugary_share(carbs_g: Array, sugars_g: Array) -> Array:
    """Return how sugary the carbohydrate of each food is, from 0 to 1.

    The value rises from 0, if 40% of the carbohydrate is sugars, to 1, if 70% is sugars. It is 0 if
    the sugars are unknown.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (sugars_g / carbs_g - _LEAST_SUGARS) / (_MOST_SUGARS - _LEAST_SUGARS)
    return np.clip(np.nan_to_num(share, nan=0.0, posinf=1.0), 0.0, 1.0)


def carb_weight(
    carbs_g: float, sugars_g: float, glycemic_index: float | None, weights: CarbWeights
) -> tuple[float, CarbKind]:
    """Return the weight and the kind of a food's carbohydrate.

    If the glycemic index of a sugary food is known, its weight is at least this index relative to
    the index of glucose. Sucrose with an index of 65 has a weight of 0.63, not 0.6.
    """
    if glycemic_index is not None and glycemic_index >= _MIN_GLUCOSE_INDEX:
        return weights.glucose, "glucose"
    if not carbs_g > 0 or not sugars_g > _LEAST_SUGARS * carbs_g:
        return 1.0, "other"
    share = (sugars_g / carbs_g - _LEAST_SUGARS) / (_MOST_SUGARS - _LEAST_SUGARS)
    weight = 1 - (1 - weights.sugary) * min(share, 1.0)
    if glycemic_index is not None:
        weight = min(max(weight, glycemic_index / _INDEX_OF_GLUCOSE), 1.0)
    return weight, "sugars"


def weighted_carbs(carbs_g: Array, fiber_g: Array, weight: Array) -> Array:
    """Return the carbohydrate of each food in grams, weighted by its kind.

    An amount of carbohydrate equal to half of the fiber has a weight of one.
    """
    unavailable = np.minimum(fiber_g / 2, carbs_g)
    return np.asarray(unavailable + weight * (carbs_g - unavailable))
