"""Every operation against every state that a credential can be in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from api_client import Api, VirtualClock, assert_refused
from sqlalchemy import delete

from postmeal_serve.app import OPERATIONS
from postmeal_serve.http.operation import Operation
from postmeal_serve.partners import keys, tokens
from postmeal_serve.partners.tokens import SCOPES
from postmeal_serve.storage.tables import client_token
from postmeal_serve.v1_2.person import END_USER_ID

pytestmark = pytest.mark.reliability

FOR_KEYS_ALONE = {
    "read_credits", "mint_client_token", "revoke_client_tokens", "search_literature",
    "create_chat_completion",
}  # fmt: skip
"""The endpoints of version 1.2 that the specification closes to client tokens."""

SENT = {
    "query": "rice",
    "latitude": "45",
    "longitude": "-40",
    "lat": "45",
    "lon": "-40",
    "start": "2026-01-01",
    "end": "2026-01-31",
    "x-partner-user-id": "00000000-0000-4000-8000-000000000000",
    "x-partner-timezone": "America/New_York",
    "Service-End-User-ID": "u-1",
}
BARCODE = "4006381333931"
TTL_S = 1800


@dataclass(frozen=True)
class Verdict:
    """What a credential deserves; a status of 0 is any answer of an admitted call."""

    status: int = 0
    code: str = ""
    challenge: str | None = None


ADMITTED = Verdict()
NO_KEY = Verdict(401, "unauthorized", "Bearer")
UNKNOWN_KEY = Verdict(401, "unauthorized", 'Bearer error="invalid_token"')
OTHER_VERSION = Verdict(403, "forbidden")


def no_token(code: str) -> Verdict:
    description = code.replace("_", " ")
    challenge = f'Bearer error="invalid_token", error_description="{description}"'
    return Verdict(401, code, challenge)


STATES = (
    "none", "empty", "Basic", "Bearer alone", "another prefix", "two headers", "two in one",
    "Bearer in small letters", "unknown key", "altered key", "key in capitals",
    "key of v1.1", "key of v1.2", "disabled key", "rotated out", "in its time of grace",
    "successor", "unknown token", "every scope", "this scope alone", "all scopes but this",
    "expired", "revoked", "revoked and expired", "purged",
)  # fmt: skip
DEAD = {"disabled key", "rotated out", "unknown key", "altered key", "key in capitals"}
HEADERLESS = {"none", "empty", "Basic", "Bearer alone", "another prefix"}
BAD_TOKENS = {
    "unknown token": "token_invalid",
    "purged": "token_invalid",
    "expired": "token_expired",
    "revoked": "token_revoked",
    "revoked and expired": "token_revoked",
}


def deserved(operation: Operation, state: str) -> Verdict:
    """What the declarations alone say."""
    old = operation.version.name == "v1.1"
    if state in HEADERLESS or state in ("two headers", "two in one"):
        return NO_KEY
    if state in DEAD:
        return NO_KEY if old else UNKNOWN_KEY
    if state == "Bearer in small letters":
        return NO_KEY if old else ADMITTED
    if state in ("key of v1.1", "key of v1.2"):
        return ADMITTED if operation.version.name == state[-4:] else OTHER_VERSION
    if state in ("in its time of grace", "successor"):
        return ADMITTED
    if old:
        return NO_KEY  # it knows no client tokens
    if state in BAD_TOKENS:
        return no_token(BAD_TOKENS[state])
    if operation.scope is None:
        return Verdict(403, "client_token_not_allowed")
    if state == "all scopes but this":
        challenge = f'Bearer error="insufficient_scope", scope="{operation.scope}"'
        return Verdict(403, "scope_insufficient", challenge)
    return ADMITTED


class Holder:
    """Who holds a credential in every state; keys are of one version."""

    def __init__(self, api: Api, clock: VirtualClock, version: str) -> None:
        self.api, self.clock, self.version = api, clock, version
        self.partner = api.partner(f"matrix of {version}")
        self.key = self.partner.keys[version]
        self.secrets: dict[str, str] = {}
        now = clock.now()
        with api.service.database.writing() as connection:
            for state, grace in (("rotated out", 0), ("in its time of grace", 86_400)):
                self.secrets[state], old = keys.create(
                    connection, now, self.partner.id, version, state
                )
                successor, _ = keys.rotate(connection, now, old.id, timedelta(seconds=grace))
                self.secrets["successor"] = successor
            secret, dead = keys.create(connection, now, self.partner.id, version, "disabled")
            keys.disable(connection, now, dead.id)
        self.secrets["disabled key"] = secret
        self.secrets["key of v1.1"] = self.partner.keys["v1.1"]
        self.secrets["key of v1.2"] = self.partner.keys["v1.2"]
        self.secrets["unknown key"] = f"sk-{version}-{'A' * 43}"
        self.secrets["altered key"] = self.key[:-1] + ("A" if self.key[-1] != "A" else "B")
        self.secrets["key in capitals"] = self.key[:8] + self.key[8:].swapcase()
        self.secrets["unknown token"] = f"ct-{'A' * 43}"
        self._mint_dead()
        self.secrets["every scope"] = self.mint(SCOPES)
        self.of_scope = {scope: self.mint((scope,)) for scope in SCOPES}
        self.but = {scope: self.mint(tuple(s for s in SCOPES if s != scope)) for scope in SCOPES}

    def mint(self, scopes: tuple[str, ...], ttl_s: int = 86_400) -> str:
        now, whose = self.clock.now(), (self.partner.id, "u-1")
        with self.api.service.database.writing() as connection:
            return tokens.mint(connection, now, *whose, scopes, ttl_s, "test").secret

    def _mint_dead(self) -> None:
        names = ("purged", "expired", "revoked and expired")
        self.secrets |= {name: self.mint(SCOPES, TTL_S) for name in names}
        database, whose = self.api.service.database, (self.partner.id, "u-1")
        with database.writing() as connection:
            first, _, third = tokens.live_ids(connection, self.clock.now(), *whose)
            tokens.revoke(connection, self.clock.now(), *whose, [third], "test")
            connection.execute(delete(client_token).where(client_token.c.id == first))
        self.clock.advance(TTL_S)
        self.secrets["revoked"] = self.mint(SCOPES)
        with database.writing() as connection:
            live = tokens.live_ids(connection, self.clock.now(), *whose)
            tokens.revoke(connection, self.clock.now(), *whose, live, "test")

    def authorization(self, operation: Operation, state: str) -> list[str]:
        """The values of the header ``Authorization``."""
        key = self.key
        match state:
            case "none":
                return []
            case "two headers":
                return [f"Bearer {key}"] * 2
            case "this scope alone":
                secret = self.of_scope.get(operation.scope or "", self.secrets["every scope"])
                return [f"Bearer {secret}"]
            case "all scopes but this":
                secret = self.but.get(operation.scope or "", self.secrets["every scope"])
                return [f"Bearer {secret}"]
        written = {
            "empty": "",
            "Basic": "Basic dTpw",
            "Bearer alone": "Bearer",
            "another prefix": f"Bearer pk-{key[3:]}",
            "two in one": f"Bearer {key}, Bearer {key}",
            "Bearer in small letters": f"bearer {key}",
        }
        return [written[state] if state in written else f"Bearer {self.secrets[state]}"]


@pytest.fixture(scope="module")
def holders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Holder]]:
    clock = VirtualClock()
    with Api(tmp_path_factory.mktemp("matrix"), clock) as api:
        yield {version: Holder(api, clock, version) for version in ("v1.1", "v1.2")}


def ask(holder: Holder, operation: Operation, state: str, valid: bool) -> Any:
    """A request as the operation declares it, or one that is wrong in all but the credential."""
    path = operation.path
    if valid:
        path = path.replace("{barcode}", BARCODE)
    path = re.sub(r"\{\w+\}", "1", path)
    headers = [("Authorization", value) for value in holder.authorization(operation, state)]
    options: dict[str, Any] = {}
    if valid:
        for each in operation.parameters:
            if (each.required and each.place == "header") or each is END_USER_ID:
                headers.append((each.name, SENT[each.name]))
        named = [each.name for each in operation.parameters if each.place == "query"]
        options["params"] = {name: SENT[name] for name in named if name in SENT}
        if operation.body is not None:
            options["json"] = operation.example
    elif operation.body is not None:
        options["content"] = b"[" * 100_000
        headers.append(("Content-Type", "image/png"))
    return holder.api.client.request(operation.method, path, headers=headers, **options)


@pytest.mark.parametrize("valid", [True, False], ids=["as declared", "all else wrong"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.operation_id)
def test_each_credential_gets_what_the_operation_declares(holders, operation, valid):
    """S2: the status, the code and the challenge, whatever else is wrong with the request."""
    for state in STATES:
        answer = ask(holders[operation.version.name], operation, state, valid)
        verdict = deserved(operation, state)
        if verdict is ADMITTED:
            assert answer.status_code not in (401, 403, 429), (state, answer.text)
            assert answer.status_code < 500, (state, answer.text)
            if valid:
                expected = {operation.status_code, 404} & set(operation.statuses)
                assert answer.status_code in expected, (state, answer.text)
            continue
        assert_refused(answer, verdict.status)
        if operation.version.name == "v1.2":
            assert answer.json().get("error", answer.json())["code"] == verdict.code, state
        challenge = answer.headers.get("www-authenticate")
        assert challenge == verdict.challenge, state


def test_every_operation_says_who_may_call_it():
    """S2: of version 1.2, a scope of client tokens, or that it is for keys alone."""
    for operation in OPERATIONS:
        if operation.version.name == "v1.2":
            assert (operation.scope in SCOPES) != (operation.endpoint_name in FOR_KEYS_ALONE)
    cells = 2 * len(OPERATIONS) * len(STATES)
    print(f"\nS2: {len(OPERATIONS)} operations × {len(STATES)} states × 2 requests = {cells} cells")


def test_every_route_of_an_api_version_is_a_declared_operation(holders):
    """S2: nothing answers beside the operations but the documents."""
    shortcuts = {path for _, path in holders["v1.2"].api.app.shortcuts}
    declared = {operation.path for operation in OPERATIONS}
    versioned = {path for path in shortcuts if path.startswith("/v1.")}
    assert versioned - declared == {"/v1.1/openapi.json", "/v1.2/openapi.json"}
