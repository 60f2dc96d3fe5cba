"""Calibration on small groups: each person is held out, and small groups borrow from others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.glucose.population.glucose_range import are_artefacts
from postmeal.glucose.population.states import STATES
from postmeal.training.fit.calibration import fit_band, fit_ranges, person_weights

MINUTES = 9
levels = st.lists(st.floats(80, 200), min_size=2, max_size=30, unique=True)


def flat_curves(level_mg_dl):
    """One meal a person, whose glucose never moves."""
    return np.repeat(np.asarray(level_mg_dl, float)[:, None], MINUTES, axis=1)


def range_of(curves, names):
    """Fit the range of normal people to curves, of which dips are not readings of glucose."""
    state = np.zeros(len(curves), dtype=int)
    return fit_ranges(curves, are_artefacts(curves), state, person_weights(names))["normal"]


@given(levels)
def test_a_range_holds_95_percent_of_the_readings_it_is_fitted_to(level_mg_dl):
    """Row 466: readings, not the lowest and the highest point of each meal."""
    curves = flat_curves(level_mg_dl)
    low, high = range_of(curves, np.arange(len(curves)).astype(str).astype(object))
    assert (curves < low).mean() <= 0.025
    assert (curves > high).mean() <= 0.025


def test_pressure_on_a_sensor_at_night_does_not_lower_the_range():
    curve = np.array([90.0, 92, 95, 55, 93, 90, 88, 90, 91])
    curves, names = np.tile(curve, (20, 1)), np.arange(20).astype(str).astype(object)
    assert range_of(curves, names)[0] == 88
    real = np.tile(np.where(np.arange(9) >= 3, 55.0, 90.0), (20, 1))
    assert range_of(real, names)[0] == 55  # glucose that stays low is low
    risen = np.tile(np.array([60.0, 85, 110, 120, 120, 110, 100, 95, 90]), (20, 1))
    assert range_of(risen, names)[0] == 60  # a meal that starts low and rises


def test_one_persons_many_meals_do_not_widen_everybodys_range():
    names = np.array([*(f"p{n}" for n in range(100)), *["glutton"] * 1000], dtype=object)
    level = np.array([*np.linspace(100, 120, 100), *[300.0] * 1000])
    assert range_of(flat_curves(level), names)[1] <= 125


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
