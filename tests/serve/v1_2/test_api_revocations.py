"""Revoking client tokens, and the end of a token's life."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta

import pytest
from api_client import ZONE, Api, Partner, VirtualClock, assert_refused
from client_tokens import ask_to_revoke, mint, revoke, state
from sqlalchemy import Connection, func, select, text

from postmeal_serve.command_line import main
from postmeal_serve.partners import organizations, tokens
from postmeal_serve.partners.audit import person
from postmeal_serve.partners.credentials import CACHE_S
from postmeal_serve.resources.retention import purge
from postmeal_serve.storage.tables import audit, client_token


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def timed(tmp_path, clock) -> Iterator[Api]:
    """A service of its own, with a clock that the test sets."""
    with Api(tmp_path, clock) as api:
        yield api


@pytest.fixture
def partner(timed: Api) -> Partner:
    return timed.partner("revokes")


def mint_many(api: Api, partner: Partner, number: int, user: str = "u-1") -> None:
    """Straight in the database: a test is not about the cap of minting."""
    with api.service.database.writing() as connection:
        now = api.service.clock.now()
        for _ in range(number):
            tokens.mint(connection, now, partner.id, user, ("foods:read",), 1800, "test")


def live(connection: Connection) -> int:
    living = select(func.count()).where(client_token.c.revoked_at.is_(None))
    return connection.execute(living).scalar_one()


def test_a_revocation_stops_the_tokens_of_a_user_and_counts_them(timed, partner):
    """Rows 35, 132, 134, 144: a second call finds none, and a new token works."""
    first, second = mint(timed, partner), mint(timed, partner)
    answer = ask_to_revoke(timed, partner)
    assert answer.status_code == 200
    assert answer.json() == {"revoked_count": 2}
    assert state(timed, first) == state(timed, second) == "token_revoked"
    assert revoke(timed, partner) == 0
    assert state(timed, mint(timed, partner)) == "active"
    assert state(timed, first) == "token_revoked"


def test_only_live_tokens_are_counted(timed, partner, clock):
    """Row 133: neither those that have expired nor those revoked before."""
    mint(timed, partner, ttl_seconds=300)
    mint(timed, partner, ttl_seconds=600)
    clock.advance(300)
    assert revoke(timed, partner) == 1
    mint(timed, partner)
    assert revoke(timed, partner) == 1


def test_a_user_without_tokens_is_no_error(timed, partner):
    """Row 135."""
    assert revoke(timed, partner, "never seen") == 0


def test_one_call_revokes_500_at_most(timed, partner):
    """Row 136: the oldest first."""
    mint_many(timed, partner, 500)
    youngest = mint(timed, partner)
    assert revoke(timed, partner) == 500
    assert state(timed, youngest) == "active"
    assert [revoke(timed, partner), revoke(timed, partner)] == [1, 0]
    assert state(timed, youngest) == "token_revoked"


def test_nobody_else_is_touched(timed, partner):
    """Row 137: neither another user nor the same id of another partner."""
    stranger = timed.partner("another")
    others = [mint(timed, partner, "u-2"), mint(timed, stranger, "u-1")]
    mint(timed, partner, "u-1")
    assert revoke(timed, partner, "u-1") == 1
    assert [state(timed, other) for other in others] == ["active", "active"]


@pytest.mark.parametrize("user", ["", " ", "x" * 65, 7, None, ["u-1"], "a\u0000", "a\u2028"])
def test_what_cannot_be_an_end_user_id_is_refused(timed, partner, user):
    """Row 138."""
    assert_refused(ask_to_revoke(timed, partner, user), 400, "end_user_id")


def test_an_account_that_is_switched_off_still_revokes(timed, partner, clock):
    """Row 139."""
    token = mint(timed, partner)
    with timed.service.database.writing() as connection:
        plans = timed.settings.plans
        organizations.change(connection, clock.now(), "revokes", plans, may_mint=False)
    clock.advance(CACHE_S)
    assert revoke(timed, partner) == 1
    assert state(timed, token) == "token_revoked"


@pytest.mark.parametrize("faults", [1, 3, 7])
def test_a_token_that_cannot_be_revoked_does_not_keep_the_others_alive(
    timed, partner, tmp_path, faults
):
    """Row 143: the database itself refuses some rows; the rest go, and a repeat takes these."""
    mint_many(timed, partner, 250)
    with closing(sqlite3.connect(tmp_path / "postmeal.sqlite")) as database, database:
        database.execute(
            "CREATE TRIGGER fault BEFORE UPDATE ON client_token "
            f"WHEN NEW.id % 100 < {faults} BEGIN SELECT RAISE(ABORT, 'disk of glass'); END"
        )
        failing = database.execute(
            f"SELECT count(*) FROM client_token WHERE id % 100 < {faults}"
        ).fetchone()[0]
    answer = ask_to_revoke(timed, partner)
    message = assert_refused(answer, 503, f"{250 - failing} tokens were revoked")
    assert answer.json()["code"] == "client_token_revocation_incomplete"
    assert "glass" not in message
    answer = ask_to_revoke(timed, partner)
    assert_refused(answer, 503, "0 tokens were revoked", f"{failing} could not be")
    with closing(sqlite3.connect(tmp_path / "postmeal.sqlite")) as database, database:
        database.execute("DROP TRIGGER fault")
    assert [revoke(timed, partner), revoke(timed, partner)] == [failing, 0]


def test_calls_at_the_same_moment_share_the_work_and_none_says_0_too_early(timed, partner):
    """Rows 134, 136: 0 means that no token was left, whoever revoked the others."""
    mint_many(timed, partner, 1100)
    answered_0 = []

    def repeat(_: int) -> int:
        total = 0
        while count := revoke(timed, partner):
            total += count
        with timed.service.database.reading() as connection:
            answered_0.append(live(connection))
        return total

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(repeat, range(4))) == 1100
    assert answered_0 == [0] * 4


def test_every_process_refuses_a_revoked_token_within_a_minute(tmp_path, clock):
    """Rows 38, 47: two processes that have just used it, at any time of their memory."""
    with Api(tmp_path, clock) as here, Api(tmp_path, clock) as there:
        partner = here.partner("revokes")
        for used_before in (0.0, 10.0, 29.9):
            token = mint(here, partner)
            assert state(there, token) == state(here, token) == "active"
            clock.advance(used_before)
            assert state(there, token) == "active"
            assert revoke(here, partner) == 1
            assert state(here, token) == "token_revoked"
            clock.advance(CACHE_S - used_before)
            assert state(there, token) == "token_revoked"
    assert CACHE_S <= 60


def test_a_token_that_was_revoked_and_then_expired_stays_revoked(tmp_path, clock):
    """Row 36: also for a process that still remembers it alive."""
    with Api(tmp_path, clock) as here, Api(tmp_path, clock) as there:
        partner = here.partner("revokes")
        token = mint(here, partner, ttl_seconds=300)
        clock.advance(290)
        assert state(there, token) == "active"
        assert revoke(here, partner) == 1
        clock.advance(10)
        assert state(here, token) == state(there, token) == "token_revoked"


def test_an_administrator_revokes_as_the_partner_does(timed, partner, clock, tmp_path, monkeypatch):
    """Row 146: the same change, refused everywhere when memories have ended."""
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(tmp_path))
    monkeypatch.setattr("postmeal_serve.admin.session.Clock", lambda: clock)
    token = mint(timed, partner)
    assert state(timed, token) == "active"
    assert main(["admin", "token", "revoke", "revokes", "u-1"]) == 0
    clock.advance(CACHE_S)
    assert state(timed, token) == "token_revoked"
    assert revoke(timed, partner) == 0
    with timed.service.database.reading() as connection:
        rows = connection.execute(select(audit).where(audit.c.action == "tokens revoked")).all()
    assert [row.actor for row in rows] == ["admin"]
    assert rows[0].subject == person(partner.id, "u-1")


def test_tokens_of_a_registered_user_are_revoked_by_either_id(timed, partner):
    """Row 132: the partner's own id, or the one that we gave."""
    headers = partner.headers("/v1.1/user") | {"x-partner-user-id": "u-9"} | ZONE
    profile = timed.old_body()["userProfile"]
    given = {"age": profile["age"], "gender": "female", "height": 66, "weight": 150}
    made = timed.client.post("/v1.1/user", json={"profile": given}, headers=headers)
    assert made.status_code in {200, 201}, made.text
    ours = made.json()["user_id"]
    for minted_for, revoked_for in (("u-9", ours), (ours, "u-9"), (ours.upper(), ours)):
        token = mint(timed, partner, minted_for)
        assert state(timed, token) == "active"
        assert revoke(timed, partner, revoked_for) == 1
        assert state(timed, token) == "token_revoked"


def test_an_expired_token_is_forgotten_an_hour_later(timed, partner, clock):
    """Rows 34, 147: then nobody can tell it from one that never was."""
    token = mint(timed, partner, ttl_seconds=300)
    kept = timedelta(seconds=timed.settings.token_purge_after_s)
    assert kept == timedelta(hours=1)

    def purged() -> int:
        with timed.service.database.writing() as connection:
            return purge(connection, clock.now(), kept)["client_token"]

    assert state(timed, token) == "active"
    clock.advance(300 + 3600 - 0.001)
    assert purged() == 0
    assert state(timed, token) == "token_expired"
    clock.advance(0.001)
    assert purged() == 1
    assert state(timed, token) == "token_invalid"


def test_a_revoked_token_is_kept_as_long_as_it_would_have_lived(timed, partner, clock):
    """Row 148: revoking does not hasten the purge, so that it never looks like a stranger's."""
    token = mint(timed, partner, ttl_seconds=300)
    assert revoke(timed, partner) == 1
    for ahead, purged, then in ((3899, 0, "token_revoked"), (1, 1, "token_invalid")):
        clock.advance(ahead)
        with timed.service.database.writing() as connection:
            gone = purge(connection, clock.now(), timedelta(hours=1))
        assert gone["client_token"] == purged
        assert state(timed, token) == then


def test_no_revocation_is_taken_back(timed, partner):
    """Row 148: nothing in the service writes `revoked_at` but a revocation, and that but once."""
    token = mint(timed, partner)
    assert revoke(timed, partner) == 1
    moment = text("SELECT revoked_at FROM client_token")
    with timed.service.database.reading() as connection:
        before = connection.execute(moment).scalar_one()
    timed.service.clock.advance(10)
    mint(timed, partner)
    assert revoke(timed, partner) == 1
    with timed.service.database.reading() as connection:
        assert before in connection.execute(moment).scalars().all()
    assert state(timed, token) == "token_revoked"
