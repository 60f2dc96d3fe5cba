"""POST /v1.2/glucose/predictions from whatever is known about the end user."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from api_client import OLD_PREDICT, ZONE, Api, assert_refused, changed, without
from cgm_requests import wearer_of
from known_people import POPULATION_4
from synthetic_wearer import EVERYDAY, Wearer

from postmeal import Meal, Selection
from postmeal.units import MG_DL_PER_MMOL_L

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A service with the weights that use whatever is known."""
    with Api(tmp_path_factory.mktemp("service"), model_folder=POPULATION_4) as api:
        yield api


@pytest.fixture(scope="module")
def strong(api: Api) -> Wearer:
    """Rises twice as much as the population says, from a higher level."""
    return wearer_of(api, rise=2.0, level_mg_dl=125.0)


def curve(answer: Any) -> list[float]:
    assert answer.status_code == 200, answer.text
    return [point["value"] for point in answer.json()["points"]]


def used(answer: Any) -> dict[str, dict[str, Any]]:
    return {item["name"]: item for item in answer.json()["inputs_used"]}


def warned(answer: Any) -> dict[str, tuple[str, str]]:
    assert answer.status_code == 200, answer.text
    return {each["code"]: (each["field"], each["message"]) for each in answer.json()["warnings"]}


def at(api: Api, start: datetime, **known: Any) -> dict[str, Any]:
    return api.body() | {"start_time": start.isoformat(), "sensor": "Dexcom G6"} | known


def expected(api: Api, start: datetime, **known: Any) -> list[float]:
    """The library's curve."""
    foods = tuple(Selection.of(api.food(words)) for words in ("oatmeal", "banana"))
    known = {"sensor": "Dexcom G6"} | known
    prediction = api.service.predictor.predict(EVERYDAY, Meal(foods, start), **known)
    return [round(value, 1) for value in prediction.glucose_mg_dl]


def before(
    rows: list[dict[str, Any]], moment: datetime, hours: float = 1e6
) -> list[dict[str, Any]]:
    """Return the rows of the hours before a moment."""
    since = moment - timedelta(hours=hours)
    return [row for row in rows if since <= datetime.fromisoformat(row["timestamp"]) < moment]


def test_three_days_of_readings_without_a_diary_move_level_and_gain(api, strong):
    """D73 and X14."""
    start = strong.next_morning
    readings = before(strong.cgm(), start, 72)
    answer = api.predict(at(api, start, recent_cgm=readings))
    trace = strong.trace
    late = trace.utc_s >= start.timestamp() - 72 * 3600
    part = type(trace)(trace.utc_s[late], trace.utc_offset_s[late], trace.glucose_mg_dl[late])
    assert curve(answer) == expected(api, start, trace=part)
    plain = curve(api.predict(at(api, start)))
    assert curve(answer)[0] > plain[0] + 5
    assert max(curve(answer)) - curve(answer)[0] > max(plain) - plain[0]
    told = used(answer)["recent_cgm"]
    assert told["used"]
    assert told["hours"] == pytest.approx(63.75)
    assert 0 < told["weight"] < 1


def test_with_five_complete_days_both_doors_give_the_same_curve(api, strong):
    """D73: whatever stands beside the history."""
    start, zone = strong.next_morning, {"timezone": "America/New_York"}
    snack = strong.consumed()[0] | {"timestamp": start.replace(hour=6).isoformat()}
    recent = {"recent_cgm": strong.cgm(), "recent_meals": strong.consumed()}
    beside: list[dict[str, Any]] = [
        {},
        {"hba1c": {"value": 6.4, "unit": "%"}},
        {"fasting_glucose": {"value": 6.1, "unit": "mmol/L"}, "sensor": None},
        {"current_glucose": {"value": 131, "unit": "mg/dL"}},
        {"previous_meals": [snack]},
    ]
    for known in beside:
        body = at(api, start, **zone, **known)
        complete, both = api.predict(body | strong.new), api.predict(body | recent)
        assert curve(complete) == curve(both)
        assert complete.json()["chart"] == both.json()["chart"]
        assert "personal" in complete.headers["x-model-version"]
        assert complete.headers["x-model-version"] == both.headers["x-model-version"]
    assert curve(api.predict(at(api, start, **strong.new))) == expected(
        api, start, trace=strong.trace, meals=strong.meal_history
    )


def test_a_fourth_day_is_not_worse_than_the_third(api):
    """D73: any number of days counts; errors are of the true curves of made-up people."""
    errors: dict[int, list[float]] = {0: [], 3: [], 4: [], 5: []}
    for seed in range(6):
        rise = (0.6, 1.5, 2.0)[seed % 3]
        wearer = wearer_of(api, days=5, rise=rise, level_mg_dl=95.0 + 8 * seed, seed=seed)
        start = wearer.next_morning
        plain = np.array(expected(api, start, sensor=None))
        truth = wearer.level_mg_dl + rise * (plain - plain[0])
        for days, found in errors.items():
            first = start - timedelta(days=days, hours=8)
            history = {
                "recent_cgm": [r for r in before(wearer.cgm(), start) if at_or_after(r, first)],
                "recent_meals": [r for r in wearer.consumed() if at_or_after(r, first)],
            }
            answer = api.predict(at(api, start, sensor=None) | (history if days else {}))
            found.append(float(np.sqrt(np.mean((np.array(curve(answer)) - truth) ** 2))))
    mean = {days: np.mean(found) for days, found in errors.items()}
    assert mean[5] <= mean[4] + 0.2
    assert mean[4] <= mean[3] + 0.2
    assert mean[3] < 0.7 * mean[0]


def at_or_after(row: dict[str, Any], moment: datetime) -> bool:
    return datetime.fromisoformat(row["timestamp"]) >= moment


@pytest.mark.parametrize("days", [1, 2, 4])
def test_any_number_of_days_with_meals_is_accepted(api, days):
    """D73: row 289 stays for `cgm_data`."""
    wearer = wearer_of(api, days=days, rise=1.8)
    start = wearer.next_morning
    answer = api.predict(at(api, start, recent_cgm=wearer.cgm(), recent_meals=wearer.consumed()))
    assert curve(answer) == expected(api, start, trace=wearer.trace, meals=wearer.meal_history)
    assert used(answer)["recent_meals"]["n_meals"] in (0, 3 * days)
    assert_refused(api.predict(at(api, start) | wearer.new), 400, "cgm_data", f"got {days}")


@pytest.mark.parametrize("name", ["recent_cgm", "recent_meals"])
def test_recent_fields_stand_beside_no_complete_history(api, strong, name):
    """D73."""
    recent = {"recent_cgm": strong.cgm()[:4], "recent_meals": strong.consumed()[:1]}
    body = at(api, strong.next_morning) | strong.new | {name: recent[name]}
    assert_refused(api.predict(body), 400, f"{name} must not be combined with cgm_data")
    assert_refused(api.predict(body | {name: []}), 400, f"{name} must not be combined")
    assert api.predict(body | {name: None}).status_code == 200


def test_half_of_a_complete_history_is_refused_beside_recent_readings_too(api, strong):
    """Row 286."""
    body = at(api, strong.next_morning, recent_cgm=strong.cgm())
    body["consumed_foods"] = strong.consumed()
    assert_refused(api.predict(body), 400, "cgm_data is required")


def test_recent_meals_of_the_last_twelve_hours_are_previous_meals(api):
    """D73: the same meal in both counts once, and recent meals need no readings for this."""
    start = datetime.fromisoformat("2026-01-05T08:00:00-05:00")
    food = api.food("banana")

    def eaten(hours: float) -> dict[str, Any]:
        serving = {"id": str(food.default_serving.id)}
        time = (start - timedelta(hours=hours)).isoformat()
        return {"timestamp": time, "id": str(food.id), "serving": serving, "quantity": 1}

    def answer(**meals: list[float]) -> list[float]:
        return curve(
            api.predict(at(api, start) | {name: list(map(eaten, e)) for name, e in meals.items()})
        )

    known = answer(previous_meals=[2])
    assert known == expected(api, start, since_meal_h=2)
    assert answer(recent_meals=[2]) == answer(recent_meals=[2, 30]) == known
    assert answer(previous_meals=[2], recent_meals=[2]) == known
    assert answer(previous_meals=[5], recent_meals=[2]) == known
    assert answer(previous_meals=[2], recent_meals=[5]) == known
    # Entries within 15 minutes are one meal, also if they are in different fields.
    assert answer(previous_meals=[2], recent_meals=[1.8]) == known


@pytest.mark.parametrize(
    ("field", "value", "argument", "number"),
    [
        ("current_glucose", {"value": 120, "unit": "mg/dL"}, "start_mg_dl", 120),
        (
            "current_glucose",
            {"value": 6.5, "unit": "mmol/L"},
            "start_mg_dl",
            6.5 * MG_DL_PER_MMOL_L,
        ),
        ("fasting_glucose", {"value": 118, "unit": "mg/dL"}, "fasting_glucose_mg_dl", 118),
        (
            "fasting_glucose",
            {"value": 7, "unit": "mmol/L"},
            "fasting_glucose_mg_dl",
            7 * MG_DL_PER_MMOL_L,
        ),
        ("hba1c", {"value": 6.8, "unit": "%"}, "hba1c_percent", 6.8),
        ("hba1c", {"value": 51, "unit": "mmol/mol"}, "hba1c_percent", 0.09148 * 51 + 2.152),
    ],
)
def test_a_measured_value_moves_the_curve_in_either_unit(api, field, value, argument, number):
    """D73: percent and mmol/mol are the two scales of HbA1c (NGSP and IFCC)."""
    start = datetime.fromisoformat("2026-01-05T08:00:00-05:00")
    answer = api.predict(at(api, start) | {field: value})
    assert curve(answer) == expected(api, start, **{argument: number})
    assert curve(answer) != curve(api.predict(at(api, start)))
    assert used(answer)[field] == {"name": field, "used": True}
    assert answer.json()["warnings"] == []


@pytest.mark.parametrize("name", ["Dexcom G6", "FreeStyle Libre 3", "dexcom g7"])
def test_the_readings_of_the_sensor_are_predicted(api, name):
    """D73."""
    start = datetime.fromisoformat("2026-01-05T08:00:00-05:00")
    answer = api.predict(at(api, start, sensor=name))
    assert curve(answer) == expected(api, start, sensor=name)
    assert curve(answer) != curve(api.predict(without(at(api, start), "sensor")))


@pytest.mark.parametrize(
    ("minutes", "code"),
    [(0, None), (15, None), (20, "reading_too_old"), (60, "reading_too_old"),
     (-1, "reading_after_meal")],
)  # fmt: skip
def test_the_age_of_a_current_reading_counts(api, minutes, code):
    """D73: an hour-old reading says nothing about the start."""
    start = datetime.fromisoformat("2026-01-05T08:00:00-05:00")
    time = (start - timedelta(minutes=minutes)).astimezone(UTC).isoformat()
    reading = {"value": 150, "unit": "mg/dL", "measured_at": time}
    answer = api.predict(at(api, start, current_glucose=reading))
    assert curve(answer) == expected(api, start, start_mg_dl=150, start_age_min=minutes)
    assert list(warned(answer)) == ([code] if code else [])
    assert used(answer)["current_glucose"]["used"] == (0 <= minutes < 60)
    if not 0 <= minutes < 60:
        assert curve(answer) == curve(api.predict(at(api, start)))
    if code:
        assert warned(answer)[code][0] == "current_glucose"


@pytest.mark.parametrize(
    ("field", "value", "accepted"),
    [
        ("current_glucose", 105, 'the unit "mg/dL" or "mmol/L"'),
        ("current_glucose", {"value": 105}, "current_glucose.unit is required"),
        ("current_glucose", {"unit": "mg/dL"}, "current_glucose.value is required"),
        ("current_glucose", {"value": "105", "unit": "mg/dL"}, "current_glucose.value"),
        ("current_glucose", {"value": True, "unit": "mg/dL"}, "current_glucose.value"),
        ("current_glucose", {"value": 105, "unit": "mg"}, "current_glucose.unit"),
        ("current_glucose", {"value": 19, "unit": "mg/dL"}, "20 to 600 mg/dL; the value seems to"),
        ("current_glucose", {"value": 5.8, "unit": "mg/dL"}, "seems to be in mmol/L, got 5.8"),
        ("current_glucose", {"value": 105, "unit": "mmol/L"}, "seems to be in mg/dL, got 105"),
        ("current_glucose", {"value": 1e308, "unit": "mmol/L"}, "1.12 to 33.3 mmol/L"),
        ("current_glucose", {"value": 601, "unit": "mg/dL"}, "20 to 600 mg/dL, got 601"),
        (
            "current_glucose",
            {"value": 105, "unit": "mg/dL", "measured_at": "2026-01-05T08:00:00"},
            "current_glucose.measured_at must end in Z",
        ),
        (
            "current_glucose",
            {"value": 105, "unit": "mg/dL", "measured_at": "today"},
            "current_glucose.measured_at must be an ISO 8601",
        ),
        ("fasting_glucose", {"value": 39, "unit": "mg/dL"}, "fasting_glucose.value must be 40 to"),
        ("fasting_glucose", {"value": 5.4, "unit": "mg/dL"}, "seems to be in mmol/L"),
        ("fasting_glucose", {"value": 98, "unit": "mmol/L"}, "seems to be in mg/dL"),
        ("fasting_glucose", 98, 'the unit "mg/dL" or "mmol/L"'),
        ("hba1c", {"value": 55, "unit": "%"}, "3 to 20 %; the value seems to be in mmol/mol"),
        ("hba1c", {"value": 5.6, "unit": "mmol/mol"}, "seems to be in %, got 5.6"),
        ("hba1c", {"value": 0, "unit": "%"}, "hba1c.value must be 3 to 20 %"),
        ("hba1c", {"value": 5.6, "unit": "mg/dL"}, "hba1c.unit"),
        ("hba1c", {"value": 5.6}, "hba1c.unit is required"),
        ("hba1c", "5.6%", 'the unit "%" or "mmol/mol"'),
        ("sensor", "eye", "sensor must belong to one of the supported sensor families"),
        ("sensor", "", "sensor must belong to one of the supported sensor families"),
        ("sensor", 6, "sensor"),
        ("recent_cgm", {}, "recent_cgm must be an array"),
        ("recent_cgm", [7], "recent_cgm[0] must be an object"),
        ("recent_cgm", [{"timestamp": "2026-01-05T07:00:00Z"}], "recent_cgm[0].value is required"),
        (
            "recent_cgm",
            [{"timestamp": "2026-01-05T07:00:00Z", "value": 5.8}],
            "recent_cgm[0].value must be 20 to 600 mg/dL; the value seems to be in mmol/L, got 5.8",
        ),
        (
            "recent_cgm",
            [{"timestamp": "2026-01-05T07:00:00Z", "value": 601}],
            "recent_cgm[0].value must be 20 to 600 mg/dL, got 601",
        ),
        (
            "recent_cgm",
            [{"timestamp": "2026-01-05T07:00:00", "value": 100}],
            "recent_cgm[0].timestamp must end in Z or an offset",
        ),
        ("recent_meals", {}, "recent_meals must be an array of at most 10000 objects"),
        ("recent_meals", [{"timestamp": "2026-01-05T07:00:00Z"}], "recent_meals[0].id is required"),
    ],
)
def test_a_bad_value_is_named_with_what_is_accepted(api, field, value, accepted):
    """Row 3, D73: a value in the other unit is told as such."""
    assert_refused(api.predict(api.body() | {field: value}), 400, field, accepted)


def test_an_unknown_food_of_recent_meals_is_404(api, strong):
    """Row 283."""
    meals = [strong.consumed()[0] | {"id": "9999999999"}]
    assert_refused(api.predict(api.body() | {"recent_meals": meals}), 404, "9999999999")


def test_misspelled_names_are_refused(api):
    """D63."""
    for name, meant in (
        ("recentCgm", "recent_cgm"),
        ("recent_meal", "recent_meals"),
        ("currentGlucose", "current_glucose"),
        ("hbA1c", "hba1c"),
        ("fastingGlucose", "fasting_glucose"),
        ("sensors", "sensor"),
    ):
        answer = api.predict(api.body() | {name: 1})
        assert_refused(answer, 400, name, f"did you mean '{meant}'?")
    answer = api.predict(api.body() | {"current_glucose": {"value": 1, "Unit": "mg/dL"}})
    assert_refused(answer, 400, "did you mean 'unit'?")


@pytest.mark.parametrize("field", ["age", "sex", "height", "weight"])
def test_what_is_known_replaces_no_field_of_the_profile(api, strong, field):
    """Row 275: the specification requires the four."""
    body = at(api, strong.next_morning, recent_cgm=strong.cgm())
    assert_refused(api.predict(without(body, f"user_profile.{field}")), 400, f"{field} is required")


def test_readings_after_the_first_bite_change_nothing_and_are_told(api, strong):
    """D73, D78."""
    start = strong.meals[-1].time + timedelta(minutes=1)
    readings, meals = before(strong.cgm(), start), before(strong.consumed(), start)
    known = at(api, start, recent_cgm=readings, recent_meals=meals)
    added = at(api, start, recent_cgm=strong.cgm(), recent_meals=strong.consumed())
    assert curve(api.predict(known)) == curve(api.predict(added))
    assert "trace_after_meal" not in warned(api.predict(known))
    assert warned(api.predict(added))["trace_after_meal"][0] == "recent_cgm"
    complete = strong.new | {"cgm_data": strong.cgm()}
    assert warned(api.predict(at(api, start) | complete))["trace_after_meal"][0] == "cgm_data"


def test_a_trace_that_ends_hours_before_tells_the_level_alone(api, strong):
    """D73, D78."""
    start = strong.next_morning
    readings = before(strong.cgm(), start - timedelta(hours=3), 72)
    answer = api.predict(at(api, start, recent_cgm=readings))
    assert warned(answer)["trace_ended_early"][0] == "recent_cgm"
    extreme = [*readings[:-1], readings[-1] | {"value": 333}]
    moved = curve(api.predict(at(api, start, recent_cgm=extreme)))
    assert abs(moved[0] - curve(answer)[0]) < 3
    assert used(answer)["recent_cgm"]["used"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("flat", "trace_flat"),
        ("mixed", "trace_mixed"),
        ("short", "trace_too_short"),
        ("old", "trace_too_old"),
    ],
)
def test_a_trace_that_cannot_be_used_is_told_and_changes_nothing(api, strong, name, code):
    """D73, D78: a failed sensor, two people, hours instead of days, and last month."""
    start, chance = strong.next_morning, random.Random(5)
    readings = before(strong.cgm(), start, 72)
    if name == "flat":
        readings = [row | {"value": 104} for row in readings]
    if name == "mixed":
        readings = [row | {"value": chance.choice([80, 190])} for row in readings]
    if name == "short":
        readings = readings[-20:]
    if name == "old":
        past = [datetime.fromisoformat(row["timestamp"]) - timedelta(days=30) for row in readings]
        readings = [
            row | {"timestamp": time.isoformat()} for row, time in zip(readings, past, strict=True)
        ]
    answer = api.predict(at(api, start, recent_cgm=readings))
    assert curve(answer) == curve(api.predict(at(api, start)))
    assert code in warned(answer)
    assert warned(answer)[code][0] == "recent_cgm"
    assert not used(answer)["recent_cgm"]["used"]


@pytest.mark.parametrize("way", ["flat", "mixed"])
def test_five_days_that_no_sensor_gives_cannot_be_modelled(api, strong, way):
    """Row 302: never a silent population answer from a complete history."""
    chance, values = random.Random(5), {"flat": [104, 105], "mixed": [80, 190]}[way]
    body = at(api, strong.next_morning) | strong.new
    body["cgm_data"] = [row | {"value": chance.choice(values)} for row in body["cgm_data"]]
    assert_refused(api.predict(body), 422, "cgm_data must be readings of one person")


@pytest.mark.reliability
def test_fourteen_days_of_readings_every_minute_are_accepted(api):
    """D73: they fit into a body."""
    wearer = wearer_of(api, days=14, every_min=1, level_mg_dl=120.0)
    start = wearer.next_morning
    answer = api.predict(at(api, start, recent_cgm=wearer.cgm(), recent_meals=wearer.consumed()))
    assert len(answer.request.content) < 5 * 2**20
    assert curve(answer) == expected(api, start, trace=wearer.trace, meals=wearer.meal_history)
    assert used(answer)["recent_cgm"]["hours"] == pytest.approx(14 * 24 - 8, abs=0.1)


def test_more_readings_or_foods_than_a_year_has_are_refused(api, strong):
    """D73: the limits are those of `cgm_data` and `consumed_foods`."""
    reading = {"timestamp": "2026-01-05T07:00Z", "value": 1}
    body = api.body() | {"recent_cgm": [reading] * 100_001}
    assert_refused(api.predict(body), 400, "recent_cgm", "100000")
    body = api.body() | {"recent_meals": strong.consumed()[:1] * 10_001}
    assert_refused(api.predict(body), 400, "recent_meals", "10000")


def test_in_utc_alone_the_trace_ends_at_the_meal_and_the_hours_stay_out(api, strong):
    """Row 285, D73: an instant in `Z` still tells which readings are from before the meal."""

    def in_utc(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            row
            | {"timestamp": datetime.fromisoformat(row["timestamp"]).astimezone(UTC).isoformat()}
            for row in rows
        ]

    start = strong.meals[-1].time + timedelta(minutes=1)
    readings, meals = in_utc(strong.cgm()), in_utc(strong.consumed())
    body = at(api, start.astimezone(UTC), recent_cgm=readings, recent_meals=meals)
    answer = api.predict(body)
    earlier = at(
        api,
        start.astimezone(UTC),
        recent_cgm=before(readings, start),
        recent_meals=before(meals, start),
    )
    assert curve(answer) == curve(api.predict(earlier))
    last = before(readings, start)[-1]["value"]
    assert curve(answer)[0] == last
    assert warned(answer)["time_zone_unknown"][0] == "timezone"
    assert answer.headers["x-warnings"] == "time_zone_unknown"
    assert used(answer)["start_time"] == {"name": "start_time", "used": False}
    zone = {"timezone": "America/New_York"}
    assert "time_zone_unknown" not in warned(api.predict(body | zone))
    assert curve(api.predict(body | zone)) != curve(answer)


def test_the_default_weights_accept_every_field_and_tell_what_they_cannot_use(tmp_path, strong):
    """D73, D78."""
    with Api(tmp_path) as plain:
        start = strong.next_morning
        body = at(plain, start, recent_cgm=before(strong.cgm(), start, 72))
        body |= {
            "hba1c": {"value": 6, "unit": "%"},
            "fasting_glucose": {"value": 99, "unit": "mg/dL"},
        }
        answer = plain.predict(body)
        ignored = [
            each["field"]
            for each in answer.json()["warnings"]
            if each["code"] == "model_ignores_input"
        ]
        assert set(ignored) == {"recent_cgm", "hba1c", "fasting_glucose"}
        assert curve(answer) == curve(plain.predict(at(plain, start)))
        assert not any(used(answer)[name]["used"] for name in ignored)
        complete = plain.predict(at(plain, start) | strong.new)
        assert "model_ignores_input" not in warned(complete)


def test_version_1_1_gets_no_new_field(api, strong):
    """Row 291, D73."""
    plain = api.predict_old(api.old_body())
    for name in ("recentCgm", "recent_cgm", "sensor", "hba1c", "currentGlucose"):
        answer = api.post(OLD_PREDICT, json=api.old_body() | {name: []}, headers=ZONE)
        assert answer.content == plain.content
    assert set(plain.json()) == {"cgp", "scoring", "cgp_min", "cgp_max"}


def test_the_same_request_twice_is_the_same_to_the_last_byte(api, strong):
    """Row 290."""
    body = at(api, strong.next_morning, recent_cgm=strong.cgm(), recent_meals=strong.consumed())
    assert api.predict(body).content == api.predict(body).content
    shuffled = changed(body, "recent_cgm", body["recent_cgm"][::-1])
    assert api.predict(shuffled).content == api.predict(body).content
