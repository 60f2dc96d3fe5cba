"""Pages of a diary, on both databases."""

import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain

import pytest
from sqlalchemy import insert

from postmeal.errors import InputError
from postmeal_serve.http.cursor import cursor_at, position_of
from postmeal_serve.resources import diary as diary_module
from postmeal_serve.resources.diary import Diary, FoodLog, Position
from postmeal_serve.resources.logged_food import LoggedFood
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.tables import organization

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
EVENING = NOON + timedelta(hours=6)
RICE = LoggedFood(1, "Rice", None, None, 66.0, 29.7, {"carbs_g": 45.0}, 2, 1.0, "cup", 158.0, 1.0)
OF_RICE = len(LoggedFood.stored([RICE]))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    migrate(database)
    row = {"name": "one", "plan": "free", "agreement": {}, "may_mint": True}
    with database.writing() as connection:
        connection.execute(insert(organization).values(created_at=NOON, **row))
    yield database
    database.close()


def add(database: Database, minutes: list[int], servings: int = 1) -> list[FoodLog]:
    with database.writing() as connection:
        diary = Diary(connection, 1, "u")
        return [
            diary.add([RICE] * servings, NOON + timedelta(minutes=minute), None, NOON)
            for minute in minutes
        ]


def remove(database: Database, logs: list[FoodLog]) -> None:
    with database.writing() as connection:
        for log in logs:
            Diary(connection, 1, "u").remove(log.id)


def pages(database: Database, most: int | None = None) -> Iterator[list[FoodLog]]:
    """Read the pages of the afternoon, each in a transaction of its own."""
    after, is_last = None, False
    while not is_last:
        with database.reading() as connection:
            page = Diary(connection, 1, "u").page(NOON, EVENING, after, most)
        logs, is_last = page
        assert logs or is_last
        yield logs
        after = logs[-1].position if logs else None


def in_order(logs: list[FoodLog]) -> list[FoodLog]:
    return sorted(logs, key=lambda log: log.position)


@pytest.mark.parametrize("logs_of_a_page", [1, 3, 15, 16, 17, 64, 1000])
def test_pages_joined_are_the_whole_diary(database, monkeypatch, logs_of_a_page):
    monkeypatch.setattr(diary_module, "PAGE_CHARACTERS", OF_RICE * logs_of_a_page)
    chance = random.Random(logs_of_a_page)
    added = add(database, [chance.randrange(40) for _ in range(100)])
    found = list(pages(database))
    assert list(chain(*found)) == in_order(added)
    assert all(len(page) == logs_of_a_page for page in found[:-1])


@pytest.mark.parametrize("most", [1, 20, 50, 100])
def test_a_page_has_at_most_the_entries_asked_for(database, most):
    added = add(database, list(range(100)))
    found = list(pages(database, most))
    assert [len(page) for page in found if page] == [most] * (100 // most)
    assert list(chain(*found)) == added


def test_a_page_of_large_entries_is_short(database, monkeypatch):
    monkeypatch.setattr(diary_module, "PAGE_CHARACTERS", OF_RICE * 50)
    add(database, list(range(20)))
    add(database, list(range(20, 60)), servings=100)
    sizes = [sum(len(log.stored_foods) for log in page) for page in pages(database)]
    largest_entry = len(LoggedFood.stored([RICE] * 100))
    assert max(sizes) < OF_RICE * 50 + largest_entry
    assert len(sizes) > 40


def test_no_entry_that_stays_is_lost_or_doubled_while_others_come_and_go(database, monkeypatch):
    for seed in range(8):
        chance = random.Random(seed)
        monkeypatch.setattr(diary_module, "PAGE_CHARACTERS", OF_RICE * chance.randint(1, 20))
        stays = add(database, [chance.randrange(300) for _ in range(60)])
        goes = add(database, [chance.randrange(300) for _ in range(60)])
        chance.shuffle(goes)
        found: list[FoodLog] = []
        for page in pages(database):
            found += page
            goes += add(database, [chance.randrange(300) for _ in range(chance.randrange(4))])
            leaving = [goes.pop() for _ in range(min(len(goes), chance.randrange(6)))]
            remove(database, leaving)
        assert [log for log in found if log in stays] == in_order(stays)
        assert len({log.id for log in found}) == len(found)
        assert found == in_order(found)
        remove(database, stays + goes)


def test_a_page_begins_after_an_entry_that_was_removed(database):
    first, second, third = add(database, [1, 2, 3])
    remove(database, [second])
    with database.reading() as connection:
        page = Diary(connection, 1, "u").page(NOON, EVENING, second.position)
    assert page == ([third], True)
    assert first not in page.logs


@pytest.mark.parametrize(
    "moment", [datetime.min, datetime(2026, 1, 5, 1, 2, 3, 4000), datetime.max]
)
def test_a_cursor_marks_a_position_to_the_millisecond(moment):
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=UTC)
    position = Position(moment, str(uuid.uuid4()))
    cursor = cursor_at(position, ("u", "2026-01-05"))
    assert position_of(cursor, ("u", "2026-01-05")) == position
    with pytest.raises(InputError, match="cursor must be the next_cursor"):
        position_of(cursor, ("v", "2026-01-05"))


def test_a_cursor_of_which_a_character_was_changed_is_refused():
    cursor = cursor_at(Position(NOON, str(uuid.uuid4())), ("u",))
    for place in range(len(cursor)):
        other = "A" if cursor[place] != "A" else "B"
        with pytest.raises(InputError):
            position_of(cursor[:place] + other + cursor[place + 1 :], ("u",))
