"""Client tokens: minted, listed and revoked, of one person of one partner."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from api_client import VirtualClock
from partner_records import NOW, PEPPER, made, minted, trail
from sqlalchemy import select, text

from postmeal_serve.partners import keys, tokens
from postmeal_serve.partners.audit import person
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import client_token


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOW)


def test_a_token_is_stored_as_a_hash_with_its_user_and_scopes(connection, name):
    """Rows 45, 114."""
    partner = made(connection, name)
    token = minted(connection, partner.id, pepper=PEPPER)
    assert token.secret.startswith("ct-")
    assert len(token.secret) == len("ct-") + 43  # 256 bits in base64
    assert (token.end_user_id, token.ttl_s) == ("u-1", 600)
    assert token.scopes == ("foods:read", "glucose:read")
    assert token.expires_at == NOW + timedelta(seconds=600)
    mine = client_token.c.organization_id == partner.id
    row = connection.execute(select(client_token).where(mine)).one()
    assert row.sha256 == keys.digest(token.secret, PEPPER)
    assert (row.end_user_id, row.scopes) == ("u-1", "foods:read glucose:read")
    assert (row.created_at, row.expires_at, row.revoked_at) == (NOW, token.expires_at, None)
    who = person(partner.id, "u-1", PEPPER)
    assert trail(connection, partner.id)[1:] == [("key 5", "token minted", who, NOW)]
    assert minted(connection, partner.id).secret != token.secret


def test_live_tokens_are_those_of_one_user_that_have_not_ended(connection, name):
    """Rows 37, 133, 134, 137: the oldest first."""
    partner, other = made(connection, name), made(connection, f"{name}, another")
    for owner, user in ((partner, "u-1"), (partner, "u-2"), (other, "u-1"), (partner, "u-1")):
        minted(connection, owner.id, user)
    minted(connection, partner.id, ttl_s=60)
    live = tokens.live_ids(connection, NOW, partner.id, "u-1")
    assert len(live) == 3
    assert live == sorted(live)
    at = NOW + timedelta(seconds=60)
    assert tokens.live_ids(connection, at - timedelta.resolution, partner.id, "u-1") == live
    assert tokens.live_ids(connection, at, partner.id, "u-1") == live[:2]
    assert tokens.revoke(connection, at, partner.id, "u-1", live, "key 5") == 2
    assert tokens.live_ids(connection, at, partner.id, "u-1") == []
    assert len(tokens.live_ids(connection, at, partner.id, "u-2")) == 1
    rows = connection.execute(select(client_token).where(client_token.c.id.in_(live)))
    assert [row.revoked_at for row in rows.all()] == [at, at, None]
    assert trail(connection, partner.id)[-1] == (
        "key 5", "tokens revoked", person(partner.id, "u-1"), at,
    )  # fmt: skip
    recorded = trail(connection, partner.id)
    assert tokens.revoke(connection, at, partner.id, "u-1", live, "key 5") == 0
    assert trail(connection, partner.id) == recorded  # nothing was done


def test_a_revocation_takes_500_tokens_at_most(database, clock, name):
    """Row 136: the oldest first; the rest at the next call."""
    with database.writing() as connection:
        partner = made(connection, name)
        for _ in range(503):
            minted(connection, partner.id)
        ids = tokens.live_ids(connection, NOW, partner.id, "u-1")
    assert len(ids) == 500
    revoke = lambda: asyncio.run(  # noqa: E731
        tokens.revoke_live(database, clock, partner.id, "u-1", "key 5")
    )
    assert revoke() == tokens.Revocation(500, 0)
    assert revoke() == tokens.Revocation(3, 0)
    assert revoke() == tokens.Revocation(0, 0)
    with database.reading() as connection:
        recorded = [line for line in trail(connection, partner.id) if line[1] == "tokens revoked"]
    who = person(partner.id, "u-1")
    assert recorded == [("key 5", "tokens revoked", who, NOW)] * 6  # a hundred at a time


def test_tokens_that_cannot_be_written_do_not_keep_the_others_alive(database, clock, name):
    """Row 143: all other tokens are revoked."""
    with database.writing() as connection:
        partner = made(connection, name)
        for _ in range(201):
            minted(connection, partner.id)
        stuck = tokens.live_ids(connection, NOW, partner.id, "u-1")[50:52]
        connection.execute(text(
            "CREATE TRIGGER stuck BEFORE UPDATE ON client_token WHEN old.id IN"
            f" ({stuck[0]}, {stuck[1]}) BEGIN SELECT RAISE(ABORT, 'stuck'); END"
        ))  # fmt: skip
    revoke = lambda: asyncio.run(  # noqa: E731
        tokens.revoke_live(database, clock, partner.id, "u-1", "key 5")
    )
    assert revoke() == tokens.Revocation(199, 2)
    assert revoke() == tokens.Revocation(0, 2)
    with database.writing() as connection:
        assert tokens.live_ids(connection, NOW, partner.id, "u-1") == stuck
        connection.execute(text("DROP TRIGGER stuck"))
    assert revoke() == tokens.Revocation(2, 0)


class Slow(VirtualClock):
    """A clock of which each transaction takes five seconds."""

    def now(self) -> datetime:
        self.seconds += 5
        return super().now()


@pytest.fixture
def hurried(database) -> Iterator[Database]:
    """The same database, with ten seconds for a transaction."""
    hurried = Database(str(database.engine.url), 10.0)
    yield hurried
    hurried.close()


def test_a_revocation_that_takes_too_long_counts_the_rest_as_failed(database, hurried, name):
    """Row 143: the next calls revoke them."""
    with database.writing() as connection:
        partner = made(connection, name)
        for _ in range(301):
            minted(connection, partner.id)
    revoke = lambda: asyncio.run(  # noqa: E731
        tokens.revoke_live(hurried, Slow(NOW), partner.id, "u-1", "key 5")
    )
    assert revoke() == tokens.Revocation(100, 201)
    assert revoke() == tokens.Revocation(100, 101)
    assert revoke() == tokens.Revocation(100, 1)
    assert revoke() == tokens.Revocation(1, 0)


def test_a_revocation_tries_stuck_tokens_one_by_one_until_its_time_is_over(database, name):
    hurried, clock = Database(str(database.engine.url), 50.0), Slow(NOW)
    with database.writing() as connection:
        partner = made(connection, name)
        for _ in range(150):
            minted(connection, partner.id)
        stuck = tokens.live_ids(connection, NOW, partner.id, "u-1")[0]
        connection.execute(text(
            "CREATE TRIGGER slow BEFORE UPDATE ON client_token WHEN old.id ="
            f" {stuck} BEGIN SELECT RAISE(ABORT, 'stuck'); END"
        ))  # fmt: skip
    done = asyncio.run(tokens.revoke_live(hurried, clock, partner.id, "u-1", "key 5"))
    hurried.close()
    with database.writing() as connection:
        connection.execute(text("DROP TRIGGER slow"))
    assert done == tokens.Revocation(7, 143)  # 50 s: a look-up, the hundred, the stuck one, seven
    assert clock.seconds == 50


def test_a_revocation_that_races_another_looks_for_live_tokens_again(database, name):
    """Row 134: the count is 0 only when no token is live."""

    class Meanwhile(VirtualClock):
        """Another call revokes, and mints, between the look-up of this one and its writing."""

        asked = 0

        def now(self) -> datetime:
            self.asked += 1
            if self.asked == 2:
                with database.writing() as connection:
                    ids = tokens.live_ids(connection, NOW, partner.id, "u-1")
                    assert tokens.revoke(connection, NOW, partner.id, "u-1", ids, "key 6") == 2
                    minted(connection, partner.id)
            return super().now()

    with database.writing() as connection:
        partner = made(connection, name)
        for _ in range(2):
            minted(connection, partner.id)
    done = asyncio.run(
        tokens.revoke_live(database, Meanwhile(NOW), partner.id, "u-1", "key 5", PEPPER)
    )
    assert done == tokens.Revocation(1, 0)
    with database.reading() as connection:
        assert tokens.live_ids(connection, NOW, partner.id, "u-1") == []
        revoked = [row[:3] for row in trail(connection, partner.id) if "revoked" in row[1]]
    assert revoked == [
        ("key 6", "tokens revoked", person(partner.id, "u-1")),
        ("key 5", "tokens revoked", person(partner.id, "u-1", PEPPER)),
    ]


@pytest.mark.parametrize("look", [1, 2])
def test_a_token_that_ended_while_the_clock_was_set_back_is_not_revoked(database, name, look):
    """Only live tokens are counted, by elapsed time: as of the look-up, and as of the writing."""

    class SetBack(VirtualClock):
        asked = 0

        def now(self) -> datetime:
            self.asked += 1
            if self.asked == look:
                self.seconds += 600  # while the wall clock shows the same
            return super().now()

    clock = SetBack(NOW)
    with database.writing() as connection:
        partner = made(connection, name)
        minted(connection, partner.id, steady=clock.steady(), ttl_s=600)
    revoke = tokens.revoke_live(database, clock, partner.id, "u-1", "key 5")
    assert asyncio.run(revoke) == tokens.Revocation(0, 0)
