"""POST /v1.1/user/training."""

import threading
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from api_client import TRAIN, Api, assert_refused, without
from cgm_requests import wearer_of
from sqlalchemy import select
from synthetic_wearer import EVERYDAY, Wearer

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_personal
from postmeal_serve.resources.erasure import erase_user
from postmeal_serve.storage.tables import METADATA, personal_model
from postmeal_serve.v1_1 import training


@pytest.fixture(scope="module")
def steady(api) -> Wearer:
    """Five days, no more than are needed."""
    return wearer_of(api, days=5)


@pytest.fixture
def user(api) -> str:
    return api.register()


def states(api: Api, user: str) -> list[bytes]:
    column = personal_model.c
    with api.service.database.reading() as connection:
        rows = connection.execute(select(column.state).where(column.end_user_id == user))
        return list(rows.scalars())


def good_days(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"good_days"}
    days: list[str] = answer.json()["good_days"]
    return days


def test_five_days_train_and_are_named_ascending(api, steady, user):
    """Row 454."""
    days = good_days(api.train(user, steady.training))
    assert days == [f"2026-01-0{day}" for day in range(5, 10)]


def test_what_is_stored_is_the_librarys_state_and_nothing_else(tmp_path):
    """Rows 454, 460: under 2,048 bytes of it, no reading and no meal."""
    with Api(tmp_path) as api:
        user, wearer = api.register(), wearer_of(api, level_mg_dl=137.0, noise_mg_dl=7.0)
        good_days(api.train(user, wearer.training))
        [state] = states(api, user)
        fitted = fit_personal(api.service.predictor, EVERYDAY, wearer.trace, wearer.meal_history)
        assert PersonalModel.from_bytes(state) == fitted
        assert len(state) <= 2048
        with api.service.database.reading() as connection:
            rows = repr(
                [connection.execute(select(table)).all() for table in METADATA.sorted_tables]
            )
        readings = {str(value) for _, value in wearer.readings}
        assert not [value for value in readings if f" {value}," in rows or f":{value}," in rows]


def test_both_fields_and_the_header_are_required(api, steady, user):
    """Rows 323, 453."""
    for field in ("cgm_data", "consumed_foods"):
        answer = api.train(user, without(steady.training, field))
        assert_refused(answer, 400, f"{field} is required")
        assert_refused(api.train(user, steady.training | {field: None}), 400, field)
    answer = api.post(TRAIN, json=steady.training)
    assert_refused(answer, 400, "x-partner-user-id")


@pytest.mark.parametrize("name", ["", " ", "u" * 129])
def test_an_id_that_cannot_be_one_is_refused(api, steady, name):
    """Row 324."""
    assert_refused(api.train(name, steady.training), 400, "x-partner-user-id")


def test_an_unknown_user_is_404(api, steady):
    """Rows 458, 326: also one of another partner."""
    assert_refused(api.train("nobody", steady.training), 404, "x-partner-user-id")
    assert_refused(api.train(str(uuid.uuid4()), steady.training), 404)
    mine, other = api.register(), api.partner(f"other {uuid.uuid4()}")
    headers = other.headers(TRAIN) | {"x-partner-user-id": mine}
    assert_refused(api.client.post(TRAIN, json=steady.training, headers=headers), 404)
    assert states(api, mine) == []


def test_an_unknown_food_is_404_and_a_foreign_serving_400(api, steady, user):
    """Row 458."""
    body = steady.training
    body["consumed_foods"][4]["id"] = 9_999_999_999
    assert_refused(api.train(user, body), 404, "9999999999")
    body = steady.training
    body["consumed_foods"][4]["serving"]["id"] = 99_999
    assert_refused(api.train(user, body), 400, "consumed_foods[4].serving.id")


def test_four_days_are_refused_with_what_was_found_and_what_is_needed(api, user):
    """Row 455."""
    answer = api.train(user, wearer_of(api, days=4).training)
    assert_refused(answer, 400, "cgm_data", "at least 5 complete days", "got 4")


@pytest.mark.parametrize(("quarters", "counts"), [(47, False), (48, True)])
def test_a_day_counts_with_twelve_hours_of_cgm(api, steady, user, quarters, counts):
    """Rows 431, 456: 11 h 45 min are not enough."""
    body = steady.training
    gone = [row for row in body["cgm_data"] if "2026-01-07" in row["timestamp"]][quarters:]
    body["cgm_data"] = [row for row in body["cgm_data"] if row not in gone]
    answer = api.train(user, body)
    if counts:
        assert "2026-01-07" in good_days(answer)
    else:
        assert_refused(answer, 400, "got 4", "2026-01-07: 11.75 h of CGM, 12 needed")


@pytest.mark.parametrize(("minutes", "counts"), [(0, False), (1, True)])
def test_a_day_counts_with_meals_at_two_times(api, steady, user, minutes, counts):
    """Row 457: two foods at one time are one."""
    body = steady.training
    of_day = [row for row in body["consumed_foods"] if "2026-01-07" in row["timestamp"]]
    body["consumed_foods"] = [row for row in body["consumed_foods"] if row not in of_day]
    for row, minute in zip(of_day, (0, minutes), strict=False):
        body["consumed_foods"].append(row | {"timestamp": f"2026-01-07T08:{minute:02}:00-05:00"})
    answer = api.train(user, body)
    if counts:
        assert "2026-01-07" in good_days(answer)
    else:
        assert_refused(answer, 400, "got 4", "2026-01-07: meals at 1 time, 2 needed")


def test_training_tells_that_readings_were_averaged(api, steady, user):
    """Row 287."""
    body = steady.training
    again = body["cgm_data"][7]
    for apart, warning in ((20, None), (21, "readings_averaged")):
        repeated = again | {"value": again["value"] + apart}
        answer = api.train(user, body | {"cgm_data": [*body["cgm_data"], repeated]})
        assert answer.status_code == 200
        assert answer.headers.get("x-warnings") == warning


def test_days_are_those_of_each_timestamps_own_offset(api, user):
    """Row 459: in UTC, the same moments are of other days."""
    island = "Pacific/Kiritimati"  # 14 hours ahead of UTC
    body = wearer_of(api, days=5, zone=ZoneInfo(island)).training
    assert good_days(api.train(user, body)) == [f"2026-01-0{day}" for day in range(5, 10)]
    for row in body["cgm_data"] + body["consumed_foods"]:
        moment = datetime.fromisoformat(row["timestamp"]).astimezone(ZoneInfo("UTC"))
        row["timestamp"] = moment.isoformat().replace("+00:00", "Z")
    answer = api.train(user, body)
    assert good_days(answer) == [f"2026-01-0{day}" for day in range(4, 9)]
    assert answer.headers["x-warnings"] == "time_zone_unknown"
    days = good_days(api.train(user, body, **{"x-partner-timezone": island}))
    assert days == [f"2026-01-0{day}" for day in range(5, 10)]


@pytest.mark.parametrize("ending", ["Z", "+00:00"])
def test_in_utc_alone_a_model_learns_nothing_of_hours(api, user, ending):
    """Row 459: the state is the library's for a person whose clock is unknown."""
    wearer = wearer_of(api, days=7, rise=2.0)
    trace, meals = wearer.trace, wearer.meal_history
    body = wearer.training
    for row in body["cgm_data"] + body["consumed_foods"]:
        moment = datetime.fromisoformat(row["timestamp"]).astimezone(UTC)
        row["timestamp"] = moment.isoformat().replace("+00:00", ending)
    answer = api.train(user, body)
    assert good_days(answer) == [f"2026-01-{day:02}" for day in range(5, 12)]
    assert answer.headers["x-warnings"] == "time_zone_unknown"
    [state] = states(api, user)
    assert PersonalModel.from_bytes(state) == fit_personal(
        api.service.predictor,
        EVERYDAY,
        CgmTrace.of(trace.utc_s, 0, trace.glucose_mg_dl),
        MealHistory.of(meals.utc_s, np.nan, meals.macronutrients),
    )
    named = api.train(user, body, **{"x-partner-timezone": "America/New_York"})
    assert "x-warnings" not in named.headers
    [local] = states(api, user)
    assert PersonalModel.from_bytes(local) == fit_personal(
        api.service.predictor, EVERYDAY, trace, meals
    )


@pytest.mark.parametrize("field", ["cgm_data", "consumed_foods"])
def test_offsets_of_one_field_tell_the_clock_of_the_other(api, user, field):
    """Row 459: readings in UTC beside meals in local time, as two systems send them."""
    wearer = wearer_of(api, days=5)
    body = wearer.training
    good_days(api.train(user, body))
    known = states(api, user)
    for row in body[field]:
        moment = datetime.fromisoformat(row["timestamp"]).astimezone(UTC)
        row["timestamp"] = moment.isoformat().replace("+00:00", "Z")
    answer = api.train(user, body)
    assert good_days(answer) == [f"2026-01-0{day}" for day in range(5, 10)]
    assert "x-warnings" not in answer.headers
    assert states(api, user) == known


def test_a_timestamp_without_an_offset_wants_the_zone_header(api, steady, user):
    """Row 459."""
    body = steady.training
    for row in body["cgm_data"] + body["consumed_foods"]:
        row["timestamp"] = row["timestamp"].removesuffix("-05:00")
    assert_refused(api.train(user, body), 400, "cgm_data[0].timestamp", "Z or an offset")
    good_days(api.train(user, body, **{"x-partner-timezone": "America/New_York"}))
    assert_refused(api.train(user, body, **{"x-partner-timezone": "Mars/X"}), 400, "timezone")


def test_data_that_cannot_be_modelled_are_422(api, steady, user):
    """Row 302: five whole days of a sensor that never moves."""
    body = steady.training
    for row in body["cgm_data"]:
        row["value"] = 110
    assert_refused(api.train(user, body), 422, "cgm_data")
    assert states(api, user) == []


def test_retraining_replaces_the_model_and_a_failed_one_keeps_it(api, steady, user):
    """Row 460."""
    good_days(api.train(user, steady.training))
    first = states(api, user)
    for refused in (
        wearer_of(api, days=4).training,
        steady.training | {"cgm_data": []},
        steady.training | {"consumed_foods": [{"timestamp": "x"}]},
        {},
    ):
        assert api.train(user, refused).status_code == 400
        assert states(api, user) == first
    good_days(api.train(user, wearer_of(api, rise=2.0).training))
    [second] = states(api, user)
    assert [second] != first


def test_of_trainings_at_the_same_time_one_stays_whole(api, user):
    """Row 460: whichever is committed last."""
    wearers = [wearer_of(api, rise=rise, days=5) for rise in (0.5, 1.5, 2.0, 2.5)]
    bodies = [wearer.training for wearer in wearers]
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda body=body: answers.append(api.train(user, body)))
        for body in bodies * 3
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [200] * 12
    [state] = states(api, user)
    predictor = api.service.predictor
    fitted = [fit_personal(predictor, EVERYDAY, each.trace, each.meal_history) for each in wearers]
    assert PersonalModel.from_bytes(state) in fitted


def test_either_id_of_a_user_trains_the_same_user(api, steady):
    """Row 447."""
    name = f"u-{uuid.uuid4()}"
    user = api.register(**{"x-partner-user-id": name})
    for given in (name, user, user.upper()):
        good_days(api.train(given, steady.training))
    assert len(states(api, user)) == 1


def test_after_a_delete_the_model_is_gone(api, steady, user):
    """Row 451."""
    good_days(api.train(user, steady.training))
    headers = api.headers(TRAIN) | {"x-partner-user-id": user}
    assert api.client.delete("/v1.1/user", headers=headers).status_code == 200
    assert states(api, user) == []
    assert_refused(api.train(user, steady.training), 404)


def test_a_user_deleted_while_they_are_trained_is_not_trained(api, steady, user, monkeypatch):
    """Rows 451, 460: nothing is stored of somebody who is gone."""
    fit = training._train

    def slow(call: Any, person: Any, history: Any) -> Any:
        now, owner = api.service.clock.now(), call.caller.organization.id
        with api.service.database.writing() as connection:
            erase_user(connection, owner, user, now, "test")
        return fit(call, person, history)

    monkeypatch.setattr(training, "_train", slow)
    assert_refused(api.train(user, steady.training), 404)
    assert states(api, user) == []


def test_days_beside_those_that_count_are_not_named(api, user):
    """Row 454: a day with readings alone does not count, and does no harm."""
    wearer = wearer_of(api, days=7)
    body = wearer.training
    body["consumed_foods"] = [
        row for row in body["consumed_foods"] if "2026-01-08" not in row["timestamp"]
    ]
    days = good_days(api.train(user, body))
    assert days == [str(wearer.first_day + timedelta(days=n)) for n in range(7) if n != 3]
