"""POST /v1.1/vision/foods/fix-ai and its older path."""

from __future__ import annotations

import copy
import json
from typing import Any
from urllib.parse import unquote

import httpx2
import pytest
from api_client import Api, VirtualClock, assert_refused, changed, without

from postmeal_serve.resources.retention import SCANS_KEPT
from postmeal_serve.v1_1.nutrients import DETECTION_KEYS

FIX = "/v1.1/vision/foods/fix-ai"
OLDER = "/v1.1/vision/fix-ai"
ZERO = ("addedSugars",)
UNITS = {"calories": "calories", "sodium": "mg"}
RICE = {"calories": 260.0, "protein": 5.38, "carbohydrates": 56.34, "netCarbohydrates": 55.54,
        "totalFat": 0.56, "saturatedFat": 0.154, "fiber": 0.8, "totalSugars": 0.1,
        "addedSugars": 0, "sodium": 2}  # fmt: skip


def detection(api: Api, name: str, amounts: dict[str, float]) -> dict[str, Any]:
    """A detection with all ten nutrients."""
    food = api.food(name)
    serving = food.default_serving
    return {
        "food": {
            "name": food.name,
            "id": food.id,
            "brandName": "",
            "nutrients": {
                key: {"value": value, "unit": UNITS.get(key, "g")} for key, value in amounts.items()
            },
            "servings": [{"id": serving.id, "quantity": serving.quantity, "unit": serving.unit}],
        },
        "confidenceScore": "high",
    }


@pytest.fixture
def body(api: Api) -> dict[str, Any]:
    return {
        "mealName": "Lunch",
        "detections": [detection(api, "white rice", RICE), detection(api, "banana", RICE)],
        "userInput": "I ate half of the rice",
    }


def fix(api: Api, body: Any, user: str = "u-1", path: str = FIX, **headers: str) -> httpx2.Response:
    return api.post(path, json=body, headers={"x-partner-user-id": user, **headers})


def fixed(api: Api, body: Any, user: str = "u-1") -> dict[str, Any]:
    answer = fix(api, body, user)
    assert answer.status_code == 200, answer.text
    scan: dict[str, Any] = answer.json()
    assert set(scan) == {"mealName", "totalNutrients", "detections"}
    return scan


def carbs(scan: dict[str, Any]) -> list[float]:
    return [each["food"]["nutrients"]["carbohydrates"]["value"] for each in scan["detections"]]


def test_a_scan_with_all_ten_nutrients_is_corrected(api, body):
    """Row 387: with totals that match the detections."""
    scan = fixed(api, body)
    assert scan["mealName"] == "Lunch"
    assert carbs(scan) == [28.17, 56.34]
    rice, banana = scan["detections"]
    assert rice["food"]["servings"][0]["quantity"] == pytest.approx(
        body["detections"][0]["food"]["servings"][0]["quantity"] / 2
    )
    assert banana["confidenceScore"] == "high"
    for key, amount in scan["totalNutrients"].items():
        values = [each["food"]["nutrients"].get(key, {"value": 0})["value"]
                  for each in scan["detections"]]  # fmt: skip
        assert amount["value"] == pytest.approx(sum(values), abs=0.006), key


def test_a_response_has_no_zeros(api, body):
    """Rows 314, 387: a nutrient that is exactly zero is omitted, also in the total."""
    scan = fixed(api, body)
    left = set(DETECTION_KEYS) - set(ZERO)
    assert all(set(each["food"]["nutrients"]) == left for each in scan["detections"])
    assert set(scan["totalNutrients"]) == left


def test_both_paths_behave_the_same(api, body):
    """Row 388."""
    old, new = fix(api, body, path=OLDER), fix(api, body)
    assert (old.status_code, old.json()) == (200, new.json())
    partial = without(body, "detections.0.food.nutrients.fiber")
    assert fix(api, partial, path=OLDER).json() == fix(api, partial).json()


@pytest.mark.parametrize("key", DETECTION_KEYS)
def test_nine_of_ten_nutrients_give_an_error_without_a_name(api, body, key):
    """Row 385: 500, generic, with `details` null, whichever of them is missing."""
    answer = fix(api, without(body, f"detections.1.food.nutrients.{key}"), "u-unseen")
    message = assert_refused(answer, 500)
    assert answer.json()["error"]["details"] is None
    assert key not in message
    assert "nutrient" not in message
    nulled = changed(body, f"detections.1.food.nutrients.{key}", None)
    assert fix(api, nulled, "u-unseen").status_code == 500


def test_a_food_as_a_scan_returned_it_needs_no_zeros(api, body):
    """Row 386: its omitted nutrients are zero."""
    scan = fixed(api, body, "u-386")
    again = body | {"detections": scan["detections"], "userInput": "no banana"}
    assert "addedSugars" not in scan["detections"][0]["food"]["nutrients"]
    [rice] = fixed(api, again, "u-386")["detections"]
    assert rice == scan["detections"][0]


def test_numbers_and_keys_may_be_written_in_another_way(api, body):
    """Row 386: JSON of another library has 1 instead of 1.0, and another order of keys."""
    scan = fixed(api, body, "u-386")
    again = body | {"detections": scan["detections"]}
    text = json.dumps(again, sort_keys=True).replace(".0,", ",").replace(".0}", "}")
    assert text != json.dumps(again, sort_keys=True)
    headers = {"x-partner-user-id": "u-386", "Content-Type": "application/json"}
    assert api.post(FIX, content=text, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("food.nutrients.fiber.value", 0.81),
        ("food.name", "White rice, raw"),
        ("food.id", 2159),
        ("food.brandName", "Brand"),
        ("food.servings.0.quantity", 3),
    ],
)
def test_a_food_that_differs_from_the_scan_is_partial(api, body, path, value):
    """Row 386: and a food that no scan returned."""
    scan = fixed(api, body, "u-differs")
    other = changed(scan["detections"][0], path, value)
    again = body | {"detections": [other, scan["detections"][1]]}
    assert fix(api, again, "u-differs").status_code == 500


def test_a_scan_belongs_to_its_user_and_partner(api, body):
    """Rows 325, 382: nobody else can send it without its zeros."""
    scan = fixed(api, body, "u-382")
    again = body | {"detections": scan["detections"]}
    assert fix(api, again, "u-382").status_code == 200
    assert fix(api, again, "u-383").status_code == 500
    other = api.partner("another").headers(FIX) | {"x-partner-user-id": "u-382"}
    assert api.client.post(FIX, json=again, headers=other).status_code == 500


def test_a_deleted_user_has_no_scans(api, body):
    """Row 451."""
    scan = fixed(api, body, "u-451")
    headers = {"x-partner-user-id": "u-451"} | api.headers(FIX)
    assert api.client.delete("/v1.1/user", headers=headers).status_code == 200
    assert fix(api, body | {"detections": scan["detections"]}, "u-451").status_code == 500


@pytest.mark.reliability
def test_a_scan_is_forgotten_after_30_days(tmp_path):
    """Row 386: and a setting of 0 days stores none."""
    clock = VirtualClock()
    with Api(tmp_path / "month", clock) as api:
        sent = {"mealName": "x", "detections": [detection(api, "white rice", RICE)],
                "userInput": "thanks"}  # fmt: skip
        again = sent | {"detections": fixed(api, sent)["detections"]}
        clock.advance(SCANS_KEPT.total_seconds() - 60)
        api.client.portal.call(api.service._purge)
        assert fix(api, again).status_code == 200  # which records it once more
        clock.advance(SCANS_KEPT.total_seconds() + 60)
        api.client.portal.call(api.service._purge)
        assert fix(api, again).status_code == 500
    with Api(tmp_path / "none", scan_days=0) as api:
        assert fix(api, sent).status_code == 200
        assert fix(api, again).status_code == 500


def test_older_names_and_units_are_read_and_never_written(api, body):
    """Row 319: `kcal`, `carbs`, `grams` and `milligrams`."""
    old = copy.deepcopy(body)
    for each in old["detections"]:
        nutrients = each["food"]["nutrients"]
        nutrients["carbs"] = nutrients.pop("carbohydrates")
        for amount in nutrients.values():
            amount["unit"] = {"calories": "kcal", "mg": "milligrams"}.get(amount["unit"], "grams")
        each["food"]["brandName"] = None
    assert fixed(api, old) == fixed(api, body)


@pytest.mark.parametrize("path", [FIX, OLDER])
def test_the_user_must_be_named(api, body, path):
    """Row 323."""
    assert_refused(api.post(path, json=body), 400, "x-partner-user-id")


@pytest.mark.parametrize("field", ["mealName", "detections", "userInput"])
@pytest.mark.parametrize("value", ["missing", None, "", " ", []])
def test_the_three_fields_are_required(api, body, field, value):
    """Row 383."""
    sent = without(body, field) if value == "missing" else body | {field: value}
    assert_refused(fix(api, sent), 400, field)


@pytest.mark.parametrize("value", ["missing", None, [], {}, [None]])
def test_a_detection_needs_a_serving(api, body, value):
    """Row 384: the error names the index."""
    path = "detections.1.food.servings"
    sent = without(body, path) if value == "missing" else changed(body, path, value)
    assert_refused(fix(api, sent), 400, "detections[1].food.servings")


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("detections", [], "detections"),
        ("userInput", "x" * 1001, "userInput"),
        ("detections.0.food.nutrients", None, "detections[0].food.nutrients"),
        ("detections.0.food.nutrients.fiber.value", -1, "fiber.value"),
        ("detections.0.food.nutrients.fiber.value", True, "fiber.value"),
        ("detections.0.food.nutrients.fiber.unit", "mg", "fiber.unit"),
        ("detections.0.food.nutrients.calories.unit", "kJ", "calories.unit"),
        ("detections.0.food.id", "1", "detections[0].food.id"),
        ("detections.0.food.servings.0.quantity", 0, "servings[0].quantity"),
        ("detections.0.confidenceScore", "sure", "confidenceScore"),
    ],
)
def test_an_invalid_field_is_named(api, body, path, value, named):
    """Rows 296, 383: only an omitted nutrient gives the error without a name."""
    assert_refused(fix(api, changed(body, path, value)), 400, named)


def test_100_detections_are_accepted(api, body):
    """Row 383: and no more."""
    rice = body["detections"][0]
    assert len(fixed(api, body | {"detections": [rice] * 100})["detections"]) == 100
    assert_refused(fix(api, body | {"detections": [rice] * 101}), 400, "detections", "100")


def test_the_amount_of_a_detection_of_the_plain_english_search_is_its_selected_quantity(api, body):
    """Row 387: its serving's `quantity` is that of one serving."""
    serving = {**body["detections"][0]["food"]["servings"][0], "selected_quantity": 3}
    sent = changed(body, "detections.0.food.servings", [serving])
    rice, _ = fixed(api, sent)["detections"]
    assert rice["food"]["servings"] == [
        {"id": serving["id"], "quantity": 1.5, "unit": serving["unit"]}
    ]


def test_an_unknown_food_is_404(api, body):
    serving = {"id": 1, "quantity": 1, "unit": "cup"}
    sent = changed(body, "detections.0.food.servings", [serving])
    assert_refused(fix(api, changed(sent, "detections.0.food.id", 999999)), 404)


@pytest.mark.parametrize(
    "text",
    ["the rice was somehow strange", "half of the rice and swap the banana for qwertz",
     "-3 slices of rice", "é" * 1000],
)  # fmt: skip
def test_what_is_not_understood_changes_nothing_and_is_in_the_header(api, body, text):
    """Row 387: all or nothing; a long text is cut, so that the header is never missing."""
    answer = fix(api, body | {"userInput": text})
    assert carbs(answer.json()) == [56.34, 56.34]
    unread = answer.headers["X-Unread"]
    assert len(unread) <= 1024
    assert unquote(unread)
    assert text.startswith(unquote(unread))
    assert "X-Unread" not in fix(api, body).headers


def test_another_food_has_nutrients_of_the_catalog(api, body):
    """Row 387."""
    sent = body | {"userInput": "the banana was an apple and I had two eggs as well"}
    rice, apple, egg = fixed(api, sent)["detections"]
    assert rice["food"]["nutrients"]["carbohydrates"]["value"] == 56.34
    assert (apple["food"]["id"], egg["food"]["name"]) == (api.food("apple").id, "Egg")
    assert set(egg["food"]) == {"name", "id", "brandName", "nutrients", "servings"}
