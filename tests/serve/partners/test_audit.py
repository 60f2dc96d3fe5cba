"""The audit trail: what was done to whom, and nobody can take it back."""

import re
from collections.abc import Iterator

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.exc import DBAPIError
from stored_people import NOW, prepared

from postmeal_serve.partners.audit import person, record
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import audit


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


@pytest.mark.parametrize("change", [update(audit).values(actor="nobody"), delete(audit)])
def test_a_line_is_neither_changed_nor_deleted(database, change):
    """Row 483: the database itself refuses, whoever asks."""
    with database.writing() as connection:
        record(connection, NOW, "key 5", "user deleted", person(1, "u-1"), 1)
    with pytest.raises(DBAPIError, match="never changed"), database.writing() as connection:
        connection.execute(change)
    with database.reading() as connection:
        [line] = connection.execute(select(audit)).all()
    assert (line.at, line.actor, line.action) == (NOW, "key 5", "user deleted")
    assert (line.organization_id, line.subject) == (1, person(1, "u-1"))


def test_what_is_undone_is_not_recorded(database):
    """Row 483: a line is of the transaction that does what it tells."""

    def record_and_fail() -> None:
        with database.writing() as connection:
            record(connection, NOW, "admin", "partner created", "partner 3", 3)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        record_and_fail()
    with database.reading() as connection:
        assert connection.execute(select(audit)).all() == []


def test_a_person_is_named_by_who_knows_the_id_and_for_one_partner_alone():
    """Row 483: no personal data."""
    assert person(1, "u-1") == person(1, "u-1")
    assert len({person(1, "u-1"), person(2, "u-1"), person(1, "u-2"), person(11, "-1")}) == 4
    assert re.fullmatch("person [0-9a-f]{12}", person(1, "alice@example.org"))
