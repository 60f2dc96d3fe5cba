"""Chances of a peak: monotone, bounded, and derived from the band in earlier weights."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.glucose.population.band import Band
from postmeal.glucose.population.peak_scale import PeakScale
from postmeal.glucose.population.states import STATES
from postmeal.glucose.population.weights import read_weights
from postmeal.glucose.predictor import Predictor

PREDICTOR = Predictor.load()
SCALES = [PREDICTOR.peak_scale, PREDICTOR.personal_prior.peak_scale]


@given(st.sampled_from(SCALES), st.integers(0, 3), st.floats(-100, 800), st.floats(0, 200))
def test_a_higher_predicted_peak_never_lowers_a_chance(scale, state, peak, more):
    one = np.array([state])
    low, high = scale.chances([peak], one), scale.chances([peak + more], one)
    for less, greater in zip(low, high, strict=True):
        assert 0 <= less[0] <= greater[0] <= 1
    for reaches_140, reaches_180 in (low, high):
        assert reaches_180[0] <= reaches_140[0]


def test_the_slopes_of_the_released_scales_are_plausible():
    """Errors of 20 to 180 mg/dL: no chance is a step, and none is constant."""
    for scale in SCALES:
        assert all(0.01 < slope < 0.1 for slope in scale.slope_per_mg_dl)
        assert all(np.greater(scale.log_odds_140, scale.log_odds_180))


def test_a_scale_is_stored_and_read():
    for scale in SCALES:
        assert PeakScale.from_dict(scale.to_dict()) == scale


def test_the_ends_of_a_band_are_its_5_and_95_percent_quantiles():
    below, above = np.full((4, 9), 30.0), np.full((4, 9), 50.0)
    scale = PeakScale.from_band(Band(below, above))
    states = np.zeros(3, dtype=int)
    reaches_140, _ = scale.chances([140 - 50, 140 - 10, 140 + 30], states)
    assert reaches_140 == pytest.approx([0.05, 0.5, 0.95])
    _, reaches_180 = scale.chances([180 - 50, 180 - 10, 180 + 30], states)
    assert reaches_180 == pytest.approx([0.05, 0.5, 0.95])


def test_weights_released_without_a_scale_still_load():
    weights = copy.deepcopy(read_weights())
    del weights["peak_scale"], weights["personal"]["peak_scale"]
    earlier = Predictor.from_weights(weights)
    assert earlier.peak_scale == PeakScale.from_band(earlier.band)
    for state in range(len(STATES)):
        for found, released in zip((earlier.peak_scale, earlier.personal_prior.peak_scale), SCALES,
                                   strict=True):  # fmt: skip
            one = np.array([state])
            for peak in (120.0, 160.0):
                chances = found.chances([peak], one), released.chances([peak], one)
                assert np.ravel(chances[0]) == pytest.approx(np.ravel(chances[1]), abs=0.4)
