"""POST /v1.2/glucose/predictions."""

import re
from datetime import UTC, date, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from api_client import PREDICT, SHOWN, Api, assert_refused, changed, without
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_people import OF_THE_SERVICE

from postmeal import Meal, Profile, Selection
from postmeal.glucose.notes import HOUR_UNKNOWN
from postmeal.people import ACTIVITY_LEVELS, HEALTH_CONDITIONS
from postmeal_serve.storage.tables import METADATA


def points(answer) -> list[tuple[int, float]]:
    assert answer.status_code == 200, answer.text
    return [(point["minutes"], point["value"]) for point in answer.json()["points"]]


def test_the_smallest_body_answers_points_score_and_chart(api):
    """Rows 271, 272, 273, 274, 284, with the keys of D79."""
    body = api.body()
    for optional in ("activity_level", "health_conditions"):
        del body["user_profile"][optional]
    answer = api.predict(without(body, "start_time"))
    assert set(answer.json()) == set(SHOWN)
    assert [minutes for minutes, _ in points(answer)] == list(range(0, 121, 15))
    assert all(40 <= value <= 400 for _, value in points(answer))
    assert answer.json()["impact_score"] in ("low", "medium", "high")
    assert set(answer.json()["chart"]) == {"min", "max"}
    assert all(set(point) == {"minutes", "value"} for point in answer.json()["points"])
    assert answer.headers["x-model-version"]


def test_the_chart_is_the_persons_own_range(api):
    """Row 274: the same for two ordinary meals, and it holds the curve."""
    small, large = api.predict(api.body(0.5)).json(), api.predict(api.body(1)).json()
    assert small["chart"] == large["chart"]
    for answer in (small, large):
        values = [point["value"] for point in answer["points"]]
        assert answer["chart"]["min"] <= min(values)
        assert max(values) <= answer["chart"]["max"]


@pytest.mark.parametrize(
    "field",
    ["user_profile", "user_profile.age", "user_profile.sex", "user_profile.height",
     "user_profile.weight", "user_profile.height.value", "user_profile.weight.unit", "foods",
     "foods.0.id", "foods.0.serving", "foods.0.serving.id", "foods.1.quantity"],
)  # fmt: skip
def test_a_missing_field_is_named_by_its_path(api, field):
    """Rows 3, 275, 282."""
    named = re.sub(r"\.(\d+)", r"[\1]", field)
    named = "foods[0].serving.id" if named == "foods[0].serving" else named
    message = assert_refused(api.predict(without(api.body(), field)), 400, f"{named} is required")
    told = {
        "user_profile.age": "1 to 120",
        "user_profile.sex": "female, male",
        "user_profile.weight.unit": 'weight must be an object with a value and the unit "lb"',
        "foods": "1 to 100",
    }
    assert told.get(field, "") in message


@pytest.mark.parametrize(
    ("field", "value", "accepted"),
    [
        ("user_profile", [], "sex"),
        ("user_profile.age", "45", "1 to 120"),
        ("user_profile.age", 0.5, "1 to 120"),
        ("user_profile.age", 121, "1 to 120"),
        ("user_profile.age", True, "1 to 120, got true"),
        ("user_profile.age", None, "1 to 120, got null"),
        ("user_profile.sex", "Female", "female, male"),
        ("user_profile.sex", {"unit": "x"}, "female, male"),
        ("user_profile.sex", {"value": "F"}, "female, male"),
        ("user_profile.sex", None, "female, male"),
        ("user_profile.height", 66, 'the unit "in" or "cm", such as {"value": 66, "unit": "in"}'),
        ("user_profile.weight", 150, 'the unit "lb" or "kg", such as {"value": 150, "unit": "lb"}'),
        ("user_profile.height.unit", "ft", "'in' or 'cm'"),
        ("user_profile.weight.unit", "st", "'lb' or 'kg'"),
        ("user_profile.height.value", 0, "greater than 0"),
        ("user_profile.height.value", "66", "greater than 0"),
        ("user_profile.weight.value", -1, "greater than 0"),
        ("user_profile.height", {"value": 49.9, "unit": "cm"}, "50 to 272 cm"),
        ("user_profile.height", {"value": 273, "unit": "cm"}, "50 to 272 cm"),
        ("user_profile.height", {"value": 108, "unit": "in"}, "50 to 272 cm"),
        ("user_profile.weight", {"value": 0.9, "unit": "kg"}, "1 to 700 kg"),
        ("user_profile.weight", {"value": 1544, "unit": "lb"}, "1 to 700 kg"),
        ("user_profile.activity_level", "Sedentary", "sedentary, lightly_active"),
        ("user_profile.health_conditions", ["Prediabetes"], "prediabetes"),
        ("user_profile.health_conditions", "prediabetes", "prediabetes"),
        ("user_profile.health_conditions", ["none", "lada"], "none"),
        ("foods", [], "1 to 100"),
        ("foods", {}, "1 to 100"),
        ("foods", "rice", "1 to 100"),
        ("foods.0", 7, ""),
        ("foods.0.id", "012", "1 to 10 digits"),
        ("foods.0.id", "x", "1 to 10 digits"),
        ("foods.0.id", 1.5, "1 to 10 digits"),
        ("foods.0.id", True, "1 to 10 digits"),
        ("foods.0.serving.id", "0", "1 to 10 digits"),
        ("foods.0.quantity", 0, "greater than 0"),
        ("foods.0.quantity", -1, "greater than 0"),
        ("foods.0.quantity", 10_001, "10000"),
        ("foods.0.quantity", "1", "number"),
        ("start_time", "2026-01-05", "ISO 8601"),
        ("start_time", "08:00", "ISO 8601"),
        ("start_time", "2026-02-30T08:00:00Z", "a date and time that exists"),
        ("start_time", "2026-01-05T25:00:00Z", "a date and time that exists"),
        ("start_time", "2026-01-05T08:00:00", "time zone"),
        ("start_time", 1767600000, "ISO 8601"),
        ("timezone", "Mars/X", "Europe/Berlin"),
        ("timezone", "+05:00", "Europe/Berlin"),
        ("timezone", 5, "Europe/Berlin"),
        ("timezone", "localtime", "Europe/Berlin"),
        ("timezone", "Factory", "Europe/Berlin"),
        ("start_time", "2026-01-05T08:00:00+05:75", "ISO 8601"),
        ("start_time", "2026-01-05T08:00:00+24:00", "ISO 8601"),
        ("user_profile.weight", {"value": 2.2, "unit": "lb"}, "2.21"),
    ],
)
def test_a_bad_value_is_named_with_what_is_accepted(api, field, value, accepted):
    """Rows 3, 275, 277, 278, 279, 280, 281, 282, 283, 284, 285."""
    named = re.sub(r"\.(\d+)", r"[\1]", field)
    assert_refused(api.predict(changed(api.body(), field, value)), 400, named, accepted)


def test_units_do_not_change_the_curve(api):
    """Row 276."""
    body = changed(api.body(), "user_profile.height", {"value": 167.64, "unit": "cm"})
    body = changed(body, "user_profile.weight", {"value": 68.039, "unit": "kg"})
    pairs = zip(points(api.predict(body)), points(api.predict(api.body())), strict=True)
    assert all(abs(metric[1] - imperial[1]) <= 0.1 for metric, imperial in pairs)


def test_every_accepted_form_of_a_field_gives_the_same_answer(api):
    """Rows 238, 239, 277, 283."""
    body = api.body()
    plain = api.predict(body).content
    food, serving = body["foods"][0]["id"], body["foods"][0]["serving"]["id"]
    quantity = body["foods"][0]["quantity"]
    forms = [
        changed(body, "user_profile.sex", {"value": "female"}),
        changed(body, "user_profile.sex", {"value": "female", "unit": "anything"}),
        changed(without(body, "user_profile"), "profile", body["user_profile"]),
        changed(body, "foods.0", {"id": int(food), "serving": {"id": int(serving)},
                                  "quantity": quantity}),
        changed(body, "foods.0", {"id": food, "serving": {"id": serving, "quantity": quantity}}),
        changed(body, "foods.0", {"id": food, "serving": {"id": serving, "quantity": quantity},
                                  "quantity": quantity}),
        changed(body, "foods.0", {"food_id": food, "serving_id": serving, "quantity": quantity}),
        changed(body, "timezone", "America/New_York"),
        changed(body, "cgm_data", None),
    ]  # fmt: skip
    for form in forms:
        answer = api.predict(form)
        assert answer.status_code == 200, answer.text
        assert answer.content == plain


def test_a_contradiction_within_a_food_is_refused(api):
    """Row 238."""
    body = changed(api.body(), "foods.0.serving.quantity", 7)
    assert_refused(api.predict(body), 400, "foods[0].quantity")
    body = changed(api.body(), "foods.0.serving_id", "9999")
    assert_refused(api.predict(body), 400, "foods[0].serving_id")
    body = changed(api.body(), "foods.0.food_id", "9999")
    assert_refused(api.predict(body), 400, "foods[0].food_id")


@pytest.mark.parametrize("level", ACTIVITY_LEVELS)
def test_every_activity_level_is_accepted(api, level):
    """Row 280."""
    points(api.predict(changed(api.body(), "user_profile.activity_level", level)))


@pytest.mark.parametrize("conditions", [[], *([one] for one in HEALTH_CONDITIONS)])
def test_every_health_condition_is_accepted(api, conditions):
    """Row 281."""
    points(api.predict(changed(api.body(), "user_profile.health_conditions", conditions)))


def test_the_number_of_foods_is_bounded(api):
    """Row 282: up to a hundred foods, within the limits of a meal."""
    one = api.body(0.1)["foods"][:1]
    assert api.predict(changed(api.body(), "foods", one * 100)).status_code == 200
    assert_refused(api.predict(changed(api.body(), "foods", one * 101)), 400, "foods", "100")


def test_an_unknown_food_is_404_and_a_foreign_serving_400(api):
    """Row 283."""
    answer = api.predict(changed(api.body(), "foods.0.id", "9999999999"))
    assert_refused(answer, 404, "9999999999")
    assert answer.json()["code"] == "not_found"
    answer = api.predict(changed(api.body(), "foods.1.serving.id", "99999"))
    assert_refused(answer, 400, "foods[1].serving.id")


def expected(api: Api, time: date, quantity: float = 1) -> list[tuple[int, float]]:
    """What the library answers for the client's body, as it is written."""
    profile = Profile.imperial(
        age=45,
        sex="female",
        height_in=66,
        weight_lb=150,
        activity_level="lightly_active",
        health_conditions=["prediabetes"],
    )
    foods = (api.food("oatmeal"), api.food("banana"))
    eaten = tuple(Selection.of(food, quantity * food.default_serving.quantity) for food in foods)
    prediction = api.service.predictor.predict(profile, Meal(eaten, time))
    return list(zip(prediction.minutes, written(prediction.glucose_mg_dl), strict=True))


def written(curve_mg_dl) -> list[float]:
    return [round(glucose, 1) for glucose in curve_mg_dl]


@pytest.mark.parametrize(
    ("fields", "header", "hour"),
    [
        ({"start_time": "2026-01-05T08:30:00-05:00"}, None, 8),
        ({"start_time": "2026-01-05T13:30:00Z", "timezone": "UTC"}, None, 13),
        ({"start_time": "2026-01-05T13:30Z", "timezone": "America/New_York"}, None, 8),
        ({"start_time": "2026-07-05T13:30:00.5Z", "timezone": "US/Eastern"}, None, 9),
        ({"start_time": "2026-01-05T08:30:00", "timezone": "America/New_York"}, None, 8),
        ({"start_time": "2026-01-05T13:30:00Z"}, "Asia/Tokyo", 22),
        ({"start_time": "2026-01-05T13:30:00Z", "timezone": "Europe/Paris"}, "Asia/Tokyo", 14),
    ],
)
def test_the_local_hour_comes_from_zone_or_offset(api, fields, header, hour):
    """Rows 284, 285, 474."""
    headers = {"x-end-user-timezone": header} if header else {}
    answer = api.predict(api.body() | fields, **headers)
    second = 0.5 if "." in fields["start_time"] else 0
    time = datetime(2026, 1, 5, hour, 30, int(second))
    assert points(answer) == expected(api, time)
    assert "x-warnings" not in answer.headers


@pytest.mark.parametrize("ending", ["Z", "+00:00", "-00:00", None])
def test_without_zone_and_offset_the_hour_is_not_used_and_the_answer_says_so(api, ending):
    """Row 285: `+00:00` is how many systems write UTC, so it does not tell the clock either."""
    body = without(api.body(), "start_time")
    if ending is not None:
        body["start_time"] = f"2026-01-05T13:30:00{ending}"
    answer = api.post(f"{PREDICT}?include=notes,band", json=body)
    assert points(answer) == expected(api, date(2026, 1, 5))
    assert answer.headers["x-warnings"] == "time_zone_unknown"
    assert HOUR_UNKNOWN in answer.json()["notes"]
    assert points(answer) != expected(api, datetime(2026, 1, 5, 13, 30))


def test_a_bad_zone_header_is_named(api):
    """Row 285."""
    answer = api.predict(api.body(), **{"x-end-user-timezone": "Mars/X"})
    assert_refused(answer, 400, "x-end-user-timezone")


def test_a_zone_header_that_is_sent_twice_is_refused(api):
    """Row 285: neither of the two is chosen silently."""
    twice = [("x-end-user-timezone", name) for name in ("UTC", "America/New_York")]
    answer = api.client.post(
        PREDICT, json=api.body(), headers=[*api.headers(PREDICT).items(), *twice]
    )
    assert_refused(answer, 400, "x-end-user-timezone must be sent only once")


@pytest.mark.parametrize("edge", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_the_ends_of_the_calendar_are_no_error_of_ours(api, edge):
    """Row 284."""
    for zone in ("America/New_York", "Pacific/Kiritimati"):
        body = api.body() | {"start_time": edge, "timezone": zone}
        assert api.predict(body).status_code in (200, 400)


def test_the_same_request_twice_is_the_same_to_the_last_byte(api):
    """Rows 290, 472."""
    assert api.predict(api.body()).content == api.predict(api.body()).content


@settings(max_examples=25)
@given(quantity=st.floats(0.01, 9), hour=st.integers(0, 23))
def test_both_versions_and_the_library_agree_after_rounding(api, quantity, hour):
    """Rows 291, 474."""
    text = f"2026-01-05T{hour:02}:00:00"
    new = points(api.predict(api.body(quantity) | {"start_time": text + "-05:00"}))
    old = api.predict_old(api.old_body(quantity) | {"startTime": text}).json()
    assert [tuple(pair) for pair in old["cgp"]] == new
    assert new == expected(api, datetime(2026, 1, 5, hour), quantity)


def test_the_band_comes_when_it_is_asked_for(api):
    """Row 271 stays as it is without it; lower and upper hold the curve with it."""
    plain = api.predict(api.body())
    assert api.post(f"{PREDICT}?band=false", json=api.body()).content == plain.content
    banded = api.post(f"{PREDICT}?band=true", json=api.body())
    assert points(banded) == points(plain)
    assert all(p["lower"] <= p["value"] <= p["upper"] for p in banded.json()["points"])
    assert_refused(api.post(f"{PREDICT}?band=1", json=api.body()), 400, "band", "true, false")


def test_nothing_of_a_request_is_stored(tmp_path):
    """Row 292: a prediction is counted, and leaves no other trace in any table."""
    with Api(tmp_path) as api:

        def rows():
            with api.service.database.reading() as connection:
                tables = [
                    table for table in METADATA.sorted_tables if table.name not in OF_THE_SERVICE
                ]
                return {table.name: connection.execute(table.select()).all() for table in tables}

        before = rows()
        points(api.predict(api.body(), **{"Service-End-User-ID": "someone-to-be-forgotten"}))
        assert rows() == before
    files = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert files
    assert not any(b"someone-to-be-forgotten" in content for content in files)


def test_more_sugar_never_lowers_the_peak(api):
    """Row 293: of a food that is carbohydrate alone."""
    sugar = next(
        food for food in api.service.catalog.search("sugars granulated")
        if food.nutrients["protein_g"] == food.nutrients["fat_g"] == 0
    )  # fmt: skip
    serving = {"id": str(sugar.default_serving.id)}
    peaks = []
    for doubling in range(8):
        food = {"id": str(sugar.id), "serving": serving, "quantity": 2**doubling}
        answer = api.predict(changed(api.body(), "foods", [food]))
        peaks.append(max(value for _, value in points(answer)))
    assert all(less <= more for less, more in pairwise(peaks))
    assert peaks[0] < peaks[-1]


@pytest.mark.parametrize("zone", ["Etc/UTC", "Asia/Tokyo"])
def test_without_a_start_time_it_is_now(api, zone):
    """Row 284: on the clock of the zone that is given."""
    body = without(api.body(), "start_time") | {"timezone": zone}
    before = datetime.now(UTC)
    got = points(api.predict(body))
    after = datetime.now(UTC)
    # The curve depends on the hour alone, so it is the curve of some second in between.
    seconds = range(int(before.timestamp()), int(after.timestamp()) + 1)
    close = [expected(api, datetime.fromtimestamp(second, ZoneInfo(zone))) for second in seconds]
    assert any(
        all(abs(a - b) < 0.11 for (_, a), (_, b) in zip(got, one, strict=True)) for one in close
    )
