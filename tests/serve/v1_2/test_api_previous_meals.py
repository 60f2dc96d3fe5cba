"""POST /v1.2/glucose/predictions with `previous_meals`."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from api_client import OLD_PREDICT, PREDICT, SHOWN, ZONE, Api, assert_refused, changed, without
from cgm_requests import wearer_of
from synthetic_wearer import EVERYDAY, Wearer

from postmeal import Meal, Selection

START = datetime.fromisoformat("2026-01-05T08:00:00-05:00")


@pytest.fixture(scope="module")
def strong(api) -> Wearer:
    return wearer_of(api, rise=2.0)


def eaten(api: Api, at: datetime | str, words: str = "banana", quantity: float = 1) -> Any:
    food = api.food(words)
    serving = {"id": str(food.default_serving.id)}
    text = at if isinstance(at, str) else at.isoformat()
    return {"timestamp": text, "id": str(food.id), "serving": serving, "quantity": quantity}


def before(api: Api, hours: float, **other: Any) -> Any:
    return eaten(api, START - timedelta(hours=hours), **other)


def curve(answer: Any) -> list[float]:
    assert answer.status_code == 200, answer.text
    return [point["value"] for point in answer.json()["points"]]


@pytest.mark.parametrize("hours", [1 / 60, 0.5, 3, 11.99, 12])
def test_a_meal_within_the_twelve_hours_before_is_accepted(api, hours):
    curve(api.predict(api.body() | {"previous_meals": [before(api, hours)]}))


@pytest.mark.parametrize("hours", [-100, -2, -1 / 60, 0, 12.01, 300])
def test_a_meal_outside_the_twelve_hours_before_is_refused_by_name(api, hours):
    meals = [before(api, 3), before(api, hours)]
    answer = api.predict(api.body() | {"previous_meals": meals})
    assert_refused(
        answer, 400, "previous_meals[1].timestamp must be within the 12 hours before start_time"
    )


def test_the_twelve_hours_are_before_now_without_a_start_time(api):
    now = datetime.now().astimezone()
    body = without(api.body(), "start_time")
    for hours, status in ((1, 200), (11.9, 200), (12.1, 400), (-0.1, 400)):
        at = now - timedelta(hours=hours)
        answer = api.predict(body | {"previous_meals": [eaten(api, at)]})
        assert answer.status_code == status, answer.text


@pytest.mark.parametrize(
    ("field", "value", "accepted"),
    [
        ("", "banana", "must be an array of at most 100 objects"),
        ("", {}, "must be an array of at most 100 objects"),
        ("[0]", 5, ""),
        ("[0].timestamp", "yesterday", "ISO 8601"),
        ("[0].timestamp", "2026-01-05T07:00:00", "if no time zone is given"),
        ("[0].timestamp", 1767600000, "ISO 8601"),
        ("[0].id", "x", "1 to 10 digits"),
        ("[0].serving.id", "99999", ""),
        ("[0].quantity", 0, "greater than 0"),
    ],
)
def test_a_bad_value_is_named_with_what_is_accepted(api, field, value, accepted):
    body = api.body() | {"previous_meals": [before(api, 2)]}
    path = f"previous_meals{field}".replace("[0]", ".0")
    answer = api.predict(changed(body, path, value))
    assert_refused(answer, 400, f"previous_meals{field}", accepted)


@pytest.mark.parametrize("missing", ["timestamp", "id", "serving", "quantity"])
def test_a_missing_field_is_named(api, missing):
    body = without(api.body() | {"previous_meals": [before(api, 2)]}, f"previous_meals.0.{missing}")
    assert_refused(api.predict(body), 400, f"previous_meals[0].{missing}", "is required")


def test_an_unknown_food_is_404(api):
    body = api.body() | {"previous_meals": [before(api, 2) | {"id": "9999999999"}]}
    assert_refused(api.predict(body), 404, "9999999999")


def test_at_most_a_hundred_foods_are_accepted(api):
    meals = [before(api, 2)] * 101
    curve(api.predict(api.body() | {"previous_meals": meals[:100]}))
    assert_refused(api.predict(api.body() | {"previous_meals": meals}), 400, "previous_meals")


@pytest.mark.parametrize("none", [None, []])
def test_no_previous_meals_are_unknown_previous_meals(api, none):
    assert curve(api.predict(api.body() | {"previous_meals": none})) == curve(
        api.predict(api.body())
    )


def test_a_misspelled_name_is_refused(api):
    """D63."""
    for name in ("previousMeals", "previous_meal", "previousmeals", "previus_meals"):
        answer = api.predict(api.body() | {name: [before(api, 2)]})
        assert_refused(answer, 400, name, "did you mean 'previous_meals'?")
    meal = before(api, 2)
    meal["Timestamp"] = meal.pop("timestamp")
    answer = api.predict(api.body() | {"previous_meals": [meal]})
    assert_refused(answer, 400, "did you mean 'timestamp'?")


def test_the_zone_of_the_request_applies_to_previous_meals(api):
    body = api.body() | {"timezone": "America/New_York", "start_time": "2026-01-05T08:00:00"}
    curve(api.predict(body | {"previous_meals": [eaten(api, "2026-01-05T06:00:00")]}))
    refused = api.predict(body | {"previous_meals": [eaten(api, "2026-01-05T09:00:00")]})
    assert_refused(refused, 400, "previous_meals[0].timestamp")


def expected(api: Api, hours: float | None) -> list[float]:
    """The library's curve for the client's body."""
    foods = tuple(Selection.of(api.food(words)) for words in ("oatmeal", "banana"))
    prediction = api.service.predictor.predict(EVERYDAY, Meal(foods, START), since_meal_h=hours)
    return [round(value, 1) for value in prediction.glucose_mg_dl]


@pytest.mark.parametrize(
    ("hours", "last"), [([2.5], 2.5), ([9, 1, 4], 1.0), ([3, 3.1], 3.1), ([0.1], None)]
)
def test_the_hours_since_the_last_of_them_go_to_the_library(api, hours, last):
    """D69: foods within 15 minutes are one meal, and the meal itself is no previous meal."""
    meals = [before(api, each) for each in hours]
    assert curve(api.predict(api.body() | {"previous_meals": meals})) == expected(api, last)


def test_a_drink_without_energy_is_not_a_meal(api):
    meals = [before(api, 5), before(api, 1, words="water tap")]
    assert curve(api.predict(api.body() | {"previous_meals": meals})) == expected(api, 5)


def personal(api: Api, wearer: Wearer, start: datetime, hours: float) -> list[float]:
    """The library's personal curve, with hours since the previous meal."""
    foods = tuple(Selection.of(api.food(words)) for words in ("oatmeal", "banana"))
    prediction = api.service.predictor.predict(
        EVERYDAY,
        Meal(foods, start),
        trace=wearer.trace,
        meals=wearer.meal_history,
        since_meal_h=hours,
    )
    assert prediction.is_personal
    return [round(value, 1) for value in prediction.glucose_mg_dl]


def test_with_a_history_the_last_meal_of_both_counts(api, strong):
    """Row 286 stays: the history has its own last meal, which a later one replaces."""
    start = strong.next_morning
    body = api.body() | strong.new | {"start_time": start.isoformat()}
    own = strong.meal_history.hours_since_meal(start.timestamp())
    assert own == 13
    assert curve(api.predict(body)) == personal(api, strong, start, 13)
    snack = [eaten(api, start - timedelta(hours=1.5))]
    later = curve(api.predict(body | {"previous_meals": snack}))
    assert later == personal(api, strong, start, 1.5) != curve(api.predict(body))
    evening = start - timedelta(hours=12)
    of_both = curve(api.predict(body | {"previous_meals": [eaten(api, evening)]}))
    assert of_both == personal(api, strong, start, 12)


@pytest.mark.parametrize("name", ["cgm_data", "consumed_foods"])
def test_half_of_a_history_is_refused_with_previous_meals_too(api, strong, name):
    """Row 286."""
    body = without(api.body() | strong.new, name) | {"previous_meals": [before(api, 2)]}
    assert_refused(api.predict(body), 400, name)


def test_version_1_1_ignores_previous_meals_and_lone_consumed_foods(api):
    """Row 430, D63."""
    plain = api.predict_old(api.old_body())
    meals = [before(api, 2)]
    for field in ("previousMeals", "previous_meals", "consumedFoods"):
        foods = [{**each, "id": int(each["id"]), "serving": {"id": int(each["serving"]["id"]),
                  "quantity": 1}} for each in meals]  # fmt: skip
        answer = api.post(OLD_PREDICT, json=api.old_body() | {field: foods}, headers=ZONE)
        assert answer.content == plain.content


def test_nothing_but_the_curve_comes_of_them(api):
    body = api.body() | {"previous_meals": [before(api, 2)]}
    answer = api.post(PREDICT, json=body)
    assert set(answer.json()) == set(SHOWN)
