"""The clock of a person with a CGM history, in POST /v1.2/glucose/predictions."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from api_client import Api, assert_refused
from cgm_requests import NEW, wearer_of
from synthetic_wearer import EVERYDAY, Wearer

from postmeal import Meal, Selection
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory

TOKYO = "+09:00"


@pytest.fixture(scope="module")
def strong(api) -> Wearer:
    """Rises twice as much as the population says, in New York."""
    return wearer_of(api, rise=2.0, days=7)


def in_utc(text: str, ending: str = "Z") -> str:
    return datetime.fromisoformat(text).astimezone(UTC).isoformat().replace("+00:00", ending)


def in_tokyo(text: str) -> str:
    return datetime.fromisoformat(text).astimezone(timezone(timedelta(hours=9))).isoformat()


def written(body: dict[str, Any], *fields: str, change: Callable[[str], str] = in_utc) -> Any:
    """Return a body with the same instants, in which timestamps are written otherwise."""
    told = dict(body)
    for field in fields:
        if field == "start_time":
            told[field] = change(body[field])
        else:
            told[field] = [row | {"timestamp": change(row["timestamp"])} for row in body[field]]
    return told


HISTORY = ("cgm_data", "consumed_foods")


@pytest.mark.parametrize(
    ("fields", "change"),
    [
        (HISTORY, in_utc),
        (HISTORY, lambda text: in_utc(text, "+00:00")),
        (HISTORY, in_tokyo),
        (("cgm_data",), in_utc),
        (("consumed_foods",), in_utc),
        (("start_time",), in_utc),
        (("start_time", "cgm_data"), in_utc),
        (("start_time", "consumed_foods"), in_utc),
    ],
)
def test_the_same_instants_give_the_same_curve_where_any_timestamp_tells_the_clock(
    api, strong, fields, change
):
    """Row 285: the offset of the start counts, else the history's own."""
    body = NEW.of(api, strong)
    answer = NEW.ask(api, written(body, *fields, change=change))
    assert answer.content == NEW.ask(api, body).content
    assert "x-warnings" not in answer.headers


def test_a_zone_counts_more_than_any_offset(api, strong):
    """Row 285."""
    body = NEW.of(api, strong)
    told = written(body, "start_time", *HISTORY, change=in_tokyo)
    zone = {"timezone": "America/New_York"}
    assert NEW.curve(api, told | zone) == NEW.curve(api, body)
    header = api.predict(told, **{"x-end-user-timezone": "America/New_York"})
    assert header.content == NEW.ask(api, body).content
    assert NEW.curve(api, told) != NEW.curve(api, body)


@pytest.mark.parametrize("ending", ["Z", "+00:00"])
def test_in_utc_alone_the_hours_stay_out_of_the_model(api, strong, ending):
    """Rows 285, 474: the library's prediction for a person whose clock is unknown."""
    body = NEW.of(api, strong)
    told = written(body, "start_time", *HISTORY, change=lambda text: in_utc(text, ending))
    answer = NEW.ask(api, told)
    assert answer.headers["x-warnings"] == "time_zone_unknown"
    trace, meals = strong.trace, strong.meal_history
    predictor, start = api.service.predictor, strong.next_morning.astimezone(UTC)
    foods = (api.food("oatmeal"), api.food("banana"))
    expected = predictor.predict(
        EVERYDAY,
        Meal(tuple(Selection.of(food) for food in foods), start, hour_is_known=False),
        trace=CgmTrace.of(trace.utc_s, 0, trace.glucose_mg_dl),
        meals=MealHistory.of(meals.utc_s, np.nan, meals.macronutrients),
    )
    assert expected.is_personal
    curve = [point["value"] for point in answer.json()["points"]]
    assert curve == [round(glucose, 1) for glucose in expected.glucose_mg_dl]
    assert curve != NEW.curve(api, body)


def test_a_change_of_clocks_in_the_history_is_read_from_its_own_offsets(api):
    """Row 285: timestamps in UTC get the offset of those next to them."""
    berlin = wearer_of(api, days=8, first_day=datetime(2026, 3, 26).date(), rise=2.0,
                       zone=ZoneInfo("Europe/Berlin"))  # fmt: skip
    zone = {"timezone": "Europe/Berlin"}
    body = NEW.of(api, berlin)
    known = NEW.curve(api, body | zone)
    assert NEW.curve(api, written(body, "start_time")) == known
    assert NEW.curve(api, written(body, "start_time", "consumed_foods")) == known


@pytest.mark.parametrize("start", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_the_ends_of_the_calendar_are_refused_in_local_time(api: Api, strong, start):
    """Rows 284, 285: no error of ours."""
    body = NEW.of(api, strong) | {"start_time": start}
    if start.startswith("9999"):
        body = written(body, *HISTORY, change=in_tokyo)
        assert_refused(NEW.ask(api, body), 400, "start_time", "local time")
    else:
        assert NEW.ask(api, body).status_code == 400
