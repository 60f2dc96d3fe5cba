"""A database of partners, for each file of tests."""

from collections.abc import Iterator

import pytest
from partner_records import fresh_database, fresh_name
from sqlalchemy import Connection

from postmeal_serve.storage.database import Database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = fresh_database(tmp_path_factory)
    yield database
    database.close()


@pytest.fixture
def connection(database) -> Iterator[Connection]:
    with database.writing() as connection:
        yield connection


@pytest.fixture
def name() -> str:
    return fresh_name()
