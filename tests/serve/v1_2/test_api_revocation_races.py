"""Mints and uses of client tokens that race a revocation of their user."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from api_client import Api, Partner, VirtualClock
from client_tokens import mint, revoke, state
from sqlalchemy import event

from postmeal_serve.partners.credentials import CACHE_S

LIFETIME_S = 7200


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def timed(tmp_path, clock) -> Iterator[Api]:
    """A separate service with a clock that the test sets."""
    with Api(tmp_path, clock) as api:
        yield api


@pytest.fixture
def partner(timed: Api) -> Partner:
    return timed.partner("races")


def at_statement(api: Api, moment: str, words: str, act: Any) -> None:
    """Call `act` once, before or after the first statement that contains these words."""
    waiting = [act]

    def hook(_: object, __: object, statement: str, *___: object) -> None:
        if waiting and words in " ".join(statement.split()):
            waiting.pop()()

    event.listen(api.service.database.engine, f"{moment}_cursor_execute", hook)


def test_a_mint_after_a_revocation_has_read_survives_it_until_it_expires(timed, partner, clock):
    """Row 145: the token is minted between the revocation's reading and its writing."""
    earlier = mint(timed, partner, ttl_seconds=LIFETIME_S)
    late: list[str] = []
    at_statement(
        timed,
        "after",
        "SELECT client_token.id FROM client_token",
        lambda: late.append(mint(timed, partner, ttl_seconds=LIFETIME_S)),
    )
    assert revoke(timed, partner) == 1
    assert [state(timed, each) for each in (earlier, *late)] == ["token_revoked", "active"]
    clock.advance(LIFETIME_S - 1)
    assert state(timed, late[0]) == "active"
    clock.advance(1)
    assert [state(timed, each) for each in (earlier, *late)] == ["token_revoked", "token_expired"]


def test_a_mint_before_a_revocation_reads_is_revoked_with_the_others(timed, partner):
    """Row 145: the token is minted when the revocation has begun, and has not read yet."""
    earlier = mint(timed, partner)
    late: list[str] = []
    at_statement(
        timed,
        "before",
        "SELECT client_token.id FROM client_token",
        lambda: late.append(mint(timed, partner)),
    )
    assert revoke(timed, partner) == 2
    assert [state(timed, each) for each in (earlier, *late)] == ["token_revoked"] * 2


def test_a_use_that_read_the_token_before_it_was_revoked_is_forgotten_in_time(
    timed, partner, clock
):
    """Rows 38, 145: at the latest when the service looks again, within the documented minute."""
    token = mint(timed, partner)
    counts: list[int] = []
    at_statement(
        timed, "after", "WHERE client_token.sha256", lambda: counts.append(revoke(timed, partner))
    )
    state(timed, token)
    assert counts == [1]
    clock.advance(CACHE_S)
    assert CACHE_S <= 60
    assert state(timed, token) == "token_revoked"


def test_after_many_mints_and_revocations_at_once_every_token_is_accounted_for(
    timed, partner, clock
):
    """Row 145: counted tokens are revoked; the others end when they expire."""
    with ThreadPoolExecutor(6) as pool:
        minted = [pool.submit(mint, timed, partner, ttl_seconds=LIFETIME_S) for _ in range(40)]
        revoked = [pool.submit(revoke, timed, partner) for _ in range(8)]
        counted = sum(each.result() for each in revoked)
        tokens = [each.result() for each in minted]
    clock.advance(CACHE_S)
    states = [state(timed, token) for token in tokens]
    assert states.count("token_revoked") == counted
    assert states.count("active") == len(tokens) - counted
    clock.advance(LIFETIME_S)
    after = {"token_revoked": "token_revoked", "active": "token_expired"}
    assert [state(timed, token) for token in tokens] == [after[each] for each in states]
