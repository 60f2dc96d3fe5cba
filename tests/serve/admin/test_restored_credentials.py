"""Restoring: keys and tokens that were disabled or revoked after the backup stay invalid."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from admin_commands import Office
from api_client import Api
from client_tokens import FOODS
from sqlalchemy import select
from stored_people import NOW, prepared

from postmeal_serve.partners import keys, tokens
from postmeal_serve.resources.credential_receipts import Ended, credential_receipts, end_again
from postmeal_serve.resources.erasure_receipts import read_receipts, write_receipts
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import api_key, audit, client_token

PEPPER = b"a secret of this installation"
LATER = NOW + timedelta(hours=1)
SCOPES = ("foods:read",)


@pytest.fixture
def office(tmp_path, monkeypatch, capsys) -> Office:
    (folder := tmp_path / "state").mkdir()
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(folder))
    monkeypatch.setenv("POSTMEAL_KEY_PEPPER", PEPPER.decode())
    return Office(folder, capsys)


def mint(office: Office, user_id: str) -> str:
    """Mint a client token in the database of the service, and return its secret."""
    database = office.database()
    with Api(office.folder) as api, database.writing() as connection:
        now, steady = api.service.clock.now(), api.service.clock.steady()
        token = tokens.mint(connection, now, 1, user_id, SCOPES, 7200, "admin", PEPPER, steady)
    database.close()
    return token.secret


def statuses(folder: Path, *secrets: str) -> list[int]:
    """Return the status of a request with each credential."""
    with Api(folder) as api:
        headers = [{"Authorization": f"Bearer {secret}"} for secret in secrets]
        return [api.client.get(FOODS, headers=each).status_code for each in headers]


@pytest.fixture
def copy(office: Office) -> tuple[Path, list[str]]:
    """A copy with valid credentials, half of which were disabled or revoked after it was made."""
    office("partner", "create", "Acme")
    (disabled_id, disabled), (_, kept) = office.key("Acme"), office.key("Acme")
    secrets = [disabled, kept, mint(office, "u-1"), mint(office, "u-2")]
    assert statuses(office.folder, *secrets) == [200] * 4
    path = office.folder.parent / "copy.sqlite"
    office("backup", str(path))
    office("key", "disable", disabled_id)
    assert office("token", "revoke", "Acme", "u-1") == "1 client tokens revoked\n"
    return path, secrets


ENDED = "API keys disabled again: 1, client tokens revoked again: 1"


def test_a_restored_backup_does_not_bring_disabled_keys_and_revoked_tokens_back(office, copy):
    path, secrets = copy
    before = statuses(office.folder, *secrets)
    assert before == [401, 200, 401, 200]
    assert ENDED in office("restore", str(path), "--replace")
    assert statuses(office.folder, *secrets) == before
    trail = office.trail()
    assert "partner 1: key disabled, key 1, by admin" in trail
    assert sum("tokens revoked" in line for line in trail) == 1


def test_a_second_restoration_repeats_them_too(office, copy):
    path, secrets = copy
    for _ in range(2):
        for replaced in office.folder.glob("*.replaced-*"):
            replaced.unlink()
        assert ENDED in office("restore", str(path), "--replace")
    assert statuses(office.folder, *secrets) == [401, 200, 401, 200]


def test_they_are_repeated_on_another_machine_from_a_file(office, copy, monkeypatch):
    path, secrets = copy
    out = office.folder.parent / "receipts"
    kinds = "erasures: 0, API keys: 1, client tokens: 1"
    assert office("receipts", str(out)) == f"2 receipts written to {out} ({kinds})\n"
    assert "u-1" not in out.read_text()
    (elsewhere := office.folder.parent / "elsewhere").mkdir()
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(elsewhere))
    there = Office(elsewhere, office._capsys)
    assert ENDED in there("restore", str(path), "--receipts", str(out))
    assert statuses(elsewhere, *secrets) == [401, 200, 401, 200]
    again = there("replay-erasures", str(out))
    assert "API keys disabled again: 0, client tokens revoked again: 0" in again


def test_a_receipt_of_a_key_without_a_hash_is_refused(office, tmp_path):
    line = (
        '{"at": "2026-01-01T00:00:00Z", "actor": "admin", "action": "key disabled",'
        ' "organization_id": 1, "subject": "key 1"}\n'
    )
    (tmp_path / "receipts").write_text(line)
    assert "line 1 of" in office.refused("replay-erasures", str(tmp_path / "receipts"))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def test_they_are_repeated_over_any_database(database, tmp_path):
    """As after pg_restore: the receipts are of a transaction that the database does not know."""
    with database.writing() as connection:
        for partner in (1, 2):
            for name in ("first", "second", "third"):
                keys.create(connection, NOW, partner, "v1.2", name, PEPPER)
            for user in ("u-1", "u-2"):
                tokens.mint(connection, NOW, partner, user, SCOPES, 7200, "admin", PEPPER)
    with database.engine.connect() as connection, connection.begin() as undone:
        keys.disable(connection, LATER, 1)
        keys.rotate(connection, LATER, 2, timedelta(hours=24), PEPPER)
        ids = tokens.live_ids(connection, LATER, 1, "u-1")
        tokens.revoke(connection, LATER, 1, "u-1", ids, "key 5", PEPPER)
        write_receipts(credential_receipts(connection), tmp_path / "receipts")
        undone.rollback()

    found = read_receipts(tmp_path / "receipts")
    steady = LATER + timedelta(days=3)  # monotonic time and wall time differ
    with database.writing() as connection:
        keys.create(connection, LATER, 1, "v1.2", "another key with the ID of the lost one", PEPPER)
        assert end_again(connection, found, LATER, steady, PEPPER) == Ended(keys=2, tokens=1)
        assert end_again(connection, found, LATER, steady, PEPPER) == Ended(keys=0, tokens=0)
    with database.reading() as connection:
        columns = (api_key.c.id, api_key.c.disabled_at, api_key.c.ends_at)
        ended = connection.execute(select(*columns).where(columns[1].is_not(None))).all()
        day = timedelta(days=1)
        assert sorted(ended) == [(1, LATER, steady), (2, LATER + day, steady + day)]
        revoked = select(client_token.c.organization_id, client_token.c.end_user_id)
        rows = connection.execute(revoked.where(client_token.c.revoked_at.is_not(None))).all()
        assert rows == [(1, "u-1")]
        trail = connection.execute(select(audit.c.action).order_by(audit.c.id)).scalars().all()
        assert trail[-3:] == ["key disabled", "key disabled", "tokens revoked"]


def test_a_key_that_ends_earlier_keeps_its_end(database):
    with database.writing() as connection:
        keys.create(connection, NOW, 1, "v1.2", "app", PEPPER)
        keys.disable(connection, LATER, 1)
        found = credential_receipts(connection)
        connection.execute(api_key.update().values(disabled_at=NOW, ends_at=NOW))
        assert end_again(connection, found, LATER, LATER) == Ended(keys=0, tokens=0)
        assert connection.execute(select(api_key.c.ends_at)).scalar() == NOW
