"""Many predictions in one call, with the numbers, notes and messages of single ones."""

from dataclasses import astuple, replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from personal_models import MODELS

from postmeal import InputError, Meal, ModelError, Predictor, Profile
from postmeal.glucose.tidy import TIDY_COLUMNS

PREDICTOR = Predictor.load()
MORNING = datetime(2026, 5, 1, 8, 0)
FIELDS = ("glucose_mg_dl", "lower_mg_dl", "upper_mg_dl")


def person(*conditions):
    return Profile(age=45, sex="male", height_cm=170, weight_kg=70, health_conditions=conditions)


def meal(carbs_g=40.0, hours=0, **others):
    return Meal.of_macros(carbs_g=carbs_g, time=MORNING + timedelta(hours=hours), **others)


PEOPLE = [person(), person("lada"), person("type_1_diabetes"), person("type_2_diabetes"), person()]
MEALS = [
    meal(fiber_g=3, protein_g=9, fat_g=4),
    meal(0.0, 3),
    meal(90.0, 5, fiber_g=80.0),
    meal(55.0, 12, fiber_g=1, protein_g=40, fat_g=40),
    meal(20.0, 14, fiber_g=1, protein_g=0, fat_g=0),
]
NOT_BETTER = replace(MODELS[0], personal_rmse_mg_dl=MODELS[0].population_rmse_mg_dl)
KNOWN = {
    "sensor": [None, "Libre", "Dexcom G6", None, None],
    "personal": [MODELS[0], None, None, MODELS[1], NOT_BETTER],
    "start_mg_dl": [None, 120, None, 180.5, np.float32(95)],
    "since_meal_h": [2.0, None, None, float("inf"), 0],
}


@pytest.mark.parametrize("minutes", [None, [10, 60, 150]])
def test_many_predictions_are_those_that_single_calls_give(minutes):
    found = PREDICTOR.predict_many(PEOPLE, MEALS, minutes=minutes, **KNOWN)
    assert len(found) == len(list(found)) == 5
    for row, many in enumerate(found):
        known = {name: values[row] for name, values in KNOWN.items()}
        one = PREDICTOR.predict(PEOPLE[row], MEALS[row], minutes=minutes, **known)
        for field in FIELDS:
            assert getattr(many, field) == pytest.approx(getattr(one, field), rel=1e-12)
        probabilities = one.impact_probabilities
        assert many.impact_probabilities == pytest.approx(probabilities, rel=1e-12, abs=1e-12)
        chances = astuple(one.chances)
        assert astuple(many.chances) == pytest.approx(chances, rel=1e-12, abs=1e-12)
        others = dict.fromkeys(FIELDS, ()) | {"impact_probabilities": {}, "chances": None}
        assert replace(many, **others) == replace(one, **others)


def test_one_person_and_one_reading_may_stand_for_all_meals():
    found = PREDICTOR.predict_many(person(), MEALS, start_mg_dl=101.5, sensor="Libre")
    assert set(found.table.glucose_mg_dl[:, 0]) == {101.5}
    assert found[-1].meal is MEALS[-1]
    assert found[-1].is_personal is False


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"start_mg_dl": [None, 700.0, 3]}, r"^row 1: start_mg_dl must be 20 to 600 mg/dL, got 7"),
        ({"since_meal_h": [0, 1, -1]}, r"^row 2: since_meal_h must be 0 or more, got -1$"),
        ({"sensor": "crystal ball"}, r"^row 0: sensor must belong to .*Dexcom.*Libre"),
        (
            {"meals": [MEALS[0], MEALS[1], meal(1001.0)]},
            r"^row 2: foods must contain at most 1000 g",
        ),
        (
            {"people": [person()] * 4},
            r"^people must be one value or one value for each of the 3 meals",
        ),
        (
            {"minutes": [30, 15]},
            r"^minutes must be a list of numbers from 0 to 240 in ascending order",
        ),
    ],
)
def test_what_a_single_prediction_refuses_is_refused_with_its_row(changed, message):
    given = {"people": person(), "meals": MEALS[:3]} | changed
    with pytest.raises(InputError, match=message):
        PREDICTOR.predict_many(**given)


def test_a_model_of_another_population_is_refused_with_its_row():
    other = replace(MODELS[0], base="population-0")
    with pytest.raises(
        ModelError,
        match=r"^row 1 cannot be predicted: the personal model was trained on population-0",
    ):
        PREDICTOR.predict_many(person(), MEALS[:2], personal=[None, other])


def test_many_predictions_become_a_tidy_table():
    found = PREDICTOR.predict_many(PEOPLE, MEALS, **KNOWN)
    frame = found.to_frame()
    assert tuple(frame.columns) == TIDY_COLUMNS
    assert len(frame) == 5 * 9
    last = frame[frame["row"] == 4]
    assert last["glucose_mg_dl"].tolist() == list(found[4].glucose_mg_dl)
    assert last["minute"].tolist() == list(found[4].minutes)
    assert set(last["impact"]) == {found[4].impact}
    assert set(last["notes"]) == {" ".join(found[4].notes)}
    assert set(last["high_probability"]) == {found[4].impact_probabilities["high"]}
    assert set(last["peak_140_probability"]) == {found[4].chances.peak_140}
    assert frame[frame["row"] == 2]["impact_is_informative"].tolist() == [False] * 9
    assert frame.groupby("row")["model_version"].first().tolist() == [
        each.model_version for each in found
    ]


def test_no_meals_give_no_predictions():
    found = PREDICTOR.predict_many([], [])
    assert list(found) == []
    assert tuple(found.to_frame().columns) == TIDY_COLUMNS


def test_a_position_that_is_not_there_is_an_index_error():
    found = PREDICTOR.predict_many(PEOPLE, MEALS)
    assert found[-5].meal is MEALS[0]
    with pytest.raises(IndexError):
        found[5]


def test_a_meal_of_bare_macronutrients_says_what_is_assumed():
    bare, whole = (
        PREDICTOR.predict(person(), each)
        for each in (meal(), meal(fiber_g=0.09 * 40, protein_g=0, fat_g=0))
    )
    assert bare.glucose_mg_dl == pytest.approx(whole.glucose_mg_dl)
    assert bare.notes == (
        "fiber_g is unknown for at least one food; a typical amount is assumed.",
        "protein_g is unknown for at least one food; zero is assumed.",
        "fat_g is unknown for at least one food; zero is assumed.",
    )
    assert whole.notes == ()


@pytest.mark.parametrize("wrong", [-1, None, float("nan"), "30", True])
def test_carbohydrate_that_is_not_an_amount_is_refused(wrong):
    with pytest.raises(InputError, match="carbs_g must be"):
        meal(wrong)
