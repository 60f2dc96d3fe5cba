"""Histories that are malformed, in both versions: refused by name and place."""

import pytest
from api_client import assert_refused
from cgm_requests import both, wearer_of
from synthetic_wearer import Wearer

from postmeal_serve.resources.cgm_history import MOST_CONSUMED_FOODS, MOST_READINGS


@pytest.fixture(scope="module")
def strong(api) -> Wearer:
    """Rises twice as much as the population says."""
    return wearer_of(api, rise=2.0)


@both
@pytest.mark.parametrize(
    ("row", "field", "accepted"),
    [
        ({"timestamp": "2026-01-05T08:00:00Z", "value": 19.9}, ".value", "20 to 600"),
        ({"timestamp": "2026-01-05T08:00:00Z", "value": 600.1}, ".value", "20 to 600"),
        ({"timestamp": "2026-01-05T08:00:00Z", "value": -1}, ".value", "20 to 600"),
        ({"timestamp": "2026-01-05T08:00:00Z", "value": "100"}, ".value", "20 to 600"),
        ({"timestamp": "2026-01-05T08:00:00Z", "value": True}, ".value", "20 to 600"),
        ({"timestamp": "2026-01-05T08:00:00Z", "value": None}, ".value", "20 to 600"),
        ({"timestamp": "2026-01-05T08:00:00Z", "value": 10**400}, ".value", "20 to 600"),
        ({"timestamp": "2026-01-05T08:00:00Z"}, ".value", "is required"),
        ({"value": 100}, ".timestamp", "is required"),
        ({"timestamp": 1767600000, "value": 100}, ".timestamp", "ISO 8601"),
        ({"timestamp": "2026-01-05", "value": 100}, ".timestamp", "ISO 8601"),
        ({"timestamp": "20260105T080000Z", "value": 100}, ".timestamp", "ISO 8601"),
        ({"timestamp": "2026-02-30T08:00:00Z", "value": 100}, ".timestamp", "that exists"),
        ({"timestamp": "0001-01-01T08:00:00Z", "value": 100}, ".timestamp", "out of range"),
        ([1, 2], "", "{timestamp, value}"),
        (7, "", "{timestamp, value}"),
        (None, "", "{timestamp, value}"),
    ],
)
def test_a_bad_reading_is_named_by_its_place(api, way, strong, row, field, accepted):
    """Row 287."""
    body = way.of(api, strong)
    body[way.cgm][7] = row
    assert_refused(way.ask(api, body), 400, f"{way.cgm}[7]{field}", accepted)


@both
@pytest.mark.parametrize("sent", [{}, "x", 7, True, {"timestamp": "2026-01-05T08:00:00Z"}])
def test_a_history_that_is_no_array_is_refused(api, way, strong, sent):
    """Row 287."""
    assert_refused(way.ask(api, way.of(api, strong) | {way.cgm: sent}), 400, way.cgm, "array")
    assert_refused(way.ask(api, way.of(api, strong) | {way.eaten: sent}), 400, way.eaten, "array")


@both
@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("timestamp", None, "ISO 8601"),
        ("timestamp", "yesterday", "ISO 8601"),
        ("timestamp", "0001-01-01T00:00:00Z", ""),
        ("id", 0, "1 to 10 digits"),
        ("serving", 5, "object"),
    ],
)
def test_a_bad_food_of_a_history_is_named_by_its_place(api, way, strong, name, value, accepted):
    """Rows 283, 286."""
    body = way.of(api, strong)
    body[way.eaten][3][name] = value
    assert_refused(way.ask(api, body), 400, f"{way.eaten}[3].{name}", accepted)
    del body[way.eaten][3][name]
    assert_refused(way.ask(api, body), 400, f"{way.eaten}[3].", "is required")


@both
def test_a_food_of_a_history_that_is_unknown_is_404_and_a_foreign_serving_400(api, way, strong):
    """Rows 283, 296."""
    body = way.of(api, strong)
    food, serving = body[way.eaten][3]["id"], body[way.eaten][3]["serving"]["id"]
    body[way.eaten][3]["id"] = type(food)(9_999_999_999)
    assert_refused(way.ask(api, body), 404, "9999999999")
    body[way.eaten][3]["id"] = food
    body[way.eaten][3]["serving"]["id"] = type(serving)(99_999)
    assert_refused(way.ask(api, body), 400, f"{way.eaten}[3].serving.id")


@both
def test_the_longest_history_is_bounded(api, way):
    """Row 287: what is longer is refused, whatever else it holds."""
    wearer = wearer_of(api, days=1)
    body = way.of(api, wearer)
    short = {"timestamp": "2026-01-05T08:00Z", "value": 1}
    too_long = body | {way.cgm: [short] * (MOST_READINGS + 1)}
    assert_refused(way.ask(api, too_long), 400, way.cgm, "100000")
    too_long = body | {way.eaten: body[way.eaten][:1] * (MOST_CONSUMED_FOODS + 1)}
    assert_refused(way.ask(api, too_long), 400, way.eaten, "10000")
