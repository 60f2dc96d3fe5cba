"""Compute Shapley values: the contribution of each food and nutrient to a predicted peak."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.rounding import MG_DL, rounded

__all__ = ["EXACT_UP_TO", "Contributions", "shapley_values"]

Array = NDArray[np.float64]

EXACT_UP_TO = 12
"""Maximum number of parts for exact values. For more parts, random orders are sampled."""

_ORDERS, _BLOCKS = 500, 10


class Contributions(NamedTuple):
    """Contributions to a predicted peak, in mg/dL.

    Attributes
    ----------
    start_mg_dl : float
        Peak predicted without any food.
    foods_mg_dl : tuple of float
        Contribution of each food, in the order of the meal's selections.
    nutrients_mg_dl : dict of str to float
        Contribution of each nutrient of the whole meal.
    peak_mg_dl : float
        The predicted peak. It equals `start_mg_dl` plus the contributions of all foods, and also
        `start_mg_dl` plus the contributions of all nutrients.
    """

    start_mg_dl: float
    foods_mg_dl: tuple[float, ...]
    nutrients_mg_dl: dict[str, float]
    peak_mg_dl: float

    def rounded(self) -> dict[str, Any]:
        """Return the contributions as a JSON-serializable dict, rounded for output."""
        nutrients = self.nutrients_mg_dl.items()
        return {
            "start_mg_dl": rounded(self.start_mg_dl, MG_DL),
            "foods_mg_dl": tuple(rounded(part, MG_DL) for part in self.foods_mg_dl),
            "nutrients_mg_dl": {key: rounded(part, MG_DL) for key, part in nutrients},
            "peak_mg_dl": rounded(self.peak_mg_dl, MG_DL),
        }


def shapley_values(
    value: Callable[[NDArray[np.bool_]], Array], n_parts: int, *, seed: int = 0
) -> Array:
    """Compute Shapley values: the mean marginal value of each part over all orders.

    The values add up to the value of all parts minus the value of the empty set (Shapley 1953,
    doi:10.1515/9781400881970-018). With up to `EXACT_UP_TO` parts, all subsets are evaluated. With
    more, the result is the mean over 500 random orders, which has the same sum.

    Parameters
    ----------
    value : callable
        Function that maps a boolean array of shape (n_subsets, n_parts) to the value of each
        subset, an array of shape (n_subsets,).
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
    Two parts have the values 3 and 1 individually, and 6 together. The difference is split evenly:

    >>> values = {(False, False): 0.0, (True, False): 3.0, (False, True): 1.0, (True, True): 6.0}
    >>> shapley_values(lambda subsets: np.array([values[tuple(s)] for s in subsets.tolist()]), 2)
    array([4., 2.])
    """
    if n_parts > EXACT_UP_TO:
        return _mean_over_orders(value, n_parts, seed)
    codes = np.arange(2**n_parts)
    subsets = (codes[:, None] >> np.arange(n_parts) & 1).astype(bool)
    values, sizes = value(subsets), subsets.sum(axis=1)
    weights = np.array(
        [factorial(size) * factorial(n_parts - size - 1) for size in range(n_parts)], dtype=float
    ) / factorial(n_parts)
    result = np.empty(n_parts)
    for part in range(n_parts):
        without = codes[~subsets[:, part]]
        gain = values[without | 1 << part] - values[without]
        result[part] = (weights[sizes[without]] * gain).sum()
    return result


def _mean_over_orders(
    value: Callable[[NDArray[np.bool_]], Array], n_parts: int, seed: int
) -> Array:
    random = np.random.default_rng(seed)
    orders = np.array([random.permutation(n_parts) for _ in range(_ORDERS)])
    total = np.zeros(n_parts)
    # Evaluating a block at once is faster than evaluating each order.
    for block in np.split(orders, _BLOCKS):
        rank = np.argsort(block, axis=1)
        subsets = rank[:, None, :] < np.arange(n_parts + 1)[:, None]
        values = value(subsets.reshape(-1, n_parts)).reshape(len(block), -1)
        total += np.take_along_axis(np.diff(values, axis=1), rank, axis=1).sum(axis=0)
    return total / _ORDERS
