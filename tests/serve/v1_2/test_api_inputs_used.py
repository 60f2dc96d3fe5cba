"""What a prediction of version 1.2 says that it used, and its warnings."""

from typing import Any

import pytest
from api_client import PREDICT, SHOWN, Api, changed, without
from cgm_requests import NEW, wearer_of

from postmeal.glucose.person.inputs import WARNINGS
from postmeal_serve.wire.response_warnings import WARNING_MEANINGS


def told(answer: Any) -> dict[str, bool]:
    assert answer.status_code == 200, answer.text
    return {item["name"]: item["used"] for item in answer.json()["inputs_used"]}


def test_the_keys_are_always_there(api):
    """D79: the shown keys do not change, and nothing of `include` is among them."""
    for body in (api.body(), without(api.body(), "start_time")):
        answer = api.predict(body).json()
        assert list(answer) == list(SHOWN)
        assert answer["unit"] == "mg/dL"
        assert isinstance(answer["inputs_used"], list)
        assert isinstance(answer["warnings"], list)


def test_warnings_are_empty_where_there_is_nothing_to_say(api):
    """D78."""
    assert api.predict(api.body()).json()["warnings"] == []


def test_a_profile_is_listed_with_what_it_changes(api):
    """D79: of the profile, only health conditions change a curve; medicines have no field."""
    assert told(api.predict(api.body())) == {
        "health_conditions": True,
        "start_time": True,
        "age": False,
        "sex": False,
        "height": False,
        "weight": False,
        "activity_level": False,
        "medicines": False,
    }
    body = api.body()
    for optional in ("activity_level", "health_conditions"):
        del body["user_profile"][optional]
    names = told(api.predict(body))
    assert "activity_level" not in names
    assert "health_conditions" not in names


@pytest.mark.parametrize(
    ("path", "value"),
    [("age", 80), ("sex", "male"), ("height", {"value": 190, "unit": "cm"}),
     ("weight", {"value": 120, "unit": "kg"}), ("activity_level", "sedentary")],
)  # fmt: skip
def test_what_is_said_to_be_unused_changes_nothing(api, path, value):
    """D79."""
    body = changed(api.body(), f"user_profile.{path}", value)
    assert api.predict(body).content == api.predict(api.body()).content


def test_what_is_said_to_be_used_changes_the_curve(api):
    """D79."""
    plain = api.predict(api.body())
    for path, value in (
        ("user_profile.health_conditions", ["type_2_diabetes"]),
        ("start_time", "2026-01-05T19:00:00-05:00"),
    ):
        assert (
            api.predict(changed(api.body(), path, value)).json()["points"] != plain.json()["points"]
        )


def test_a_history_is_listed_by_the_names_of_its_fields(api):
    """D79: with the hours of readings and the number of meals."""
    wearer = wearer_of(api, rise=2.0)
    answer = NEW.ask(api, NEW.of(api, wearer))
    items = {item["name"]: item for item in answer.json()["inputs_used"]}
    assert items["cgm_data"]["used"]
    assert items["cgm_data"]["hours"] == pytest.approx(143.75)
    assert items["consumed_foods"] == {"name": "consumed_foods", "used": True, "n_meals": 18}
    assert {"trace", "meals", "personal", "previous_meals"}.isdisjoint(items)


def test_previous_meals_are_listed_if_they_are_sent(api):
    """D79."""
    food = api.body()["foods"][0]
    meals = [food | {"timestamp": "2026-01-05T06:00:00-05:00"}]
    assert told(api.predict(api.body() | {"previous_meals": meals}))["previous_meals"]
    assert "previous_meals" not in told(api.predict(api.body() | {"previous_meals": []}))


def test_the_codes_of_the_header_stand_in_the_body_too(api):
    """Rows 285, 287, D78."""
    answer = api.predict(api.body() | {"start_time": "2026-01-05T13:00:00Z"})
    [warned] = answer.json()["warnings"]
    assert warned["code"] == answer.headers["x-warnings"] == "time_zone_unknown"
    assert warned["field"] == "timezone"
    assert "no time zone is given" in warned["message"]
    assert not told(answer)["start_time"]
    body = NEW.of(api, wearer_of(api, rise=2.0))
    body["cgm_data"].append(body["cgm_data"][40] | {"value": body["cgm_data"][40]["value"] + 30})
    answer = NEW.ask(api, body)
    codes = {each["code"]: each for each in answer.json()["warnings"]}
    assert answer.headers["x-warnings"] == "readings_averaged"
    assert codes["readings_averaged"]["field"] == "cgm_data"


def test_every_warning_is_a_code_a_field_and_a_sentence(api):
    """D78: the field is one of the request's."""
    wearer = wearer_of(api, rise=2.0)
    start = wearer.meals[-1].time.isoformat()
    long_ago = wearer.readings[0][0].isoformat()
    body = api.body() | {
        "start_time": start,
        "recent_cgm": wearer.cgm()[:9],
        "recent_meals": wearer.consumed(),
        "hba1c": {"value": 6, "unit": "%"},
        "current_glucose": {"value": 99, "unit": "mg/dL", "measured_at": long_ago},
    }
    warnings = api.predict(body).json()["warnings"]
    assert len(warnings) >= 4
    for warned in warnings:
        assert set(warned) == {"code", "field", "message"}
        assert warned["code"] in {*WARNINGS, *WARNING_MEANINGS}
        assert warned["field"] in {*body, "sensor", "timezone"}
        assert warned["message"].endswith(".")
        assert warned["message"][0].isupper() or warned["message"].startswith("population-")


def test_the_document_lists_every_code(api: Api):
    """D78, row 478."""
    schemas = api.client.get("/v1.2/openapi.json").json()["components"]["schemas"]
    described = schemas["WarningResponse"]["properties"]["code"]["description"]
    assert all(f"`{code}`" in described for code in (*WARNINGS, *WARNING_MEANINGS))
    assert set(schemas["PredictionResponse"]["required"]) == set(SHOWN)


def test_include_adds_to_them(api):
    """D79."""
    answer = api.post(f"{PREDICT}?include=notes", json=api.body()).json()
    assert set(answer) == {*SHOWN, "notes"}
