"""What the service says of itself."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from datetime import datetime

import pytest
from api_client import PREDICT, Api, assert_refused
from few_foods import few_foods
from real_server import RealServer

from postmeal_serve.app import OPERATIONS
from postmeal_serve.runtime.logs import write_pending_lines

CANARY = "canary7f3a"


@pytest.fixture
def logged(tmp_path, capfd):
    """A service of its own, and a function that answers the lines since it was last called."""

    def lines() -> list[dict]:
        write_pending_lines()
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


@pytest.mark.sampled
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
    write_pending_lines()
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
    write_pending_lines()
    assert capfd.readouterr().out == ""


def test_records_of_all_modules_have_the_same_form():
    """Row 482: an error's own words, which may quote a request, are left out."""
    code = """
import logging
from postmeal_serve.runtime.logs import log_records
log_records("info")
logging.getLogger("uvicorn.error").warning("%d bytes", 3)
logging.getLogger("postmeal_serve").debug("too low")
try:
    raise ValueError("canary")
except ValueError:
    logging.getLogger("postmeal_serve.x").exception("it failed")
"""
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stderr == ""
    plain, error = (json.loads(line) for line in run.stdout.splitlines())
    assert plain.pop("time") <= error.pop("time")
    assert plain == {"level": "warning", "event": "3 bytes", "logger": "uvicorn.error"}
    assert "line 8" in error.pop("frames")
    assert error == {
        "level": "error", "event": "it failed", "logger": "postmeal_serve.x", "error": "ValueError",
    }  # fmt: skip


def test_a_log_that_nobody_takes_stops_no_answer():
    """Row 482: standard output is closed, or full."""
    code = """
import os
from postmeal_serve.runtime.logs import Log
log = Log("info")
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
log.write(20, "request", {})
os.close(1)
log.write(20, "request", {})
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


IN_A_LOOP = """
import asyncio, os, signal, sys, time
from postmeal_serve.runtime.logs import WRITTEN_WITHIN_S, Log
log = Log("info")
async def run():
    for number in range(1000):
        log.write(20, "request", {"number": number})
    {then}
asyncio.run(run())
"""


@pytest.mark.parametrize(
    ("then", "status"),
    [
        ("await asyncio.sleep(20 * WRITTEN_WITHIN_S); os.kill(os.getpid(), signal.SIGKILL)", -9),
        ("log.write(40, 'error', {'number': 1000}); os.kill(os.getpid(), signal.SIGKILL)", -9),
        ("sys.exit(0)", 0),
        ("raise RuntimeError", 1),
    ],
    ids=["killed later", "killed after an error", "stopped at once", "failed at once"],
)
def test_no_line_is_lost(then, status):
    """Row 482: not at an exit, and of a process that is killed only those of the last 50 ms."""
    code = [sys.executable, "-c", IN_A_LOOP.replace("{then}", then)]
    run = subprocess.run(code, capture_output=True, text=True)
    assert run.returncode == status
    numbers = [json.loads(line)["number"] for line in run.stdout.splitlines()]
    assert numbers[:1000] == list(range(1000))


def test_processes_that_share_a_pipe_do_not_mix_lines_or_repeat_them():
    """Row 482: workers forked while a line waits, each with its own lines of other lengths."""
    code = """
import asyncio, os
from postmeal_serve.runtime.logs import Log
log = Log("info")
async def run():
    log.write(20, "before", {"worker": -1})
    for worker in range(3):
        if os.fork() == 0:
            for number in range(2000):
                log.write(20, "request", {"worker": worker, "text": "x" * (number % 300)})
                await asyncio.sleep(0)
            return
    for _ in range(3):
        os.wait()
asyncio.run(run())
"""
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    workers = [json.loads(line)["worker"] for line in run.stdout.splitlines()]
    assert {worker: workers.count(worker) for worker in set(workers)} == {
        -1: 1, 0: 2000, 1: 2000, 2: 2000,
    }  # fmt: skip


@pytest.mark.reliability
def test_a_worker_that_is_killed_has_logged_what_it_answered(tmp_path):
    """Row 482: with the server as shipped."""
    with RealServer(tmp_path, food_table=few_foods(tmp_path)) as server:
        body = server.body
        answers = [
            server.client.post(PREDICT, json=body, headers=server.headers()) for _ in range(50)
        ]
        time.sleep(1.0)
        os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait()
        told = [answer.headers["x-request-id"] for answer in answers]
        logged = [line["request_id"] for line in server.lines() if line["route"] == PREDICT]
    assert logged == told
    assert len(set(told)) == 50


@pytest.mark.reliability
def test_a_server_that_is_stopped_has_logged_what_it_answered(tmp_path):
    """Row 482: at once after the last response."""
    with RealServer(tmp_path, food_table=few_foods(tmp_path)) as server:
        answers = [server.client.get("/v1.2/foods/1", headers=server.headers()) for _ in range(50)]
        assert server.stop() == 0
        told = [answer.headers["x-request-id"] for answer in answers]
        assert [line["request_id"] for line in server.lines()][-50:] == told


def test_workers_that_were_forked_give_their_requests_different_ids():
    """Rows 19, 482: the parent has already given an ID."""
    code = """
import os
from postmeal_serve.http.middleware import new_request_id
new_request_id()
parent = os.fork()
os.write(1, new_request_id() + b"\\n")
if parent:
    os.wait()
"""
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    one, other = run.stdout.split()
    assert one != other
    assert re.fullmatch("[0-9a-f]{32}", one)
