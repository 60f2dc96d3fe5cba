"""R17: more callers than the service can answer get 503, and nobody notices them afterwards."""

import json
import math
import subprocess
import sys
import time

import pytest
from api_client import PREDICT, ROOT
from real_server import RealServer

pytestmark = pytest.mark.reliability

CALLERS = 500
FOODS = 60  # so that an answer costs the service many times what it costs the callers
OVERLOADED_S = 15
NORMAL_WITHIN_S = 10


@pytest.fixture
def server(tmp_path):
    with RealServer(tmp_path, log_level="warning") as server:
        yield server


def prediction_ms(server: RealServer) -> float:
    """Return how long a prediction takes, infinity if it is refused."""
    began = time.perf_counter()
    answer = server.client.post(PREDICT, json=server.body, headers=server.headers())
    assert answer.status_code in (200, 503)
    return (time.perf_counter() - began) * 1000 if answer.status_code == 200 else math.inf


def test_callers_beyond_the_capacity_get_503_and_the_service_is_normal_within_10_s(server):
    """500 connections, each with its next request as soon as the one before is answered."""
    few = {**server.body["foods"][0], "quantity": 0.1}
    content = json.dumps({**server.body, "foods": [few] * FOODS})
    request = server.folder / "request"
    request.write_text(
        f"POST {PREDICT} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: {server.headers()['Authorization']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n{content}"
    )
    plan = {
        "port": server.port,
        "files": [str(request)],
        "connections": CALLERS,
        "mode": "repeat",
        "pause": 0.0,
        "reopens": 0.1,
    }
    quiet_ms = min(prediction_ms(server) for _ in range(50))
    crowd = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.attacker"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    crowd.stdin.write(json.dumps(plan) + "\n")
    crowd.stdin.flush()
    time.sleep(OVERLOADED_S)
    answered, _ = crowd.communicate(timeout=60)
    statuses = json.loads(answered)
    assert set(statuses) == {"200", "503"}, statuses
    assert statuses["200"] > 100
    ended = time.monotonic()
    while max(prediction_ms(server) for _ in range(20)) > 20 * quiet_ms:
        assert time.monotonic() < ended + NORMAL_WITHIN_S
