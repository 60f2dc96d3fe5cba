"""Diary of one user, which consists of food logs."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, and_, bindparam, delete, insert, select, tuple_, update

from postmeal_serve.resources.idempotency import delete_responses
from postmeal_serve.resources.logged_food import LoggedFood
from postmeal_serve.resources.users import stored_user_id
from postmeal_serve.storage.tables import food_log

__all__ = ["LONGEST_NAME", "PAGE_CHARACTERS", "Diary", "FoodLog", "Page", "Position"]

LONGEST_NAME = 256
"""Maximum length of a log's name, in characters."""

PAGE_CHARACTERS = 96 * 1024
"""Number of characters of stored foods (JSON) after which a page ends."""

_FIRST_BATCH = 12  # rows that are read before their size is known
_LARGEST_BATCH = 64  # limits memory use if later rows are larger

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)

_OF_USER = and_(
    food_log.c.organization_id == bindparam("owner"), food_log.c.end_user_id == bindparam("person")
)
_IS_LOG = and_(_OF_USER, food_log.c.id == bindparam("log_id"))
_COLUMNS = (food_log.c.id, food_log.c.eaten_at, food_log.c.name, food_log.c.foods)

_ADD = insert(food_log)
_FIND = select(*_COLUMNS).where(_IS_LOG)
_ORDER = (food_log.c.eaten_at, food_log.c.id)
_AFTER = (bindparam("eaten_at", type_=_ORDER[0].type), bindparam("id", type_=_ORDER[1].type))
_NEXT = (
    select(*_COLUMNS)
    .where(_OF_USER, tuple_(*_ORDER) > tuple_(*_AFTER), food_log.c.eaten_at <= bindparam("last"))
    .order_by(*_ORDER)
    .limit(bindparam("batch"))
)
_CHANGE = update(food_log).where(_IS_LOG).returning(*_COLUMNS)
_REMOVE = delete(food_log).where(_IS_LOG)


class Position(NamedTuple):
    """Position of a food log in its diary, which is ordered by time and then by ID."""

    eaten_at: datetime
    id: str


@dataclass(frozen=True, slots=True)
class FoodLog:
    """A food log, which contains the foods that a user ate at one time."""

    id: str
    eaten_at: datetime
    name: str | None
    stored_foods: str

    @property
    def foods(self) -> tuple[LoggedFood, ...]:
        """The foods in the order in which they were logged."""
        return LoggedFood.read(self.stored_foods)

    @property
    def position(self) -> Position:
        """The position of the log in its diary."""
        return Position(self.eaten_at, self.id)


class Page(NamedTuple):
    """A page of consecutive food logs."""

    logs: list[FoodLog]
    is_last: bool


class Diary:
    """The food logs of a single user."""

    def __init__(self, connection: Connection, organization_id: int, end_user_id: str) -> None:
        self._connection = connection
        self.person = stored_user_id(connection, organization_id, end_user_id)
        self._owner = organization_id
        self._user = {"owner": organization_id, "person": self.person}

    def add(
        self, foods: Iterable[LoggedFood], eaten_at: datetime, name: str | None, now: datetime
    ) -> FoodLog:
        """Add a food log."""
        log = FoodLog(str(uuid.uuid4()), _to_ms(eaten_at), name, LoggedFood.stored(foods))
        row = {
            "id": log.id,
            "organization_id": self._user["owner"],
            "end_user_id": self.person,
            "eaten_at": log.eaten_at,
            "name": name,
            "foods": log.stored_foods,
            "created_at": now,
        }
        self._connection.execute(_ADD, row)
        return log

    def find(self, log_id: str) -> FoodLog | None:
        """Return the log with the given ID, or None if this user has no such log."""
        if not _UUID.fullmatch(log_id):
            return None
        row = self._connection.execute(_FIND, self._user | {"log_id": log_id}).one_or_none()
        return None if row is None else _log(row)

    def page(
        self,
        first: datetime,
        last: datetime,
        after: Position | None = None,
        most: int | None = None,
    ) -> Page:
        """Return one page of the logs between two times.

        A page ends after `PAGE_CHARACTERS` of stored foods. Each page is read in its own
        transaction. Logs that are added, deleted or moved to another time while the pages are read
        may be missing; moved logs may also appear twice. All other logs are on exactly one page.
        """
        logs: list[FoodLog] = []
        size = 0
        for log in self._following(after or Position(first, ""), last):
            logs.append(log)
            size += len(log.stored_foods)
            if size >= PAGE_CHARACTERS or len(logs) == most:
                return Page(logs, False)
        return Page(logs, True)

    def _following(self, position: Position, last: datetime) -> Iterator[FoodLog]:
        """Yield the logs after a position, reading about one page of rows at a time."""
        batch, number, size = _FIRST_BATCH, 0, 0
        while True:
            values = self._user | position._asdict() | {"last": last, "batch": batch}
            rows = self._connection.execute(_NEXT, values)
            end = number + batch
            for row in rows:
                yield (log := _log(row))
                number, size, position = number + 1, size + len(row.foods), log.position
            if number < end:
                return
            batch = max(1, min(_LARGEST_BATCH, PAGE_CHARACTERS * number // size))

    def change(self, log_id: str, changes: dict[str, Any]) -> FoodLog | None:
        """Update a food log."""
        if not changes or not _UUID.fullmatch(log_id):
            return self.find(log_id)
        values = dict(changes)
        if "eaten_at" in values:
            values["eaten_at"] = _to_ms(values["eaten_at"])
        if "foods" in values:
            values["foods"] = LoggedFood.stored(values["foods"])
        statement = _CHANGE.values(**values)
        row = self._connection.execute(statement, self._user | {"log_id": log_id}).one_or_none()
        return None if row is None else _log(row)

    def remove(self, log_id: str) -> None:
        """Delete a log if it exists, together with the stored responses that contain it."""
        if _UUID.fullmatch(log_id):
            self._connection.execute(_REMOVE, self._user | {"log_id": log_id})
            delete_responses(self._connection, self._owner, self.person, log_id)


def _to_ms(moment: datetime) -> datetime:
    moment = moment.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _log(row: Row[Any, Any, Any, Any]) -> FoodLog:
    return FoodLog(row.id, row.eaten_at, row.name, row.foods)
