"""One composition over arrays, and the same steps for one meal in plain floats."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from personal_models import MODELS

from postmeal.assets import asset
from postmeal.glucose import composition, scalar
from postmeal.glucose.cases import Case, Cases
from postmeal.glucose.person.prior import MEAN_PERSON, PersonPrior
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.impact import IMPACTS
from postmeal.glucose.population.sensors import BLOOD
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor

PREDICTOR = Predictor.load()
KNOWING = Predictor.load(asset("models/population-4"))
_DAY = 20_575


def case(*known, own_share=1.0):
    """Return a case; without a personal model, its share is zero."""
    own, *others = known[8:]
    return Case(*known[:8], own, 0.0 if own is None else own_share, *others)


part = st.floats(0, 1)
priors = st.builds(
    PersonPrior,
    st.floats(-40, 90),
    st.floats(-1.5, 1.5),
    st.floats(0.5, 1.5),
    st.floats(0.5, 1.5),
    part,
    st.floats(40, 100),
    st.floats(100, 400),
    part,
)
cases = st.builds(
    case,
    st.tuples(st.floats(0, 400), st.floats(0, 60), st.floats(0, 150), st.floats(0, 150)),
    st.floats(0, 23.999),
    st.integers(0, len(STATES) - 1),
    st.integers(_DAY - 20, _DAY + 20),
    st.booleans(),
    st.sampled_from([BLOOD, *PREDICTOR.sensors.values()]),
    st.none() | st.floats(20, 600),
    st.none() | st.floats(0, 48) | st.just(float("inf")),
    st.none() | st.sampled_from(MODELS),
    priors | st.just(MEAN_PERSON),
    part | st.just(1.0),
    own_share=part | st.just(1.0),
)
minutes_asked = st.none() | st.lists(st.floats(0, 240), min_size=1, max_size=7, unique=True)


@pytest.mark.parametrize("model", [PREDICTOR, KNOWING], ids=lambda one: one.version)
@given(several=st.lists(cases, min_size=1, max_size=6), unsorted=minutes_asked)
def test_one_meal_in_plain_floats_gets_the_numbers_of_the_arrays(model, several, unsorted):
    """To 1e-12 of the values, with and without an own model, a reading, a sensor and minutes."""
    minutes = None if unsorted is None else tuple(sorted(unsorted))
    at = None if minutes is None else np.array(minutes)
    found = composition.compose(model, Cases.stack(several), at)
    for row, one_case in enumerate(several):
        one = scalar.compose(model, one_case, minutes)
        for name in ("glucose_mg_dl", "lower_mg_dl", "upper_mg_dl"):
            assert getattr(found, name)[row] == pytest.approx(getattr(one, name), rel=1e-12)
        assert IMPACTS[found.impact[row]] == one.impact
        chances = list(one.impact_probabilities.values())
        assert found.impact_probabilities[row] == pytest.approx(chances, rel=1e-12, abs=1e-12)
        assert found.chances[row] == pytest.approx(astuple(one.chances), rel=1e-12, abs=1e-12)
        assert (found.cgp_min[row], found.cgp_max[row]) == (one.cgp_min, one.cgp_max)


def test_many_cases_get_the_numbers_that_each_gets_alone():
    several = [
        Case((grams, 2.0, 9.0, 5.0), grams % 24, 1, _DAY, True, BLOOD, None, 2.0, own)
        for grams in range(100)
        for own in (None, *MODELS)
    ] * 30
    found = composition.compose(PREDICTOR, Cases.stack(several))
    assert len(found.impact) == len(several) > 8192
    for row in (0, 8191, 8192, len(several) - 1):
        alone = composition.compose(PREDICTOR, Cases.stack([several[row]]))
        for column, single in zip(found, alone, strict=True):
            assert column[row] == pytest.approx(single[0], rel=1e-12)


def test_no_cases_give_empty_arrays():
    found = composition.compose(PREDICTOR, Cases.stack([]))
    assert found.glucose_mg_dl.shape == (0, len(GRID_MIN))
    assert found.impact_probabilities.shape == (0, len(IMPACTS))


def test_the_steps_add_up_to_the_curve():
    """Level, rise, personal correction, sensor, reading: each step by itself."""
    offset, gain = sensor = PREDICTOR.sensors["Libre"]
    one = Case((60.0, 4.0, 20.0, 15.0), 8.0, 0, _DAY, True, sensor, None, 2.0, MODELS[0], 1.0)
    known = Cases.stack([one])
    level, rise = composition.level(PREDICTOR, known), composition.rise(PREDICTOR, known)
    assert level == PREDICTOR.level_mg_dl["normal"]
    own = composition.personal_correction(PREDICTOR, known, rise)
    along = own.shapes_mg_dl @ PREDICTOR.personal_prior.shapes
    assert np.abs(along).max() > 1
    expected = offset + gain * (level + own.level_mg_dl + rise + along)
    predicted = composition.course(PREDICTOR, known)
    assert predicted.curve_mg_dl == pytest.approx(expected, rel=1e-12)
    start = float(expected[0, 0]) + 30
    read = composition.course(PREDICTOR, Cases.stack([one._replace(start_mg_dl=start)]))
    assert read.curve_mg_dl[0, 0] == start
    start = PREDICTOR.personal_prior.start
    causes = 1.0, math.exp(-2.0 / 1.5), 1 / (1 + math.exp(6.0 - 2.0))  # two hours after a meal
    slope = np.array(causes) @ np.array([start.slope, start.recent, start.fasting])
    assert read.rise_mg_dl == pytest.approx(predicted.rise_mg_dl + 30 * slope, rel=1e-12)
