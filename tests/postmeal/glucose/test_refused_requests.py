"""Arguments of a prediction that are refused: the whole message, by field and row."""

import math
from dataclasses import replace
from datetime import datetime

import pytest
from personal_models import MODELS

from postmeal import InputError, Meal, ModelError, Predictor, Profile

PREDICTOR = Predictor.load()
PERSON = Profile(age=45, sex="male", height_cm=170, weight_kg=70)
MEAL = Meal.of_macros(carbs_g=60, time=datetime(2026, 5, 1, 8))
ASCENDING = "minutes must be a list of numbers from 0 to 240 in ascending order, got"


def refusal(**options: object) -> str:
    with pytest.raises(InputError) as raised:
        PREDICTOR.predict(PERSON, MEAL, **options)
    return str(raised.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"start_mg_dl": 19.5},
            "start_mg_dl must be 20 to 600 mg/dL; the value seems to be in mmol/L, got 19.5",
        ),
        ({"start_mg_dl": 600.5}, "start_mg_dl must be 20 to 600 mg/dL, got 600.5"),
        ({"start_mg_dl": math.nan}, "start_mg_dl must be 20 to 600 mg/dL, got nan"),
        ({"since_meal_h": -0.5}, "since_meal_h must be 0 or more, got -0.5"),
        ({"since_meal_h": math.nan}, "since_meal_h must be 0 or more, got nan"),
        ({"minutes": []}, f"{ASCENDING} []"),
        ({"minutes": [30, 30]}, f"{ASCENDING} [30, 30]"),
        ({"minutes": [[0, 1]]}, f"{ASCENDING} [[0, 1]]"),
        ({"minutes": [-0.5]}, f"{ASCENDING} -0.5"),
        ({"minutes": [0, 240.5]}, f"{ASCENDING} 240.5"),
        ({"minutes": [math.nan]}, f"{ASCENDING} nan"),
    ],
)
def test_a_value_is_refused_with_its_limits(options, said):
    assert refusal(**options) == said


def test_the_limits_themselves_are_accepted():
    for start_mg_dl in (20, 600):
        found = PREDICTOR.predict(PERSON, MEAL, start_mg_dl=start_mg_dl, since_meal_h=0)
        assert found.glucose_mg_dl[0] == min(max(start_mg_dl, 40), 400)
    assert PREDICTOR.predict(PERSON, MEAL, minutes=[0, 240]).minutes == (0, 240)
    assert PREDICTOR.predict(PERSON, MEAL, since_meal_h=math.inf).minutes[0] == 0


def test_a_row_of_many_is_refused_by_its_number():
    with pytest.raises(InputError) as raised:
        PREDICTOR.predict_many(PERSON, [MEAL, MEAL], start_mg_dl=[90, 700])
    assert str(raised.value) == "row 1: start_mg_dl must be 20 to 600 mg/dL, got 700"
    with pytest.raises(InputError) as raised:
        PREDICTOR.predict_many(PERSON, [MEAL, MEAL], start_mg_dl=[90])
    problem = "must be one value or one value for each of the 2 meals, got 1"
    assert str(raised.value) == f"start_mg_dl {problem}"


def test_a_model_of_another_population_is_refused_by_both_names():
    other = replace(MODELS[0], base="population-1")
    said = "the personal model was trained on population-1, not on population-3; retrain it"
    with pytest.raises(ModelError, match=f"^{said}$"):
        PREDICTOR.predict(PERSON, MEAL, personal=other)
    with pytest.raises(ModelError, match=f"^row 1 cannot be predicted: {said}$"):
        PREDICTOR.predict_many(PERSON, [MEAL, MEAL], personal=[None, other])


def test_swapped_arguments_are_refused():
    with pytest.raises(InputError, match=r"^profile must be a Profile, got Meal"):
        PREDICTOR.predict(MEAL, PERSON)
    with pytest.raises(InputError, match=r"^meal must be a Meal, got Profile"):
        PREDICTOR.predict(PERSON, PERSON)
    with pytest.raises(InputError, match=r"^profile must be a Profile, got None"):
        PREDICTOR.predict(None, MEAL)
    with pytest.raises(InputError, match=r"^profile must be a Profile, got Meal"):
        PREDICTOR.contributions(MEAL, PERSON)


def test_a_meal_of_names_is_refused():
    with pytest.raises(InputError, match=r"^foods\[0\] must be a Selection; create one with"):
        Meal(("banana",), datetime(2026, 5, 1, 8))
