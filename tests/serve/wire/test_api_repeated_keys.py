"""JSON keys that an object gives twice: 400 in version 1.2; in version 1.1 the last one counts."""

import json

import pytest
from api_client import OLD_PREDICT, PREDICT, ZONE, assert_refused

from postmeal_serve.app import OPERATIONS
from postmeal_serve.wire.request_body import DEEPEST_JSON
from postmeal_serve.wire.upload_limits import LARGEST_BODY

JSON = {"Content-Type": "application/json"}


def twice(body: dict, name: str, more: str = "null") -> str:
    """A body whose outermost object ends with one more key."""
    return f'{json.dumps(body)[:-1]}, "{name}": {more}}}'


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", ["foods", "user_profile", "start_time"])
def test_a_field_given_twice_is_refused(api, name, first):
    """Row 13 and X13: readers disagree on which of the two counts."""
    body = api.body()
    content = twice(body, name, json.dumps(body[name]))
    if first:
        content = f'{{"{name}": null, {json.dumps(body)[1:]}'
    message = assert_refused(api.post(PREDICT, content=content), 400)
    assert message == f"field '{name}' is given twice; send each field only once"


@pytest.mark.parametrize(
    "operation",
    [each for each in OPERATIONS if each.body and each.version.name == "v1.2"],
    ids=lambda each: each.operation_id,
)
def test_every_body_of_version_1_2_gives_each_field_once(api, operation):
    """Row 13 and X13: unknown fields too, and before missing fields are reported."""
    path = operation.path.format(food_id="1848", log_id="x")
    headers = api.headers(path) | {"Service-End-User-ID": "someone"}
    method = operation.method
    for name in ("colour", next(iter(operation.body.model_fields))):
        content = twice({name: 1}, name, "2")
        answer = api.client.request(method, path, content=content, headers=headers)
        assert_refused(answer, 400, f"field '{name}' is given twice")


def test_a_field_given_twice_is_refused_at_any_depth(api):
    """X13: inside arrays, inside unknown fields, and in another spelling of the same text."""
    body = api.body()
    inside = json.dumps(body).replace('"age": 45', '"age": 45, "age": 45')
    assert_refused(api.post(PREDICT, content=inside), 400, "field 'age' is given twice")
    food = json.dumps(body).replace('"quantity"', '"quantity": 1, "quantity"')
    assert_refused(api.post(PREDICT, content=food), 400, "field 'quantity' is given twice")
    levels = DEEPEST_JSON - 3
    deep = "[" * levels + '{"a": 1, "b" :2, "\\u0061"\n: 3}' + "]" * levels
    assert_refused(api.post(PREDICT, content=twice(body, "x", deep)), 400, "'a' is given twice")
    odd = '{"a\\"\\u0007 sk-v1.2-QUJDREVGR0hJ": 1, "a\\"\\u0007 sk-v1.2-QUJDREVGR0hJ": 2}'
    message = assert_refused(api.post(PREDICT, content=twice(body, "x", odd)), 400, "given twice")
    assert "QUJDREVGR0hJ" not in message
    long = json.dumps("x" * 100_000)
    answer = api.post(PREDICT, content=twice(body, "x", f"{{{long}: 1, {long}: 2}}"))
    assert len(assert_refused(answer, 400, "given twice")) < 200


def test_the_same_key_in_two_objects_or_in_text_is_given_once(api):
    """X13."""
    body = api.body() | {"note": '"foods": "foods": {"a": 1, "a": 2}', "Other": {"foods": {}}}
    plain = api.predict(api.body())
    assert api.predict(body).json() == plain.json()
    spaced = json.dumps(body, indent=2, separators=(" , ", " : "))
    assert api.post(PREDICT, content=spaced).json() == plain.json()


def test_in_version_1_1_the_last_one_counts(api):
    """Row 310: as before."""
    body = api.old_body()
    content = f'{{"startTime": "noon", {json.dumps(body)[1:]}'
    answer = api.post(OLD_PREDICT, content=content, headers=ZONE | JSON)
    assert answer.content == api.predict_old(body).content
    content = twice(body, "startTime", '"noon"')
    assert_refused(api.post(OLD_PREDICT, content=content, headers=ZONE | JSON), 400, "startTime")


def test_a_history_of_5_mib_holds_each_key_once(api):
    """X13: the last of the readings, too."""
    readings = ",".join(
        f'{{"timestamp":"2026-01-{1 + n // 86400:02d}T{n // 3600 % 24:02d}:{n // 60 % 60:02d}:'
        f'{n % 60:02d}Z","value":{90 + n % 40}}}'
        for n in range(98_000)
    )
    last = '{"timestamp":"2026-02-01T08:00:00Z","value":90,"value":91}'
    content = twice(api.body(), "cgm_data", f"[{readings},{last}]")
    assert 0.9 * LARGEST_BODY < len(content) <= LARGEST_BODY
    assert_refused(api.post(PREDICT, content=content), 400, "field 'value' is given twice")
