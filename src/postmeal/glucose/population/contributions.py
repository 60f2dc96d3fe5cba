"""How much of a predicted peak each food and each nutrient accounts for, by Shapley values."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXACT_UP_TO", "Contributions", "shapley_values"]

Array = NDArray[np.float64]

EXACT_UP_TO = 12
"""Up to this many parts the values are exact; beyond, they are the mean over random orders."""

_ORDERS = 500


class Contributions(NamedTuple):
    """Parts of a predicted peak, in mg/dL.

    Attributes
    ----------
    start_mg_dl : float
        Glucose at the start of the meal, plus the highest rise predicted without any food.
    foods_mg_dl : tuple of float
        Part of each food, in the order of the meal's selections.
    nutrients_mg_dl : dict of str to float
        Part of each nutrient of the whole meal.
    peak_mg_dl : float
        The predicted peak: the start plus all foods, and also the start plus all nutrients.
    """

    start_mg_dl: float
    foods_mg_dl: tuple[float, ...]
    nutrients_mg_dl: dict[str, float]
    peak_mg_dl: float


def shapley_values(
    value: Callable[[NDArray[np.bool_]], Array], n_parts: int, *, seed: int = 0
) -> Array:
    """Shapley values of the parts of a whole: each part's mean marginal value over all orders.

    They add up to the value of the whole less the value of nothing (Shapley 1953,
    doi:10.1515/9781400881970-018). Up to `EXACT_UP_TO` parts every subset is valued; beyond, the
    mean is over 500 random orders drawn with the seed, and the sum still holds.

    Parameters
    ----------
    value : callable
        Takes a boolean array of shape (n_subsets, n_parts) and gives the value of each subset,
        an array of shape (n_subsets,).
    n_parts : int
        Number of parts.
    seed : int, default=0
        Seed of the random orders.

    Returns
    -------
    ndarray of shape (n_parts,)
        Value of each part.

    Examples
    --------
    Two parts that are worth 3 and 1 alone, and 6 together, share what they gain together:

    >>> worth = {(False, False): 0.0, (True, False): 3.0, (False, True): 1.0, (True, True): 6.0}
    >>> shapley_values(lambda subsets: np.array([worth[tuple(s)] for s in subsets.tolist()]), 2)
    array([4., 2.])
    """
    if n_parts > EXACT_UP_TO:
        return _mean_over_orders(value, n_parts, seed)
    codes = np.arange(2**n_parts)
    subsets = (codes[:, None] >> np.arange(n_parts) & 1).astype(bool)
    values, sizes = value(subsets), subsets.sum(axis=1)
    orders = np.array(
        [factorial(size) * factorial(n_parts - size - 1) for size in range(n_parts)], dtype=float
    ) / factorial(n_parts)
    result = np.empty(n_parts)
    for part in range(n_parts):
        without = codes[~subsets[:, part]]
        gain = values[without | 1 << part] - values[without]
        result[part] = (orders[sizes[without]] * gain).sum()
    return result


def _mean_over_orders(
    value: Callable[[NDArray[np.bool_]], Array], n_parts: int, seed: int
) -> Array:
    random = np.random.default_rng(seed)
    total = np.zeros(n_parts)
    for _ in range(_ORDERS):
        order = random.permutation(n_parts)
        rank = np.empty(n_parts, dtype=int)
        rank[order] = np.arange(n_parts)
        values = value(rank[None, :] < np.arange(n_parts + 1)[:, None])
        total[order] += np.diff(values)
    return total / _ORDERS
