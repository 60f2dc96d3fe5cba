"""Contributions of foods to a peak: Shapley values by hand, and their form for output."""

import json
from itertools import permutations

import numpy as np
import pytest

from postmeal.glucose.population.contributions import (
    EXACT_UP_TO,
    Contributions,
    shapley_values,
)


def saturating(amounts):
    """A value of sets of parts that grows less and less, so that the order matters."""
    return lambda subsets: 1 - np.exp(-(subsets @ np.asarray(amounts, dtype=float)))


def mean_over_all_orders(value, n_parts):
    """The definition of Shapley values."""
    total = np.zeros(n_parts)
    orders = list(permutations(range(n_parts)))
    for order in orders:
        subset = np.zeros((1, n_parts), dtype=bool)
        for part in order:
            before = value(subset)[0]
            subset[0, part] = True
            total[part] += value(subset)[0] - before
    return total / len(orders)


@pytest.mark.parametrize("amounts", [[0.7], [0.2, 1.1], [0.3, 0.1, 0.9, 0.0, 0.5]])
def test_the_values_are_the_means_over_all_orders(amounts):
    value = saturating(amounts)
    expected = mean_over_all_orders(value, len(amounts))
    assert shapley_values(value, len(amounts)) == pytest.approx(expected, abs=1e-12)


def test_of_many_parts_random_orders_add_up_and_come_near_the_exact_values():
    """Equal parts: each has an equal share of the whole."""
    n_parts = EXACT_UP_TO + 2
    value = saturating([0.2] * n_parts)
    found = shapley_values(value, n_parts)
    whole = 1 - np.exp(-0.2 * n_parts)
    assert found.sum() == pytest.approx(whole, abs=1e-12)
    assert found == pytest.approx(whole / n_parts, rel=0.15)
    assert found.tolist() == shapley_values(value, n_parts).tolist()
    assert found.tolist() != shapley_values(value, n_parts, seed=1).tolist()


def test_up_to_twelve_parts_the_values_are_exact():
    value = saturating([0.2] * EXACT_UP_TO)
    found = shapley_values(value, EXACT_UP_TO)
    assert found == pytest.approx((1 - np.exp(-0.2 * EXACT_UP_TO)) / EXACT_UP_TO, rel=1e-12)


def test_more_than_twelve_parts_are_few_evaluations():
    """All subsets of 20 parts would be a million rows."""
    seen = []

    def value(subsets):
        seen.append(len(subsets))
        return subsets.sum(axis=1).astype(float)

    assert shapley_values(value, 20) == pytest.approx(np.ones(20))
    assert sum(seen) == 500 * 21


def test_contributions_are_rounded_to_a_tenth_for_output():
    made = Contributions(95.04, (12.345, 0.0412), {"carbs_g": 13.0, "fat_g": -0.66}, 107.449)
    assert json.loads(json.dumps(made.rounded())) == {
        "start_mg_dl": 95.0,
        "foods_mg_dl": [12.3, 0.04],
        "nutrients_mg_dl": {"carbs_g": 13.0, "fat_g": -0.7},
        "peak_mg_dl": 107.4,
    }
