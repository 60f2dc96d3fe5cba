"""Idempotency-Key: a food log that is sent again is created once."""

import uuid
from datetime import timedelta

import pytest
from api_client import Api, VirtualClock, assert_refused, changed
from diary_client import NEW, Diarist, with_key

from postmeal_serve.resources.retention import delete_expired


@pytest.fixture
def me(api: Api) -> Diarist:
    return with_key(api, uuid.uuid4().hex)


@pytest.fixture
def body(api: Api) -> dict:
    foods = api.body()["foods"]
    return {"foods": foods, "timestamp_utc": "2026-01-05T13:00:00.25Z", "name": "Breakfast"}


def created(answer) -> dict:
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_repeated_request_with_a_key_is_done_once(me, body):
    """Row 253."""
    key = {"Idempotency-Key": "k-1"}
    first = me.log(body, **key)
    created(first)
    spelled_otherwise = {"name": body["name"], "eaten_at": "2026-01-05T14:00:00.250+01:00",
                         "foods": body["foods"]}  # fmt: skip
    for again in (me.log(body, **key), me.log(spelled_otherwise, **key)):
        assert again.status_code == 201
        assert again.content == first.content
    assert me.logs() == [first.json()]
    refused = me.log({**body, "name": "Lunch"}, **key)
    assert_refused(refused, 422, "Idempotency-Key")
    assert refused.json()["code"] == "idempotency_key_reused"
    created(me.log(body, **{"Idempotency-Key": "k-2"}))
    created(me.log(body))
    assert len(me.logs()) == 3


def test_a_created_log_says_where_it_is_and_a_repeated_answer_that_it_is_one(me, body):
    """Row 253: the two headers are added, and the body of the answer is the first one's."""
    key = {"Idempotency-Key": "k-replayed"}
    first, again, without = me.log(body, **key), me.log(body, **key), me.log(body)
    for answer in (first, again, without):
        location = answer.headers["Location"]
        assert location == f"/v1.2/food-logs/{created(answer)['id']}"
        found = me.client.get(location, headers=me.headers)
        assert (found.status_code, found.json()) == (200, answer.json())
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.content == first.content
    assert "Idempotency-Replayed" not in first.headers
    assert "Idempotency-Replayed" not in without.headers


def test_the_headers_of_a_created_log_are_documented(api):
    document = api.client.get("/v1.2/openapi.json").json()
    success = document["paths"]["/v1.2/food-logs"]["post"]["responses"]["201"]
    assert {"Location", "Idempotency-Replayed"} < set(success["headers"])


def test_a_refused_request_leaves_its_key_free(me, body):
    """Row 253."""
    key = {"Idempotency-Key": "k"}
    assert_refused(me.log(changed(body, "foods.0.id", "9999999999"), **key), 404)
    assert_refused(me.log(changed(body, "foods.0.quantity", 0), **key), 400)
    created(me.log(body, **key))


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, b"k\xc3\xa9"])
def test_an_idempotency_key_has_1_to_255_visible_ascii_characters(me, body, key):
    """Row 253."""
    sent = me.headers | {"Idempotency-Key": key}
    answer = Diarist(me.client, NEW, sent).log(body)
    assert_refused(answer, 400, "Idempotency-Key", "255")
    created(me.log(body, **{"Idempotency-Key": "~" * 255}))


def test_two_idempotency_keys_are_refused(me, body):
    """Rows 13, 253: neither is taken in silence."""
    sent = [*me.headers.items(), ("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
    answer = me.client.post("/v1.2/food-logs", headers=sent, json=body)
    assert_refused(answer, 400, "Idempotency-Key", "once")


def test_a_key_is_remembered_for_a_day_and_no_longer(tmp_path, body):
    """Row 253: the purge job keeps it for that day."""
    clock = VirtualClock()
    with Api(tmp_path, clock) as api:
        me, key = with_key(api, "u-1"), {"Idempotency-Key": "k"}
        first = created(me.log(body, **key))
        clock.advance(timedelta(hours=24).total_seconds() - 0.001)
        api.client.portal.call(delete_expired, api.service.database, clock, timedelta())
        assert created(me.log(body, **key)) == first
        clock.advance(0.001)
        assert created(me.log(body, **key))["id"] != first["id"]
        assert len(me.logs()) == 2
