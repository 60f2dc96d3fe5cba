"""Diary: what a person ate and when, as they logged it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, and_, bindparam, delete, insert, select, tuple_, update

from serve.resources.idempotency import drop_answers
from serve.resources.logged_food import LoggedFood
from serve.resources.users import one_person
from serve.storage.tables import food_log

__all__ = ["LONGEST_NAME", "PAGE_CHARACTERS", "Diary", "FoodLog", "Page", "Position"]

LONGEST_NAME = 256
"""Characters of the longest name that an entry may have."""

PAGE_CHARACTERS = 96 * 1024
"""Characters of stored foods after which a page ends."""

_FIRST_BATCH = 12  # rows that are read before it is known how large they are
_LARGEST_BATCH = 64  # rows, in case those that follow are larger

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)

_MINE = and_(
    food_log.c.organization_id == bindparam("owner"), food_log.c.end_user_id == bindparam("person")
)
_THIS = and_(_MINE, food_log.c.id == bindparam("this"))
_COLUMNS = (food_log.c.id, food_log.c.eaten_at, food_log.c.name, food_log.c.foods)

_ADD = insert(food_log)
_FIND = select(*_COLUMNS).where(_THIS)
_ORDER = (food_log.c.eaten_at, food_log.c.id)
_AFTER = (bindparam("eaten_at", type_=_ORDER[0].type), bindparam("id", type_=_ORDER[1].type))
_NEXT = (
    select(*_COLUMNS)
    .where(_MINE, tuple_(*_ORDER) > tuple_(*_AFTER), food_log.c.eaten_at <= bindparam("last"))
    .order_by(*_ORDER)
    .limit(bindparam("batch"))
)
_CHANGE = update(food_log).where(_THIS).returning(*_COLUMNS)
_REMOVE = delete(food_log).where(_THIS)


class Position(NamedTuple):
    """Place of an entry in the order of a diary: by time, then by id."""

    eaten_at: datetime
    id: str


@dataclass(frozen=True, slots=True)
class FoodLog:
    """One entry.

    Attributes
    ----------
    id : str
        UUID.
    eaten_at : datetime
        When it was eaten, in UTC, to the millisecond.
    name : str or None
        What the person calls the meal.
    stored_foods : str
        What was eaten, as it is stored: answers are made of this text and remembered by it.
    """

    id: str
    eaten_at: datetime
    name: str | None
    stored_foods: str

    @property
    def foods(self) -> tuple[LoggedFood, ...]:
        """What was eaten, in the order in which it was logged."""
        return LoggedFood.read(self.stored_foods)

    @property
    def position(self) -> Position:
        """Its place in the order of the diary."""
        return Position(self.eaten_at, self.id)


class Page(NamedTuple):
    """Consecutive entries.

    Attributes
    ----------
    logs : list of FoodLog
        By time and then by id.
    is_last : bool
        Whether no entry follows.
    """

    logs: list[FoodLog]
    is_last: bool


class Diary:
    """The diary of one person: no entry of anyone else is read or written.

    Parameters
    ----------
    connection : Connection
        Of the transaction in which it is used.
    organization_id : int
        The partner whose user the person is.
    end_user_id : str
        The person, by either id; they need not be registered.

    Attributes
    ----------
    person : str
        The id under which the diary is kept.
    """

    def __init__(self, connection: Connection, organization_id: int, end_user_id: str) -> None:
        self._connection = connection
        self.person = one_person(connection, organization_id, end_user_id)
        self._owner = organization_id
        self._mine = {"owner": organization_id, "person": self.person}

    def add(
        self, foods: Iterable[LoggedFood], eaten_at: datetime, name: str | None, now: datetime
    ) -> FoodLog:
        """Add an entry.

        Parameters
        ----------
        foods : iterable of LoggedFood
            What was eaten.
        eaten_at : datetime
            When; what is finer than a millisecond is dropped.
        name : str or None
            What the person calls the meal.
        now : datetime
            When it is added, in steady time.

        Returns
        -------
        FoodLog
            The entry.
        """
        entry = FoodLog(str(uuid.uuid4()), _to_ms(eaten_at), name, LoggedFood.stored(foods))
        row = {
            "id": entry.id,
            "organization_id": self._mine["owner"],
            "end_user_id": self.person,
            "eaten_at": entry.eaten_at,
            "name": name,
            "foods": entry.stored_foods,
            "created_at": now,
        }
        self._connection.execute(_ADD, row)
        return entry

    def find(self, log_id: str) -> FoodLog | None:
        """Answer the entry with an id, None where the diary has none."""
        if not _UUID.fullmatch(log_id):
            return None
        row = self._connection.execute(_FIND, self._mine | {"this": log_id}).one_or_none()
        return None if row is None else _entry(row)

    def page(
        self,
        first: datetime,
        last: datetime,
        after: Position | None = None,
        most: int | None = None,
    ) -> Page:
        """List what was eaten from one moment to another, both included, one page at a time.

        A page ends after `PAGE_CHARACTERS` of stored foods. Pages are read in transactions of their
        own: an entry that is there from the first to the last is on exactly one of them, and one
        that is added, removed or moved to another time meanwhile may be on none or, if moved, on
        two.

        Parameters
        ----------
        first, last : datetime
            The moments.
        after : Position, optional
            Position of the last entry of the previous page; the first page when omitted.
        most : int, optional
            Number of entries after which the page ends in any case.

        Returns
        -------
        Page
            At least one entry, unless no entry follows.
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
        """Yield the entries after a position, read in batches of about a page."""
        batch, number, size = _FIRST_BATCH, 0, 0
        while True:
            values = self._mine | position._asdict() | {"last": last, "batch": batch}
            rows = self._connection.execute(_NEXT, values)
            end = number + batch
            for row in rows:
                yield (log := _entry(row))
                number, size, position = number + 1, size + len(row.foods), log.position
            if number < end:
                return
            batch = max(1, min(_LARGEST_BATCH, PAGE_CHARACTERS * number // size))

    def change(self, log_id: str, changes: dict[str, Any]) -> FoodLog | None:
        """Change an entry.

        Parameters
        ----------
        log_id : str
            The entry.
        changes : dict of str to Any
            New values of `FoodLog`'s attributes `eaten_at`, `name` and `foods`, those to change.

        Returns
        -------
        FoodLog or None
            The entry as it is now, None where the diary has none.
        """
        if not changes or not _UUID.fullmatch(log_id):
            return self.find(log_id)
        values = dict(changes)
        if "eaten_at" in values:
            values["eaten_at"] = _to_ms(values["eaten_at"])
        if "foods" in values:
            values["foods"] = LoggedFood.stored(values["foods"])
        changed = _CHANGE.values(**values)
        row = self._connection.execute(changed, self._mine | {"this": log_id}).one_or_none()
        return None if row is None else _entry(row)

    def remove(self, log_id: str) -> None:
        """Remove an entry, if the diary has it, and with it a stored answer that tells of it."""
        if _UUID.fullmatch(log_id):
            self._connection.execute(_REMOVE, self._mine | {"this": log_id})
            drop_answers(self._connection, self._owner, self.person, log_id)


def _to_ms(moment: datetime) -> datetime:
    moment = moment.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _entry(row: Row[Any, Any, Any, Any]) -> FoodLog:
    return FoodLog(row.id, row.eaten_at, row.name, row.foods)
