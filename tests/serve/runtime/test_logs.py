"""What the service says of itself."""

import json
import re
import subprocess
import sys
from datetime import datetime

import pytest
from api_client import PREDICT, Api, assert_refused

from serve.app import OPERATIONS

CANARY = "canary7f3a"


@pytest.fixture
def logged(tmp_path, capfd):
    """A service of its own, and a function that answers the lines since it was last called."""

    def lines() -> list[dict]:
        written = capfd.readouterr()
        assert written.err == ""
        return [json.loads(line) for line in written.out.splitlines()]

    with Api(tmp_path, log_level="info") as api:
        lines()
        yield api, lines


def test_each_request_is_one_line(logged):
    """Row 482."""
    api, lines = logged
    assert api.predict(api.body()).status_code == 200
    (line,) = lines()
    assert set(line) == {
        "time", "level", "event", "request_id", "version", "method", "route", "status", "ms",
        "partner_id", "key_id",
    }  # fmt: skip
    assert datetime.fromisoformat(line.pop("time")).utcoffset().total_seconds() == 0
    assert 0 < line.pop("ms") < 60_000
    partner = api.partner("test")
    assert line.pop("key_id") < partner.key_ids["v1.2"]
    assert re.fullmatch("[0-9a-f]{32}", line.pop("request_id"))
    assert line == {
        "level": "info",
        "event": "request",
        "version": "v1.2",
        "method": "POST",
        "route": PREDICT,
        "status": 200,
        "partner_id": partner.id,
    }


def test_the_line_has_the_request_id_of_the_answer(logged):
    """Rows 19, 482."""
    api, lines = logged
    answers = [api.get("/v1.2/foods/1", headers={"X-Request-Id": each}) for each in ("a", "b c")]
    told = [answer.headers["x-request-id"] for answer in answers]
    assert [line["request_id"] for line in lines()] == told
    assert told[0] == "a"


@pytest.mark.parametrize(
    ("method", "path", "route", "status"),
    [
        ("GET", "/healthz", "/healthz", 200),
        ("GET", "/", "/", 200),
        ("GET", "/v1.2/foods/2159", "/v1.2/foods/{food_id}", 401),
        ("PUT", "/v1.2/foods/2159", "/v1.2/foods/{food_id}", 405),
        ("GET", "/v1.2/foods?query=rice", "/v1.2/foods", 401),
        ("GET", "/v1.2/foods/barcode/049000006346", "/v1.2/foods/barcode/{barcode}", 401),
        ("GET", "/v1.2/foods/autocomplete?query=x", "/v1.2/foods/autocomplete", 401),
        ("GET", f"/v1.2/{CANARY}", "unknown", 404),
        ("GET", f"/{CANARY}/foods", "unknown", 404),
    ],
)
def test_the_line_names_the_route_and_not_the_path(logged, method, path, route, status):
    """Row 482: of a caller who is not known, no partner and no key."""
    api, lines = logged
    assert api.client.request(method, path).status_code == status
    (line,) = lines()
    assert (line["method"], line["route"], line["status"]) == (method, route, status)
    assert line["version"] == ("v1.2" if path.startswith("/v1.2/") else None)
    assert (line["partner_id"], line["key_id"]) == (None, None)


def test_nothing_that_a_caller_wrote_is_logged(logged, capfd, caplog):
    """Rows 49, 482: neither in path, query, body and headers, nor as a credential."""
    api, _ = logged
    count = 0
    for operation in OPERATIONS:
        for method in (operation.method,):
            path = re.sub(r"{\w+}", CANARY, operation.path)
            for headers in (
                api.headers(path),
                {"Authorization": f"Bearer sk-v1.2-{CANARY}"},
                {"Authorization": f"Bearer ct-{CANARY}", "X-Request-Id": f"sk-v1.2-{CANARY}"},
            ):
                sent = {f"x-{CANARY}": CANARY, "x-user-id": CANARY, "x-partner-timezone": CANARY}
                api.client.request(
                    method,
                    f"{path}?query={CANARY}&{CANARY}=1",
                    headers=headers | sent | {"User-Agent": CANARY, "Idempotency-Key": CANARY},
                    json={CANARY: CANARY, "foods": CANARY, "userProfile": CANARY},
                )
                count += 1
    written = capfd.readouterr()
    assert len(written.out.splitlines()) == count
    for text in (written.out, written.err, caplog.text):
        assert CANARY not in text
        assert not re.search(r"\b(sk|ct)-", text)
        assert "127.0.0.1" not in text
        assert not any(secret[-8:] in text for secret in api.keys.values())


def test_a_surprise_is_logged_with_its_place_and_without_its_words(logged, caplog):
    """Rows 14, 482."""
    api, lines = logged

    def fail(*_: object) -> None:
        raise RuntimeError(CANARY)

    api.service.catalog.food = fail
    answer = api.get("/v1.2/foods/2159")
    assert_refused(answer, 500)
    (line,) = lines()
    assert line["status"] == 500
    assert f"request {line['request_id']} failed with RuntimeError" in caplog.text
    assert "test_logs.py" in caplog.text
    assert CANARY not in caplog.text


def test_the_level_warning_leaves_requests_out(tmp_path, capfd):
    """Row 482."""
    with Api(tmp_path, log_level="warning") as api:
        assert api.predict(api.body()).status_code == 200
    assert capfd.readouterr().out == ""


def test_records_of_all_modules_have_the_same_form():
    """Row 482: an error's own words, which may quote a request, are left out."""
    code = """
import logging
from serve.runtime.logs import log_records
log_records("info")
logging.getLogger("uvicorn.error").warning("%d bytes", 3)
logging.getLogger("serve").debug("too low")
try:
    raise ValueError("canary")
except ValueError:
    logging.getLogger("serve.x").exception("it failed")
"""
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stderr == ""
    plain, error = (json.loads(line) for line in run.stdout.splitlines())
    assert plain.pop("time") <= error.pop("time")
    assert plain == {"level": "warning", "event": "3 bytes", "logger": "uvicorn.error"}
    assert "line 8" in error.pop("frames")
    assert error == {
        "level": "error", "event": "it failed", "logger": "serve.x", "error": "ValueError",
    }  # fmt: skip


def test_a_log_that_nobody_takes_stops_no_answer():
    """Row 482: standard output is closed, or full."""
    code = """
import os
from serve.runtime.logs import Log
log = Log("info")
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
log.write(20, "request", {})
os.close(1)
log.write(20, "request", {})
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
