"""Scan histories: which foods were in a user's scans, and for how long this is known."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import select
from stored_people import NOW, number_of, prepared

from postmeal_serve.resources import users
from postmeal_serve.resources.erasure import erase_user
from postmeal_serve.resources.retention import SCANS_KEPT, purge
from postmeal_serve.resources.scan_history import ScanHistory
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import audit, scanned_food

RICE = {"id": 1, "name": "White rice", "nutrients": {"carbohydrates": [44.0, "g"]}}
TEA = {"id": 2, "name": "canary-tea", "nutrients": {}}
PROFILE = {"age": 45.0, "sex": "female", "height_in": 66.0, "weight_lb": 150.0}
HOUR = timedelta(hours=1)
JUST = timedelta(milliseconds=1)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def record(database: Database, user: str, *foods: object, owner: int = 1) -> None:
    with database.writing() as connection:
        ScanHistory(connection, owner, user, b"pepper").record(foods, NOW)


def has_all(database: Database, user: str, *foods: object, owner: int = 1) -> bool:
    with database.reading() as connection:
        return ScanHistory(connection, owner, user, b"pepper").has_all(foods)


def test_a_scanned_food_is_known_for_its_user_and_partner_only(database):
    """Row 382: scoped by identity."""
    record(database, "u-1", RICE, TEA)
    assert has_all(database, "u-1", RICE)
    assert has_all(database, "u-1", TEA, RICE, TEA)
    assert has_all(database, "u-1")
    assert not has_all(database, "u-2", RICE)
    assert not has_all(database, "u-1", RICE, owner=2)
    changed = RICE | {"nutrients": {"carbohydrates": [44.1, "g"]}}
    assert not has_all(database, "u-1", RICE, changed)


def test_both_ids_of_a_registered_user_have_one_history(database):
    """Row 325."""
    with database.writing() as connection:
        someone = users.create(connection, 1, "u-1", PROFILE, NOW)
    record(database, someone.id, RICE)
    assert has_all(database, "u-1", RICE)
    assert has_all(database, someone.id.upper(), RICE)


def test_no_food_can_be_read_from_a_history(database):
    """S12: equal foods of two users have different fingerprints, which contain no word of them."""
    for user in ("u-1", "u-2"):
        record(database, user, TEA)
    with database.reading() as connection:
        rows = connection.execute(select(scanned_food)).all()
    assert len({row.fingerprint for row in rows}) == 2
    assert "canary" not in repr(rows)


def test_a_food_that_is_scanned_again_is_stored_once_and_for_longer(database):
    for later in (timedelta(0), HOUR):
        with database.writing() as connection:
            ScanHistory(connection, 1, "u-1").record([RICE, RICE], NOW + later)
    with database.writing() as connection:
        assert number_of(connection, scanned_food) == 1
        assert purge(connection, NOW + SCANS_KEPT, HOUR)["scanned_food"] == 0
        assert purge(connection, NOW + SCANS_KEPT + HOUR, HOUR)["scanned_food"] == 1


@pytest.mark.parametrize("days", [1, 30])
def test_a_history_ends_after_its_period_which_is_a_setting(database, days):
    """S13: the audit trail states only how many foods were deleted."""
    record(database, "u-1", RICE, TEA)
    kept = timedelta(days=days)
    with database.writing() as connection:
        assert purge(connection, NOW + kept - JUST, HOUR, scans_kept=kept)["scanned_food"] == 0
        assert purge(connection, NOW + kept, HOUR, scans_kept=kept)["scanned_food"] == 2
        trail = connection.execute(select(audit.c.actor, audit.c.action, audit.c.subject)).all()
    assert [tuple(line) for line in trail] == [("job", "purged", "scanned foods: 2")]
    assert timedelta(days=Settings().scan_days) == SCANS_KEPT


def test_an_erased_user_has_no_history(database):
    """Row 451: and the histories of others stay."""
    for user in ("u-1", "u-2"):
        record(database, user, RICE)
    with database.writing() as connection:
        assert erase_user(connection, 1, "u-1", NOW, "key 5")
    assert not has_all(database, "u-1", RICE)
    assert has_all(database, "u-2", RICE)
