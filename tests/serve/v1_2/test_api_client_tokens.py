"""Minting client tokens, and what a token may do."""

import base64
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from api_client import OLD_PREDICT, PREDICT, Api, Partner, VirtualClock, assert_refused
from client_tokens import (
    CREDITS,
    FOODS,
    MINT,
    REVOKE,
    ask_for_token,
    ask_to_revoke,
    bearer,
    mint,
    state,
    use,
)
from sqlalchemy import select, text

from postmeal_serve.partners import organizations
from postmeal_serve.partners.audit import person
from postmeal_serve.partners.tokens import SCOPES, new_secret
from postmeal_serve.storage.tables import audit, client_token

LOGS = "/v1.2/food-logs"
DAYS = f"{LOGS}?start=2026-01-01&end=2026-12-31"


@pytest.fixture(scope="module")
def partner(api: Api) -> Partner:
    return api.partner("mints")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def timed(tmp_path, clock) -> Iterator[Api]:
    """A service of its own, with a clock that the test sets."""
    with Api(tmp_path, clock) as api:
        yield api


def log(api: Api, headers: dict[str, str]):
    return api.client.post(LOGS, json={"foods": api.body()["foods"]}, headers=headers)


def listed(api: Api, headers: dict[str, str]) -> list[str]:
    answer = api.client.get(DAYS, headers=headers)
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


def test_a_mint_answers_the_documented_fields(timed, clock):
    """Rows 112, 114, 130."""
    answer = ask_for_token(timed, timed.partner("one"), ttl_seconds=300)
    assert answer.status_code == 201
    told = answer.json()
    assert set(told) == {"token", "expires_in", "expires_at", "end_user_id", "scopes"}
    assert told["expires_in"] == 300
    assert type(told["expires_in"]) is int
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", told["expires_at"])
    assert datetime.fromisoformat(told["expires_at"]) == clock.now() + timedelta(seconds=300)
    assert answer.headers["cache-control"] == "no-store"


def test_a_token_is_256_random_bits_behind_a_prefix(api, partner):
    """Row 113: twenty mints give twenty tokens."""
    minted = {mint(api, partner) for _ in range(20)}
    assert len(minted) == 20
    for token in minted:
        assert re.fullmatch(r"ct-[A-Za-z0-9_-]{43}", token)
        assert len(base64.urlsafe_b64decode(token.removeprefix("ct-") + "=")) == 32


@pytest.mark.reliability
def test_a_million_tokens_are_all_different_and_random_in_every_place(monkeypatch, api, partner):
    """Row 113: the function that draws them is the one that mints, as the last line shows."""
    tokens = [new_secret() for _ in range(1_000_000)]
    assert len(set(tokens)) == 1_000_000
    places = [set(place) for place in zip(*tokens[:20_000], strict=True)]
    assert [len(place) for place in places] == [1, 1, 1] + [64] * 42 + [16]
    monkeypatch.setattr("postmeal_serve.partners.tokens.new_secret", lambda: tokens[0])
    assert mint(api, partner) == tokens[0]


def test_the_end_user_and_the_granted_scopes_are_told(api, partner):
    """Row 115: in the order of the request, each once."""
    wanted = ["glucose:read", "foods:read", "glucose:read", "food_logs:read", "foods:read"]
    told = ask_for_token(api, partner, "Ünï-1", scopes=wanted).json()
    assert told["end_user_id"] == "Ünï-1"
    assert told["scopes"] == ["glucose:read", "foods:read", "food_logs:read"]


@pytest.mark.parametrize(("ttl", "lasts"), [({}, 1800), (300, 300), (7200, 7200)])
def test_a_token_lasts_as_long_as_was_asked(api, partner, ttl, lasts):
    """Row 116."""
    options = {"ttl_seconds": ttl} if ttl else {}
    assert ask_for_token(api, partner, **options).json()["expires_in"] == lasts


@pytest.mark.parametrize("ttl", [299, 7201, 0, -1, 10**30, 300.5, "1800", True, None, [300]])
def test_another_lifetime_is_refused_with_the_bounds(api, partner, ttl):
    """Rows 116, 117."""
    answer = ask_for_token(api, partner, ttl_seconds=ttl)
    assert_refused(answer, 400, "ttl_seconds", "300", "7200")
    assert answer.json()["code"] == "invalid_request"


@pytest.mark.parametrize(
    "user",
    [
        *("", " ", "\t", "x" * 65, 7, None, True, ["u"], "a\nb", "a\u0000b", "\u00a0", "a\u2028"),
        *(" u", "u ", "u\t"),  # which no header can name
    ],
)
def test_what_cannot_be_an_end_user_id_is_refused(api, partner, user):
    """Rows 118, 138."""
    assert_refused(ask_for_token(api, partner, user), 400, "end_user_id")
    assert_refused(ask_to_revoke(api, partner, user), 400, "end_user_id")


def test_an_end_user_id_is_required_and_may_have_64_characters(api, partner):
    """Row 118."""
    answer = api.client.post(MINT, json={}, headers=partner.headers(MINT))
    assert_refused(answer, 400, "end_user_id")
    assert ask_for_token(api, partner, "ü" * 64).status_code == 201


def test_the_end_user_is_read_from_the_body_alone(api, partner):
    """Row 119."""
    header = partner.headers(MINT) | {"Service-End-User-ID": "header"}
    assert_refused(api.client.post(MINT, json={}, headers=header), 400, "end_user_id")
    answer = api.client.post(MINT, json={"end_user_id": "body"}, headers=header)
    assert answer.json()["end_user_id"] == "body"
    token = answer.json()["token"]
    made = log(api, bearer(token)).json()["id"]
    body, other = ({**header, "Service-End-User-ID": name} for name in ("body", "header"))
    assert made in listed(api, body)
    assert made not in listed(api, other)


def test_all_scopes_are_granted_when_none_is_named(api, partner):
    """Row 120."""
    told = ask_for_token(api, partner).json()["scopes"]
    assert told == list(SCOPES)
    assert set(told) == {
        "foods:read", "restaurants:read", "food_logs:read",
        "food_logs:write", "food_scans:write", "glucose:read",
    }  # fmt: skip


@pytest.mark.parametrize(
    "scopes", [[], ["foods:write"], ["foods:read", "*"], "foods:read", {"foods:read": 1}, [1], None]
)
def test_scopes_that_are_none_are_refused_with_those_that_are(api, partner, scopes):
    """Row 121."""
    message = assert_refused(ask_for_token(api, partner, scopes=scopes), 400, "scopes")
    if scopes != []:
        for scope in SCOPES:
            assert scope in message


@pytest.mark.parametrize("path", [MINT, REVOKE, CREDITS])
def test_endpoints_for_keys_refuse_a_token_and_a_key_of_v1_1(api, partner, path):
    """Rows 27, 122, 123, 140, 159."""
    method = "GET" if path == CREDITS else "POST"
    body = {} if path == CREDITS else {"json": {"end_user_id": "u-1"}}
    token = mint(api, partner)
    answer = api.client.request(method, path, headers=bearer(token), **body)
    assert_refused(answer, 403)
    assert answer.json()["code"] == "client_token_not_allowed"
    answer = api.client.request(method, path, headers=bearer(partner.keys["v1.1"]), **body)
    assert_refused(answer, 403)
    assert answer.json()["code"] == "forbidden"


def test_an_account_that_is_switched_off_mints_no_more(timed, clock):
    """Row 124: the tokens it has minted go on; so does revoking (row 139)."""
    partner = timed.partner("off")
    token = mint(timed, partner)
    with timed.service.database.writing() as connection:
        plans = timed.settings.plans
        organizations.change(connection, clock.now(), "off", plans, may_mint=False)
    clock.advance(30)
    answer = ask_for_token(timed, partner)
    assert_refused(answer, 403)
    assert answer.json()["code"] == "forbidden"
    assert state(timed, token) == "active"


@pytest.mark.parametrize(("configured", "status"), [(False, 503), (True, 403)])
def test_a_mint_that_is_not_allowed_is_refused_before_the_body_is_checked(
    tmp_path, configured, status
):
    """Rows 124, 125: the refusal mentions neither its type nor its size."""
    with Api(tmp_path, client_tokens=configured) as api:
        headers = api.partner("off").headers(MINT)
        with api.service.database.writing() as connection:
            plans, now = api.settings.plans, api.service.clock.now()
            organizations.change(connection, now, "off", plans, may_mint=False)
        for content, media_type in ((b"x", "text/plain"), (b" " * 6_000_000, "application/json")):
            sent = headers | {"Content-Type": media_type}
            assert_refused(api.client.post(MINT, content=content, headers=sent), status)


def test_where_tokens_are_not_configured_neither_mint_nor_revoke_answers(tmp_path):
    """Rows 125, 142: 503 comes before the switch of the account and before the body."""
    with Api(tmp_path, client_tokens=False) as api:
        partner = api.partner("off")
        with api.service.database.writing() as connection:
            plans, now = api.settings.plans, api.service.clock.now()
            organizations.change(connection, now, "off", plans, may_mint=False)
        for path in (MINT, REVOKE):
            for content in ('{"end_user_id":"u-1"}', "{"):
                answer = api.client.post(path, content=content, headers=partner.headers(path))
                assert_refused(answer, 503)
                assert answer.json()["code"] == "service_unavailable"
        v1_1 = {"Authorization": f"Bearer {partner.keys['v1.1']}"}
        assert_refused(api.client.post(MINT, content="{", headers=v1_1), 403)


def test_every_mint_makes_another_token_that_works(api, partner):
    """Rows 128, 131: also with an idempotency key, for the raw token is not kept to replay."""
    headers = partner.headers(MINT) | {"Idempotency-Key": "k-1"}
    answers = [
        api.client.post(MINT, json={"end_user_id": "two"}, headers=headers) for _ in range(2)
    ]
    first, second = (answer.json()["token"] for answer in answers)
    assert first != second
    assert state(api, first) == state(api, second) == "active"


def test_only_a_hash_of_a_token_is_stored(tmp_path):
    """Rows 45, 49, 129: neither database, log of writes nor trail of audit holds the token."""
    with Api(tmp_path) as api:
        partner = api.partner("hashed")
        tokens = [mint(api, partner, f"u-{number}") for number in range(20)]
        assert state(api, tokens[0]) == "active"
        assert api.client.post(
            REVOKE, json={"end_user_id": "u-1"}, headers=partner.headers(REVOKE)
        ).json() == {"revoked_count": 1}
        with api.service.database.reading() as connection:
            rows = str(connection.execute(select(client_token)).all())
            trail = connection.execute(select(audit).where(audit.c.action == "token minted")).all()
        assert trail[0].subject == person(partner.id, "u-0")
        assert trail[0].actor == f"key {partner.key_ids['v1.2']}"
        stored = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    stored += b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for token in tokens:
        secret = token.removeprefix("ct-")
        assert secret.encode() not in stored
        assert base64.urlsafe_b64decode(secret + "=") not in stored
        assert secret not in rows + str(trail)


def test_a_token_is_found_by_its_hash_through_an_index(api):
    """Row 45."""
    lookup = text("EXPLAIN QUERY PLAN SELECT * FROM client_token WHERE sha256 = x'00'")
    with api.service.database.reading() as connection:
        assert "USING INDEX" in str(connection.execute(lookup).all())


def test_a_token_does_what_its_scopes_say_and_nothing_else(api, partner):
    """Rows 25, 28, 30, 31, 252: every endpoint that takes tokens, with and without its scope."""
    food = api.food("oatmeal").id
    body = {"foods": api.body()["foods"]}
    calls = {
        ("GET", FOODS): "foods:read",
        ("GET", f"/v1.2/foods/{food}"): "foods:read",
        ("GET", "/v1.2/foods/autocomplete?query=oat"): "foods:read",
        ("POST", PREDICT): "glucose:read",
        ("POST", LOGS): "food_logs:write",
        ("GET", DAYS): "food_logs:read",
    }
    full = mint(api, partner)
    key = partner.headers(MINT) | {"Service-End-User-ID": "u-1"}
    for (method, path), scope in calls.items():
        sent = {"json": api.body() if path == PREDICT else body} if method == "POST" else {}
        alone = mint(api, partner, scopes=[scope])
        others = mint(api, partner, scopes=[each for each in SCOPES if each != scope])
        for headers in (bearer(full), bearer(alone), key):
            assert api.client.request(method, path, headers=headers, **sent).status_code in {
                200,
                201,
            }
        answer = api.client.request(method, path, headers=bearer(others), **sent)
        assert_refused(answer, 403, scope)
        assert answer.json()["code"] == "scope_insufficient"
        challenge = f'Bearer error="insufficient_scope", scope="{scope}"'
        assert answer.headers["www-authenticate"] == challenge


def test_a_token_of_version_1_2_is_no_key_of_version_1_1(api, partner):
    """Row 299: also one that lives."""
    headers = bearer(mint(api, partner))
    assert_refused(api.client.post(OLD_PREDICT, json=api.old_body(), headers=headers), 401)


@pytest.mark.parametrize("name", ["Service-End-User-ID", "x-partner-user-id", "x-end-user-id"])
@pytest.mark.parametrize("value", ["bob", "", "x" * 65, "\x01"])
def test_a_token_acts_on_its_own_user_whatever_headers_say(api, partner, name, value):
    """Rows 39, 40: an id in a header is not even looked at."""
    alice, bob = mint(api, partner, "alice"), mint(api, partner, "bob")
    made = log(api, bearer(alice) | {name: value})
    assert made.status_code == 201
    for headers in (bearer(alice), bearer(alice) | {name: value}):
        assert made.json()["id"] in listed(api, headers)
    assert made.json()["id"] not in listed(api, bearer(bob))


def test_a_key_acts_on_the_user_that_it_names(api, partner):
    """Rows 41, 44: and the same id of another partner is another person."""
    named = {"Service-End-User-ID": "carol"}
    mine = partner.headers(LOGS) | named
    made = log(api, mine).json()["id"]
    assert made in listed(api, mine)
    assert made in listed(api, bearer(mint(api, partner, "carol")))
    other = api.partner("mints too")
    assert listed(api, other.headers(LOGS) | named) == []
    assert listed(api, bearer(mint(api, other, "carol"))) == []


def test_a_key_must_name_a_user_where_the_endpoint_is_about_one(api, partner):
    """Rows 42, 43."""
    key = partner.headers(LOGS)
    for answer in (api.client.get(DAYS, headers=key), log(api, key)):
        assert_refused(answer, 400, "Service-End-User-ID")
        assert answer.json()["code"] == "end_user_id_required"
    for value in ("", " ", "x" * 65, "a\x01b"):
        answer = api.client.get(DAYS, headers=key | {"Service-End-User-ID": value})
        assert_refused(answer, 400, "Service-End-User-ID")


def test_a_token_is_valid_until_its_last_moment(timed, clock):
    """Rows 32, 37: also where it was used and remembered a moment before."""
    token = mint(timed, timed.partner("edge"), ttl_seconds=300)
    for step in (0, 299.9, 0.099999):
        clock.advance(step)
        assert state(timed, token) == "active"
    clock.advance(0.000001)
    assert state(timed, token) == "token_expired"
    answer = use(timed, token)
    challenge = 'Bearer error="invalid_token", error_description="token expired"'
    assert answer.headers["www-authenticate"] == challenge


def test_every_endpoint_refuses_an_expired_token_alike(timed, clock):
    """Row 32: before it says what it wants."""
    token = mint(timed, timed.partner("all"), ttl_seconds=300)
    clock.advance(300)
    for path in (FOODS, DAYS, CREDITS, "/v1.2/foods/x"):
        answer = use(timed, token, path)
        assert_refused(answer, 401)
        assert answer.json()["code"] == "token_expired"


def test_a_clock_that_is_stepped_back_revives_no_token(timed, clock):
    """R13: and a token minted then expires by the clock as it is now."""
    token = mint(timed, timed.partner("back"), ttl_seconds=300)
    clock.advance(300)
    assert state(timed, token) == "token_expired"
    clock.at -= timedelta(hours=1)
    assert state(timed, token) == "token_expired"
    minted = ask_for_token(timed, timed.partner("back"), ttl_seconds=300).json()
    assert datetime.fromisoformat(minted["expires_at"]) == clock.at + timedelta(seconds=300)
    clock.advance(299)
    assert state(timed, minted["token"]) == "active"
    clock.advance(1)
    assert state(timed, minted["token"]) == "token_expired"
