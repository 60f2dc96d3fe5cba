"""Meals that nobody eats are refused by the predictions of both versions, and kept in diaries."""

import re

from api_client import Api, assert_refused
from cgm_requests import both, wearer_of

FOOD = "must be at most 5000 g of one food, got"
CARBS = "must contain at most 1000 g of carbohydrate in total, got"


def with_quantity(body: dict, place: int, quantity: float) -> dict:
    """Set the quantity of the food at a place, in either version's layout; return the body."""
    food = body["foods"][place]
    owner = food if "quantity" in food else food["serving"]
    owner["quantity"] = quantity
    return body


@both
def test_ten_thousand_servings_are_refused_with_food_amount_and_limit(api: Api, way):
    body = way.plain(way.of(api, wearer_of(api, days=1)))
    message = assert_refused(way.ask(api, with_quantity(body, 1, 10_000)), 400, "foods[1]", FOOD)
    assert re.search(r"got \d{6,} g of Banana", message)


def test_a_user_with_a_model_is_refused_too(api: Api):
    user = api.register()
    wearer = wearer_of(api)
    assert api.train(user, wearer.training).status_code == 200
    body = {"foods": with_quantity(api.old_body(), 0, 9000)["foods"]}
    assert_refused(api.predict_user(user, body), 400, "foods[0]", FOOD)
    assert_refused(api.predict_user(user, {"nutrients": {"carbohydrate": 1500}}), 400, CARBS)
    assert api.predict_user(user, {"nutrients": {"carbohydrate": 900}}).status_code == 200


@both
def test_an_impossible_meal_of_a_history_does_not_count_and_the_reason_says_so(api: Api, way):
    """Rows 287, 431: the day lacks a meal without it."""
    body = way.of(api, wearer_of(api, days=5))
    day = [n for n, row in enumerate(body[way.eaten]) if "2026-01-06T" in row["timestamp"]]
    for place in day[1:]:
        with_quantity({"foods": body[way.eaten]}, place, 10_000)
    message = assert_refused(way.ask(api, body), 400, way.cgm, "got 4", "2026-01-06")
    assert "implausibly large meal" in message
