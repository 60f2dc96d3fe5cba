"""Live places in both databases: stored by cell, replaced as a whole."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from postmeal.restaurants.place import Place
from postmeal_serve.resources.cells import cell_at
from postmeal_serve.resources.stored_cells import (
    place_with_id,
    places_in,
    store_cells,
    stored_cells,
)
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
HERE, THERE = cell_at(60.17, 24.94), cell_at(60.23, 24.94)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    migrate(database)
    yield database
    database.close()


def cafe(number: int, name: str = "Café “Kuusi”") -> Place:
    return Place(f"osm-n{number}", name, 60.17, 24.94, diets=("vegan",), chain="McDonald's")


def test_the_places_of_a_cell_are_replaced_as_a_whole(database):
    with database.writing() as connection:
        store_cells(connection, {HERE: [cafe(1), cafe(2)], THERE: [cafe(3)]}, NOW)
    later = NOW + timedelta(days=1)
    with database.writing() as connection:
        store_cells(connection, {HERE: [cafe(2, "Renamed"), cafe(4)]}, later)
    with database.reading() as connection:
        assert stored_cells(connection, [HERE, THERE]) == {HERE.key: later, THERE.key: NOW}
        assert places_in(connection, [HERE]) == [cafe(2, "Renamed"), cafe(4)]
        assert places_in(connection, [THERE]) == [cafe(3)]
        assert place_with_id(connection, "osm-n3") == cafe(3)
        assert place_with_id(connection, "osm-n1") is None


def test_a_place_that_moved_into_another_cell_is_stored_once(database):
    with database.writing() as connection:
        store_cells(connection, {HERE: [cafe(1)]}, NOW)
        store_cells(connection, {THERE: [cafe(1), cafe(1)]}, NOW)
    with database.reading() as connection:
        assert places_in(connection, [HERE, THERE]) == [cafe(1)]
        assert places_in(connection, [HERE]) == []


def test_a_cell_without_places_is_stored_too(database):
    with database.writing() as connection:
        store_cells(connection, {HERE: []}, NOW)
    with database.reading() as connection:
        assert stored_cells(connection, [HERE, THERE]) == {HERE.key: NOW}
        assert places_in(connection, [HERE]) == []
