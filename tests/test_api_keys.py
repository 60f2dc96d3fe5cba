"""Who may call: API keys of each version."""

import base64
import sqlite3
from contextlib import closing

import pytest
from api_client import OLD_PREDICT, PREDICT, ZONE, Api, assert_refused

from postmeal.errors import InputError
from serve.__main__ import main
from serve.partners.keys import CACHE_S, KeyRing


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


def test_only_a_hash_of_a_key_is_stored(tmp_path):
    """Rows 46, 49: no file holds the key, and what is listed holds its last four characters."""
    ring = KeyRing(tmp_path / "keys.sqlite", pepper=b"pepper")
    secret, key = ring.create("v1.2", "someone")
    random_part = secret.removeprefix("sk-v1.2-")
    assert len(base64.urlsafe_b64decode(random_part + "=")) == 32
    for file in tmp_path.iterdir():
        assert random_part.encode() not in file.read_bytes()
        assert file.stat().st_mode & 0o077 == 0
    assert random_part not in repr(ring.all_keys())
    assert ring.find(secret) == key
    ring.close()
    other_pepper = KeyRing(tmp_path / "keys.sqlite", pepper=b"other")
    assert other_pepper.find(secret) is None
    other_pepper.close()


def test_a_disabled_key_is_refused_within_the_cache_time(tmp_path):
    """Row 47: 30 s at most, also in another process."""
    now = 1000.0
    here = KeyRing(tmp_path / "keys.sqlite", clock=lambda: now)
    there = KeyRing(tmp_path / "keys.sqlite")
    secret, key = here.create("v1.2", "someone")
    assert here.find(secret) == key
    there.disable(key.id)
    assert there.find(secret) is None
    assert here.find(secret) == key
    now += CACHE_S
    assert here.find(secret) is None
    assert CACHE_S <= 30
    here.close()
    there.close()


def test_a_disabled_key_is_401(tmp_path):
    """Row 47."""
    with Api(tmp_path) as api:
        secret, key = api.service.keys.create("v1.2", "short-lived")
        api.service.keys.disable(key.id)
        assert_refused(foods(api, f"Bearer {secret}"), 401)


def test_disabling_an_unknown_key_names_the_field(tmp_path):
    ring = KeyRing(tmp_path / "keys.sqlite")
    with pytest.raises(InputError, match="id must be the id of a key"):
        ring.disable(7)
    for name in (" ", "two\nlines", "\udcff"):
        with pytest.raises(InputError, match="name"):
            ring.create("v1.2", name)
    ring.close()


def test_keys_that_cannot_be_read_are_503(tmp_path):
    """Row 480: and the part is named."""
    with Api(tmp_path) as api:
        with closing(sqlite3.connect(api.settings.keys_file)) as database, database:
            database.execute("DROP TABLE api_key")
        database.close()
        assert_refused(api.get("/v1.2/foods?query=rice"), 503)
        answer = api.client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["parts"]["keys"] == "failing"


def test_a_damaged_file_of_keys_is_told_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(tmp_path))
    (tmp_path / "keys.sqlite").write_bytes(b"no database" * 100)
    for command in (["keys", "list"], ["demo", "--port", "0"]):
        assert main(command) == 2
        told = capsys.readouterr().err
        assert "the file of keys" in told
        assert told.count("\n") == 1


def test_keys_are_made_listed_and_disabled_by_a_command(tmp_path, monkeypatch, capsys):
    """Row 46."""
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(tmp_path))
    assert main(["keys", "create", "--version", "v1.2", "--name", "clinic"]) == 0
    secret = capsys.readouterr().out.split()[-1]
    assert secret.startswith("sk-v1.2-")
    assert main(["keys", "list"]) == 0
    listed = capsys.readouterr().out
    assert "clinic" in listed
    assert secret[-4:] in listed
    assert secret not in listed
    with Api(tmp_path) as api:
        assert foods(api, f"Bearer {secret}").status_code == 200
    assert main(["keys", "disable", "1"]) == 0
    assert main(["keys", "disable", "99"]) == 2
    assert "99" in capsys.readouterr().err
    with Api(tmp_path) as api:
        assert foods(api, f"Bearer {secret}").status_code == 401
