"""Who may call: API keys of each version."""

import base64
import hashlib
import inspect
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest
from api_client import OLD_PREDICT, PREDICT, ZONE, Api, VirtualClock, assert_refused
from client_tokens import CREDITS, FOODS, ask_for_token, use
from sqlalchemy import select, text
from starlette.testclient import TestClient

from postmeal.errors import InputError
from postmeal_serve.app import create_app
from postmeal_serve.partners import credentials, keys
from postmeal_serve.partners.credentials import CACHE_S
from postmeal_serve.runtime.logs import write_pending_lines
from postmeal_serve.storage.tables import api_key, audit


def foods(api: Api, authorization: str | None):
    headers = {} if authorization is None else {"Authorization": authorization}
    return api.client.get("/v1.2/foods?query=rice", headers=headers)


@pytest.mark.parametrize("path", [PREDICT, "/v1.2/foods?query=rice", "/v1.2/foods/1"])
def test_a_request_without_a_key_is_401(api, path):
    """Row 20."""
    answer = api.client.request("POST" if path == PREDICT else "GET", path)
    assert_refused(answer, 401)
    assert answer.json()["code"] == "unauthorized"
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Basic eDp5", "Bearer {key} {key}", "Bearer {key}, Bearer {key}",
     "{key}", "Bearer pk-1", "Token {key}", "Bearer \u00e9"],
)  # fmt: skip
def test_a_malformed_credential_is_401(api, authorization):
    """Row 21."""
    sent = authorization.replace("{key}", api.keys["v1.2"]).encode("latin-1")
    answer = api.client.get("/v1.2/foods?query=rice", headers={"Authorization": sent})
    assert_refused(answer, 401)
    assert answer.json()["code"] == "unauthorized"
    assert answer.headers["www-authenticate"] == "Bearer"


def test_two_authorization_headers_are_401(api):
    """Row 21."""
    pair = ("Authorization", f"Bearer {api.keys['v1.2']}")
    assert_refused(api.client.get("/v1.2/foods?query=rice", headers=[pair, pair]), 401)
    old = ("Authorization", f"Bearer {api.keys['v1.1']}")
    assert_refused(api.client.post(OLD_PREDICT, headers=[old, old]), 401)


@pytest.mark.parametrize("secret", ["sk-v1.2-unknown", "sk-", "sk-v1.1-" + "A" * 43])
def test_an_unknown_key_is_401(api, secret):
    """Row 22."""
    answer = foods(api, f"Bearer {secret}")
    assert_refused(answer, 401)
    assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert secret not in answer.text


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_case_of_the_scheme_does_not_count_in_v1_2(api, scheme):
    """Rows 23, 25."""
    assert foods(api, f"{scheme} {api.keys['v1.2']}").status_code == 200


def test_a_key_of_the_other_version_is_403(api):
    """Rows 24, 298."""
    old, new = (f"Bearer {api.keys[version]}" for version in ("v1.1", "v1.2"))
    answer = foods(api, old)
    assert_refused(answer, 403)
    assert answer.json()["code"] == "forbidden"
    answer = api.client.post(OLD_PREDICT, json={}, headers={"Authorization": new})
    assert_refused(answer, 403)


def test_a_client_token_that_was_never_issued_is_401(api):
    """Rows 33, 299."""
    answer = foods(api, "Bearer ct-anything")
    assert_refused(answer, 401)
    assert answer.json()["code"] == "token_invalid"
    challenge = 'Bearer error="invalid_token", error_description="token invalid"'
    assert answer.headers["www-authenticate"] == challenge
    answer = api.client.post(OLD_PREDICT, json={}, headers={"Authorization": "Bearer ct-anything"})
    assert_refused(answer, 401)


@pytest.mark.parametrize(
    "authorization", ["bearer {key}", "Bearer  {key}", "Bearer {key} ", "Bearer {swapped}", ""]
)
def test_v1_1_takes_the_key_exactly_as_issued(api, authorization):
    """Rows 297, 321, 322."""
    key = api.keys["v1.1"]
    sent = authorization.format(key=key, swapped=key.swapcase())
    answer = api.client.post(
        OLD_PREDICT, json=api.old_body(), headers=ZONE | {"Authorization": sent}
    )
    assert_refused(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"
    answer = api.client.post(OLD_PREDICT, json=api.old_body(), headers=ZONE)
    assert_refused(answer, 401)


def test_a_key_in_the_query_string_does_not_count(api):
    """Row 332."""
    for path, version in ((OLD_PREDICT, "v1.1"), (PREDICT, "v1.2")):
        key = api.keys[version]
        answer = api.client.post(f"{path}?api_key={key}&key={key}&Authorization={key}", json={})
        assert_refused(answer, 401)


def test_a_request_without_a_valid_key_learns_nothing_else(api):
    """Row 48: 401 comes before 413, 415, 429, 400 and 404."""
    nobody = {"Authorization": "Bearer sk-v1.2-nobody"}
    for content, media_type in (("{", "application/json"), ("x" * 6_000_000, "text/plain")):
        headers = nobody | {"Content-Type": media_type}
        assert_refused(api.client.post(PREDICT, content=content, headers=headers), 401)
    assert_refused(api.client.get("/v1.2/foods/999999999", headers=nobody), 401)
    assert_refused(api.client.get("/v1.2/food-logs", headers=nobody), 401)


def test_a_caller_without_a_key_is_401_also_where_there_is_no_database(tmp_path):
    """Rows 16, 48: a caller with one credential learns that the other is missing."""
    with Api(tmp_path) as api:
        headers = api.headers(FOODS)
    (tmp_path / "postmeal.sqlite").write_bytes(b"no database" * 1000)
    app = create_app(api.settings)
    with TestClient(app, raise_server_exceptions=False) as client:
        assert_refused(client.get(FOODS), 401)
        assert_refused(client.get(FOODS, headers=headers), 503)


def test_a_caller_without_a_key_is_401_whatever_others_have_used_up(tmp_path):
    """Row 48."""
    with Api(tmp_path) as api:
        spent = api.partner("spent", monthly_requests=0)
        answer = api.client.get(FOODS, headers=spent.headers(FOODS))
        assert_refused(answer, 429)
        assert_refused(foods(api, "Bearer sk-v1.2-nobody"), 401)
        assert_refused(foods(api, f"Bearer {spent.keys['v1.1']}"), 403)


def test_only_a_hash_of_a_key_is_stored(tmp_path):
    """Rows 46, 49: no file holds the key, and what is listed holds its last four characters."""
    with Api(tmp_path, key_pepper="pepper") as api:
        partner = api.partner("someone")
        secret = partner.keys["v1.2"]
        assert foods(api, f"Bearer {secret}").status_code == 200
        random_part = secret.removeprefix("sk-v1.2-")
        assert len(base64.urlsafe_b64decode(random_part + "=")) == 32
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        assert {file.name for file in files} >= {"postmeal.sqlite", "postmeal.sqlite-wal"}
        for file in files:
            assert random_part.encode() not in file.read_bytes()
            assert file.stat().st_mode & 0o077 == 0
        with api.service.database.reading() as connection:
            listed = keys.list_all(connection, partner.id)
            stored = set(connection.execute(select(api_key.c.sha256)).scalars())
        assert random_part not in repr(listed)
        assert f"sk-v1.2-…{secret[-4:]}" in {key.shown for key in listed}
        assert hashlib.sha256(b"pepper" + secret.encode()).digest() in stored
    with Api(tmp_path, key_pepper="other") as api:
        assert_refused(foods(api, f"Bearer {secret}"), 401)


def test_a_key_is_found_by_its_hash_through_an_index(api):
    """Row 46: one look-up by hash, which is compared once more in constant time."""
    lookup = text("EXPLAIN QUERY PLAN SELECT * FROM api_key WHERE sha256 = x'00'")
    with api.service.database.reading() as connection:
        plan = str(connection.execute(lookup).all())
    assert "USING INDEX" in plan
    for search in (credentials.Credentials.cached, credentials.Credentials.look_up):
        assert "hmac.compare_digest" in inspect.getsource(search)


def test_a_disabled_key_is_refused_within_the_cache_time(tmp_path):
    """Row 47: 30 s at most, in a process that has used it and in one that disabled it."""
    clock = VirtualClock()
    with Api(tmp_path, clock) as here, Api(tmp_path, clock) as there:
        partner = here.partner("someone")
        secret, key_id = partner.keys["v1.2"], partner.key_ids["v1.2"]
        for api in (here, there):
            assert foods(api, f"Bearer {secret}").status_code == 200
        with there.service.database.writing() as connection:
            keys.disable(connection, clock.now(), key_id)
        clock.advance(CACHE_S)
        for api in (here, there):
            answer = foods(api, f"Bearer {secret}")
            assert_refused(answer, 401)
            assert answer.json()["code"] == "unauthorized"
        old = {"Authorization": f"Bearer {partner.keys['v1.1']}"} | ZONE
        answer = here.client.post(OLD_PREDICT, json=here.old_body(), headers=old)
        assert answer.status_code == 200
    assert CACHE_S <= 30


def test_a_rotated_key_ends_after_its_grace_and_not_before(tmp_path):
    """Row 47: the new key works at once, the old one until its last moment."""
    clock = VirtualClock()
    with Api(tmp_path, clock) as api:
        partner = api.partner("someone")
        old, database = partner.keys["v1.2"], api.service.database
        with database.writing() as connection:
            grace = timedelta(hours=1)
            new, key = keys.rotate(connection, clock.now(), partner.key_ids["v1.2"], grace)
        assert (key.organization_id, key.version) == (partner.id, "v1.2")
        for secret in (old, new):
            assert foods(api, f"Bearer {secret}").status_code == 200
        clock.advance(3600 - 0.001)
        assert foods(api, f"Bearer {old}").status_code == 200
        clock.advance(0.001)
        assert_refused(foods(api, f"Bearer {old}"), 401)
        assert foods(api, f"Bearer {new}").status_code == 200
        with (
            database.writing() as connection,
            pytest.raises(InputError, match="is the ID of a disabled key"),
        ):
            keys.rotate(connection, clock.now(), partner.key_ids["v1.2"], grace)


def test_a_key_that_ends_soon_is_ended_at_once_but_never_later(tmp_path):
    """Row 47: disabling moves an end forward alone."""
    clock = VirtualClock()
    with Api(tmp_path, clock) as api:
        key_id = api.partner("someone").key_ids["v1.2"]
        with api.service.database.writing() as connection:
            keys.rotate(connection, clock.now(), key_id, timedelta(hours=1))
            ended = keys.disable(connection, clock.now(), key_id)
            assert ended.disabled_at == clock.now()
            later = clock.now() + timedelta(hours=1)
            assert keys.disable(connection, later, key_id) == ended


def test_what_is_no_key_of_ours_is_named(api):
    with api.service.database.writing() as connection:
        now = api.service.clock.now()
        with pytest.raises(InputError, match="id 999999 is not the ID of a key"):
            keys.disable(connection, now, 999_999)
        for name in (" ", "two\nlines", "\udcff", "x" * 101):
            with pytest.raises(InputError, match="name"):
                keys.create(connection, now, 1, "v1.2", name)


def test_keys_that_cannot_be_read_are_503(tmp_path):
    """Row 480: and the part is named."""
    with Api(tmp_path) as api:
        with closing(sqlite3.connect(tmp_path / "postmeal.sqlite")) as database, database:
            database.execute("DROP TABLE api_key")
        assert_refused(api.get(FOODS), 503)


@pytest.mark.parametrize("level", ["debug", "info"])
def test_no_credential_is_logged_or_told(tmp_path, capfd, caplog, level):
    """Rows 49, 129: neither in log lines, nor in errors, nor in the trail of audit."""
    caplog.set_level(0)
    with Api(tmp_path, log_level=level) as api:
        partner = api.partner("someone")
        answers = [ask_for_token(api, partner)]
        token = answers[0].json()["token"]
        unknown = [f"sk-v1.2-{'Q' * 43}", f"ct-{'Z' * 43}", f"pk-{'X' * 43}"]
        shown_once, secrets = answers.pop(), [*partner.keys.values(), token, *unknown]
        for secret in secrets:
            for path in (FOODS, "/v1.2/foods/x", CREDITS, "/v1.1/users", "/nowhere"):
                answers.append(use(api, secret, path))
        shown = "".join(f"{answer.headers} {answer.text}" for answer in answers)
        with api.service.database.reading() as connection:
            shown += str(connection.execute(select(audit)).all())
    write_pending_lines()
    printed = capfd.readouterr()
    logged = printed.out + printed.err + caplog.text
    assert '"event":"request"' in logged.replace(" ", "")
    for secret in secrets:
        assert secret[-20:] not in logged
        assert secret[8:30] not in shown
    assert token in shown_once.text
