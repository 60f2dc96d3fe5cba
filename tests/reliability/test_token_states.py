"""The life of client tokens in two processes, against a plain model."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from api_client import Api, Partner, VirtualClock
from client_tokens import ask_for_token, bearer, revoke
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from postmeal_serve.partners import organizations
from postmeal_serve.partners.credentials import CACHE_S, Credentials
from postmeal_serve.partners.tokens import revoke_live
from postmeal_serve.resources.retention import purge
from postmeal_serve.runtime.clock import LONGEST_FREEZE
from postmeal_serve.storage.database import Database

pytestmark = pytest.mark.reliability

KEPT = timedelta(hours=1)
PROCESSES = st.sampled_from([0, 1])
USERS = st.sampled_from(["anna", "ben"])
NUMBERS = itertools.count()


@dataclass
class Token:
    """What the model knows of a token."""

    secret: str
    user: str
    reads_foods: bool
    expires_at: datetime
    minted_s: float
    ends_s: float
    revoked: bool = False
    purged: bool = False
    refused: bool = False  # as expired, which is stored
    frozen: bool = False  # it expired before the clock was stepped back, which processes remember

    def is_over(self, clock: VirtualClock) -> bool:
        return self.frozen or clock.seconds >= self.ends_s or clock.now() >= self.expires_at

    def state(self, clock: VirtualClock) -> str:
        if self.purged:
            return "token_invalid"
        if self.revoked:
            return "token_revoked"
        return "token_expired" if self.refused or self.is_over(clock) else "active"


class Tokens(RuleBasedStateMachine):
    """Two processes on one database, each with a short memory of tokens and keys it has seen."""

    minted = Bundle("tokens")

    def __init__(self, processes: list[Api], partner: Partner, clock: VirtualClock) -> None:
        super().__init__()
        self.processes, self.partner, self.clock = processes, partner, clock
        self.example = next(NUMBERS)
        self.may_mint = True
        self.tokens: list[Token] = []
        self.seen: list[dict[str, float]] = [{}, {}]
        self.key_seen: list[tuple[float, bool] | None] = [None, None]
        self.set_minting(True)
        for process in (0, 1):
            self.restart(process)

    def name(self, user: str) -> str:
        return f"{user}-{self.example}"

    def use_key(self, process: int) -> bool:
        """What a process knows of the switch when it sees the key."""
        seen = self.key_seen[process]
        if seen is None or self.clock.seconds - seen[0] >= CACHE_S:
            seen = self.key_seen[process] = (self.clock.seconds, self.may_mint)
        return seen[1]

    def set_minting(self, on: bool) -> None:
        api = self.processes[0]
        with api.service.database.writing() as connection:
            plans, now = api.settings.plans, self.clock.now()
            organizations.change(connection, now, "states", plans, may_mint=on)
        self.may_mint = on

    @rule(
        target=minted,
        process=PROCESSES,
        user=USERS,
        ttl=st.sampled_from([300, 301, 1800, 7200]),
        reads_foods=st.booleans(),
    )
    def mint(self, process: int, user: str, ttl: int, reads_foods: bool) -> Token | None:
        scope = "foods:read" if reads_foods else "glucose:read"
        answer = ask_for_token(
            self.processes[process],
            self.partner,
            self.name(user),
            ttl_seconds=ttl,
            scopes=[scope],
        )
        if not self.use_key(process):
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
            return None
        told = answer.json()
        expires_at = self.clock.now() + timedelta(seconds=ttl)
        assert datetime.fromisoformat(told["expires_at"]) == expires_at
        times = (expires_at, self.clock.seconds, self.clock.seconds + ttl)
        token = Token(told["token"], user, reads_foods, *times)
        self.tokens.append(token)
        return token

    @rule(process=PROCESSES, token=minted)
    def use(self, process: int, token: Token | None) -> None:
        if token is None:
            return
        headers = bearer(token.secret)
        answer = self.processes[process].client.get("/v1.2/foods/x", headers=headers)
        told = {400: "active", 403: "active"}.get(answer.status_code, answer.json()["code"])
        assert told == self.expected(process, token)
        if told == "active":
            assert answer.status_code == (400 if token.reads_foods else 403)

    def expected(self, process: int, token: Token) -> str:
        """As the database says, or as the process remembers it: alive, for 30 s at most."""
        seen, now = self.seen[process], self.clock.seconds
        remembered = token.secret in seen and now - seen[token.secret] < CACHE_S
        if remembered and not token.is_over(self.clock):
            return "active"
        state = token.state(self.clock)
        if state == "active":
            seen[token.secret] = now
        else:
            seen.pop(token.secret, None)
        token.refused = token.refused or state == "token_expired"
        return state

    @rule(process=PROCESSES, user=USERS)
    def revoke(self, process: int, user: str) -> None:
        count = revoke(self.processes[process], self.partner, self.name(user))
        assert count == self.end_all(user)
        self.use_key(process)
        for token in self.tokens:
            if token.user == user:
                self.seen[process].pop(token.secret, None)

    @rule(user=USERS)
    def revoke_by_hand(self, user: str) -> None:
        api = self.processes[0]
        whose = (self.partner.id, self.name(user), "admin")
        call = api.client.portal.call
        done = call(revoke_live, api.service.database, self.clock, *whose)
        assert (done.revoked, done.failed) == (self.end_all(user), 0)

    def end_all(self, user: str) -> int:
        live = [
            each
            for each in self.tokens
            if each.user == user
            and not (each.purged or each.revoked or each.refused)
            and self.clock.seconds < each.ends_s
        ]
        for token in live:
            token.revoked = True
        return len(live)

    @rule()
    def purge(self) -> None:
        with self.processes[0].service.database.writing() as connection:
            purge(connection, self.clock.now(), KEPT)
        for token in self.tokens:
            token.purged = token.purged or token.expires_at + KEPT <= self.clock.now()

    @rule(on=st.booleans())
    def switch(self, on: bool) -> None:
        self.set_minting(on)

    @rule(process=PROCESSES)
    def restart(self, process: int) -> None:
        """A process forgets what it has in memory, and opens the database anew."""
        api = self.processes[process]
        service, chosen = api.service, api.settings
        old = service.credentials._database
        fresh = Database(chosen.database_url)
        service.credentials = Credentials(fresh, self.clock, chosen.plans, chosen.pepper)
        if isinstance(old, Database):  # of an earlier restart
            old.close()
        self.seen[process], self.key_seen[process] = {}, None

    @rule(
        seconds=st.sampled_from(
            [0.001, 1.0, 29.999, 30.0, 60.0, 239.0, 299.999, 300.0, 1500.0, 3600.0, 7200.0]
        )
    )
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule(
        process=PROCESSES,
        token=minted,
        hours=st.sampled_from([-25, -3, -1, -1 / 60, 1 / 60, 1, 3, 25]),
    )
    def use_while_the_clock_is_wrong(self, process: int, token: Token | None, hours: float) -> None:
        """The clock jumps, a token is used, and the clock is corrected."""
        jump = timedelta(hours=hours)
        self.clock.at += jump
        self.clock.now()
        self.use(process, token)
        reached = self.clock.at
        self.clock.at -= jump
        self.clock.now()
        if timedelta(0) < jump <= LONGEST_FREEZE:
            for each in self.tokens:
                before = each.minted_s < self.clock.seconds
                each.frozen = each.frozen or (before and each.expires_at <= reached)

    @invariant()
    def nobody_lives_longer_than_allowed(self) -> None:
        now = self.clock.now()
        for token in self.tokens:
            assert token.expires_at <= now + timedelta(seconds=7200)

    def teardown(self) -> None:
        for token in self.tokens:
            for process in (0, 1):
                self.use(process, token)
        self.clock.advance(CACHE_S)
        for token in self.tokens:
            for process in (0, 1):
                self.seen[process].clear()
                self.use(process, token)


@pytest.fixture(scope="module")
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory, clock: VirtualClock) -> Iterator[list[Api]]:
    """Both leave purging to the test."""
    folder: Path = tmp_path_factory.mktemp("states")
    never = {"token_purge_after_s": 10**9}
    with Api(folder, clock, **never) as here, Api(folder, clock, **never) as there:
        yield [here, there]
        for api in (here, there):
            if isinstance(api.service.credentials._database, Database):
                api.service.credentials._database.close()


def run(processes: list[Api], clock: VirtualClock, examples: int, steps: int) -> None:
    partner = processes[0].partner("states")
    run_state_machine_as_test(
        lambda: Tokens(processes, partner, clock),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.timeout(600)
def test_a_token_lives_as_a_plain_model_says(processes, clock):
    """R2: and row 148: 200 lives of 30 steps; none ever takes another way than the model's."""
    run(processes, clock, 200, 30)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_a_token_lives_as_a_plain_model_says_at_length(processes, clock):
    """R2: 5,000 lives of 60 steps."""
    run(processes, clock, 5_000, 60)
