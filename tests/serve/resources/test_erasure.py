"""Erasing people: everything of theirs goes, nothing of anyone else."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from erasure_records import PROFILE, everyone
from sqlalchemy import select
from stored_people import NOW, add_traces, number_of, prepared

from postmeal.glucose.personal.model import PersonalModel
from postmeal_serve.partners.audit import person
from postmeal_serve.resources import users
from postmeal_serve.resources.erasure import PERSONAL, erase_user, purge_test_identities
from postmeal_serve.resources.personal_models import save
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import (
    METADATA,
    audit,
    client_token,
    end_user,
    food_log,
    idempotency,
    personal_model,
    scanned_food,
)

MODEL = PersonalModel(
    base="population-1",
    state="normal",
    sensor=None,
    n_days=5,
    n_meals=9,
    effects=((0.5,) * 36,) * 4,
    shares=(1.0,) * 16,
    drift_mg_dl=0.1,
    last_day=20000,
    scale_mg_dl=17.5,
    low_mg_dl=70.0,
    high_mg_dl=160.0,
    population_rmse_mg_dl=25.0,
    personal_rmse_mg_dl=19.0,
)
OF_PEOPLE = (food_log, client_token, idempotency, personal_model, scanned_food, end_user)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def audited(database: Database) -> list[tuple[object, ...]]:
    with database.reading() as connection:
        columns = (audit.c.actor, audit.c.action, audit.c.organization_id, audit.c.subject)
        return [tuple(row) for row in connection.execute(select(*columns).order_by(audit.c.id))]


def test_every_column_that_names_a_person_is_known_to_erasure():
    """Row 451: what a later table keeps of a person is erased too, or this test fails."""
    named = {
        column
        for table in METADATA.tables.values()
        for column in table.columns
        if column.name in ("end_user_id", "partner_user_id")
    }
    assert set(PERSONAL) == named | {end_user.c.id}


@pytest.mark.parametrize("by", ["UUID", "UUID in capitals", "partner's id"])
def test_a_registered_person_goes_with_everything_under_either_id(database, by):
    """Row 451: diary, tokens, stored answers and the model, whichever id was used for them."""
    with database.writing() as connection:
        someone = users.create(connection, 1, "u-1", PROFILE, NOW)
        for name in (someone.id, "u-1", "u-2"):
            add_traces(connection, 1, name)
        given = {"UUID": someone.id, "UUID in capitals": someone.id.upper()}.get(by, "u-1")
        assert erase_user(connection, 1, given, NOW, "key 5")
    assert everyone(database) == {(1, "u-2")}
    with database.reading() as connection:
        assert [number_of(connection, table) for table in OF_PEOPLE] == [1, 1, 1, 1, 1, 0]


def test_a_person_who_was_never_registered_goes_with_everything(database):
    """Rows 325, 451: logs and tokens need no registration, nor does erasure."""
    with database.writing() as connection:
        add_traces(connection, 1, "u-1")
        assert erase_user(connection, 1, "u-1", NOW, "key 5")
    assert everyone(database) == set()


def test_the_same_id_of_another_partner_is_someone_else(database):
    """Row 326."""
    with database.writing() as connection:
        for owner in (1, 2):
            users.create(connection, owner, "u-1", PROFILE, NOW)
            add_traces(connection, owner, "u-1")
        other = users.find(connection, 2, "u-1")
        erase_user(connection, 1, "u-1", NOW, "key 5")
        assert not erase_user(connection, 1, other.id, NOW, "key 5")
    assert everyone(database) == {(2, "u-1"), (2, other.id)}


def test_erasure_leaves_a_receipt_that_names_the_person_to_who_knows_the_id(database):
    """Rows 451, 483: one line, without personal data; none when there was nothing to erase."""
    with database.writing() as connection:
        someone = users.create(connection, 1, "u-1", PROFILE, NOW)
        for _ in range(2):
            erase_user(connection, 1, "u-1", NOW, "key 5")
    [(actor, action, owner, subject)] = audited(database)
    assert (actor, action, owner) == ("key 5", "user deleted", 1)
    assert set(subject.split(", ")) == {person(1, "u-1"), person(1, someone.id)}
    assert "u-1" not in subject
    assert someone.id not in subject


def test_test_identities_go_and_only_they(database):
    """Row 331: of one partner, with everything, also under the service's id of them."""
    others = ["Test-1", "TEST-2", "test", "tes-t", "u-test-1", " test-1"]
    with database.writing() as connection:
        registered = users.create(connection, 1, "test-a", PROFILE, NOW)
        real = users.create(connection, 1, "u-1", PROFILE, NOW)
        for name in ("test-a", "test-b", "test-", registered.id, real.id, *others):
            add_traces(connection, 1, name)
        add_traces(connection, 2, "test-a")
        assert purge_test_identities(connection, 1, NOW) == 3
        assert purge_test_identities(connection, 1, NOW) == 0
    kept = {(1, name) for name in (real.id, "u-1", *others)}
    assert everyone(database) == kept | {(2, "test-a")}
    assert audited(database) == [("admin", "test users deleted", 1, "test users: 3")]


def test_test_identities_of_all_partners_go_at_once(database):
    """Row 331: a line in the audit trail for each partner that had some."""
    with database.writing() as connection:
        for owner, name in ((1, "test-a"), (2, "test-a"), (2, "test-b"), (2, "u-1")):
            add_traces(connection, owner, name)
        assert purge_test_identities(connection, None, NOW) == 3
    assert everyone(database) == {(2, "u-1")}
    assert [(owner, subject) for *_, owner, subject in audited(database)] == [
        (1, "test users: 1"),
        (2, "test users: 2"),
    ]


def erase_one(connection):
    erase_user(connection, 1, "test-1", NOW, "key 5")


def erase_tests(connection):
    purge_test_identities(connection, 1, NOW)


@pytest.mark.parametrize("erase", [erase_one, erase_tests])
def test_a_model_that_is_being_kept_while_its_person_is_erased_goes_too(database, erase):
    """Rows 331, 451, 460: erasure waits for a training that came first, and finds its model."""
    with database.writing() as connection:
        someone = users.create(connection, 1, "test-1", PROFILE, NOW)

    def run() -> None:
        with database.writing() as connection:
            erase(connection)

    with ThreadPoolExecutor() as threads:
        with database.writing() as connection:
            assert save(connection, 1, someone, MODEL, NOW)
            erased = threads.submit(run)
            wait([erased], timeout=0.5)
        erased.result()
    assert everyone(database) == set()
