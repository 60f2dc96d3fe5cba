"""End users: the calls a minute that the client tokens of one person may make."""

import asyncio
import itertools
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from api_client import Api, VirtualClock
from client_tokens import FOODS, bearer, mint
from partner_records import NOW, made
from sqlalchemy import func, select
from stored_people import prepared

from postmeal_serve.accounting.meter import Charge, Meter, Ticket
from postmeal_serve.accounting.minutes import Minutes
from postmeal_serve.accounting.process_lease import ProcessLease
from postmeal_serve.partners.credentials import Caller
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import rate_window, usage
from postmeal_serve.wire.errors import Refusal

SEARCH, CHAT = Charge("search"), Charge("chat", credits=2)
NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = prepared(f"sqlite:///{tmp_path_factory.mktemp('users')}/postmeal.sqlite")
    yield database
    database.close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse without a pause."""
    monkeypatch.setattr(Minutes, "refused_after_s", 0.0)


class Partner:
    """A partner whose end users call with client tokens, through one meter."""

    def __init__(
        self, database: Database, per_end_user: int | None = None, **agreed: object
    ) -> None:
        self.database, self.clock = database, VirtualClock(NOW)
        self.meter = Meter(
            database,
            self.clock,
            None,
            None,
            per_end_user,
            Minutes(),
            ProcessLease(database, self.clock),
        )
        with database.writing() as connection:
            name = f"with users {next(NUMBERS)}"
            self.organization = made(connection, name, "unlimited", **agreed)
        self.key = Caller(self.organization, "v1.2", 1, None, None, None)

    def user(self, name: str = "u-1") -> Caller:
        return replace(self.key, key_id=None, end_user_id=name, scopes=frozenset({"foods:read"}))

    def admit(self, caller: Caller, charge: Charge = SEARCH) -> Ticket:
        return asyncio.run(self.meter.admit(caller, charge, "192.0.2.1"))

    def refuse(self, caller: Caller, charge: Charge = SEARCH) -> Refusal:
        with pytest.raises(Refusal) as refused:
            self.admit(caller, charge)
        return refused.value

    def counted(self) -> tuple[int, dict[str, int]]:
        """Return the requests of the month, and the calls of each endpoint in its minute."""
        asyncio.run(self.meter.close())
        owner = self.organization.id
        with self.database.reading() as connection:
            total = select(func.sum(usage.c.requests)).where(usage.c.organization_id == owner)
            windows = select(rate_window).where(rate_window.c.holder == f"organization {owner}")
            minute = {row.endpoint: row.calls for row in connection.execute(windows)}
            return connection.execute(total).scalar() or 0, minute


@pytest.mark.parametrize(
    ("rate", "setting", "limit"),
    [(8, None, 2), (9, None, 3), (1, None, 1), (8, 5, 5), (None, 2, 2)],
)
def test_an_end_user_has_a_quarter_of_the_partners_rate_or_what_is_set(
    database, rate, setting, limit
):
    """A quarter is rounded up."""
    partner = Partner(database, setting, rates={"search": rate})
    for _ in range(limit):
        partner.admit(partner.user())
    partner.clock.advance(12.5)
    refusal = partner.refuse(partner.user())
    assert (refusal.code, refusal.headers["Retry-After"]) == ("rate_limited", "48")


def test_without_a_rate_and_a_setting_an_end_user_has_no_limit(database):
    partner = Partner(database)
    for _ in range(100):
        assert partner.admit(partner.user()).headers == {}


def test_the_refusal_says_whose_limit_it_is_and_when_to_come_back(database):
    """Row 50: at `Retry-After` the call is admitted, a second earlier it is not."""
    partner = Partner(database, per_minute=8)
    for left in (7, 6):
        assert partner.admit(partner.user()).headers["ratelimit"] == f'"endpoint";r={left};t=60'
    partner.clock.advance(20)
    refusal = partner.refuse(partner.user())
    assert refusal.message == (
        "limit of 2 requests per minute to this endpoint by one end user reached;"
        " retry after 40 seconds"
    )
    assert refusal.headers == {
        "Retry-After": "40",
        "ratelimit-policy": '"end-user";q=2;w=60',
        "ratelimit": '"end-user";r=0;t=40',
    }
    partner.clock.advance(39)
    assert partner.refuse(partner.user()).headers["Retry-After"] == "1"
    partner.clock.advance(1)
    partner.admit(partner.user())


def test_a_user_over_the_limit_is_refused_after_a_pause(database, monkeypatch):
    monkeypatch.setattr(Minutes, "refused_after_s", 0.25)
    partner = Partner(database, 1)
    partner.admit(partner.user())
    begun = time.monotonic()
    partner.refuse(partner.user())
    assert time.monotonic() - begun >= 0.25


def test_a_refused_call_counts_nowhere(database):
    """Row 73: the partner keeps its month and its minute for others."""
    partner = Partner(database, per_minute=8, monthly_requests=1000)
    for _ in range(2):
        partner.admit(partner.user())
    for _ in range(20):
        partner.refuse(partner.user())
    for name in ("u-2", "u-3"):
        partner.admit(partner.user(name))
    for left in (3, 2, 1, 0):
        assert partner.admit(partner.key).headers["ratelimit"] == f'"endpoint";r={left};t=60'
    assert partner.counted() == (8, {"search": 8})


def test_endpoints_users_and_partners_are_counted_separately(database):
    """Rows 44, 71: the same id at another partner is another user."""
    partner, other = Partner(database, 1), Partner(database, 1)
    other.meter = partner.meter
    for each in (partner, other):
        for name in ("u-1", "u-2"):
            for charge in (SEARCH, Charge("foods")):
                each.admit(each.user(name), charge)
                each.refuse(each.user(name), charge)


def test_calls_by_key_are_not_limited_by_user(database):
    """Row 327: a partner may use one id for all of its users."""
    partner = Partner(database, 1, per_minute=8)
    for _ in range(8):
        partner.admit(partner.key)
    assert "by one end user" not in partner.refuse(partner.key).message


def test_of_several_limits_the_longest_wait_is_named(database):
    partner = Partner(database, 1, per_minute=2)
    partner.admit(partner.key)
    partner.clock.advance(10)
    partner.admit(partner.user())
    refusal = partner.refuse(partner.user())
    assert "by one end user" in refusal.message
    assert refusal.headers["ratelimit"] == '"end-user";r=0;t=60'
    late = Partner(database, 1, rates={"search": 2, "foods": 2})
    late.admit(late.user())
    late.clock.advance(59)
    for _ in range(2):
        late.admit(late.key, Charge("foods"))
    assert late.refuse(late.user(), Charge("foods")).headers["ratelimit"] == '"endpoint";r=0;t=60'


def test_spent_months_are_named_before_the_limit_of_a_user(database):
    """Row 57."""
    partner = Partner(database, 1, monthly_requests=5, monthly_credits=2)
    asyncio.run(partner.meter.settle(partner.admit(partner.user(), CHAT), succeeded=True))
    assert partner.refuse(partner.user(), CHAT).code == "credit_limit_exceeded"
    spent = Partner(database, 1, monthly_requests=1)
    spent.admit(spent.user())
    assert spent.refuse(spent.user()).code == "request_limit_exceeded"


def test_a_call_without_credits_or_slots_does_not_count_for_the_user(database):
    """Row 73."""
    partner = Partner(database, 2, in_flight={"search": 1}, monthly_credits=1)
    for _ in range(3):
        assert partner.refuse(partner.user(), CHAT).code == "credit_limit_exceeded"
    held = partner.admit(partner.user())
    for _ in range(3):
        assert "are in progress" in partner.refuse(partner.user()).message
    asyncio.run(partner.meter.settle(held, succeeded=True))
    partner.admit(partner.user())


def test_a_call_whose_body_does_not_arrive_does_not_count_for_the_user(database):
    """Row 73."""
    partner = Partner(database, 2)

    async def broken_off() -> None:
        raise ConnectionResetError

    for _ in range(5):
        with pytest.raises(ConnectionResetError):
            asyncio.run(partner.meter.admit(partner.user(), SEARCH, "192.0.2.1", broken_off))
    partner.admit(partner.user())
    partner.admit(partner.user())
    partner.refuse(partner.user())


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_all_tokens_of_an_end_user_share_one_limit(tmp_path, database_url):
    """Over HTTP: a second token is no second limit, another user and the key are served."""
    with Api(tmp_path, VirtualClock(), database=database_url) as api:
        partner = api.partner("app", per_minute=8)
        first, second, other = (mint(api, partner, user) for user in ("u-1", "u-1", "u-2"))
        tokens = [first, second, first, second, other]
        statuses = [api.client.get(FOODS, headers=bearer(one)).status_code for one in tokens]
        assert statuses == [200, 200, 429, 429, 200]
        for _ in range(5):
            assert api.client.get(FOODS, headers=partner.headers(FOODS)).status_code == 200
        assert api.client.get(FOODS, headers=partner.headers(FOODS)).status_code == 429


def test_calls_by_key_and_of_version_1_1_have_no_limit_of_a_user(tmp_path):
    """Row 327: a fixed id for all users."""
    same = {"Service-End-User-ID": "everyone", "x-partner-user-id": "everyone"}
    with Api(tmp_path, end_user_per_minute=1) as api:
        for _ in range(3):
            assert api.predict(api.body(), **same).status_code == 200
            assert api.predict_old(api.old_body(), **same).status_code == 200
