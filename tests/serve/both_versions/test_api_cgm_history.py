"""Prediction from a CGM history that comes with the request, in both versions."""

import copy
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from api_client import OLD_PREDICT, PREDICT, USER_PREDICT, ZONE, Api, assert_refused
from cgm_requests import NEW, OLD, both, wearer_of
from sqlalchemy import select
from stored_people import OF_THE_SERVICE
from synthetic_wearer import EVERYDAY, Wearer

from postmeal import Meal, Selection
from postmeal_serve.storage.tables import METADATA


@pytest.fixture(scope="module")
def strong(api) -> Wearer:
    """Rises twice as much as the population says."""
    return wearer_of(api, rise=2.0)


@both
@pytest.mark.parametrize("rise", [0.3, 2.0])
def test_a_person_who_rises_otherwise_is_predicted_to(api, way, rise):
    """Rows 288, 433: the answer differs from the population's in the right direction."""
    body = way.of(api, wearer_of(api, rise=rise))
    own, others = way.curve(api, body), way.curve(api, way.plain(body))
    own_rise, others_rise = max(own) - own[0], max(others) - others[0]
    assert (own_rise - others_rise) * (rise - 1) > 0
    version = way.ask(api, body).headers["x-model-version"]
    assert version == f"{api.service.predictor.version} personal"
    assert way.ask(api, way.plain(body)).headers["x-model-version"] == api.service.predictor.version


@both
def test_the_answer_is_the_librarys_after_rounding(api, way, strong):
    """Rows 291, 474: fitted to the same trace and meals, from the same start."""
    foods = (api.food("oatmeal"), api.food("banana"))
    meal = Meal(tuple(Selection.of(food) for food in foods), strong.next_morning)
    [*_, (last, value)] = strong.readings
    history = {"trace": strong.trace, "meals": strong.meal_history}
    for minutes in (10, 20, 61):
        meal = replace(meal, time=last + timedelta(minutes=minutes))
        expected = api.service.predictor.predict(EVERYDAY, meal, **history)
        assert expected.is_personal
        written = [round(glucose, 1) for glucose in expected.glucose_mg_dl]
        assert way.curve(api, way.of(api, strong, meal.time)) == written
        assert (expected.glucose_mg_dl[0] == value) == (minutes == 10)


def test_both_versions_answer_alike(api, strong):
    """Row 291."""
    old, new = (way.curve(api, way.of(api, strong)) for way in (OLD, NEW))
    assert old == new


@both
def test_nothing_after_the_first_bite_changes_the_answer(api, way, strong):
    """Row 288: neither readings nor meals of the future are looked at."""
    later = replace(strong, days=9, rise=0.1, level_mg_dl=180.0)
    start = strong.next_morning
    after = [each for each in later.readings if each[0] > start]
    meals = [each for each in later.meals if each.time >= start]
    body, future = way.of(api, strong), copy.copy(later)
    future.__dict__.update(readings=after, meals=meals)
    added = way.of(api, future)
    known = way.curve(api, body)
    body[way.cgm] += added[way.cgm]
    body[way.eaten] += added[way.eaten]
    assert way.curve(api, body) == known
    body[way.start] = (later.next_morning).isoformat()
    assert way.curve(api, body) != known


@both
def test_the_readings_of_the_predicted_hours_change_nothing(api, way, strong):
    """Row 288: later readings are not used, not even for a meal that is still in progress."""
    start = strong.meals[-1].time + timedelta(hours=1)
    body = way.of(api, strong, start)
    body[way.cgm] = [
        row for row in body[way.cgm] if datetime.fromisoformat(row["timestamp"]) <= start
    ]
    known = way.curve(api, body)
    for glucose_mg_dl in (60, 300):
        later = [
            {"timestamp": (start + timedelta(minutes=minute)).isoformat(), "value": glucose_mg_dl}
            for minute in range(15, 181, 15)
        ]
        assert way.curve(api, body | {way.cgm: body[way.cgm] + later}) == known


@both
def test_days_after_the_first_bite_do_not_count(api, way, strong):
    """Rows 289, 432: a meal in the middle of a history has what was before it."""
    third = strong.next_morning - timedelta(days=3)
    message = assert_refused(way.ask(api, way.of(api, strong, third)), 400, way.cgm, "got 3")
    assert "only readings and foods from before the meal are used" in message


@both
def test_a_reading_of_the_last_quarter_of_an_hour_is_where_the_curve_starts(api, way, strong):
    """Row 288: one of the first bite itself, too, and none of later."""
    for minutes, starts in ((16, False), (15, True), (0, True), (-1, False)):
        at = (strong.next_morning - timedelta(minutes=minutes)).isoformat()
        body = way.of(api, strong)
        body[way.cgm].append({"timestamp": at, "value": 187.5})
        assert (way.curve(api, body)[0] == 187.5) == starts


@both
def test_the_meal_that_is_asked_about_is_none_of_the_history(api, way):
    """Rows 289, 432: told among what was eaten, it does not make its day complete."""
    wearer = wearer_of(api, days=5)
    dinner = wearer.next_morning - timedelta(hours=13)
    body = way.of(api, wearer, dinner)
    way.curve(api, body)
    lunch = [row for row in body[way.eaten] if "2026-01-09T13" in row["timestamp"]]
    body[way.eaten] = [row for row in body[way.eaten] if row not in lunch]
    assert_refused(way.ask(api, body), 400, "got 4", "2026-01-09: meals at 1 time")


@both
@pytest.mark.parametrize("days", [0, 1, 4])
def test_fewer_than_five_days_are_refused_with_their_number(api, way, days):
    """Rows 289, 432: never a silent population answer."""
    body = way.of(api, wearer_of(api, days=days))
    message = assert_refused(way.ask(api, body), 400, way.cgm, "5 complete days", f"got {days}")
    assert "before the meal" not in message


@both
def test_why_each_day_did_not_count_is_said(api, way):
    """Rows 287, 289, 431: a gap of hours, one meal, and both on the same day."""
    wearer = wearer_of(api, days=8)
    body = way.of(api, wearer)

    def on(row: dict[str, Any], day: int) -> bool:
        return row["timestamp"].startswith(f"2026-01-{day:02}")

    def hour(row: dict[str, Any]) -> int:
        return int(row["timestamp"][11:13])

    body[way.cgm] = [
        row for row in body[way.cgm] if not (on(row, 6) or on(row, 8)) or hour(row) < 11
    ]
    body[way.eaten] = [
        row for row in body[way.eaten] if not (on(row, 7) or on(row, 8)) or hour(row) < 9
    ]
    body[way.eaten] = [row for row in body[way.eaten] if not on(row, 9)]
    message = assert_refused(way.ask(api, body), 400, "got 4")
    assert "2026-01-06: 11 h of CGM, 12 needed" in message
    assert "2026-01-07: meals at 1 time, 2 needed" in message
    assert "2026-01-08: 11 h of CGM, 12 needed, meals at 1 time, 2 needed" in message
    assert "2026-01-09: meals at 0 different times, 2 needed" in message
    assert "2026-01-10" not in message


@both
def test_a_part_of_a_history_that_is_missing_is_named(api, way, strong):
    """Rows 286, 429."""
    body = way.of(api, strong)
    del body[way.eaten]
    assert_refused(way.ask(api, body), 400, f"{way.eaten} is required")
    body = api.body() | {"consumed_foods": strong.new["consumed_foods"]}
    assert_refused(NEW.ask(api, body), 400, "cgm_data is required")


def test_lone_consumed_foods_of_v1_1_are_not_used(api, strong):
    """Row 430."""
    body = OLD.of(api, strong)
    del body["cgmData"]
    answer = api.predict_old(body)
    assert answer.content == api.predict_old(OLD.plain(body)).content
    assert answer.headers["x-model-version"] == api.service.predictor.version


@both
def test_order_and_repetition_of_readings_do_not_matter(api, way, strong):
    """Row 287: unsorted is as good, and what was read twice is averaged."""
    body = way.of(api, strong)
    known = way.curve(api, body)
    assert way.curve(api, body | {way.cgm: body[way.cgm][::-1]}) == known
    assert way.curve(api, body | {way.cgm: body[way.cgm] * 2}) == known
    assert way.curve(api, body | {way.eaten: body[way.eaten][::-1]}) == known


@both
@pytest.mark.parametrize(("apart", "warning"), [(20, None), (20.5, "readings_averaged")])
def test_averaging_readings_that_differ_by_more_than_20_is_told(api, way, strong, apart, warning):
    """Row 287: the order does not matter."""
    body = way.of(api, strong)
    readings = body[way.cgm]
    middle = readings[40]["value"]
    pair = [readings[40] | {"value": middle + half * apart} for half in (-0.5, 0.5)]
    body[way.cgm] = [pair[1], *readings[:40], *readings[41:], pair[0]]
    answer = way.ask(api, body)
    assert answer.headers.get("x-warnings") == warning
    assert way.curve(api, body) == way.curve(api, body | {way.cgm: readings})


def test_every_form_of_a_food_serves_in_a_history_too(api, strong):
    """Row 283: flat ids, quantity outside."""
    body = NEW.of(api, strong)
    known = NEW.curve(api, body)
    body["consumed_foods"] = [
        {
            "timestamp": each["timestamp"],
            "food_id": int(each["id"]),
            "serving_id": each["serving"]["id"],
            "quantity": each["serving"]["quantity"],
        }
        for each in body["consumed_foods"]
    ]
    assert NEW.curve(api, body) == known


def test_times_without_an_offset_want_a_zone(api, strong):
    """Rows 285, 287, 428: v1.1 has that of its header, v1.2 refuses them unless one is given."""
    old, new = OLD.of(api, strong), NEW.of(api, strong)
    known = OLD.curve(api, old)
    for body, way in ((old, OLD), (new, NEW)):
        for row in body[way.cgm] + body[way.eaten]:
            row["timestamp"] = row["timestamp"].removesuffix("-05:00")
    assert OLD.curve(api, old) == known
    assert NEW.curve(api, new | {"timezone": "America/New_York"}) == known
    header = {"x-end-user-timezone": "America/New_York"}
    assert (
        api.predict(new, **header).content
        == api.predict(new | {"timezone": "America/New_York"}).content
    )
    assert_refused(api.predict(new), 400, "cgm_data[0].timestamp", "Z or an offset")


def test_the_zone_decides_which_day_a_reading_belongs_to(api):
    """Rows 285, 287, 459: written in UTC, the days are whole in the zone alone."""
    wearer = wearer_of(api, days=5, zone=ZoneInfo("Asia/Tokyo"))
    body = NEW.of(api, wearer)
    for row in body["cgm_data"] + body["consumed_foods"]:
        local = datetime.fromisoformat(row["timestamp"])
        row["timestamp"] = local.astimezone(ZoneInfo("UTC")).isoformat()
    body["cgm_data"] = [row for n, row in enumerate(body["cgm_data"]) if n % 96 >= 48]  # afternoons
    body["consumed_foods"] = [
        row for row in body["consumed_foods"] if row["timestamp"][11:13] not in ("23",)
    ]  # lunch and dinner, both in the afternoon
    assert NEW.curve(api, body | {"timezone": "Asia/Tokyo"})
    assert_refused(api.predict(body | {"timezone": "America/New_York"}), 400, "cgm_data")


@both
def test_a_sensor_that_never_moves_cannot_be_modelled(api, way, strong):
    """Row 302: well formed, five days, and 422."""
    body = way.of(api, strong)
    for row in body[way.cgm]:
        row["value"] = 100
    answer = way.ask(api, body)
    assert_refused(answer, 422, way.cgm)
    if way is NEW:
        assert answer.json()["code"] == "history_unusable"


@both
def test_meals_that_cannot_be_learned_from_cannot_be_modelled(api, way, strong):
    """Row 302: each followed by the next within two hours."""
    body = way.of(api, strong)
    for place, row in enumerate(body[way.eaten]):
        row["timestamp"] = f"2026-01-{5 + place // 3:02}T{10 + place % 3:02}:00:00-05:00"
    body[way.eaten] += [
        row | {"timestamp": row["timestamp"].replace("T12", "T13")} for row in body[way.eaten]
    ]
    body[way.cgm] = [row for row in body[way.cgm] if not "T13" <= row["timestamp"][10:13] < "T16"]
    assert_refused(way.ask(api, body), 422, way.eaten)


def test_the_message_lists_a_limited_number_of_invalid_days(api):
    """Row 289: the list of reasons is limited."""
    rows = [
        {"timestamp": f"{1950 + n // 28}-02-{1 + n % 28:02}T08:00Z", "value": 100}
        for n in range(1400)
    ]
    message = assert_refused(
        api.predict(api.body() | {"cgm_data": rows, "consumed_foods": []}), 400, "got 0"
    )
    assert "1369 more days" in message
    assert len(message) < 4000


@both
def test_a_history_of_which_nothing_is_stored_leaves_no_trace(tmp_path, way):
    """Row 292: the tables are as they were."""
    with Api(tmp_path) as api:

        def rows():
            with api.service.database.reading() as connection:
                tables = [
                    table for table in METADATA.sorted_tables if table.name not in OF_THE_SERVICE
                ]
                return {table.name: connection.execute(select(table)).all() for table in tables}

        before = rows()
        wearer = wearer_of(api, level_mg_dl=137.0)
        way.curve(api, way.of(api, wearer))
        assert rows() == before
    files = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(b"137." in content for content in files)


@both
def test_the_same_history_twice_is_the_same_to_the_last_byte(api, way, strong):
    """Row 290."""
    body = way.of(api, strong)
    assert way.ask(api, body).content == way.ask(api, body).content


def test_a_missing_model_is_503_and_never_another_answer(tmp_path, monkeypatch):
    """Row 294: with a history and without."""
    with Api(tmp_path) as api:
        wearer = wearer_of(api)
        bodies = [(way, way.of(api, wearer)) for way in (OLD, NEW)]
        monkeypatch.setattr(type(api.service.models), "active", None)
        for way, body in bodies:
            assert_refused(way.ask(api, body), 503)
            assert_refused(way.ask(api, way.plain(body)), 503)


def test_a_model_that_is_too_slow_is_504(api, strong, monkeypatch):
    """Rows 294, 296: version 1.1 knows 503 alone."""
    monkeypatch.setattr("postmeal_serve.runtime.offload._WITHIN_S", 0.0)
    for way, status in ((OLD, 503), (NEW, 504)):
        answer = way.ask(api, way.of(api, strong))
        assert_refused(answer, status, "took too long")
    assert answer.json()["code"] == "upstream_timeout"


def test_the_documents_tell_of_the_header_that_names_the_model(api):
    """Rows 288, 478: of every prediction, and of nothing else."""
    document = api.client.get("/openapi.json").json()
    telling = {
        path
        for path, methods in document["paths"].items()
        for method in methods.values()
        if "X-Model-Version" in method["responses"].get("200", {}).get("headers", {})
    }
    assert telling == {PREDICT, OLD_PREDICT, USER_PREDICT}


def test_the_zone_header_counts_for_each_timestamp(api, strong):
    """Row 428: Z and offsets are the same moments, told on the clocks of the header's zone."""
    body = OLD.of(api, strong)
    known = OLD.curve(api, body)
    for row in body["cgmData"] + body["consumedFoods"]:
        local = datetime.fromisoformat(row["timestamp"])
        row["timestamp"] = local.astimezone(ZoneInfo("UTC")).isoformat().replace("+00:00", "Z")
    assert OLD.curve(api, body) == known
    assert_refused(api.predict_old(body, **{**ZONE, "x-partner-timezone": "Mars/X"}), 400)
