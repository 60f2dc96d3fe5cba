"""Every refusal of version 1.1 has the same shape."""

import re
from collections.abc import Iterator

import httpx2
import pytest
from api_client import OLD_PREDICT, ZONE, Api, VirtualClock, changed

from postmeal_serve.app import OPERATIONS
from postmeal_serve.wire.upload_limits import LARGEST_BODY

OLD = [each for each in OPERATIONS if each.version.name == "v1.1"]
NAMED = ZONE | {"x-partner-user-id": "00000000-0000-4000-8000-000000000000"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def api(tmp_path) -> Iterator[Api]:
    """A separate service, which a test may break."""
    with Api(tmp_path) as api:
        yield api


def assert_v1_1_shape(answer: httpx2.Response, status: int) -> None:
    """``{"error": {"code", "message", "details"}}``; details are null or give the field."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].partition(";")[0] == "application/json"
    body = answer.json()
    assert list(body) == ["error"]
    error = body["error"]
    assert set(error) == {"code", "message", "details"}
    assert (type(error["code"]), error["code"]) == (int, status)
    assert isinstance(error["message"], str)
    assert error["message"].strip()
    assert error["details"] is None or set(error["details"]) == {"field", "allowed"}


def test_a_malformed_unknown_or_too_large_request_has_the_shape(api):
    """Rows 295, 296: 400, 404 and 413."""
    body = api.old_body()
    assert_v1_1_shape(api.predict_old(changed(body, "userProfile.age", "old")), 400)
    assert_v1_1_shape(api.post(OLD_PREDICT, content="{", headers=ZONE | JSON), 400)
    assert_v1_1_shape(api.predict_old(changed(body, "foods.0.id", 9_999_999_999)), 404)
    assert_v1_1_shape(api.get("/v1.1/no-such-path"), 404)
    large = b"[" * (LARGEST_BODY + 1)
    assert_v1_1_shape(api.post(OLD_PREDICT, content=large, headers=ZONE | JSON), 413)


def test_a_rate_limit_has_the_shape_on_every_endpoint(tmp_path):
    """Rows 296, 307: 429."""
    with Api(tmp_path, VirtualClock(), v1_1_per_minute=1) as api:
        key = api.partner("often").headers("/v1.1")
        assert api.client.get("/v1.1/users", headers=key).status_code == 200
        for operation in OLD:
            method, path = operation.method, re.sub(r"\{\w+\}", "1", operation.path)
            sent = {"json": {}} if operation.body else {}
            answer = api.client.request(method, path, headers=NAMED | key, **sent)
            assert_v1_1_shape(answer, 429)
            assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert len(OLD) >= 10


def test_a_fault_of_the_service_has_the_shape(api, monkeypatch):
    """Rows 14, 296: 500."""

    def fail(*_: object) -> None:
        raise RuntimeError("a surprise")

    monkeypatch.setattr(api.service.catalog, "food", fail)
    answer = api.predict_old(api.old_body())
    assert_v1_1_shape(answer, 500)
    assert "surprise" not in answer.text


def test_an_unavailable_part_of_the_service_has_the_shape(api, monkeypatch):
    """Row 296: 503, without a model or when a search times out."""
    body = api.old_body()
    monkeypatch.setattr(api.service.catalog, "timeout_s", 0.0)
    assert_v1_1_shape(api.get("/v1.1/search/foods?query=rice"), 503)
    monkeypatch.setattr(type(api.service.models), "active", None)
    assert_v1_1_shape(api.predict_old(body), 503)
