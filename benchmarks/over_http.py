"""Benchmark of predictions over HTTP, compared with a FastAPI echo server and MLflow's server.

postmeal runs as ``postmeal-serve run`` with its default settings: it enforces all usage limits and
logs every request. The other servers run in one uvicorn process each, without an access log. A load
generator calls the servers in turn.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import Any

from benchmarks.comparison import Comparison
from benchmarks.warm_up import wait_until_warm
from postmeal import Catalog
from postmeal_serve.partners import keys, organizations
from postmeal_serve.partners.plans import Agreement
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate

__all__ = ["benchmark_key", "body_of", "compare", "http_server", "responses_per_second"]

_CONNECTIONS = 8
_ROUNDS = 7
_SECONDS = 1.5
_START_WITHIN_S = 60
_REQUIRED_ECHO = 0.45
_AIM_ECHO = 0.6
_AIM_MLFLOW = 5.0
_OPTIONS = ["--no-access-log", "--log-level", "error", "--loop", "uvloop", "--http", "httptools"]


def compare() -> Comparison:
    """Compare the responses per second of the three servers."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        state = {
            "POSTMEAL_STATE_DIR": name,
            "POSTMEAL_REQUIRE_HTTPS": "false",
            "POSTMEAL_ADDRESS_PER_MINUTE": "100000000",
        }
        secret = benchmark_key(folder)
        model = {"__pyfunc_model_path__": str(_saved_model(folder))}
        served = {
            "postmeal": (["-m", "postmeal_serve", "run"], state),
            "FastAPI echo": (_uvicorn("benchmarks.echo:app"), {}),
            "MLflow": (_uvicorn("mlflow.pyfunc.scoring_server.app:app"), model),
        }
        ports = {
            name: servers.enter_context(http_server(command, environment))
            for name, (command, environment) in served.items()
        }
        body, row = body_of(), _row(body_of())
        key = f"Authorization: Bearer {secret}\r\n"
        requests = {
            "postmeal": _request("/v1.2/glucose/predictions", body, key),
            "FastAPI echo": _request("/echo", body),
            "MLflow": _request("/invocations", {"dataframe_records": [row]}),
        }
        calls = [{"name": n, "port": ports[n], "request": requests[n]} for n in served]
        rates = responses_per_second(calls)
    beside = {
        name: median(ours / peer for ours, peer in zip(rates["postmeal"], rates[name], strict=True))
        for name in served
    }
    return Comparison(
        f"responses per second over HTTP, one process each, {_CONNECTIONS} connections",
        ("median", "postmeal / peer"),
        [(name, f"{median(rates[name]):,.0f}", f"{beside[name]:.2f} ×") for name in served],
        [
            *(
                (f"at least {aim} × the echo", beside["FastAPI echo"] >= aim)
                for aim in (_REQUIRED_ECHO, _AIM_ECHO)
            ),
            (f"at least {_AIM_MLFLOW:g} × MLflow", beside["MLflow"] >= _AIM_MLFLOW),
        ],
    )


def benchmark_key(folder: Path, url: str | None = None) -> str:
    """Create a partner whose limits are enforced but never reached, and return its API key.

    Parameters
    ----------
    folder : Path
        State folder of the service.
    url : str, optional
        URL of the database; SQLite in the state folder when omitted.
    """
    settings = Settings(state_dir=folder, database=url)
    database, now = Database(settings.database_url), Clock().now()
    migrate(database)
    agreement = Agreement(monthly_requests=10**8, per_minute=10**6)
    with database.writing() as connection:
        partner = organizations.create(
            connection, now, "benchmark", "enterprise", agreement, settings.plans
        )
        secret, _ = keys.create(connection, now, partner.id, "v1.2", "benchmark")
    database.close()
    return secret


def body_of() -> dict[str, Any]:
    """Return the body of a prediction request of version 1.2, with two foods."""
    foods = [Catalog.open().search(words)[0] for words in ("oatmeal", "banana")]
    return {
        "user_profile": {
            "age": 45,
            "sex": "female",
            "height": {"value": 66, "unit": "in"},
            "weight": {"value": 150, "unit": "lb"},
            "activity_level": "lightly_active",
            "health_conditions": ["prediabetes"],
        },
        "foods": [
            {"id": str(f.id), "serving": {"id": str(f.default_serving.id)}, "quantity": 1}
            for f in foods
        ],
        "start_time": "2026-01-05T08:00:00-05:00",
    }


def _row(body: dict[str, Any]) -> dict[str, Any]:
    """Convert the body of a prediction request to a table row for MLflow's server."""
    profile = body["user_profile"]
    return {
        "age": profile["age"],
        "sex": profile["sex"],
        "height_in": profile["height"]["value"],
        "weight_lb": profile["weight"]["value"],
        "activity_level": profile["activity_level"],
        "health_conditions": profile["health_conditions"],
        "food_ids": [int(food["id"]) for food in body["foods"]],
        "serving_ids": [int(food["serving"]["id"]) for food in body["foods"]],
        "quantities": [food["quantity"] for food in body["foods"]],
        "start_time": body["start_time"],
    }


def _request(path: str, body: Any, header: str = "") -> str:
    content = json.dumps(body)
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"{header}Content-Length: {len(content)}\r\n\r\n{content}"
    )


def _saved_model(folder: Path) -> Path:
    import mlflow

    logging.getLogger("mlflow").setLevel(logging.ERROR)  # MLflow warns about the missing signature
    code = Path(__file__).with_name("pyfunc_model.py")
    mlflow.pyfunc.save_model(folder / "model", python_model=str(code), pip_requirements=[])
    return folder / "model"


def _uvicorn(app: str) -> list[str]:
    return ["-m", "uvicorn", app, *_OPTIONS]


@contextmanager
def http_server(command: list[str], environment: Mapping[str, str]) -> Iterator[int]:
    """Start a server and yield its port when it accepts connections.

    If the server is postmeal, also wait until its caches are built.

    Parameters
    ----------
    command : list of str
        Arguments of the Python interpreter.
    environment : mapping of str to str
        Environment variables to add.

    Raises
    ------
    RuntimeError
        The server does not start within a minute.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [] if "postmeal_serve" in command else ["--port", str(port)]
    paths = {"PYTHONPATH": os.pathsep.join(["src", "."]), "POSTMEAL_PORT": str(port)}
    log = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
    running = [sys.executable, *command, *options]
    server = subprocess.Popen(running, env=os.environ | paths | environment, stdout=log)
    try:
        end = monotonic() + _START_WITHIN_S
        while server.poll() is None and monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            sleep(0.1)
        else:
            raise RuntimeError(f"the server {command} did not start within {_START_WITHIN_S:g} s")
        if "postmeal_serve" in command:
            wait_until_warm(port)
        yield port
    finally:
        server.terminate()
        server.wait(40)
        log.close()


def responses_per_second(calls: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Measure the responses per second of each call in each round; the calls take turns.

    Parameters
    ----------
    calls : list of dict
        The name, port and request of each call, as in `benchmarks.load`.
    """
    plan = {
        "calls": calls,
        "connections": _CONNECTIONS,
        "rounds": _ROUNDS,
        "seconds": _SECONDS,
    }
    command = [sys.executable, "-m", "benchmarks.load"]
    done = subprocess.run(command, input=json.dumps(plan), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    rates: dict[str, list[float]] = json.loads(done.stdout)
    return rates
