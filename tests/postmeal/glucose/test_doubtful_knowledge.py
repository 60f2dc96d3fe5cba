"""What is wrong about a person is refused or told, and never changes the curve in silence."""

import math
from dataclasses import replace
from datetime import UTC, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from personal_models import MODELS
from recorded_days import NOON, ending, recorded

from postmeal import CgmTrace, InputError, InputUsed, Meal, MealHistory, Predictor, Profile
from postmeal.assets import asset
from postmeal.glucose.person.inputs import WARNINGS

KNOWING = Predictor.load(asset("models/population-4"))
MEAL = Meal.of_macros(carbs_g=60, fiber_g=5, protein_g=15, fat_g=10, time=NOON)
SOMEONE = Profile(health_conditions=("prediabetes",))
DAYS = recorded(5, 3, level_mg_dl=118)
NOON_S = NOON.replace(tzinfo=UTC).timestamp()


def predict(**known):
    return KNOWING.predict(SOMEONE, MEAL, **{"sensor": "Libre", **known})


def codes(prediction):
    return [item.code for item in prediction.warnings]


def refusal(**known):
    with pytest.raises(InputError) as raised:
        predict(**known)
    return str(raised.value)


def used(prediction, name):
    """Return whether an input was used, None if it was not given."""
    return {item.name: item.used for item in prediction.inputs_used}.get(name)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (
            {"start_mg_dl": 6.1},
            "start_mg_dl must be 20 to 600 mg/dL; the value seems to be in mmol",
        ),
        ({"start_mg_dl": 700}, "start_mg_dl must be 20 to 600 mg/dL, got 700"),
        (
            {"fasting_glucose_mg_dl": 5.4},
            "fasting_glucose_mg_dl must be 40 to 500 mg/dL; the value seems to be in mmol/L, got",
        ),
        ({"fasting_glucose_mg_dl": math.nan}, "fasting_glucose_mg_dl must be 40 to 500 mg/dL, got"),
        (
            {"hba1c_percent": 55},
            "hba1c_percent must be 3 to 20 %; the value seems to be in mmol/mol, got 55",
        ),
        ({"hba1c_percent": 2.9}, "hba1c_percent must be 3 to 20 %, got 2.9"),
        ({"hba1c_percent": "5.6"}, "hba1c_percent must be a number"),
        ({"start_mg_dl": 99, "start_age_min": math.nan}, "start_age_min must be a finite number"),
        ({"trace": [99.0]}, "trace must be a CgmTrace"),
        ({"trace": DAYS.trace, "meals": [MEAL]}, "meals must be a MealHistory"),
        (
            {"trace": replace(DAYS.trace, device="Dexcom G6")},
            "sensor must be Dexcom, the sensor family of the readings (Dexcom G6), got 'Libre'",
        ),
        (
            {"meals": DAYS.meals, "personal": replace(MODELS[0], base=KNOWING.version)},
            "meals must not be combined with a personal model, which contains them",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_is_accepted(known, said):
    assert refusal(**known).startswith(said)


def test_readings_in_another_unit_are_refused_by_name():
    with pytest.raises(InputError, match=r"must be 20 to 600 mg/dL; the value seems to be in mmol"):
        CgmTrace.of([0, 300], 0, [5.6, 6.0])
    with pytest.raises(InputError, match=r"\(20 to 600 mg/dL\); the value seems to be in mg/dL"):
        CgmTrace.of([0, 300], 0, [101, 108], unit="mmol/L")


@pytest.mark.parametrize(
    ("glucose", "code"),
    [
        (np.full(300, 104.0), "trace_flat"),
        (104 + np.tile([0.0, 1.5], 150), "trace_flat"),
        (np.tile([88.0, 171.0], 150) + 10 * np.sin(np.arange(300) / 20), "trace_mixed"),
    ],
)
def test_readings_that_no_single_working_sensor_gives_are_not_used(glucose, code):
    trace = CgmTrace.of(NOON_S - 300 * np.arange(300, 0, -1), 0, glucose)
    found = predict(trace=trace, since_meal_h=4)
    assert codes(found) == [code]
    assert used(found, "trace") is False
    assert found.glucose_mg_dl == predict(since_meal_h=4).glucose_mg_dl


def test_a_stable_night_is_neither_flat_nor_mixed():
    glucose = 98 + np.random.default_rng(0).normal(0, 1.2, 60)
    trace = CgmTrace.of(NOON_S - 300 * np.arange(60, 0, -1), 0, glucose)
    assert codes(predict(trace=trace)) == ["trace_too_short"]


def test_readings_after_the_first_bite_change_nothing_and_are_told():
    before = DAYS.trace
    later_s = NOON_S + 300 * np.arange(1, 25)
    both = CgmTrace.of(
        np.append(before.utc_s, later_s), 0, np.append(before.glucose_mg_dl, np.full(24, 300.0))
    )
    meals = MealHistory.of(
        np.append(DAYS.meals.utc_s, NOON_S + 1800), 0, [*DAYS.meals.macronutrients, [90, 0, 0, 0]]
    )
    plain = predict(trace=before, meals=DAYS.meals)
    found = predict(trace=both, meals=meals)
    assert found.glucose_mg_dl == plain.glucose_mg_dl
    assert found.upper_mg_dl == plain.upper_mg_dl
    assert codes(found) == ["meals_after_meal", "trace_after_meal"]
    assert found.warnings[0].message.endswith("ignored: 1.")
    assert "24" in found.warnings[1].message


def test_the_reading_at_the_first_bite_counts_and_the_next_does_not():
    times = NOON_S + np.array([-600, -300, 0.0, 300])
    trace = CgmTrace.of(times, 0, [110.0, 112.0, 114.0, 190.0])
    found = predict(trace=trace)
    assert found.glucose_mg_dl[0] == 114
    assert codes(found) == ["trace_after_meal", "trace_too_short"]


def test_a_meal_with_a_time_zone_is_compared_with_readings_in_utc():
    local = replace(MEAL, time=NOON.replace(tzinfo=timezone(timedelta(hours=2))))
    shifted = CgmTrace.of(DAYS.trace.utc_s - 7200, 7200, DAYS.trace.glucose_mg_dl)
    meals = MealHistory.of(DAYS.meals.utc_s - 7200, 7200, DAYS.meals.macronutrients)
    expected = predict(trace=DAYS.trace, meals=DAYS.meals)
    for meal in (local, MEAL):  # without a zone, the time is the wearer's
        found = KNOWING.predict(SOMEONE, meal, sensor="Libre", trace=shifted, meals=meals)
        assert found.glucose_mg_dl == pytest.approx(expected.glucose_mg_dl)
        assert found.warnings == ()
        alone = KNOWING.predict(SOMEONE, meal, sensor="Libre", meals=meals)
        assert alone.glucose_mg_dl == predict(meals=DAYS.meals).glucose_mg_dl


def test_a_trace_that_ends_hours_before_tells_the_level_but_not_the_start():
    found = predict(trace=ending(DAYS.trace, 200))
    assert codes(found) == ["trace_ended_early"]
    assert "200 min before the meal" in found.warnings[0].message
    (trace,) = (item for item in found.inputs_used if item.name == "trace")
    assert trace.used
    assert trace.hours == pytest.approx(72, abs=0.2)
    assert 0.8 < trace.weight < 0.9
    assert found.glucose_mg_dl[0] not in (DAYS.trace.glucose_mg_dl[-1], predict().glucose_mg_dl[0])


@pytest.mark.parametrize(
    ("age_min", "code"),
    [(60, "reading_too_old"), (300, "reading_too_old"), (-5, "reading_after_meal")],
)
def test_a_reading_of_an_hour_ago_or_from_after_the_meal_is_not_used(age_min, code):
    found = predict(start_mg_dl=190, start_age_min=age_min)
    assert found.glucose_mg_dl == predict().glucose_mg_dl
    assert codes(found) == [code]
    assert used(found, "start_mg_dl") is False


def test_a_reading_of_half_an_hour_ago_counts_in_part_and_is_told():
    found = predict(start_mg_dl=190, start_age_min=30)
    assert predict().glucose_mg_dl[0] < found.glucose_mg_dl[0] < 190
    assert codes(found) == ["reading_too_old"]
    assert used(found, "start_mg_dl") is True
    widths = [
        one.upper_mg_dl[0] - one.lower_mg_dl[0]
        for one in (predict(start_mg_dl=190), found, predict())
    ]
    assert widths == sorted(widths)


def test_the_newer_of_two_readings_counts():
    fresh = DAYS.trace.glucose_mg_dl[-1]
    both = predict(start_mg_dl=190, start_age_min=40, trace=DAYS.trace)
    assert both.glucose_mg_dl[0] == fresh
    assert predict(start_mg_dl=190, trace=DAYS.trace).glucose_mg_dl[0] == 190


def test_meals_without_readings_after_them_only_tell_when_the_last_one_was():
    found = predict(meals=DAYS.meals)
    assert codes(found) == ["meals_not_usable"]
    assert used(found, "since_meal_h") is True
    since_meal_h = (NOON_S - DAYS.meals.utc_s[-1]) / 3600
    assert found.glucose_mg_dl == predict(since_meal_h=since_meal_h).glucose_mg_dl


def test_readings_without_a_sensor_are_taken_as_blood_glucose_and_told():
    assert codes(predict(sensor=None, trace=DAYS.trace)) == ["sensor_missing"]
    assert codes(predict(sensor=None, start_mg_dl=120)) == ["sensor_missing"]
    assert codes(predict(sensor=None, hba1c_percent=5.9)) == []


def test_readings_of_another_month_are_not_used():
    found = predict(trace=ending(DAYS.trace, 60 * 24 * 20))
    assert codes(found) == ["trace_too_old"]
    assert found.glucose_mg_dl == predict().glucose_mg_dl


def test_a_model_without_the_coefficients_accepts_and_tells():
    earlier = Predictor.load()
    plain = earlier.predict(SOMEONE, MEAL, sensor="Libre")
    found = earlier.predict(
        SOMEONE,
        MEAL,
        sensor="Libre",
        hba1c_percent=6.2,
        fasting_glucose_mg_dl=118,
        trace=ending(DAYS.trace, 240),
    )
    assert found.glucose_mg_dl == plain.glucose_mg_dl
    ignored = [item.field for item in found.warnings if item.code == "model_ignores_input"]
    assert ignored == ["trace", "hba1c_percent", "fasting_glucose_mg_dl"]
    assert "population-3 does not use HbA1c" in found.warnings[-2].message
    assert [used(found, name) for name in ignored] == [False, False, False]


def test_age_sex_and_body_are_named_as_not_used():
    person = Profile(age=50, sex="F", height_cm=165, weight_kg=70, activity_level="sedentary")
    found = KNOWING.predict(person, MEAL)
    assert found.inputs_used == (
        InputUsed("hour", used=True),
        *(
            InputUsed(name, used=False)
            for name in ("age", "sex", "height_cm", "weight_kg", "activity_level")
        ),
    )
    assert found.warnings == ()


def test_each_code_of_a_warning_is_met_in_a_test_above():
    text = Path(__file__).read_text(encoding="utf-8")
    assert [code for code in WARNINGS if f'"{code}"' not in text] == []


def test_what_was_used_is_part_of_a_stored_prediction():
    found = predict(trace=DAYS.trace).to_dict()
    assert found["inputs_used"][-1]["name"] == "trace"
    assert found["inputs_used"][-1]["used"] is True
    assert found["warnings"] == []


def test_a_meal_of_an_unknown_hour_uses_the_readings_of_the_days_before_for_the_level_only():
    of_date = replace(MEAL, time=NOON.date())
    found = KNOWING.predict(SOMEONE, of_date, sensor="Libre", trace=DAYS.trace)
    assert codes(found) == ["trace_after_meal"]
    assert used(found, "trace") is True
    before = DAYS.trace.until(NOON_S - 12 * 3600)
    without = KNOWING.predict(SOMEONE, of_date, sensor="Libre", trace=before)
    assert found.glucose_mg_dl == without.glucose_mg_dl
    assert found.glucose_mg_dl[0] != DAYS.trace.glucose_mg_dl[-1]


def test_laboratory_values_leave_less_weight_to_a_trace_and_tell_nothing_in_type_1_diabetes():
    alone, both = predict(trace=DAYS.trace), predict(trace=DAYS.trace, hba1c_percent=6.0)
    weights = [one.inputs_used[-1].weight for one in (alone, both)]
    assert weights[0] > weights[1] > 0.7
    person = Profile(health_conditions=("type_1_diabetes",))
    plain = KNOWING.predict(person, MEAL)
    found = KNOWING.predict(person, MEAL, hba1c_percent=9.5)
    assert found.glucose_mg_dl == plain.glucose_mg_dl
    assert used(found, "hba1c_percent") is False


def test_meals_are_named_as_used_only_if_they_told_something():
    hours_known = predict(meals=DAYS.meals, since_meal_h=3)
    assert used(hours_known, "meals") is False
    assert used(predict(meals=DAYS.meals), "meals") is True
