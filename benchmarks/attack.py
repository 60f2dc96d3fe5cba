"""Benchmark of the response times of well-behaved callers before and during attacks.

The service runs in one process. A well-behaved partner sends food searches, predictions and food
logs at a steady rate. Each attack is started and stopped five times, so that the response times
before and during the attack are measured within the same minutes. The table shows the medians of
the five rounds, because a single pause of a shared machine changes the 99th percentile of a round
by more than most attacks do. For the same reason, the database of the service is kept in memory
where the system provides a folder for this purpose: confirming a write to a shared disk takes from
1 ms to several hundred.

``python -m benchmarks.attack NAME …`` runs the attacks in `benchmarks.attack_shapes` whose names
contain one of the arguments. Without arguments, it runs all attacks.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from time import sleep
from typing import Any

from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from benchmarks.attack_shapes import LARGE_DIARY, Credentials, Shape, shapes
from benchmarks.comparison import Comparison
from benchmarks.over_http import benchmark_key, body_of, http_server
from benchmarks.postgres_database import engine_url, temporary_database
from benchmarks.steady import steady_load
from postmeal import Catalog, Selection
from postmeal_serve.partners import keys, organizations, tokens
from postmeal_serve.partners.plans import Agreement
from postmeal_serve.resources.diary import Diary
from postmeal_serve.resources.logged_food import LoggedFood
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database

__all__ = ["compare"]

_ROUNDS = 5
_SECONDS = 5
_SETTLES_S = 1.0
_PACE = 20  # requests per second of each kind
_AIM = 2.0
_LOGS, _FOODS_PER_LOG = 700, 100
_IN_MEMORY = Path("/dev/shm")


@dataclass
class _Times:
    """Response times of well-behaved callers in ms, and statuses that the attacker received.

    Attributes
    ----------
    before_ms, under_ms : list of list of float
        Response times of each round, before and during the attack.
    refused : int
        Number of requests of well-behaved callers that failed during the attack.
    attackers : Counter of str
        Number of responses to the attacker by status.
    """

    before_ms: list[list[float]] = field(default_factory=list)
    under_ms: list[list[float]] = field(default_factory=list)
    refused: int = 0
    attackers: Counter[str] = field(default_factory=Counter)

    def row(self) -> tuple[str, ...]:
        figures = [f"{each:.1f}" for each in (*self._figures(_p50), *self._figures(_p99))]
        counted = " ".join(f"{name}×{n}" for name, n in self.attackers.most_common(3))
        return (*figures, *(f"{each:.1f} ×" for each in self.ratios()), str(self.refused), counted)

    def ratios(self) -> tuple[float, float]:
        before_p50, under_p50 = self._figures(_p50)
        before_p99, under_p99 = self._figures(_p99)
        return under_p50 / before_p50, under_p99 / before_p99

    def _figures(self, statistic: Callable[[list[float]], float]) -> tuple[float, float]:
        """Return the medians over the rounds of a statistic, before and during the attack."""
        before, under = (map(statistic, each) for each in (self.before_ms, self.under_ms))
        return median(before), median(under)


def compare(names: list[str]) -> Comparison:
    """Run the attacks whose names contain one of `names`, or all attacks if `names` is empty."""
    times: dict[str, _Times] = {}
    for locks in (False, True):
        with _service(on_postgresql=locks) as service:
            if service is None:
                continue
            chosen = [
                shape
                for shape in shapes(service.attacker, f"{datetime.now(UTC):%Y-%m-%d}")
                if shape.locks == locks and (not names or any(n in shape.name for n in names))
            ]
            for shape in chosen:
                times[shape.name] = service.attacked(shape)
                print(shape.name, *times[shape.name].row(), file=sys.stderr, flush=True)
    aims = [
        (f"{name}: p50 and p99 at most {_AIM:g} ×, no request refused", _reached(each))
        for name, each in times.items()
    ]
    return Comparison(
        f"response times of other callers in ms (medians of {_ROUNDS} rounds), one process,"
        f" {3 * _PACE} requests per second",
        (
            "p50 before",
            "p50 during",
            "p99 before",
            "p99 during",
            "p50",
            "p99",
            "not 2xx",
            "attacker",
        ),
        [(name, *each.row()) for name, each in times.items()],
        aims,
    )


def _reached(times: _Times) -> bool:
    return not times.refused and max(times.ratios()) <= _AIM


@dataclass(frozen=True)
class _Service:
    port: int
    victim: str
    attacker: Credentials
    folder: Path
    engine: Engine | None

    def attacked(self, shape: Shape) -> _Times:
        """Measure the response times of well-behaved callers before and during an attack."""
        times = _Times()
        requests = _victims(self.victim)
        if shape.locks:
            del requests["log"]  # it would wait for the locked table
        for _ in range(_ROUNDS):
            before = _steady(self.port, requests)
            times.before_ms.append([ms for kind in before.values() for ms in kind["ms"]])
            with self._lock(shape), self._attack(shape, times):
                under = _steady(self.port, requests)
            times.under_ms.append([ms for kind in under.values() for ms in kind["ms"]])
            times.refused += sum(
                number
                for kind in under.values()
                for status, number in kind["statuses"].items()
                if status not in ("200", "201")
            )
            sleep(_SETTLES_S)
        return times

    @contextmanager
    def _attack(self, shape: Shape, times: _Times) -> Iterator[None]:
        files = [self.folder / f"request-{number}" for number in range(len(shape.requests))]
        for file, request in zip(files, shape.requests, strict=True):
            file.write_bytes(request)
        plan = {
            "port": self.port,
            "files": [str(file) for file in files],
            "connections": shape.connections,
            "mode": shape.mode,
            "pause": shape.pause,
            "reopens": shape.reopens,
        }
        command = [sys.executable, "-m", "benchmarks.attacker"]
        attacker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert attacker.stdin is not None
        attacker.stdin.write(json.dumps(plan).encode() + b"\n")
        attacker.stdin.flush()
        sleep(_SETTLES_S)
        yield
        output, _ = attacker.communicate(timeout=60)
        times.attackers += Counter(json.loads(output))

    @contextmanager
    def _lock(self, shape: Shape) -> Iterator[None]:
        with self.engine.connect() if shape.locks and self.engine else nullcontext() as connection:
            if connection is not None:
                connection.execute(text("LOCK TABLE food_log"))
            yield


@contextmanager
def _service(*, on_postgresql: bool) -> Iterator[_Service | None]:
    parent = _IN_MEMORY if _IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=parent) as name, ExitStack() as stack:
        folder = Path(name)
        url, engine = None, None
        if on_postgresql:
            try:
                url = stack.enter_context(temporary_database())
            except SQLAlchemyError:
                yield None
                return
            engine = create_engine(engine_url(url))
            stack.callback(engine.dispose)
        victim = benchmark_key(folder, url)
        attacker = _prepare(Settings(state_dir=folder, database=url))
        environment = {
            "POSTMEAL_STATE_DIR": name,
            "POSTMEAL_REQUIRE_HTTPS": "false",
            "POSTMEAL_CLIENT_TOKENS": "true",
            **({"POSTMEAL_DATABASE": url} if url else {}),
        }
        port = stack.enter_context(http_server(["-m", "postmeal_serve", "run"], environment))
        sleep(8 * _SETTLES_S)  # waits while the catalog is built
        yield _Service(port, victim, attacker, folder, engine)


def _prepare(settings: Settings) -> Credentials:
    """Create a large diary and two partners for the attacker; return the partners' credentials."""
    database, now = Database(settings.database_url), datetime.now(UTC)
    food = Catalog.open().search("oatmeal")[0]
    logged = [LoggedFood.of(Selection(food, food.default_serving, 1.0))] * _FOODS_PER_LOG
    with database.writing() as connection:
        large = Agreement(monthly_requests=10**8, per_minute=10**6)
        rich = organizations.create(
            connection, now, "unlimited attacker", "enterprise", large, settings.plans
        )
        free = organizations.create(
            connection, now, "free attacker", "free", Agreement(), settings.plans
        )
        key, _ = keys.create(connection, now, rich.id, "v1.2", "attacker")
        old_key, _ = keys.create(connection, now, rich.id, "v1.1", "attacker")
        token = tokens.mint(connection, now, free.id, "attacker", tokens.SCOPES, 3600, "benchmark")
        diary = Diary(connection, rich.id, LARGE_DIARY)
        for _ in range(_LOGS):
            diary.add(logged, now, "Dinner", now)
    database.close()
    return Credentials(key, old_key, token.secret)


def _victims(key: str) -> dict[str, list[str]]:
    """Return the requests of the well-behaved callers, by kind of request."""
    head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {key}\r\nService-End-User-ID: victim\r\n"

    def post(path: str, body: Any) -> str:
        content = json.dumps(body)
        length = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        return f"POST {path} HTTP/1.1\r\n{head}{length}\r\n{content}"

    predicted = body_of()
    return {
        "search": [f"GET /v1.2/foods?query=oatmeal HTTP/1.1\r\n{head}\r\n"],
        "predict": [post("/v1.2/glucose/predictions", predicted)],
        "log": [post("/v1.2/food-logs", {"foods": predicted["foods"], "name": "Breakfast"})],
    }


def _steady(port: int, requests: dict[str, list[str]]) -> dict[str, Any]:
    return steady_load(
        {
            "port": port,
            "requests": requests,
            "pace": dict.fromkeys(requests, _PACE),
            "seconds": _SECONDS,
            "connections": 32,
        }
    )


def _p50(times_ms: list[float]) -> float:
    return median(times_ms)


def _p99(times_ms: list[float]) -> float:
    return quantiles(times_ms, n=100)[98]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help="run only the attacks whose names contain one of these texts (default: all attacks)",
    )
    comparison = compare(parser.parse_args().names)
    print(comparison)
    sys.exit(1 if comparison.missed else 0)


if __name__ == "__main__":
    main()
