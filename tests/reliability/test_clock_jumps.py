"""The wall clock jumps, with and without a restart of the service in between."""

import json
import os
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import PREDICT, Api, Partner, VirtualClock
from client_tokens import CREDITS, FOODS, MINT, REVOKE, mint, state
from clock_jumps import TRIED_AT_LENGTH
from few_foods import few_foods
from real_server import RealServer
from sqlalchemy import Connection, select

from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.reservations import LIFE, reserve
from postmeal_serve.storage.tables import usage

pytestmark = pytest.mark.reliability

POSTED = (PREDICT, MINT, REVOKE)
LOGS = "/v1.2/food-logs"
AFTERWARDS_S = 5  # a call that is made at a moment may be counted this much later on a busy machine


class Machine:
    """The service on a machine whose wall clock jumps while elapsed time passes."""

    def __init__(self, folder: Path, url: str, *, restarts: bool, **settings: Any) -> None:
        self.folder, self.restarts = folder, restarts
        self.settings = {"database": url, **settings}
        self.clock = VirtualClock()
        self.started = 0
        self.stack = ExitStack()
        self.start()

    def start(self) -> None:
        folder = self.folder / f"{self.started}"
        self.api = self.stack.enter_context(Api(folder, self.clock, **self.settings))
        self.started += 1

    def jump(self, jump: timedelta) -> None:
        self.clock.at += jump
        if self.restarts:
            self.stack.close()
            self.clock = self.clock.restarted()
            self.start()

    def ask(self, partner: Partner, path: str) -> httpx2.Response:
        body = self.api.body() if path == PREDICT else {"end_user_id": "u-1"}
        method, sent = ("POST", {"json": body}) if path in POSTED else ("GET", {})
        return self.api.client.request(method, path, headers=partner.headers(path), **sent)


@pytest.fixture(params=[False, True], ids=["running", "restarted"])
def machine(request: pytest.FixtureRequest, tmp_path: Path, database_url: str) -> Iterator[Machine]:
    settings = {"credit_costs": {"predict_glucose": 1}, "v1_1_per_minute": 3}
    machine = Machine(tmp_path, database_url, restarts=request.param, **settings)
    yield machine
    machine.stack.close()


@pytest.mark.parametrize("jump", TRIED_AT_LENGTH, ids=str)
def test_a_wait_is_as_long_as_it_was_said_to_be_whatever_the_clock_does(machine, jump):
    """R10: the clock jumps while each wait passes, and is corrected during the next one."""
    waits, longest = 0, 0
    for number in range(4):
        draw = random.Random(number)
        agreed: dict[str, Any] = {"monthly_requests": draw.choice([4, 40]), "per_minute": 3}
        rates = {"mint_client_token": 2, "revoke_client_tokens": 1, "read_credits": 3}
        partner = machine.api.partner(f"schedule {number}", **agreed, rates=rates)
        jumped = False
        for turn in range(8):
            path = CREDITS if turn < 4 else draw.choice([*POSTED, FOODS, CREDITS, "/v1.1/users"])
            answer = machine.ask(partner, path)
            if answer.status_code == 429 and "retry-after" in answer.headers:
                wait_s = int(answer.headers["retry-after"])
                assert 1 <= wait_s <= 86400
                waits, longest = waits + 1, max(longest, wait_s)
                machine.jump(-jump if jumped else jump)
                jumped = not jumped
                again = machine.ask(partner, path)
                assert (again.status_code, again.headers["retry-after"]) == (429, str(wait_s))
                machine.clock.advance(wait_s - 1)
                if wait_s > 1:
                    assert machine.ask(partner, path).status_code == 429
                machine.clock.advance(1)
                assert machine.ask(partner, path).status_code != 429
            machine.clock.advance(draw.choice([0, 0, 0.5, 7]))
        if jumped:
            machine.clock.at -= jump
    assert waits >= 4
    assert longest >= 60


@pytest.mark.parametrize("jump", TRIED_AT_LENGTH, ids=str)
def test_no_minute_has_more_calls_than_its_limit_whenever_the_clock_jumps(machine, jump):
    """R10, R13: 20 minutes of a call every 5 s, limit 4; the clock jumps and is corrected."""
    partner = machine.api.partner("steady", rates={"read_credits": 4})
    admitted = []
    for call in range(240):
        if call % 60 in (7, 38):
            machine.jump(jump if call % 60 == 7 else -jump)
        if machine.ask(partner, CREDITS).status_code == 200:
            admitted.append(machine.clock.seconds)
        machine.clock.advance(5)
    assert len(admitted) == 20 * 4
    assert all(later - first >= 60 for first, later in zip(admitted, admitted[4:], strict=False))


@pytest.mark.parametrize("jump", TRIED_AT_LENGTH, ids=str)
def test_a_slot_of_a_call_that_was_killed_is_free_after_two_elapsed_minutes(machine, jump):
    """R13: neither before nor hours later, and its credits with it."""
    partner = machine.api.partner("slots", monthly_credits=1, in_flight={"predict_glucose": 1})
    with machine.api.service.database.writing() as connection:
        times = (machine.clock.steady(), partner.id, 1, 1, "predict_glucose", 1)
        reserve(connection, *times, Month.of(machine.clock.now()))
    machine.jump(jump)
    machine.clock.advance(LIFE.total_seconds() - 0.001)
    assert machine.ask(partner, PREDICT).status_code == 429
    machine.clock.advance(0.001)
    assert machine.ask(partner, PREDICT).status_code == 200


@pytest.mark.parametrize("jump", TRIED_AT_LENGTH, ids=str)
def test_months_and_moments_are_those_of_the_clock_as_it_is_now(machine, jump):
    """R13: requests, credits, diaries and `expires_at` follow the jump and its correction."""
    machine.clock.at = datetime(2026, 1, 31, 23, 59, 30, tzinfo=UTC)
    machine.clock.now()
    partner = machine.api.partner("months")
    expected: dict[str, list[int]] = {}
    for shift in (timedelta(0), jump, -jump, timedelta(seconds=45)):
        if abs(shift) == abs(jump):
            machine.jump(shift)
        else:
            machine.clock.advance(shift.total_seconds())
        now = machine.clock.at
        counted = expected.setdefault(f"{now:%Y-%m}", [0, 0])
        for _ in range(3):
            assert machine.ask(partner, PREDICT).status_code == 200
            counted[0] += 1
            counted[1] += 1
        assert machine.ask(partner, CREDITS).json()["period_start"] == f"{now:%Y-%m}-01"
        headers = partner.headers(LOGS) | {"Service-End-User-ID": "u-1"}
        meal = {"foods": machine.api.body()["foods"]}
        log = machine.api.client.post(LOGS, json=meal, headers=headers).json()
        counted[0] += 1
        assert datetime.fromisoformat(log["timestamp_utc"]) == now
        minted = machine.ask(partner, MINT).json()
        assert datetime.fromisoformat(minted["expires_at"]) == now + timedelta(seconds=1800)
    machine.api.client.portal.call(machine.api.service.meter.close)
    with machine.api.service.database.reading() as connection:
        assert _usage(connection, partner) == expected


@pytest.mark.parametrize("jump", TRIED_AT_LENGTH, ids=str)
def test_no_token_is_revived_and_none_outlives_itself_through_jumps(machine, jump):
    """R13: refused, alive and minted while the clock is wrong."""
    partner = machine.api.partner("tokens")
    refused, alive = (mint(machine.api, partner, ttl_seconds=ttl) for ttl in (300, 1200))
    machine.clock.advance(300)
    assert [state(machine.api, each) for each in (refused, alive)] == ["token_expired", "active"]
    machine.jump(jump)
    wrong = mint(machine.api, partner, ttl_seconds=300)
    reached = jump >= timedelta(seconds=900)
    for _ in range(2):
        assert state(machine.api, refused) == "token_expired"
        assert state(machine.api, alive) == ("token_expired" if reached else "active")
        assert state(machine.api, wrong) == "active"
    machine.jump(-jump)
    assert state(machine.api, refused) == "token_expired"
    assert state(machine.api, alive) == ("token_expired" if reached else "active")
    assert state(machine.api, wrong) == (
        "token_expired" if jump <= timedelta(seconds=-300) else "active"
    )
    machine.clock.advance(300)
    assert state(machine.api, wrong) == "token_expired"
    machine.clock.advance(600)
    assert [state(machine.api, each) for each in (refused, alive, wrong)] == ["token_expired"] * 3


_SHIFTED = '''
"""The wall clock of each process is ahead by the seconds in a file."""

import os
from datetime import timedelta
from pathlib import Path

from postmeal_serve.runtime.clock import Clock

_AHEAD = Path(os.environ["CLOCK_AHEAD"])
_WALL = Clock.wall
Clock.wall = lambda self: _WALL(self) + timedelta(seconds=float(_AHEAD.read_text()))
'''


class ShiftedServer(RealServer):
    """A real server of two processes whose wall clock a test sets ahead."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, workers=2, client_tokens=True, **settings)
        self.ahead = folder / "ahead"
        self.set_ahead(0)
        patch = folder / "patch"
        patch.mkdir()
        (patch / "sitecustomize.py").write_text(_SHIFTED)
        paths = os.pathsep.join([str(patch), self.environment["PYTHONPATH"]])
        self.environment |= {"PYTHONPATH": paths, "CLOCK_AHEAD": str(self.ahead)}

    def set_ahead(self, seconds: float) -> None:
        part = self.ahead.with_suffix(".part")
        part.write_text(str(seconds))
        part.replace(self.ahead)

    def jumps(self) -> list[int]:
        """The seconds of the jumps that were logged, each at the level of a warning."""
        lines = [json.loads(line) for line in self.log().splitlines()]
        jumps = [line for line in lines if "jumped" in line["event"]]
        assert {line["level"] for line in jumps} <= {"warning"}
        return [round(float(line["event"].split()[-2])) for line in jumps]


@pytest.mark.parametrize(
    ("new_database", "restarts"),
    [
        ("sqlite", False),
        ("postgresql", True),
        pytest.param("postgresql", False, marks=pytest.mark.soak),
        pytest.param("sqlite", True, marks=pytest.mark.soak),
    ],
    indirect=["new_database"],
)
def test_a_real_server_locks_nobody_out_when_its_clock_jumps_and_returns(
    tmp_path, new_database, restarts
):
    """R10, R13: two servers, whose clocks jump ahead and back, so that both wait at once."""
    with ExitStack() as servers, ThreadPoolExecutor() as threads:
        started = {}
        for name, jump_s in (("ahead", 3 * 3600), ("behind", -3 * 3600)):
            folder = tmp_path / name
            folder.mkdir()
            given = {"database": new_database(), "food_table": few_foods(tmp_path)}
            server = servers.enter_context(ShiftedServer(folder, **given))
            started[jump_s] = server, server.partner("partner", rates={"read_credits": 5})
        waits = [
            threads.submit(_jump_and_return, *each, jump_s, restarts)
            for jump_s, each in started.items()
        ]
        for wait in waits:
            wait.result()


def _jump_and_return(server: ShiftedServer, partner: Partner, jump_s: int, restarts: bool) -> None:
    """The wait is 60 s after the first call; nothing is stamped hours away."""

    def call() -> tuple[int, float]:
        """The status, and the moment until which to wait."""
        answer = server.client.get(CREDITS, headers=partner.headers(CREDITS))
        return answer.status_code, time.monotonic() + int(answer.headers.get("retry-after", 0))

    begun = time.monotonic()
    assert [call()[0] for _ in range(6)] == [200] * 5 + [429]
    server.set_ahead(jump_s)
    headers = partner.headers(MINT)
    body = {"end_user_id": "u-1", "ttl_seconds": 300}
    token = server.client.post(MINT, json=body, headers=headers).json()["token"]
    assert [call()[0] for _ in range(10)] == [429] * 10
    time.sleep(5)  # both processes have noticed
    server.set_ahead(0)
    if restarts:
        server.stop()
        server.start()
    status, until = call()
    assert status == 429
    assert abs(until - (begun + 60)) <= AFTERWARDS_S
    log = server.client.post(
        LOGS,
        json={"foods": server.body["foods"]},
        headers=partner.headers(LOGS) | {"Service-End-User-ID": "u-1"},
    ).json()
    age = datetime.now(UTC) - datetime.fromisoformat(log["timestamp_utc"])
    assert abs(age) < timedelta(seconds=60)
    used = server.client.get(FOODS, headers={"Authorization": f"Bearer {token}"})
    assert used.status_code == (200 if jump_s > 0 else 401)
    while until - time.monotonic() > AFTERWARDS_S:
        assert call()[0] == 429
        time.sleep(1)
    time.sleep(max(0, until - time.monotonic()))
    assert call()[0] == 200
    assert server.jumps().count(jump_s) == 2  # one of each process
    assert restarts or sorted(server.jumps()) == sorted([jump_s, -jump_s] * 2)


def _usage(connection: Connection, partner: Partner) -> dict[str, list[int]]:
    rows = connection.execute(select(usage).where(usage.c.organization_id == partner.id)).all()
    return {row.month: [row.requests, row.credits] for row in rows}
