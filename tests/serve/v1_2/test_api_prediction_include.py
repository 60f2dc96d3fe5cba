"""POST /v1.2/glucose/predictions with `include`."""

from dataclasses import asdict
from datetime import datetime
from itertools import combinations
from math import fsum
from typing import Any

import pytest
from api_client import OLD_PREDICT, PREDICT, SHOWN, ZONE, Api, assert_refused, changed

from postmeal import Meal, Prediction, Profile, Selection
from postmeal.glucose.population.contributions import Contributions
from postmeal.rounding import rounded
from postmeal_serve.v1_2.nutrients import nutrient_table
from postmeal_serve.v1_2.prediction_response import INCLUDED

PLAIN = set(SHOWN)
ADDED = {name: set() if name == "band" else {name} for name in INCLUDED}


def ask(api: Api, include: str, body: Any = None, **query: str) -> Any:
    asked = {"include": include, **query}
    return api.post(PREDICT, params=asked, json=body or api.body())


def found(api: Api, include: str, body: Any = None) -> dict[str, Any]:
    answer = ask(api, include, body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def of_the_library(api: Api) -> tuple[Prediction, Contributions]:
    """What the library predicts for the client's body."""
    someone = Profile.imperial(
        age=45, sex="female", height_in=66, weight_lb=150, health_conditions=["prediabetes"]
    )
    foods = (api.food("oatmeal"), api.food("banana"))
    meal = Meal(tuple(map(Selection.of, foods)), datetime(2026, 1, 5, 8))
    predictor = api.service.predictor
    return predictor.predict(someone, meal), predictor.contributions(someone, meal)


def test_without_include_the_response_has_the_keys_it_always_had(api):
    """Row 271, D79."""
    plain = api.predict(api.body()).json()
    assert set(plain) == PLAIN
    assert all(set(point) == {"minutes", "value"} for point in plain["points"])


@pytest.mark.parametrize("number", range(1, len(INCLUDED) + 1))
def test_each_name_adds_its_own_key_and_changes_nothing_else(api, number):
    plain = api.predict(api.body()).json()
    for names in combinations(INCLUDED, number):
        answer = found(api, ",".join(names))
        assert set(answer) == PLAIN.union(*(ADDED[name] for name in names))
        bounds = {"lower", "upper"} if "band" in names else set()
        for point, known in zip(answer["points"], plain["points"], strict=True):
            assert set(point) == {"minutes", "value"} | bounds
            assert point.items() >= known.items()
        for key in ("impact_score", "chart"):
            assert answer[key] == plain[key]


@pytest.mark.parametrize(
    "include",
    ["", "bands", "band,", ",band", "band,curve", "Band", "band, notes", "band;notes", "all"],
)
def test_an_unknown_name_is_refused_with_the_five_names(api, include):
    message = assert_refused(ask(api, include), 400, "include must be one or more of", *INCLUDED)
    assert message.count(",") >= len(INCLUDED) - 1


def test_include_is_sent_once_and_a_misspelled_parameter_is_refused(api):
    twice = api.post(f"{PREDICT}?include=band&include=notes", json=api.body())
    assert_refused(twice, 400, "include must be sent only once")
    misspelled = api.post(f"{PREDICT}?includes=band", json=api.body())
    assert_refused(misspelled, 400, "did you mean 'include'?")


def test_the_band_comes_by_either_parameter(api):
    by_name = api.post(f"{PREDICT}?band=true", json=api.body()).json()
    assert found(api, "band") == found(api, "band,band") == by_name
    assert ask(api, "band", band="false").json() == by_name
    prediction, _ = of_the_library(api)
    for side in ("lower", "upper"):
        expected = [rounded(value, "mg/dL") for value in getattr(prediction, f"{side}_mg_dl")]
        assert [point[side] for point in by_name["points"]] == expected


def test_the_nutrients_are_those_of_the_meal(api):
    prediction, _ = of_the_library(api)
    assert found(api, "nutrients")["nutrients"] == nutrient_table(prediction.nutrients)


def test_the_contributions_are_those_of_the_library_in_the_order_of_the_foods(api):
    prediction, expected = of_the_library(api)
    body = api.body()
    contributions = found(api, "contributions")["contributions"]
    assert [one["index"] for one in contributions] == [0, 1]
    assert [one["id"] for one in contributions] == [food["id"] for food in body["foods"]]
    names = [selection.food.name for selection in prediction.meal.selections]
    assert [one["name"] for one in contributions] == names
    peaks = [one["peak_mg_dl"] for one in contributions]
    assert peaks == [rounded(peak, "mg/dL") for peak in expected.foods_mg_dl]
    assert min(peaks) > 1
    swapped = changed(body, "foods", body["foods"][::-1])
    reordered = found(api, "contributions", swapped)["contributions"]
    assert [one["name"] for one in reordered] == names[::-1]


def test_a_meal_of_a_hundred_foods_has_a_hundred_contributions(api):
    foods = api.body(0.02)["foods"] * 50
    contributions = found(api, "contributions", changed(api.body(), "foods", foods))[
        "contributions"
    ]
    assert [one["index"] for one in contributions] == list(range(100))
    assert sum(one["peak_mg_dl"] for one in contributions) > 5


def test_the_chances_are_those_of_the_library(api):
    prediction, _ = of_the_library(api)
    chances = found(api, "chances")["chances"]
    assert chances == {"impact": prediction.impact_probabilities, **asdict(prediction.chances)}
    assert set(chances) == {"impact", "peak_140", "peak_180", "rise_30", "rise_50"}
    assert fsum(chances["impact"].values()) == pytest.approx(1)
    assert 0 < chances["peak_180"] < chances["peak_140"] < 1
    assert 0 < chances["rise_50"] < chances["rise_30"] < 1


def test_more_food_raises_every_chance(api):
    small, large = (found(api, "chances", api.body(quantity))["chances"] for quantity in (0.2, 3))
    for name in ("peak_140", "peak_180", "rise_30", "rise_50"):
        assert small[name] < large[name]


def test_the_notes_give_the_reason_why_the_label_is_not_informative(api):
    """Row 465: in type 1 diabetes, the label keeps its value."""
    prediction, _ = of_the_library(api)
    assert found(api, "notes")["notes"] == list(prediction.notes)
    assert not any("impact" in note for note in prediction.notes)
    body = changed(api.body(), "user_profile.health_conditions", ["type_1_diabetes"])
    answer = found(api, "notes", body)
    assert any("the impact score is not informative" in note for note in answer["notes"])
    assert answer["impact_score"] in ("low", "medium", "high")


def test_version_1_1_gains_no_field(api):
    """D70."""
    for path in (OLD_PREDICT, f"{OLD_PREDICT}?include=band,notes"):
        answer = api.post(path, json=api.old_body(), headers=ZONE)
        assert answer.status_code == 200, answer.text
        assert set(answer.json()) == {"cgp", "scoring", "cgp_min", "cgp_max"}
