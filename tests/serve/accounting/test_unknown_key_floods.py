"""Floods of unknown keys: how many are looked up, and who is still served meanwhile."""

import time
from collections.abc import Iterator

import pytest
from api_client import VirtualClock
from asgi_client import Answer, AsgiClient, make_operation
from partner_records import NOW, minted
from sqlalchemy import event, update

from serve.accounting.minutes import Minutes
from serve.partners import keys
from serve.service import Service
from serve.settings import Settings
from serve.storage.tables import client_token
from serve.v1_1.version import V1_1

LIMIT = 3
MESSAGE = "too many failed authentications from one IP address; retry after {} seconds"


class Flooded:
    """A service that looks up three failing credentials of an address, and counts queries."""

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

    def flood(self, address: str = "192.0.2.1", times: int = LIMIT) -> list[int | None]:
        """Return the statuses of calls with unknown keys."""
        secrets = [f"sk-v1.2-nobody-{number}" for number in range(times)]
        return [self.call(secret, address).status for secret in secrets]

    def mint(self) -> str:
        with self.service.database.writing() as connection:
            return minted(connection, self.client.partner.id, now=self.clock.now()).secret


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse without a pause."""
    monkeypatch.setattr(Minutes, "refused_after_s", 0.0)


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


def test_up_to_the_limit_an_unknown_key_gets_401_and_beyond_it_429_without_a_query(flooded):
    """Rows 16, 48: below the limit, 401 comes before every other check."""
    assert flooded.flood() == [401] * LIMIT
    flooded.clock.advance(12.5)
    flooded.queries = 0
    for number in range(50):
        answer = flooded.call(f"sk-v1.2-somebody-{number}")
        assert (answer.status, answer.json["code"]) == (429, "rate_limited")
        assert answer.headers["retry-after"] == "48"
        assert answer.json["message"] == MESSAGE.format(48)
    assert flooded.queries == 0
    flooded.clock.advance(47.499)
    assert flooded.flood(times=1) == [429]
    flooded.clock.advance(0.001)
    assert flooded.flood(times=LIMIT + 1) == [401] * LIMIT + [429]


def test_a_credential_in_memory_is_served_during_a_flood_from_its_address(flooded):
    for secret in (flooded.client.keys["v1.2"], flooded.client.token):
        assert flooded.call(secret, scope="foods:read").status == 200
    assert flooded.flood(times=LIMIT + 1) == [401] * LIMIT + [429]
    for secret in (flooded.client.keys["v1.2"], flooded.client.token):
        assert flooded.call(secret, scope="foods:read").status == 200


def test_a_credential_that_was_found_is_looked_up_again_during_a_flood(flooded):
    """Row 47: every 30 s, so that a caller beside the flood is served, until it is revoked."""
    secret, key_id = flooded.client.keys["v1.2"], flooded.client.key_ids["v1.2"]
    assert flooded.call(secret).status == 200
    for _ in range(3):
        flooded.clock.advance(30)
        flooded.flood()
        assert flooded.flood(times=1) == [429]
        assert flooded.call(secret).status == 200
    with flooded.service.database.writing() as connection:
        keys.disable(connection, flooded.clock.now(), key_id)
    flooded.clock.advance(30)
    flooded.flood()
    assert [flooded.call(secret).status for _ in range(2)] == [401, 429]


def test_a_valid_credential_that_is_not_in_memory_waits_until_the_flood_is_over(on_sqlite):
    """`Retry-After` is honest: by then it is looked up."""
    on_sqlite.flood()
    on_sqlite.clock.advance(20)
    refused = on_sqlite.call(on_sqlite.client.keys["v1.2"])
    assert (refused.status, refused.headers["retry-after"]) == (429, "40")
    assert "postmeal.partner" not in refused.scope
    on_sqlite.clock.advance(40)
    assert on_sqlite.call(on_sqlite.client.keys["v1.2"]).status == 200


def test_a_flood_refuses_no_other_address(on_sqlite):
    """The addresses of an IPv6 /64 are one, and so is an IPv4 address in both of its forms."""
    on_sqlite.flood()
    assert on_sqlite.flood("192.0.2.2", 1) == [401]
    assert on_sqlite.flood("::ffff:192.0.2.1", 1) == [429]
    addresses = [f"2001:db8:0:7::{number}" for number in range(LIMIT)]
    assert [on_sqlite.flood(each, 1) for each in addresses] == [[401]] * LIMIT
    assert on_sqlite.flood("2001:db8:0:7:ffff::", 1) == [429]
    assert on_sqlite.flood("2001:db8:0:8::", 1) == [401]


def test_tokens_that_have_expired_or_were_revoked_count_too(on_sqlite):
    revoked, expired = on_sqlite.mint(), on_sqlite.mint()
    with on_sqlite.service.database.writing() as connection:
        connection.execute(update(client_token).values(revoked_at=on_sqlite.clock.now()))
    assert on_sqlite.call(revoked).json["code"] == "token_revoked"
    with on_sqlite.service.database.writing() as connection:
        connection.execute(update(client_token).values(revoked_at=None))
    on_sqlite.clock.advance(600)
    codes = [on_sqlite.call(expired).json["code"] for _ in range(LIMIT + 1)]
    assert codes == ["token_expired"] * LIMIT + ["rate_limited"]


def test_a_key_that_was_switched_off_counts_from_its_last_moment(on_sqlite):
    secret, key_id = on_sqlite.client.keys["v1.2"], on_sqlite.client.key_ids["v1.2"]
    assert on_sqlite.call(secret).status == 200
    with on_sqlite.service.database.writing() as connection:
        keys.disable(connection, on_sqlite.clock.now(), key_id)
    on_sqlite.clock.advance(30)
    assert [on_sqlite.call(secret).status for _ in range(LIMIT + 1)] == [401] * LIMIT + [429]


def test_what_needs_no_look_up_does_not_count_and_is_not_refused(on_sqlite):
    """Rows 20, 48: no credential, and one that cannot be any."""
    for secret in (None, "nonsense", "sk v1.2"):
        assert [on_sqlite.call(secret).status for _ in range(LIMIT + 1)] == [401] * (LIMIT + 1)
    on_sqlite.flood()
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
    assert flooded.flood(times=20) == [401] * 20
    flooded.service.close()
