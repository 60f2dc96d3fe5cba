"""The prior of personal models: where fitting begins, and what earlier weights leave out."""

import copy

import numpy as np
import pytest

from postmeal.glucose.personal.prior import PersonalPrior
from postmeal.glucose.population.states import STATES
from postmeal.glucose.population.weights import read_weights


@pytest.fixture
def neutral() -> PersonalPrior:
    return PersonalPrior.neutral()


def test_people_do_not_differ_where_fitting_begins(neutral):
    assert neutral.variance.shape == (4, 36)
    assert not neutral.variance.any()
    assert neutral.recent.tolist() == [0, 0, 0, 0]
    assert neutral.preliminary_scale == {}


def test_a_reading_at_the_start_changes_no_rise_where_fitting_begins(neutral):
    assert neutral.start.slope == neutral.start.recent == neutral.start.fasting == (0.0,) * 9


def test_errors_are_independent_and_of_1_mg_dl_where_fitting_begins(neutral):
    assert neutral.noise.tolist() == np.identity(9).tolist()
    assert neutral.day_variance == 1
    assert neutral.typical_error_mg_dl == dict.fromkeys(STATES, 1)
    for band in (neutral.band, neutral.start.band):
        assert band.below_mg_dl.tolist() == band.above_mg_dl.tolist() == [[1] * 9] * 4


def test_the_shapes_are_orthonormal_where_fitting_begins(neutral):
    assert (neutral.shapes @ neutral.shapes.T).tolist() == np.identity(3).tolist()
    assert neutral.shapes.shape == (3, 9)


def test_a_rise_that_is_predicted_as_30_has_even_chances_of_30_where_fitting_begins(neutral):
    assert neutral.impact_scale.chances(30.0)[0] == pytest.approx(0.5)
    reaches_30, reaches_50 = neutral.impact_scale.chances(np.arange(0.0, 200.0))
    assert (reaches_30 > reaches_50).all()
    scale = neutral.impact_scale
    assert scale.labels(*scale.chances([29, 31, 59, 61])).tolist() == [0, 1, 1, 2]


def test_a_range_is_that_of_the_persons_readings_where_fitting_begins(neutral):
    assert neutral.own_range is None


def test_weights_without_the_time_since_the_previous_meal_still_load():
    """Format 2: the slope is the same regardless of the previous meal."""
    weights = copy.deepcopy(read_weights())["personal"]
    del weights["start"]["recent"], weights["start"]["fasting"]
    earlier = PersonalPrior.from_dict(weights).start
    assert earlier.recent == earlier.fasting == (0.0,) * 9
    assert earlier.slope == tuple(weights["start"]["slope"])
