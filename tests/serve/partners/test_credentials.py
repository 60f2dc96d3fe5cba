"""Credentials: the owner of a secret, and how long a look-up is remembered."""

import asyncio
from datetime import timedelta

import pytest
from api_client import VirtualClock
from partner_records import NOW, PEPPER, made, minted
from sqlalchemy import text, update
from sqlalchemy.exc import SQLAlchemyError

from postmeal_serve.partners import keys, tokens
from postmeal_serve.partners.credentials import Caller, Credentials
from postmeal_serve.partners.plans import PLANS, Plan
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import client_token


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOW)


class Lookup:
    """A partner's key and token, and a process that looks them up."""

    def __init__(self, database: Database, clock: VirtualClock, name: str) -> None:
        self.database, self.clock = database, clock
        self.credentials = Credentials(database, clock, PLANS, PEPPER)
        with database.writing() as connection:
            self.partner = made(connection, name)
            self.key, kept = keys.create(
                connection, clock.now(), self.partner.id, "v1.1", "k", PEPPER
            )
            self.key_id = kept.id
            self.token = minted(connection, self.partner.id, now=clock.now(), pepper=PEPPER).secret

    def find(self, secret: str) -> Caller | str:
        return self.credentials.cached(secret) or asyncio.run(self.credentials.look_up(secret))

    def without_the_database(self, secret: str) -> Caller | str:
        """Look up while every table is gone."""
        with self.database.writing() as connection:
            for table in ("api_key", "client_token"):
                connection.execute(text(f"ALTER TABLE {table} RENAME TO {table}_gone"))
        try:
            return self.find(secret)
        finally:
            with self.database.writing() as connection:
                for table in ("api_key", "client_token"):
                    connection.execute(text(f"ALTER TABLE {table}_gone RENAME TO {table}"))


@pytest.fixture
def lookup(database, clock, name) -> Lookup:
    return Lookup(database, clock, name)


def test_a_key_may_do_everything_of_its_version(lookup):
    """Row 25."""
    caller = lookup.find(lookup.key)
    assert caller == Caller(lookup.partner, "v1.1", lookup.key_id, None, None, None)
    assert (caller.is_token, caller.name) == (False, f"key {lookup.key_id}")


def test_a_token_may_do_what_its_scopes_say_for_its_user(lookup, clock):
    """Rows 30, 37."""
    caller = lookup.find(lookup.token)
    scopes = frozenset({"foods:read", "glucose:read"})
    ends_at = NOW + timedelta(seconds=600)
    assert caller == Caller(lookup.partner, "v1.2", None, "u-1", scopes, ends_at)
    assert (caller.is_token, caller.name) == (True, "client token")
    clock.advance(599.999)
    assert isinstance(lookup.find(lookup.token), Caller)
    clock.advance(0.001)
    assert [lookup.find(lookup.token) for _ in range(2)] == ["token_expired"] * 2


@pytest.mark.parametrize("secret", ["sk-v1.1-nobody", "ct-nobody", "", "x"])
def test_a_secret_that_was_never_issued_is_unknown(lookup, secret):
    """Rows 22, 33."""
    assert lookup.find(secret) == "unknown"
    assert lookup.find(lookup.key[:-1]) == "unknown"


def test_a_secret_without_the_pepper_of_its_installation_is_unknown(lookup, database, clock):
    """Row 46: a stolen table alone makes no credential."""
    for pepper, found in ((b"", False), (b"salt", False), (PEPPER, True)):
        elsewhere = Credentials(database, clock, PLANS, pepper)
        for secret in (lookup.key, lookup.token):
            caller = asyncio.run(elsewhere.look_up(secret))
            assert isinstance(caller, Caller) == found
    assert isinstance(asyncio.run(Credentials(database, clock, PLANS).look_up(lookup.key)), str)


def test_an_installation_without_a_pepper_finds_credentials_made_without_one(database, clock, name):
    with database.writing() as connection:
        partner = made(connection, name)
        key, _ = keys.create(connection, NOW, partner.id, "v1.2", "k")
        token = minted(connection, partner.id).secret
    for secret in (key, token):
        caller = asyncio.run(Credentials(database, clock, PLANS).look_up(secret))
        assert isinstance(caller, Caller)
        assert caller.organization == partner


def test_a_found_credential_is_not_looked_up_again_for_half_a_minute(lookup, clock):
    """Rows 38, 47: after that it is."""
    for secret in (lookup.key, lookup.token):
        found = lookup.find(secret)
        clock.advance(29.875)
        assert lookup.without_the_database(secret) == found
        clock.advance(0.125)
        with pytest.raises(SQLAlchemyError, match="no such table"):
            lookup.without_the_database(secret)
        assert lookup.find(secret) == found


def test_a_key_that_is_disabled_ends_within_half_a_minute(lookup, clock):
    """Row 47."""
    assert isinstance(lookup.find(lookup.key), Caller)
    with lookup.database.writing() as connection:
        keys.disable(connection, clock.now(), lookup.key_id)
    clock.advance(30)
    assert [lookup.find(lookup.key) for _ in range(2)] == ["unknown"] * 2


def test_a_key_in_its_grace_ends_at_its_last_moment(lookup, clock):
    """Row 47: remembered or not."""
    with lookup.database.writing() as connection:
        keys.rotate(connection, clock.now(), lookup.key_id, timedelta(seconds=20))
    assert isinstance(lookup.find(lookup.key), Caller)
    clock.advance(19.999)
    assert isinstance(lookup.find(lookup.key), Caller)
    clock.advance(0.001)
    assert [lookup.find(lookup.key) for _ in range(2)] == ["unknown"] * 2


def test_a_token_that_was_revoked_says_so(lookup, clock):
    """Rows 35, 36: before it expires and after."""
    with lookup.database.writing() as connection:
        ids = tokens.live_ids(connection, clock.now(), lookup.partner.id, "u-1")
        tokens.revoke(connection, clock.now(), lookup.partner.id, "u-1", ids, "key 5")
    assert lookup.find(lookup.token) == "token_revoked"
    clock.advance(1000)
    assert lookup.find(lookup.token) == "token_revoked"


def test_forgotten_tokens_of_a_user_are_looked_up_again_and_no_others(lookup, clock):
    """Row 38: the process that revokes refuses them at once."""
    with lookup.database.writing() as connection:
        theirs = minted(connection, lookup.partner.id, "u-2", pepper=PEPPER).secret
        other = made(connection, f"{lookup.partner.name}, another")
        elsewhere = minted(connection, other.id, "u-1", pepper=PEPPER).secret
    kept = (theirs, elsewhere, lookup.key)
    found = {secret: lookup.find(secret) for secret in (lookup.token, *kept)}
    with lookup.database.writing() as connection:
        connection.execute(update(client_token).values(revoked_at=clock.now()))
    lookup.credentials.evict(lookup.partner.id, "u-1")
    assert lookup.find(lookup.token) == "token_revoked"
    assert all(lookup.find(secret) == found[secret] for secret in kept)
    clock.advance(30)
    assert [lookup.find(secret) for secret in (theirs, elsewhere)] == ["token_revoked"] * 2


def test_plans_are_read_when_a_credential_is_looked_up(database, clock, name):
    """The plans are those of the installation."""
    plans = {"free": Plan(monthly_requests=3)}
    lookup = Lookup(database, clock, name)
    caller = asyncio.run(Credentials(database, clock, plans, PEPPER).look_up(lookup.key))
    assert isinstance(caller, Caller)
    assert caller.organization.allowances.monthly_requests == 3


def test_the_memory_of_credentials_is_bounded(database, clock, name):
    """The least recently looked up credential is dropped."""
    lookup = Lookup(database, clock, name)
    with database.writing() as connection:
        more = [minted(connection, lookup.partner.id, pepper=PEPPER).secret for _ in range(2)]
    lookup.credentials = Credentials(database, clock, PLANS, PEPPER, max_cached=2)
    found = {secret: lookup.find(secret) for secret in (lookup.key, *more)}
    for secret in more:
        assert lookup.without_the_database(secret) == found[secret]
    with pytest.raises(SQLAlchemyError, match="no such table"):
        lookup.without_the_database(lookup.key)
    assert lookup.find(lookup.key) == found[lookup.key]
    with pytest.raises(SQLAlchemyError, match="no such table"):
        lookup.without_the_database(more[0])
    clock.advance(30)
    assert lookup.find(more[1]) == found[more[1]]  # which is now the latest
    lookup.find(more[0])
    assert lookup.without_the_database(more[1]) == found[more[1]]
