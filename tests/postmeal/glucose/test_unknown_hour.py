"""Meals whose hour is unknown: the mean over usual hours, a wider band and a note."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_people import PREDICTOR, someone
from personal_models import MODELS
from synthetic_wearer import EVERYDAY, Wearer

from postmeal import Catalog, InputError, Meal
from postmeal.cli import main
from postmeal.frames import predict_frame
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.training_days import training_days
from postmeal.glucose.notes import HOUR_UNKNOWN
from postmeal.glucose.personal.features import effect_names
from postmeal.glucose.personal_fit import fit_personal
from postmeal.glucose.population.meal_hours import MEAL_HOURS

DAY = date(2026, 5, 1)


def meal(carbs_g, time=DAY):
    return Meal.of_macros(carbs_g=carbs_g, fiber_g=4, protein_g=15, fat_g=12, time=time)


def at_usual_hours(carbs_g, profile, **options):
    """Return the predictions at each of the usual meal hours."""
    midnight = datetime(DAY.year, DAY.month, DAY.day)
    times = [midnight + timedelta(hours=hour) for hour in MEAL_HOURS.tolist()]
    return [PREDICTOR.predict(profile, meal(carbs_g, time), **options) for time in times]


@pytest.mark.parametrize("state", ["normal", "type_2"])
@pytest.mark.parametrize("personal", [None, MODELS[0]])
@pytest.mark.parametrize("start_mg_dl", [None, 120.0])
def test_the_curve_is_the_mean_over_usual_hours_and_the_band_is_wider(state, personal, start_mg_dl):
    """For the population and one person; the spread between the hours adds to the variance."""
    options = {"personal": personal, "start_mg_dl": start_mg_dl}
    known = at_usual_hours(50, someone(state), **options)
    found = PREDICTOR.predict(someone(state), meal(50), **options)
    curves = np.array([one.glucose_mg_dl for one in known])
    assert found.glucose_mg_dl == pytest.approx(curves.mean(axis=0), rel=1e-12)
    spread = 1.645 * curves.std(axis=0)
    above = np.array([one.upper_mg_dl for one in known]) - curves
    widened = np.hypot(above.mean(axis=0), spread)
    assert np.subtract(found.upper_mg_dl, found.glucose_mg_dl) == pytest.approx(widened, rel=0.01)
    assert spread.max() > 1
    assert found.notes == (HOUR_UNKNOWN,)
    if start_mg_dl is not None:
        assert found.glucose_mg_dl[0] == start_mg_dl


def test_each_usual_hour_stands_for_as_many_meals():
    """More of them are at breakfast, lunch and dinner than between; none is at night."""
    counts = np.histogram(MEAL_HOURS, [0, 5, 10, 14, 16.5, 22, 24])[0]
    assert counts.tolist() == [0, 3, 4, 1, 4, 0]


@given(carbs_g=st.floats(0, 250), more_g=st.floats(0.1, 100))
def test_more_carbohydrate_never_lowers_the_peak(carbs_g, more_g):
    less, more = (PREDICTOR.predict(someone(), meal(g)) for g in (carbs_g, carbs_g + more_g))
    assert less.peak_mg_dl <= more.peak_mg_dl + 1e-9


def test_a_batch_holds_meals_with_and_without_an_hour():
    meals = [meal(40, datetime(2026, 5, 1, 8)), meal(40), meal(60, datetime(2026, 5, 1, 19))]
    own = [None, MODELS[0], MODELS[1]]
    batch = PREDICTOR.predict_many(someone("prediabetes"), meals, personal=own, minutes=[0, 20, 45])
    for found, eaten, personal in zip(batch, meals, own, strict=True):
        single = PREDICTOR.predict(
            someone("prediabetes"), eaten, personal=personal, minutes=[0, 20, 45]
        )
        assert found.glucose_mg_dl == pytest.approx(single.glucose_mg_dl, rel=1e-12)
        assert found.upper_mg_dl == pytest.approx(single.upper_mg_dl, rel=1e-12)
        assert found.notes == single.notes
    assert [HOUR_UNKNOWN in found.notes for found in batch] == [False, True, False]


def test_a_table_holds_dates_where_the_hour_is_unknown():
    times = [datetime(2026, 5, 1, 8), DAY, datetime(2026, 5, 1, 8, tzinfo=UTC)]
    amounts = {"carbs_g": 40.0, "fiber_g": 4.0, "protein_g": 15.0, "fat_g": 12.0}
    table = predict_frame(pd.DataFrame([amounts | {"time": time} for time in times]), PREDICTOR)
    found = table["glucose_mg_dl"].to_numpy().reshape(3, -1)
    for row, time in enumerate(times):
        single = PREDICTOR.predict(someone(), meal(40, time))
        assert found[row] == pytest.approx(single.glucose_mg_dl, rel=1e-12)
    assert table["notes"].iloc[::9].tolist() == ["", HOUR_UNKNOWN, ""]


def test_the_contributions_add_up_to_the_peak():
    contributions = PREDICTOR.contributions(someone(), meal(60))
    peak = PREDICTOR.predict(someone(), meal(60)).peak_mg_dl
    total = contributions.start_mg_dl + sum(contributions.foods_mg_dl)
    assert total == pytest.approx(contributions.peak_mg_dl) == pytest.approx(peak)


@pytest.mark.reliability
def test_the_command_takes_a_date_without_an_hour(capsys):
    words = ["predict", "1 banana", "--age", "45", "--sex", "female", "--height", "168cm"]
    assert main([*words, "--weight", "68kg", "--at", "2026-05-01"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Meal at an unknown hour\n")
    assert HOUR_UNKNOWN in printed


@pytest.fixture(scope="module")
def wearer() -> Wearer:
    return Wearer(Catalog.open(), PREDICTOR, rise=2.0, days=7)


def in_utc(wearer: Wearer) -> tuple[CgmTrace, MealHistory]:
    """Return the history of a person of whom only the instants are known."""
    trace, meals = wearer.trace, wearer.meal_history
    unknown = MealHistory.of(meals.utc_s, np.nan, meals.macronutrients)
    return CgmTrace.of(trace.utc_s, 0, trace.glucose_mg_dl), unknown


def test_a_fit_without_hours_learns_the_same_effect_for_every_hour(wearer):
    """Effects of the hour keep only their constant term; the rest of the response is learned."""
    own = fit_personal(PREDICTOR, EVERYDAY, *in_utc(wearer))
    assert own.is_better
    kinds, effects = np.array(effect_names()), np.array(own.effects)
    for kind in ("hour", "carbs_by_hour", "gain_by_hour"):
        constant, *waves = effects[:3, kinds == kind].T
        assert constant.any()
        assert not np.any(waves)
    noon = meal(50, datetime(2026, 1, 12, 12))
    rise = [
        np.ptp(PREDICTOR.predict(EVERYDAY, noon, personal=each).glucose_mg_dl)
        for each in (own, None)
    ]
    assert rise[0] > 1.2 * rise[1]


def test_days_without_a_clock_are_those_of_utc(wearer):
    local = training_days(wearer.trace, wearer.meal_history)
    utc = training_days(*in_utc(wearer))
    assert len(local) == 7
    assert len(utc) == 8  # five hours ahead: midnight in New York is 5:00
    assert utc[0].covered_h == 19


def test_a_history_of_meals_wants_their_times():
    with pytest.raises(InputError, match=r"meals\[1\].time must be a datetime, got "):
        MealHistory.from_meals([meal(40, datetime(2026, 5, 1, 8)), meal(40)])


def test_readings_want_an_offset():
    with pytest.raises(InputError, match=r"cgm\[0\].utc_offset_s must be less than"):
        CgmTrace.of([0.0], np.nan, [100.0])


def test_an_instant_without_a_local_hour_is_predicted_like_its_date():
    """Row 285: the hour stays out, the moment does not."""
    moment = datetime(2026, 5, 1, 8, 30, tzinfo=UTC)
    unknown = replace(meal(60, moment), hour_is_known=False)
    told = PREDICTOR.predict(someone(), unknown)
    assert told.glucose_mg_dl == PREDICTOR.predict(someone(), meal(60, moment.date())).glucose_mg_dl
    assert HOUR_UNKNOWN in told.notes
    assert "hour" not in [item.name for item in told.inputs_used]
    before, after = moment.timestamp() - 60, moment.timestamp() + 60
    trace = CgmTrace.of([before, after], 0, [104, 190])
    assert PREDICTOR.predict(someone(), unknown, trace=trace).glucose_mg_dl[0] == 104
    assert (
        PREDICTOR.predict(someone(), meal(60, moment.date()), trace=trace).glucose_mg_dl[0] != 104
    )


def test_the_offset_of_a_meal_without_a_local_hour_is_unknown():
    moment = datetime(2026, 5, 1, 8, 30, tzinfo=UTC)
    meals = MealHistory.from_meals([replace(meal(60, moment), hour_is_known=False)])
    assert meals.utc_s == [moment.timestamp()]
    assert np.isnan(meals.utc_offset_s).all()
