"""Calibration on small groups: each person is held out, and small groups borrow from others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.glucose.population.states import STATES
from postmeal.training.fit.calibration import fit_band, fit_ranges, person_weights

MINUTES = 9
levels = st.lists(st.floats(80, 200), min_size=2, max_size=30, unique=True)


def flat_curves(level_mg_dl):
    """One meal a person, whose glucose never moves."""
    return np.repeat(np.asarray(level_mg_dl, float)[:, None], MINUTES, axis=1)


def range_of(level_mg_dl):
    """Fit the range of normal people at these levels."""
    names = np.array([f"p{n}" for n in range(len(level_mg_dl))], dtype=object)
    curves, state = flat_curves(level_mg_dl), np.zeros(len(level_mg_dl), dtype=int)
    return fit_ranges(curves, curves, state, names, person_weights(names))["normal"]


@given(levels)
def test_a_range_is_as_wide_as_people_who_were_left_out_need(level_mg_dl):
    """Row 466: each person is compared with a range that the others give."""
    own = np.array(level_mg_dl)
    low, high = range_of(own)
    for end, coverage, sign in ((high, 0.975, 1), (low, 0.995, -1)):
        outward = sign * own
        margin = sign * end - np.quantile(outward, coverage, method="inverted_cdf")
        held = [
            one
            <= np.quantile(np.delete(outward, at), coverage, method="inverted_cdf") + margin + 1e-9
            for at, one in enumerate(outward)
        ]
        assert np.mean(held) >= coverage


def test_a_range_of_few_people_reaches_beyond_all_of_them():
    low, high = range_of([90, 95, 100, 110, 140])
    assert high == pytest.approx(140 + 30)  # the highest person is 30 above the others
    assert low == pytest.approx(90 - 5)


def test_one_persons_many_meals_do_not_widen_everybodys_range():
    names = np.array([*(f"p{n}" for n in range(100)), *["glutton"] * 1000], dtype=object)
    level = np.array([*np.linspace(100, 120, 100), *[300.0] * 1000])
    curves, state = flat_curves(level), np.zeros(len(level), dtype=int)
    ranges = fit_ranges(curves, curves, state, names, person_weights(names))
    assert ranges["normal"][1] <= 125


def band_of(n_people, spread_mg_dl):
    """Fit half-widths by state for people whose errors are spread evenly up to a limit."""
    errors, state = [], []
    for index, (n, spread) in enumerate(zip(n_people, spread_mg_dl, strict=True)):
        errors += np.linspace(-spread, spread, n).tolist() if n > 1 else [0.0] * n
        state += [index] * n
    band = fit_band(flat_curves(errors), np.array(state), np.ones(len(state)))
    assert band.below_mg_dl == pytest.approx(band.above_mg_dl, abs=5)
    return dict(zip(STATES, band.above_mg_dl[:, 0], strict=True))


def test_the_band_of_a_state_with_few_people_is_that_of_its_neighbors():
    """Two people who are predicted well are no evidence for others in their state."""
    band = band_of(n_people=(50, 2, 50, 50), spread_mg_dl=(40, 1, 40, 80))
    assert band["prediabetes"] > 25
    alone = band_of(n_people=(0, 2, 0, 50), spread_mg_dl=(0, 1, 0, 80))
    assert alone["prediabetes"] <= 1


def test_the_band_of_a_state_with_many_people_is_its_own():
    band = band_of(n_people=(50, 1000, 50, 50), spread_mg_dl=(40, 1, 40, 80))
    assert band["prediabetes"] <= 1


def test_type_1_diabetes_neither_lends_nor_borrows():
    band = band_of(n_people=(50, 50, 2, 50), spread_mg_dl=(1, 1, 1, 80))
    assert band["type_2"] <= 1
    assert band["type_1"] > 60
    few = band_of(n_people=(50, 50, 50, 2), spread_mg_dl=(40, 40, 40, 1))
    assert few["type_1"] <= 1
