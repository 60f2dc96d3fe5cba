"""Floods of unknown keys: how many are looked up, and who is still served meanwhile."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from api_client import VirtualClock
from asgi_client import Answer, AsgiClient, make_operation
from partner_records import NOW, minted
from sqlalchemy import event, update

from postmeal_serve.accounting.minutes import Minutes
from postmeal_serve.partners import keys
from postmeal_serve.runtime import refusal_pace
from postmeal_serve.service import Service
from postmeal_serve.settings import Settings
from postmeal_serve.storage.tables import client_token
from postmeal_serve.v1_1.version import V1_1

LIMIT, TOLD_PER_S = 3, 20
MESSAGE = "too many failed authentications from one IP address; retry after {} seconds"


class Flooded:
    """A service with a limit of three unknown credentials of an address, which counts queries."""

    def __init__(self, folder, database_url: str, **settings: int | None) -> None:
        self.clock = VirtualClock(NOW)
        limits = {"address_failures_per_minute": LIMIT, **settings}
        self.service = Service(
            Settings(state_dir=folder, database=database_url, **limits), self.clock
        )
        self.client = AsgiClient(self.service)
        self.queries = 0
        event.listen(self.service.database.engine, "before_cursor_execute", self._count)

    def _count(self, *_: object) -> None:
        self.queries += 1

    def call(self, secret: str | None, address: str = "192.0.2.1", **options: object) -> Answer:
        return self.client.call(make_operation(**options), secret, address=address)

    def call_together(self, *secrets: str, address: str = "192.0.2.1") -> list[Answer]:
        async def ask() -> list[Answer]:
            operation = make_operation()
            calls = (self.client.ask(operation, secret, address=address) for secret in secrets)
            return await asyncio.gather(*calls)

        return asyncio.run(ask())

    def flood(self, address: str = "192.0.2.1", times: int = LIMIT + TOLD_PER_S) -> list[int]:
        """Return the statuses of calls with unknown keys, the lowest first."""
        secrets = [f"sk-v1.2-nobody-{number}" for number in range(times)]
        alone = self.call_together(*secrets[:LIMIT], address=address)
        answers = alone + self.call_together(*secrets[LIMIT:], address=address)
        return sorted(answer.status for answer in answers)

    def mint(self) -> str:
        with self.service.database.writing() as connection:
            return minted(connection, self.client.partner.id, now=self.clock.now()).secret


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse without a pause."""
    monkeypatch.setattr(Minutes, "refused_after_s", 0.0)
    monkeypatch.setattr(refusal_pace, "PER_SECOND", 10**6)


@pytest.fixture
def flooded(tmp_path, database_url) -> Iterator[Flooded]:
    flooded = Flooded(tmp_path, database_url)
    yield flooded
    flooded.service.close()


@pytest.fixture
def on_sqlite(tmp_path) -> Iterator[Flooded]:
    flooded = Flooded(tmp_path, f"sqlite:///{tmp_path}/postmeal.sqlite")
    yield flooded
    flooded.service.close()


ALL = [401] * (LIMIT + TOLD_PER_S)
"""Statuses of a flood whose keys are all refused as unknown."""


def test_in_a_flood_twenty_unknown_keys_a_second_get_401_and_the_others_429(flooded):
    """Rows 16, 48: below the limit, 401 comes before every other check."""
    assert flooded.flood(times=LIMIT + TOLD_PER_S + 30) == ALL + [429] * 30
    for _ in range(2):
        flooded.clock.advance(1)
        assert flooded.flood(times=TOLD_PER_S + 1) == [401] * TOLD_PER_S + [429]
    flooded.clock.advance(10.5)
    answers = flooded.call_together(*(f"sk-v1.2-more-{number}" for number in range(21)))
    refused = next(answer for answer in answers if answer.status == 429)
    assert refused.json["code"] == "rate_limited"
    assert refused.headers["retry-after"] == "48"
    assert refused.json["message"] == MESSAGE.format(48)
    flooded.clock.advance(47.5)
    assert flooded.flood() == ALL


def test_in_a_flood_credentials_are_looked_up_together(flooded):
    """Two queries, one of each kind, however many there are; twenty times a second."""
    flooded.flood()
    flooded.clock.advance(1)
    flooded.queries = 0
    secrets = [f"{prefix}-{number}" for number in range(600) for prefix in ("sk-v1.2", "ct")]
    begun = time.monotonic()
    answers = flooded.call_together(*secrets)
    assert time.monotonic() - begun >= 0.05
    assert Counter(answer.status for answer in answers) == {401: TOLD_PER_S, 429: 1180}
    # The statements around a transaction count as well; 500 hashes fit into a query.
    assert flooded.queries <= 20


def test_a_credential_in_memory_is_served_during_a_flood_from_its_address(flooded):
    for secret in (flooded.client.keys["v1.2"], flooded.client.token):
        assert flooded.call(secret, scope="foods:read").status == 200
    assert flooded.flood(times=LIMIT + TOLD_PER_S + 1) == [*ALL, 429]
    for secret in (flooded.client.keys["v1.2"], flooded.client.token):
        assert flooded.call(secret, scope="foods:read").status == 200


def test_a_credential_that_is_not_in_memory_is_served_at_the_first_try(flooded):
    """A key that was never seen, and tokens that another process mints meanwhile."""
    unseen, unknown = flooded.client.keys["v1.2"], [f"sk-v1.2-x-{n}" for n in range(200)]
    assert flooded.flood(times=LIMIT + TOLD_PER_S + 1) == [*ALL, 429]
    answers = flooded.call_together(*unknown, unseen, *unknown)
    assert answers[200].status == 200
    assert {answer.status for answer in answers if answer is not answers[200]} == {429}
    for _ in range(3):
        assert flooded.call(flooded.mint(), scope="foods:read").status == 200


def test_a_credential_that_was_found_is_looked_up_again_during_a_flood(flooded):
    """Row 47: every 30 s, so that a caller beside the flood is served, until it is revoked."""
    secret, key_id = flooded.client.keys["v1.2"], flooded.client.key_ids["v1.2"]
    assert flooded.call(secret).status == 200
    for _ in range(3):
        flooded.clock.advance(30)
        flooded.flood()
        assert flooded.call(secret).status == 200
    with flooded.service.database.writing() as connection:
        keys.disable(connection, flooded.clock.now(), key_id)
    flooded.clock.advance(29)
    flooded.flood()
    flooded.clock.advance(1)
    assert flooded.call(secret).status == 401


def test_a_flood_refuses_no_other_address(on_sqlite):
    """The addresses of an IPv6 /64 are one, and so is an IPv4 address in both of its forms."""
    on_sqlite.flood()
    assert on_sqlite.flood("192.0.2.2", 1) == [401]
    assert on_sqlite.flood("::ffff:192.0.2.1", 1) == [429]
    addresses = [f"2001:db8:0:7::{number}" for number in range(LIMIT + TOLD_PER_S)]
    assert [on_sqlite.flood(each, 1) for each in addresses] == [[401]] * len(addresses)
    assert on_sqlite.flood("2001:db8:0:7:ffff::", 1) == [429]
    assert on_sqlite.flood("2001:db8:0:8::", 1) == [401]


def test_tokens_that_have_expired_or_were_revoked_do_not_count(on_sqlite):
    """However often they are sent, they say what they are, and the next unknown key is unknown."""
    revoked, expired = on_sqlite.mint(), on_sqlite.mint()
    on_sqlite.clock.advance(600)
    codes = [answer.json["code"] for answer in on_sqlite.call_together(*[expired] * 50)]
    assert codes == ["token_expired"] * 50
    with on_sqlite.service.database.writing() as connection:
        connection.execute(update(client_token).values(revoked_at=on_sqlite.clock.now()))
    codes = [answer.json["code"] for answer in on_sqlite.call_together(*[revoked] * 50)]
    assert codes == ["token_revoked"] * 50
    assert on_sqlite.flood(times=LIMIT + TOLD_PER_S + 1) == [*ALL, 429]
    assert on_sqlite.call(revoked).json["code"] == "token_revoked"


def test_a_key_that_was_switched_off_counts_from_its_last_moment(on_sqlite):
    secret, key_id = on_sqlite.client.keys["v1.2"], on_sqlite.client.key_ids["v1.2"]
    assert on_sqlite.call(secret).status == 200
    with on_sqlite.service.database.writing() as connection:
        keys.disable(connection, on_sqlite.clock.now(), key_id)
    on_sqlite.clock.advance(30)
    assert [on_sqlite.call(secret).status for _ in range(LIMIT)] == [401] * LIMIT
    answers = on_sqlite.call_together(*[secret] * (TOLD_PER_S + 1))
    assert Counter(answer.status for answer in answers) == {401: TOLD_PER_S, 429: 1}


def test_what_needs_no_look_up_does_not_count_and_is_not_refused(on_sqlite):
    """Rows 20, 48: no credential, and one that cannot be any."""
    for secret in (None, "nonsense", "sk v1.2"):
        assert [on_sqlite.call(secret).status for _ in range(LIMIT + 1)] == [401] * (LIMIT + 1)
    assert on_sqlite.flood() == ALL
    assert on_sqlite.call(None).status == 401


def test_a_caller_that_authenticates_does_not_count_whatever_the_answer(on_sqlite):
    """Rows 24, 28: a key of the other version; a token without the scope."""
    key, token = on_sqlite.client.keys["v1.1"], on_sqlite.client.token
    for _ in range(LIMIT + 1):
        on_sqlite.clock.advance(30)
        assert on_sqlite.call(key).status == 403
        assert on_sqlite.call(on_sqlite.mint(), scope="logs:read").status == 403
    assert on_sqlite.call(token, scope="foods:read").status == 200
    assert on_sqlite.flood(times=1) == [401]


def test_version_1_1_is_refused_in_its_own_shape(on_sqlite):
    """Row 307."""
    on_sqlite.flood()
    answer = on_sqlite.call("sk-v1.1-nobody", version=V1_1)
    assert answer.status == 429
    assert answer.json == {"error": {"code": 429, "message": MESSAGE.format(60), "details": None}}
    assert answer.headers["retry-after"] == "60"


def test_a_flood_is_refused_after_a_pause(on_sqlite, monkeypatch):
    """Eight callers that repeat at once get 80 answers per second instead of thousands."""
    on_sqlite.flood()
    monkeypatch.setattr(Minutes, "refused_after_s", 0.25)
    begun = time.monotonic()
    assert on_sqlite.flood(times=1) == [429]
    assert time.monotonic() - begun >= 0.25


def test_a_limit_of_none_looks_up_every_credential(tmp_path):
    url = f"sqlite:///{tmp_path}/postmeal.sqlite"
    flooded = Flooded(tmp_path, url, address_failures_per_minute=None)
    assert flooded.flood(times=60) == [401] * 60
    flooded.service.close()
