"""The metrics that Prometheus reads."""

import os
import re
import signal
import socket
import subprocess
import sys
import time

import httpx2
import pytest
from api_client import ROOT
from few_foods import few_foods
from real_server import RealServer, free_port


@pytest.fixture
def metered(tmp_path):
    given = {"workers": 2, "metrics_port": free_port(), "food_table": few_foods(tmp_path)}
    with RealServer(tmp_path, **given, log_level="warning") as server:
        yield server


def metrics(server: RealServer) -> dict[str, float]:
    port = server.environment["POSTMEAL_METRICS_PORT"]
    text = httpx2.get(f"http://127.0.0.1:{port}/metrics", verify=False, timeout=60).text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def settled_metrics(server: RealServer, at_least: int) -> dict[str, float]:
    """Read the metrics once the requests are counted, which happens after they are answered."""
    for _ in range(200):
        found = metrics(server)
        is_counted = total(found, "postmeal_requests_total") >= at_least
        if is_counted and not found["postmeal_requests_in_flight"]:
            break
        time.sleep(0.05)
    return found


def total(found: dict[str, float], start: str, **labels: object) -> float:
    wanted = [f'{name}="{value}"' for name, value in labels.items()]
    return sum(
        value
        for name, value in found.items()
        if name.partition("{")[0] == start and all(label in name for label in wanted)
    )


@pytest.mark.reliability
def test_the_requests_of_all_workers_are_counted(metered):
    """Row 481: by route templates; no id of a user or a food, no path."""
    headers = metered.headers()
    foods = [food["id"] for food in metered.body["foods"]]
    apart = {"Connection": "close"}  # each on a connection of its own: both workers get some
    for number in range(30):
        path = f"/v1.2/foods/{foods[number % 2]}"
        assert metered.client.get(path, headers=headers | apart).status_code == 200
        assert metered.client.get(f"/canary/{number}", headers=apart).status_code == 404
    found = settled_metrics(metered, at_least=61)
    one = {"version": "v1.2", "route": "/v1.2/foods/{food_id}"}
    assert total(found, "postmeal_requests_total", **one, method="GET", status=200) == 30
    assert total(found, "postmeal_requests_total", route="unknown", status=404) == 30
    assert total(found, "postmeal_request_seconds_count", **one) == 30
    assert 0 < total(found, "postmeal_request_seconds_sum", **one) < 30
    assert found["postmeal_requests_in_flight"] == 0
    routes = {re.search('route="([^"]*)"', name)[1] for name in found if "route=" in name}
    assert routes == {"/readyz", "/healthz", "/v1.2/foods/{food_id}", "unknown"}
    assert not any("canary" in name for name in found)
    labels = {label for name in found for label in re.findall(r'(\w+)="', name)}
    assert labels == {"version", "method", "route", "status", "le", "reason"}


@pytest.mark.reliability
def test_what_is_under_way_is_counted_and_a_worker_that_died_forgotten(metered):
    """Row 481."""
    address = ("127.0.0.1", metered.port)
    until(metered, 0)  # the last question whether it is ready
    with socket.create_connection(address, 60) as raw:
        head = f"POST /v1.2/glucose/predictions HTTP/1.1\r\nHost: x\r\n{authorization(metered)}"
        raw.sendall(f"{head}Content-Length: 10\r\n\r\n".encode())
        until(metered, 1)
        for worker in metered.worker_pids():
            os.kill(worker, signal.SIGKILL)
        until(metered, 0)
    metered.wait_until_ready()
    replaced = "postmeal_worker_replacements_total"
    assert total(metrics(metered), replaced, reason="exited") == 2
    assert total(metrics(metered), replaced, reason="hung") == 0


def authorization(server: RealServer) -> str:
    return f"Authorization: {server.headers()['Authorization']}\r\n"


def until(server: RealServer, in_flight: float) -> None:
    for _ in range(4000):
        if metrics(server).get("postmeal_requests_in_flight", 0.0) == in_flight:
            return
        time.sleep(0.05)
    raise AssertionError(metrics(server))


@pytest.mark.reliability
def test_metrics_can_be_reached_from_this_machine_alone(metered):
    """Row 481: the port is bound to 127.0.0.1."""
    port = int(metered.environment["POSTMEAL_METRICS_PORT"])
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), 5)


@pytest.mark.reliability
def test_without_a_port_there_are_no_metrics(api):
    """Row 481: off unless asked for; nothing of prometheus_client is even imported."""
    assert api.client.get("/metrics").status_code == 404
    code = "import sys, postmeal_serve.command_line; sys.exit('prometheus_client' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
