"""Whatever is sent, the service answers in its own words: never a 5xx."""

import json
import subprocess
import sys

import pytest
from api_client import OLD_PREDICT, PREDICT, ROOT, TRAIN, USER_PREDICT, ZONE, assert_refused
from cgm_requests import both, wearer_of
from hypothesis import given, settings
from hypothesis import strategies as st

QUICK = settings(max_examples=250)
UUID = "00000000-0000-4000-8000-000000000000"
HEADERS = ZONE | {"Content-Type": "application/json", "x-partner-user-id": UUID}
SEARCHES = (
    "/v1.2/foods",
    "/v1.2/foods/autocomplete",
    "/v1.1/search/foods",
    "/v1.1/search/foods/nlp",
)
PATHS = st.sampled_from([PREDICT, OLD_PREDICT, TRAIN, USER_PREDICT])

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["1", "female", "2026-01-05T08:00:00Z", "America/New_York", 10**400, -0.0])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def body_of(api, path):
    """A body with a short history, which has all fields."""
    reading = {"timestamp": "2026-01-04T08:00:00-05:00", "value": 100}
    old = api.old_body()
    eaten = [old["foods"][0] | {"timestamp": reading["timestamp"]}]
    if path == PREDICT:
        eaten = [api.body()["foods"][0] | {"timestamp": reading["timestamp"]}]
        return api.body() | {"cgm_data": [reading] * 2, "consumed_foods": eaten}
    if path == OLD_PREDICT:
        return old | {"cgmData": [reading] * 2, "consumedFoods": eaten}
    if path == TRAIN:
        return {"cgm_data": [reading] * 2, "consumed_foods": eaten}
    nutrients = {"carbohydrate": 30, "sodium": 5.5}
    return {"foods": old["foods"], "startTime": old["startTime"], "nutrients": nutrients}


def assert_answered(answer) -> None:
    if answer.status_code != 200:
        assert answer.status_code < 500, answer.text
        assert_refused(answer, answer.status_code)


@QUICK
@given(content=st.binary(max_size=400), path=PATHS)
def test_random_bytes_never_break_a_prediction(api, content, path):
    """Rows 7, 11, 306."""
    assert_answered(api.post(path, content=content, headers=HEADERS))


@QUICK
@given(data=st.data(), path=PATHS)
def test_a_valid_body_with_damaged_bytes_never_breaks_a_prediction(api, data, path):
    """Rows 7, 11, 306."""
    content = bytearray(json.dumps(body_of(api, path)).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 5))] = data.draw(st.binary(max_size=5))
    assert_answered(api.post(path, content=bytes(content), headers=HEADERS))


@QUICK
@given(data=st.data(), path=PATHS)
def test_a_valid_body_with_a_strange_value_never_breaks_a_prediction(api, data, path):
    """Rows 10, 11."""
    body = body_of(api, path)
    target: object = body
    while True:
        places = list(target) if isinstance(target, dict) else list(range(len(target)))
        place = data.draw(st.sampled_from(places))
        inside = target[place]
        if not isinstance(inside, (dict, list)) or not inside or data.draw(st.booleans()):
            break
        target = inside
    target[place] = data.draw(values)
    content = json.dumps(body).encode()
    assert_answered(api.post(path, content=content, headers=HEADERS))


@pytest.mark.sampled
@both
@settings(QUICK, max_examples=40)
@given(data=st.data())
def test_a_long_history_with_strange_rows_never_breaks_a_prediction(api, way, data):
    """Rows 287, 302: values at their bounds, times of any offset, meals at any distance."""
    body = way.of(api, wearer_of(api, days=6))
    value = st.sampled_from([20, 600, 100.5, 39.999]) | st.floats(20, 600)
    offset = st.sampled_from(["Z", "+14:00", "-12:00", "+05:45", ""])
    rows = body[way.cgm]
    for _ in range(data.draw(st.integers(0, 30))):
        row = data.draw(st.sampled_from(rows))
        row["value"] = data.draw(value)
        row["timestamp"] = row["timestamp"][:19] + data.draw(offset)
    if data.draw(st.booleans()):
        body[way.cgm] = rows[:: data.draw(st.integers(1, 3))]
    for row in body[way.eaten]:
        if data.draw(st.booleans()):
            row["timestamp"] = data.draw(st.sampled_from(rows))["timestamp"]
            row["serving"]["quantity"] = data.draw(st.floats(0.001, 10_000))
    answer = way.ask(api, body)
    assert_answered(answer)
    if answer.status_code == 200:
        assert all(40 <= each <= 400 for each in way.curve(api, body))


@QUICK
@given(
    query=st.dictionaries(
        st.sampled_from(["query", "type", "category", "upc", "limit", "offset"]), st.text()
    ),
    raw=st.binary(max_size=60),
    path=st.sampled_from(SEARCHES),
)
def test_random_queries_never_break_a_search(api, query, raw, path):
    """Rows 11, 175."""
    text = {name: value.encode("utf-8", "surrogatepass") for name, value in query.items()}
    assert_answered(api.get(path, params=text))
    encoded = "".join(f"%{byte:02X}" for byte in raw)
    assert_answered(api.get(f"{path}?query={encoded}"))
    assert_answered(api.get(f"/v1.2/foods/{encoded}"))
    assert_answered(api.get(f"/v1.2/foods/barcode/{encoded}"))


@pytest.mark.reliability
@QUICK
@given(
    authorization=st.binary(max_size=60).map(
        lambda raw: raw.replace(b"\r", b"").replace(b"\n", b"")
    ),
    zone=st.text(st.characters(min_codepoint=32, max_codepoint=126)),
)
def test_random_headers_never_break_a_prediction(api, authorization, zone):
    """Rows 21, 330."""
    sent = {"Authorization": authorization}
    assert_refused(api.client.post(PREDICT, json={}, headers=sent), 401)
    assert_refused(api.client.post(OLD_PREDICT, json={}, headers=sent), 401)
    assert_answered(api.predict_old(api.old_body(), **{"x-partner-timezone": zone}))
    assert_answered(api.predict(api.body(), **{"x-end-user-timezone": zone, "X-Request-Id": zone}))


@pytest.mark.sampled
@pytest.mark.parametrize("version", ["v1.1", "v1.2"])
def test_the_service_behaves_as_its_document_says(demo, tmp_path, version):
    """Row 479: schemathesis on a real server, every phase, every check but one.

    That a body which fits the schema is accepted is not asked: no schema can say which foods there
    are, which names the time zone database knows, or that a person's height is possible.
    """
    address = f"{demo.address}/{version}/openapi.json"
    options = ["--checks=all", "--exclude-checks=positive_data_acceptance", "--max-examples=3",
               "--generation-database=none", "--warnings=off", "--no-color",
               "--request-timeout=60"]  # fmt: skip
    header = f"Authorization: Bearer {demo.keys[version]}"
    config = f"--config-file={ROOT / 'tests' / 'support' / 'schemathesis.toml'}"
    program = [sys.executable, "-m", "schemathesis.cli", config, "run"]
    command = [*program, address, "-H", header, *options]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert "passed" in run.stdout
