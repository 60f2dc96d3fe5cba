"""Accounting: of two transactions at the same moment the second sees what the first has taken."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from time import monotonic, sleep
from typing import Any

import pytest
from sqlalchemy import Connection, text
from stored_people import prepared

from postmeal_serve.accounting.rates import lease_calls
from postmeal_serve.accounting.requests import lease_requests
from postmeal_serve.accounting.reservations import LIFE, Reservation, reserve, settle
from postmeal_serve.partners.plans import Agreement, Allowances, Plan
from postmeal_serve.storage.database import Database

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
ONE = Allowances.of("plan", Plan(monthly_requests=1), Agreement())
Work = Callable[[Connection], Any]


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def await_a_lock(database: Database, other: "Future[Any]") -> None:
    """Wait until the other transaction waits for a lock or ends; on SQLite it waits to begin."""
    waiting = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                   " AND wait_event_type = 'Lock'")  # fmt: skip
    until = monotonic() + 60
    while not database.is_sqlite and not other.done() and monotonic() < until:
        with database.reading() as connection:
            if connection.execute(waiting).scalar_one():
                return
        sleep(0.02)


def one_after_the_other(database: Database, work: Work, again: Work | None = None) -> list[Any]:
    """Begin a second transaction while the first is open; return both results."""

    def other() -> Any:
        with database.writing() as connection:
            return (again or work)(connection)

    with ThreadPoolExecutor(1) as pool:
        with database.writing() as connection:
            first = work(connection)
            second = pool.submit(other)
            await_a_lock(database, second)
        return [first, second.result()]


def used_before(database: Database) -> None:
    """Create the rows that a transaction locks, without current use."""
    with database.writing() as connection:
        lease_calls(connection, NOW - timedelta(hours=1), "partner", "search", 5)
        settle(connection, NOW, held(reserve(connection, NOW, 1, 0, 5, "chat")), charged=True)


def held(answer: object) -> Reservation:
    assert isinstance(answer, Reservation)
    return answer


@pytest.fixture(params=["a row that is there", "no row yet"], autouse=True)
def _rows(request: pytest.FixtureRequest, database: Database) -> None:
    if request.param == "a row that is there":
        used_before(database)


def test_the_last_credit_is_held_once(database):
    """Row 62."""
    answers = one_after_the_other(database, lambda it: reserve(it, NOW, 1, 1, 1, "chat"))
    assert held(answers[0]).credits == 1
    assert answers[1] == "credits"


def test_the_last_place_is_held_once(database):
    """Row 69."""
    answers = one_after_the_other(database, lambda it: reserve(it, NOW, 1, 0, None, "chat", 1))
    assert held(answers[0]).credits == 0
    assert answers[1] == "slots"


def test_the_last_request_of_a_month_is_leased_once(database):
    """Rows 52, 74."""
    grants = one_after_the_other(database, lambda it: lease_requests(it, NOW, 1, ONE, 1))
    assert [grant.requests for grant in grants] == [1, 0]


def test_the_last_call_of_a_minute_is_leased_once(database):
    """Rows 50, 74."""
    lease = lambda it: lease_calls(it, NOW, "partner", "search", 1)  # noqa: E731
    assert [granted for _, granted, _ in one_after_the_other(database, lease)] == [1, 0]


def test_what_two_calls_cost_is_charged_to_the_last_credit(database):
    """Rows 60, 62."""
    with database.writing() as connection:
        first, second = (held(reserve(connection, NOW, 1, 3, 9, "chat")) for _ in range(2))
    one_after_the_other(
        database,
        lambda it: settle(it, NOW, first, charged=True),
        lambda it: settle(it, NOW, second, charged=True),
    )
    with database.reading() as connection:
        charged = connection.execute(text("SELECT sum(credits) FROM usage")).scalar_one()
    assert charged == 6


def test_two_late_calls_share_the_last_credit(database):
    """Row 62: used credits never exceed the included ones."""
    later = NOW + LIFE
    with database.writing() as connection:
        late = [held(reserve(connection, NOW, 1, 1, 2, "chat")) for _ in range(2)]
        soon = held(reserve(connection, later, 1, 1, 2, "chat"))
        settle(connection, later, soon, charged=True)
    one_after_the_other(
        database,
        lambda it: settle(it, later, late[0], charged=True),
        lambda it: settle(it, later, late[1], charged=True),
    )
    with database.reading() as connection:
        charged = connection.execute(text("SELECT sum(credits) FROM usage")).scalar_one()
    assert charged == 2
