"""Idempotency-Key: a food log that is sent again is created once."""

import uuid

import pytest
from api_client import Api, assert_refused, changed
from diarist import NEW, Diarist, with_key


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
