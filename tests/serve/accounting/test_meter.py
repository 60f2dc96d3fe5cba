"""Meter: which limit refuses a call, with which message, and that a refused call is not counted."""

import asyncio
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from api_client import VirtualClock
from sqlalchemy import func, select, text
from sqlalchemy.exc import SQLAlchemyError
from stored_people import prepared

from postmeal_serve.accounting.meter import Charge, Meter, Ticket
from postmeal_serve.accounting.minutes import Minutes
from postmeal_serve.accounting.process_lease import ProcessLease
from postmeal_serve.partners import organizations
from postmeal_serve.partners.credentials import Caller
from postmeal_serve.partners.plans import PLANS, Plan
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import rate_window, reservation, usage
from postmeal_serve.wire.errors import Refusal

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
SEARCH, CHAT = Charge("search"), Charge("chat", credits=2)
NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One database for the module; each test makes its own partners."""
    database = prepared(f"sqlite:///{tmp_path_factory.mktemp('meter')}/postmeal.sqlite")
    yield database
    database.close()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOW)


class Counted(NamedTuple):
    """The counts of a partner in the database after all leases are returned."""

    requests: int
    credits: int
    minute: dict[str, int]
    held: int


class MeterHarness:
    """A meter and its callers."""

    def __init__(self, database: Database, clock: VirtualClock, **limits: int | None) -> None:
        self.database, self.clock = database, clock
        given = {"v1_1_per_minute": None, "per_address": None, "per_end_user": None, **limits}
        self.meter = Meter(
            database, clock, **given, minutes=Minutes(), lease=ProcessLease(database, clock)
        )

    def caller(self, version: str = "v1.2", plan: str = "unlimited", **agreed: Any) -> Caller:
        plans = {**PLANS, "tiny": Plan(monthly_requests=1)}
        number = next(NUMBERS)
        with self.database.writing() as connection:
            agreement = organizations.parse_agreement(agreed)
            made = organizations.create(connection, NOW, f"no. {number}", plan, agreement, plans)
        return Caller(made, version, number, None, None, None)

    def admit(self, caller: Caller, charge: Charge = SEARCH, address: str = "") -> Ticket:
        return asyncio.run(self.meter.admit(caller, charge, address))

    def refuse(
        self, caller: Caller, code: str, charge: Charge = SEARCH, address: str = ""
    ) -> Refusal:
        with pytest.raises(Refusal) as refused:
            self.admit(caller, charge, address)
        assert refused.value.code == code
        return refused.value

    def settle(self, ticket: Ticket, *, succeeded: bool) -> None:
        asyncio.run(self.meter.settle(ticket, succeeded=succeeded))

    def counted(self, caller: Caller) -> Counted:
        asyncio.run(self.meter.close())
        owner = caller.organization.id
        with self.database.reading() as connection:
            row = connection.execute(
                select(func.sum(usage.c.requests), func.sum(usage.c.credits)).where(
                    usage.c.organization_id == owner
                )
            ).one()
            holders = rate_window.c.holder.in_([f"organization {owner}", f"key {caller.key_id}"])
            windows = connection.execute(select(rate_window).where(holders)).all()
            held = connection.execute(
                select(func.count()).where(reservation.c.organization_id == owner)
            ).scalar_one()
        minute = {window.endpoint: window.calls for window in windows}
        return Counted(row[0] or 0, row[1] or 0, minute, held)


@pytest.fixture
def harness(database, clock) -> MeterHarness:
    return MeterHarness(database, clock)


def test_an_admitted_call_counts_once_in_the_month_and_the_minute(harness):
    """Rows 60, 73: its credits are held until it ends."""
    caller = harness.caller(per_minute=5, monthly_requests=100, monthly_credits=10)
    assert harness.admit(caller).reservation is None
    ticket = harness.admit(caller, CHAT)
    assert ticket.reservation is not None
    assert harness.counted(caller) == Counted(2, 0, {"search": 1, "chat": 1}, 1)
    harness.settle(ticket, succeeded=True)
    assert harness.counted(caller) == Counted(2, 2, {"search": 1, "chat": 1}, 0)


def test_a_call_that_fails_gives_back_what_it_held(harness):
    """Rows 61, 70: this also holds for a call that reserves nothing."""
    caller = harness.caller(monthly_credits=2)
    for _ in range(3):
        harness.settle(harness.admit(caller, CHAT), succeeded=False)
    harness.settle(harness.admit(caller), succeeded=True)
    assert harness.counted(caller) == Counted(4, 0, {}, 0)


def test_an_uncounted_call_is_admitted_without_a_monthly_allowance(harness):
    """Rows 72, 154: its limit per minute still applies."""
    free = Charge("read_credits", counted=False)
    caller = harness.caller(monthly_requests=0, rates={"read_credits": 1})
    assert harness.admit(caller, free).headers["ratelimit"] == '"endpoint";r=0;t=60'
    harness.refuse(caller, "rate_limited", free)
    assert harness.counted(caller) == Counted(0, 0, {"read_credits": 1}, 0)


@pytest.mark.parametrize(
    ("plan", "agreed", "message"),
    [
        ("tiny", {}, "the tiny plan's limit of 1 requests a month is reached"),
        ("tiny", {"monthly_requests": 1}, "the limit of 1 requests a month is reached"),
    ],
)
def test_spent_requests_name_the_plan_or_number_and_when_they_reset(harness, plan, agreed, message):
    """Rows 52, 55, 56."""
    caller = harness.caller(plan=plan, **agreed)
    harness.admit(caller)
    refusal = harness.refuse(caller, "request_limit_exceeded")
    assert refusal.message == f"{message}; it resets at 2026-02-01T00:00:00.000Z"
    assert refusal.headers == {}
    assert harness.counted(caller).requests == 1


def test_spent_credits_say_when_they_reset_and_the_call_is_not_counted(harness):
    """Rows 53, 55, 73: neither in the month nor in the minute."""
    caller = harness.caller(monthly_credits=3, per_minute=2)
    harness.settle(harness.admit(caller, CHAT), succeeded=True)
    for _ in range(4):
        refusal = harness.refuse(caller, "credit_limit_exceeded", CHAT)
    assert refusal.message == (
        "the limit of 3 credits a month is reached; it resets at 2026-02-01T00:00:00.000Z"
    )
    assert refusal.headers == {}
    cheaper = Charge("chat", credits=1)
    assert harness.admit(caller, cheaper).headers["ratelimit"].startswith('"endpoint";r=0;')
    assert harness.counted(caller)[:2] == (2, 2)


def test_a_spent_minute_says_when_it_ends(harness, clock):
    """Rows 50, 73, 75: the refused call is not counted in the month."""
    caller = harness.caller(per_minute=2)
    for left in (1, 0):
        assert harness.admit(caller).headers == {
            "ratelimit-policy": '"endpoint";q=2;w=60',
            "ratelimit": f'"endpoint";r={left};t=60',
        }
    clock.advance(18.5)
    refusal = harness.refuse(caller, "rate_limited")
    assert refusal.message == (
        "limit of 2 requests per minute to this endpoint reached; retry after 42 seconds"
    )
    assert refusal.headers == {
        "Retry-After": "42",
        "ratelimit-policy": '"endpoint";q=2;w=60',
        "ratelimit": '"endpoint";r=0;t=42',
    }
    assert harness.counted(caller) == Counted(2, 0, {"search": 2}, 0)


def test_a_call_of_a_throttled_address_is_not_counted(database, clock):
    """Rows 73, 158: the partner keeps its month and its minute for callers from elsewhere."""
    harness = MeterHarness(database, clock, per_address=1)
    caller = harness.caller(per_minute=2, monthly_requests=100)
    harness.admit(caller, address="192.0.2.1")
    clock.advance(10)
    for _ in range(3):
        refusal = harness.refuse(caller, "rate_limited", address="192.0.2.1")
    assert refusal.headers == {"Retry-After": "50"}
    assert refusal.message == (
        "limit of requests from one IP address reached; retry after 50 seconds"
    )
    harness.admit(caller, address="192.0.2.2")
    assert harness.counted(caller) == Counted(2, 0, {"search": 2}, 0)


def test_a_call_over_the_limit_per_minute_does_not_count_for_the_address(database, clock):
    """Row 73: the caller may go on calling other endpoints."""
    harness = MeterHarness(database, clock, per_address=3)
    caller = harness.caller(rates={"search": 1})
    harness.admit(caller, address="192.0.2.1")
    for _ in range(5):
        harness.refuse(caller, "rate_limited", address="192.0.2.1")
    harness.admit(caller, Charge("foods"), "192.0.2.1")
    harness.admit(caller, Charge("foods"), "192.0.2.1")
    refusal = harness.refuse(caller, "rate_limited", Charge("foods"), "192.0.2.1")
    assert "one IP address" in refusal.message


def test_the_guard_of_24_hours_is_named_and_the_call_is_not_counted(database, clock):
    """Rows 51, 73: neither in the minute nor for the address."""
    harness = MeterHarness(database, clock, per_address=3)
    caller = harness.caller(monthly_requests=5, per_minute=2)
    harness.admit(caller, address="192.0.2.1")
    clock.advance(1)
    for _ in range(4):
        refusal = harness.refuse(caller, "rate_limited", address="192.0.2.1")
    assert refusal.headers == {"Retry-After": "86399"}
    assert refusal.message == (
        "limit of requests within 24 hours reached; retry after 86399 seconds"
    )
    clock.advance(86399)
    harness.admit(caller, address="192.0.2.1")
    assert harness.counted(caller) == Counted(2, 0, {"search": 1}, 0)


@pytest.mark.parametrize(
    ("first", "second", "wait_s", "what"),
    [
        ("minute", "address", 50, "requests from one IP address"),
        ("address", "minute", 50, "1 requests per minute to this endpoint"),
    ],
)
def test_of_two_limits_the_longer_wait_is_returned(database, clock, first, second, wait_s, what):
    """Row 50: a caller who waits that long is not refused again at once."""
    harness = MeterHarness(database, clock, per_address=1)
    caller = harness.caller(rates={"search": 1})
    spend = {"minute": (SEARCH, "192.0.2.1"), "address": (Charge("foods"), "192.0.2.2")}
    harness.admit(caller, *spend[first])
    clock.advance(10)
    harness.admit(caller, *spend[second])
    refusal = harness.refuse(caller, "rate_limited", address="192.0.2.2")
    assert refusal.headers["Retry-After"] == f"{wait_s + 10}"
    assert what in refusal.message
    assert "ratelimit" in refusal.headers


def test_the_guard_of_24_hours_is_named_before_a_spent_minute(harness):
    """Rows 50, 51: the headers still describe the minute."""
    caller = harness.caller(monthly_requests=5, rates={"search": 1})
    harness.admit(caller)
    refusal = harness.refuse(caller, "rate_limited")
    assert refusal.headers["Retry-After"] == "86400"
    assert refusal.headers["ratelimit"] == '"endpoint";r=0;t=60'
    assert "within 24 hours" in refusal.message


def test_spent_credits_are_named_before_limits_per_minute(harness):
    """Row 57: except for a free call, or while exactly enough credits are left."""
    caller = harness.caller(monthly_credits=4, rates={"chat": 1, "search": 1})
    harness.settle(harness.admit(caller, CHAT), succeeded=True)
    harness.refuse(caller, "rate_limited", CHAT)  # 2 are left, and 2 are enough
    harness.refuse(caller, "credit_limit_exceeded", Charge("chat", credits=3))
    harness.refuse(caller, "rate_limited", Charge("chat"))
    uncapped = harness.caller(rates={"chat": 1})
    harness.admit(uncapped, CHAT)
    harness.refuse(uncapped, "rate_limited", CHAT)


@pytest.mark.parametrize("agreed", [{"per_minute": 9}, {}])
def test_a_call_beyond_the_slots_of_an_endpoint_is_not_counted(harness, agreed):
    """Rows 67, 69, 73: there is no Retry-After, since the wait is unknown."""
    caller = harness.caller(in_flight={"chat": 2}, **agreed)
    first, second = (harness.admit(caller, Charge("chat")) for _ in range(2))
    for _ in range(9):
        refusal = harness.refuse(caller, "rate_limited", Charge("chat"))
    assert refusal.message == (
        "2 requests to this endpoint are in progress; wait until one finishes"
    )
    assert refusal.headers == {}
    harness.admit(caller)  # another endpoint has no such limit
    harness.settle(first, succeeded=True)
    third = harness.admit(caller, Charge("chat"))
    for ticket in (second, third):
        harness.settle(ticket, succeeded=True)
    assert harness.counted(caller)[:2] == (4, 0)
    if agreed:
        assert third.headers["ratelimit"] == '"endpoint";r=6;t=60'


def test_a_call_whose_reservation_cannot_be_written_is_not_counted(tmp_path, clock):
    """Row 73: month and minute are put back."""
    database = prepared(f"sqlite:///{tmp_path}/postmeal.sqlite")
    harness = MeterHarness(database, clock)
    caller = harness.caller(per_minute=2)
    with database.writing() as connection:
        connection.execute(text("ALTER TABLE reservation RENAME TO gone"))
    for _ in range(4):
        with pytest.raises(SQLAlchemyError):
            harness.admit(caller, CHAT)
    with database.writing() as connection:
        connection.execute(text("ALTER TABLE gone RENAME TO reservation"))
    assert harness.admit(caller, CHAT).headers["ratelimit"].startswith('"endpoint";r=1;')
    assert harness.counted(caller).requests == 1
    database.close()


def test_version_1_1_is_limited_by_its_key_alone(database, clock):
    """Rows 66, 307: the plan's months, credits, endpoints and slots do not apply."""
    harness = MeterHarness(database, clock, v1_1_per_minute=2)
    spent = {"monthly_requests": 0, "monthly_credits": 0, "per_minute": 1}
    one, other = (harness.caller("v1.1", **spent) for _ in range(2))
    assert harness.admit(one, SEARCH).headers["ratelimit"] == '"endpoint";r=1;t=60'
    assert harness.admit(one, CHAT).headers["ratelimit"] == '"endpoint";r=0;t=60'
    refusal = harness.refuse(one, "rate_limited")
    assert refusal.headers["Retry-After"] == "60"
    message = "limit of 2 requests per minute with this key reached; retry after 60 seconds"
    assert refusal.message == message
    assert harness.admit(other).reservation is None
    assert harness.counted(one) == Counted(0, 0, {"v1.1": 2}, 0)


def test_version_1_1_may_be_without_a_limit(harness):
    """Row 307: without a limit there are no headers about one."""
    caller = harness.caller("v1.1", monthly_requests=0)
    assert harness.admit(caller).headers == {}
    assert harness.counted(caller).minute == {}


def test_version_1_1_is_throttled_by_address_too(database, clock):
    """Row 158."""
    harness = MeterHarness(database, clock, per_address=1, v1_1_per_minute=5)
    caller = harness.caller("v1.1")
    harness.admit(caller, address="192.0.2.1")
    refusal = harness.refuse(caller, "rate_limited", address="192.0.2.1")
    assert "one IP address" in refusal.message
    harness.admit(caller, address="192.0.2.2")
    assert harness.counted(caller).minute == {"v1.1": 2}


def test_a_meter_at_rest_gives_back_what_it_does_not_use(harness, clock):
    """Row 74: after some seconds without a call; when it closes, everything at once."""
    caller = harness.caller(monthly_requests=100_000)
    owner = select(usage.c.requests).where(usage.c.organization_id == caller.organization.id)

    def leased() -> int:
        with harness.database.reading() as connection:
            return int(connection.execute(owner).scalar_one())

    for _ in range(4):
        harness.admit(caller)
    held = leased()
    assert held > 4
    asyncio.run(harness.meter.rest())
    assert leased() == held
    clock.advance(30)
    asyncio.run(harness.meter.rest())
    assert leased() == 4
    for _ in range(4):
        harness.admit(caller)
    asyncio.run(harness.meter.close())
    assert leased() == 8
