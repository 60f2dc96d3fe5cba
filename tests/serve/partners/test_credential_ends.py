"""The end of tokens and keys: in elapsed time, and never taken back."""

import asyncio
from collections.abc import Iterator

import pytest
from api_client import Api, VirtualClock
from client_tokens import mint, state
from clock_jumps import HOUR, MINUTE, SECOND, TRIED, started
from sqlalchemy import insert, select, update
from sqlalchemy.exc import OperationalError
from stored_people import NOW, prepared

from postmeal_serve.partners import keys, tokens
from postmeal_serve.partners.credentials import Credentials
from postmeal_serve.partners.plans import Plan
from postmeal_serve.runtime.clock import LONGEST_FREEZE
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.tables import api_key, client_token, organization


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


class Look:
    """A token of 300 seconds, a key and the processes that look them up."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = started(database, VirtualClock(NOW))
        self.start()
        self.mint()

    def start(self) -> None:
        self.credentials = Credentials(self.database, self.clock, {"free": Plan()})

    def restart(self) -> None:
        self.clock = started(self.database, self.clock.restarted())
        self.start()

    def mint(self) -> None:
        times = (self.clock.now(), self.clock.steady())
        with self.database.writing() as connection:
            made = tokens.mint(connection, times[0], 1, "u-1", (), 300, "key 1", steady=times[1])
            self.key, kept = keys.create(connection, times[0], 1, "v1.2", "k")
        self.token, self.key_id = made.secret, kept.id

    def token_state(self) -> str:
        found = asyncio.run(self.credentials.look_up(self.token))
        return found if isinstance(found, str) else "active"

    def key_state(self) -> str:
        found = asyncio.run(self.credentials.look_up(self.key))
        return found if isinstance(found, str) else "active"


@pytest.fixture
def look(database) -> Look:
    return Look(database)


@pytest.mark.parametrize("jump", TRIED)
@pytest.mark.parametrize("restarts", [False, True])
def test_an_expired_token_that_was_refused_stays_expired(look, jump, restarts):
    """R13: in every process."""
    look.clock.advance(300)
    assert look.token_state() == "token_expired"
    look.clock.at += jump
    if restarts:
        look.restart()
    assert look.token_state() == "token_expired"


def test_an_expired_token_is_refused_while_nothing_can_be_written(look, monkeypatch):
    """Row 32: that it is expired is stored at its next use."""
    look.clock.advance(300)

    async def fail(*_: object) -> None:
        raise OperationalError("disk full", None, Exception())

    with monkeypatch.context() as broken:
        broken.setattr(look.database, "write", fail)
        assert look.token_state() == "token_expired"
    kept = select(client_token.c.expired_at)
    for expected in (None, look.clock.at, look.clock.at):
        with look.database.reading() as connection:
            assert connection.execute(kept).scalar_one() == expected
        assert look.token_state() == "token_expired"


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("jump", [each for each in TRIED if each.values[0] > HOUR / 12])
def test_a_token_that_a_jump_has_expired_stays_expired_after_the_correction(look, jump, restarts):
    """R13: `expires_at` was reached; a machine that boots then does not accept it either."""
    assert look.token_state() == "active"
    look.clock.at += jump
    assert [look.token_state(), look.token_state()] == ["token_expired"] * 2
    look.clock.at -= jump
    if restarts:
        look.restart()
    assert look.token_state() == "token_expired"
    look.clock = started(look.database, VirtualClock(NOW))
    look.start()
    assert look.token_state() == "token_expired"


@pytest.mark.parametrize("jump", TRIED)
@pytest.mark.parametrize("restarts", [False, True])
def test_a_token_lives_no_longer_than_its_elapsed_lifetime(look, jump, restarts):
    """R13: whatever the clock said when it was minted."""
    look.clock.at += jump
    look.mint()
    assert look.token_state() == "active"
    look.clock.at -= jump
    if restarts:
        look.restart()
    lives_s = max(0, 300 + min(0, jump.total_seconds()))  # `expires_at` may be reached earlier
    if lives_s:
        look.clock.advance(lives_s - 0.001)
        assert look.token_state() == "active"
        look.clock.advance(0.001)
    assert look.token_state() == "token_expired"


@pytest.mark.parametrize("step", [MINUTE, LONGEST_FREEZE])
def test_a_token_that_nobody_used_is_not_revived_by_a_step_back_of_two_hours(look, step):
    """R13: its `expires_at` was reached before the step; tokens minted since then are alive."""
    look.clock.at += 300 * SECOND
    look.clock.now()
    look.clock.advance(1)
    look.clock.at -= step
    assert look.token_state() == "token_expired"
    look.mint()
    assert look.token_state() == "active"
    look.clock.advance(300)
    assert look.token_state() == "token_expired"


def test_a_longer_step_back_corrects_a_wrong_clock_and_is_followed(look):
    look.clock.at += 3 * HOUR
    look.clock.now()
    look.clock.at -= 3 * HOUR
    assert look.token_state() == "active"
    look.clock.advance(300)
    assert look.token_state() == "token_expired"


def test_the_steps_of_a_day_are_not_kept(look):
    for _ in range(20):
        look.clock.advance(3600)
        look.clock.at -= 60 * SECOND
        look.clock.now()
    assert len(look.clock._steps) <= 2


@pytest.mark.parametrize("jump", TRIED)
@pytest.mark.parametrize("restarts", [False, True])
def test_a_key_ends_after_its_elapsed_grace_and_stays_ended(look, jump, restarts):
    """Row 47."""
    times = (look.clock.now(), look.clock.steady())
    with look.database.writing() as connection:
        keys.rotate(connection, times[0], look.key_id, HOUR, steady=times[1])
    look.clock.at += jump
    if restarts:
        look.restart()
    look.clock.advance(3599.999)
    assert look.key_state() == "active"
    look.clock.advance(0.001)
    assert look.key_state() == "unknown"
    look.clock.at -= jump
    assert look.key_state() == "unknown"


def test_a_disabled_key_is_not_revived_by_a_clock_that_was_ahead(look):
    """Row 47: nor can it be rotated, nor is its end moved."""
    look.clock.at += 3 * HOUR
    times = (look.clock.now(), look.clock.steady())
    with look.database.writing() as connection:
        ended = keys.disable(connection, times[0], look.key_id, times[1])
    look.clock.at -= 3 * HOUR
    assert look.key_state() == "unknown"
    with look.database.writing() as connection:
        again = keys.disable(connection, look.clock.now(), look.key_id, look.clock.steady())
        with pytest.raises(ValueError, match="is the ID of a disabled key"):
            keys.rotate(connection, NOW, look.key_id, HOUR, steady=look.clock.steady())
    assert again == ended


def test_credentials_of_an_earlier_release_end_by_the_wall_clock(look):
    """Rows 37, 47: it stored no steady time."""
    with look.database.writing() as connection:
        keys.rotate(connection, NOW, look.key_id, 300 * SECOND)
        connection.execute(update(api_key).values(ends_at=None))
        connection.execute(update(client_token).values(ends_at=None))
    look.clock.advance(299.999)
    assert [look.token_state(), look.key_state()] == ["active"] * 2
    look.clock.advance(0.001)
    assert [look.token_state(), look.key_state()] == ["token_expired", "unknown"]


def test_the_migration_gives_credentials_the_end_that_they_have(empty_database_url):
    database = Database(empty_database_url)
    migrate(database, "0006")
    later = NOW + HOUR
    with database.writing() as connection:
        prepared_partner = {"id": 1, "name": "p", "plan": "free", "agreement": {}}
        connection.execute(
            insert(organization).values(**prepared_partner, may_mint=True, created_at=NOW)
        )
        mine = {"organization_id": 1, "created_at": NOW}
        key = {"version": "v1.2", "name": "k", "sha256": b"1", "last_4": "abcd"}
        token = {"end_user_id": "u", "sha256": b"2", "scopes": ""}
        connection.execute(insert(api_key).values(**mine, **key, disabled_at=later))
        connection.execute(insert(client_token).values(**mine, **token, expires_at=later))
    migrate(database)
    with database.reading() as connection:
        for table in (api_key, client_token):
            assert connection.execute(select(table.c.ends_at)).scalar_one() == later
    database.close()


def test_the_purge_of_tokens_follows_elapsed_time(tmp_path):
    """Row 147: a jump of a day deletes no token, whose state is `token_expired` afterwards."""
    clock = VirtualClock()
    with Api(tmp_path, clock) as api:
        token = mint(api, api.partner("one"), ttl_seconds=300)
        clock.advance(300)
        clock.at += 25 * HOUR
        for state_then in ("token_expired", "token_invalid"):
            api.client.portal.call(api.service._purge)
            assert state(api, token) == state_then
            clock.advance(3600)
