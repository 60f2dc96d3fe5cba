"""Predictions as a table: labels of the rows, and columns that can be compared."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from personal_models import MODELS

from postmeal import Meal, Predictor, Profile
from postmeal.glucose.batch import Predictions
from postmeal.glucose.population.impact import IMPACTS
from postmeal.glucose.tidy import tidy_frame

PERSON = Profile(age=45, sex="male", height_cm=170, weight_kg=70)
MEALS = [
    Meal.of_macros(
        carbs_g=carbs_g,
        fiber_g=1,
        protein_g=1,
        fat_g=1,
        time=datetime(2026, 5, 1) + timedelta(hours=n),
    )
    for n, carbs_g in enumerate((0, 25, 90))
]


@pytest.fixture
def found() -> Predictions:
    """Predictions of three meals, the first of them by a personal model."""
    personal = [MODELS[0], None, None]
    return Predictor.load().predict_many(PERSON, MEALS, minutes=[0, 45], personal=personal)


def test_rows_are_labeled_as_asked_for_or_counted(found):
    assert tidy_frame(found.table)["row"].tolist() == [0, 0, 1, 1, 2, 2]
    labeled = tidy_frame(found.table, ["a", "b", "c"])
    assert labeled["row"].tolist() == ["a", "a", "b", "b", "c", "c"]
    assert labeled["minute"].tolist() == [0, 45] * 3


def test_impacts_can_be_compared(found):
    impact = tidy_frame(found.table)["impact"]
    assert impact.cat.categories.tolist() == list(IMPACTS)
    expected = [IMPACTS.index(each.impact) >= 1 for each in found for _ in range(2)]
    assert (impact >= "medium").tolist() == expected
    assert len({*expected}) == 2


def test_names_that_repeat_are_categories(found):
    frame = tidy_frame(found.table)
    assert frame["model_version"].cat.categories.tolist() == [
        "population-3",
        "population-3 personal",
    ]
    assert not frame["model_version"].cat.ordered
    assert frame["model_version"].tolist()[1:3] == ["population-3 personal", "population-3"]
    assert frame["notes"].cat.categories.tolist() == [""]
    assert frame["inputs_used"].cat.categories.tolist() == [
        "hour,sensor,personal",
        "hour",
    ]


def test_each_minute_repeats_what_belongs_to_the_meal(found):
    frame = tidy_frame(found.table)
    for row, prediction in enumerate(found):
        own = frame[frame["row"] == row]
        assert np.unique(own["cgp_min"]).tolist() == [prediction.cgp_min]
        assert np.unique(own["cgp_max"]).tolist() == [prediction.cgp_max]
        assert np.unique(own["is_personal"]).tolist() == [prediction.is_personal]
        for label, probability in prediction.impact_probabilities.items():
            assert np.unique(own[f"{label}_probability"]).tolist() == [probability]
        assert own["lower_mg_dl"].tolist() == list(prediction.lower_mg_dl)
        assert own["upper_mg_dl"].tolist() == list(prediction.upper_mg_dl)


def test_the_representation_counts_the_predictions(found):
    assert repr(found) == "<3 predictions by population-3>"
