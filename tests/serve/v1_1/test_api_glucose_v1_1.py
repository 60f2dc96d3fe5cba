"""POST /v1.1/cgm/glucose-predict."""

import re
from datetime import datetime

import pytest
from api_client import OLD_PREDICT, TRAIN, assert_refused, changed, without

from postmeal.people import ACTIVITY_LEVELS
from postmeal_serve.v1_1.profile import CONDITIONS


def test_a_valid_body_answers_curve_scoring_and_range(api):
    """Rows 419, 420, 421, 422."""
    answer = api.predict_old(api.old_body())
    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == {"cgp", "scoring", "cgp_min", "cgp_max"}
    assert [minute for minute, _ in body["cgp"]] == list(range(0, 121, 15))
    assert body["scoring"] in ("low_impact", "medium_impact", "high_impact")
    new = api.predict(api.body()).json()
    assert {"min": body["cgp_min"], "max": body["cgp_max"]} == new["chart"]
    assert body["scoring"] == f"{new['impact_score']}_impact"


@pytest.mark.parametrize(
    "field",
    ["userProfile", "userProfile.age", "userProfile.gender", "userProfile.height",
     "userProfile.weight", "userProfile.activityLevel", "userProfile.healthConditions", "foods",
     "startTime", "foods.0.id", "foods.0.serving", "foods.1.serving.id",
     "foods.1.serving.quantity"],
)  # fmt: skip
def test_every_field_is_required(api, field):
    """Rows 423, 427."""
    named = re.sub(r"\.(\d+)", r"[\1]", field)
    answer = api.predict_old(without(api.old_body(), field))
    assert_refused(answer, 400, f"{named} is required")
    assert answer.json()["error"]["details"]["field"] == named


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("userProfile.gender", "Male"),
        ("userProfile.activityLevel", "Sedentary"),
        ("userProfile.activityLevel", None),
        ("userProfile.healthConditions", ["prediabetes"]),
        ("userProfile.healthConditions", ["None of the above", "Prediabetes"]),
        ("userProfile.healthConditions", "Prediabetes"),
        ("userProfile.healthConditions", None),
        ("userProfile.age", "45"),
        ("userProfile.age", 0),
        ("userProfile.height", "66"),
        ("userProfile.height", 0),
        ("userProfile.height", 19),
        ("userProfile.height", 108),
        ("userProfile.height", {"value": 66, "unit": "in"}),
        ("userProfile.weight", -150),
        ("userProfile.weight", "150"),
        ("userProfile.weight", 1544),
        ("foods", []),
        ("foods", None),
        ("foods.0.id", "1"),
        ("foods.0.id", 1.5),
        ("foods.0.id", True),
        ("foods.0.id", -1),
        ("foods.0.serving.id", "1"),
        ("foods.0.serving.quantity", 0),
        ("foods.0.serving.quantity", "1"),
        ("foods.0.serving.quantity", 10_001),
        ("startTime", "yesterday"),
        ("startTime", "2026-01-05"),
        ("startTime", 1767600000),
        ("startTime", None),
        ("startTime", "2026-01-05T08:00:00+05:99"),
    ],
)
def test_a_bad_value_is_refused_by_name(api, field, value):
    """Rows 424, 426, 427."""
    named = re.sub(r"\.(\d+)", r"[\1]", field)
    assert_refused(api.predict_old(changed(api.old_body(), field, value)), 400, named)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_health_condition_is_accepted_exactly(api, condition):
    """Row 425."""
    body = changed(api.old_body(), "userProfile.healthConditions", [condition])
    assert api.predict_old(body).status_code == 200
    body = changed(api.old_body(), "userProfile.healthConditions", [condition.upper()])
    assert_refused(api.predict_old(body), 400, "healthConditions")


@pytest.mark.parametrize("level", ACTIVITY_LEVELS)
def test_every_activity_level_is_accepted(api, level):
    """Row 424."""
    body = changed(api.old_body(), "userProfile.activityLevel", level)
    assert api.predict_old(body).status_code == 200


def test_an_unknown_food_is_404_and_a_foreign_serving_400(api):
    """Row 296."""
    assert_refused(api.predict_old(changed(api.old_body(), "foods.0.id", 9_999_999_999)), 404)
    body = changed(api.old_body(), "foods.1.serving.id", 99_999)
    assert_refused(api.predict_old(body), 400, "foods[1].serving.id")


@pytest.mark.parametrize(
    ("start", "zone", "hour"),
    [
        ("2026-01-05T08:00:00", "Asia/Tokyo", 8),
        ("2026-01-05T08:00", "America/New_York", 8),
        ("2026-01-05T13:00:00Z", "America/New_York", 8),
        ("2026-01-05T08:00:00-05:00", "America/New_York", 8),
        ("2026-07-05T12:00:00Z", "US/Eastern", 8),
    ],
)
def test_the_start_is_local_time_in_the_zone_of_the_header(api, start, zone, hour):
    """Rows 330, 428."""
    answer = api.predict_old(
        changed(api.old_body(), "startTime", start), **{"x-partner-timezone": zone}
    )
    same = {"start_time": datetime(2026, 1, 5, hour).isoformat() + "Z", "timezone": "UTC"}
    points = api.predict(api.body() | same).json()["points"]
    assert answer.json()["cgp"] == [[point["minutes"], point["value"]] for point in points]


@pytest.mark.parametrize(
    "zone", ["EST5EDT+", "Mars/X", "+05:00", "", " ", "localtime", "../etc/passwd"]
)
def test_a_zone_outside_the_database_is_refused(api, zone):
    """Row 330."""
    answer = api.predict_old(api.old_body(), **{"x-partner-timezone": zone})
    assert_refused(answer, 400, "x-partner-timezone")


def test_the_zone_header_is_required(api):
    """Row 329."""
    answer = api.post(OLD_PREDICT, json=api.old_body())
    assert_refused(answer, 400, "x-partner-timezone", "Europe/Berlin")
    assert answer.json()["error"]["details"]["field"] == "x-partner-timezone"


def test_422_is_for_no_rule_that_the_document_shows(api):
    """Row 302: only what takes a CGM history, which may be impossible to model, documents it."""
    document = api.client.get("/v1.1/openapi.json").json()
    unmodelled = {
        path
        for path, methods in document["paths"].items()
        for operation in methods.values()
        if "422" in operation["responses"]
    }
    assert unmodelled == {OLD_PREDICT, TRAIN}


def test_the_content_type_of_a_request_without_body_does_not_matter(api):
    """Row 305."""
    answer = api.client.get("/v1.1/openapi.json", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 200
