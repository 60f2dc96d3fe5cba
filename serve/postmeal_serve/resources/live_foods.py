"""Live foods, which are products from external sources, stored with IDs from a separate range."""

from __future__ import annotations

import asyncio
import math
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple, Protocol

from pydantic import TypeAdapter
from sqlalchemy import Connection, select, update

from postmeal.errors import UnknownBarcode, UnknownFood
from postmeal.foods.catalog.row import food_from_row, food_row
from postmeal.foods.diets.food_diets import diets_of
from postmeal.foods.food import Food
from postmeal.foods.id_ranges import FIRST_LIVE_ID, LAST_LIVE_ID
from postmeal.foods.table import TableFood
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import absent_product, live_food
from postmeal_serve.storage.upsert import put
from postmeal_serve.wire.errors import Refusal

__all__ = ["ABSENT_FOR", "LiveFoods", "ProductSource"]

ABSENT_FOR = timedelta(hours=1)
"""Time after which the sources are queried again for a product that none of them had."""

_OFFSET = FIRST_LIVE_ID - 1  # difference between a food's ID and its row number
_FRESH_S = 60.0  # how long a cached food is used, even if another process has updated it
_MAX_CACHED = 4096

_STORED = TypeAdapter(TableFood)


class ProductSource(Protocol):
    """An external source of products, such as `postmeal_serve.upstreams.products.Products`."""

    async def find(self, gtin: str) -> TableFood | None:
        """Return the product with the given 14-digit GTIN, or None if the source lacks it."""


class _StoredFood(NamedTuple):
    food: Food
    fetched_at: datetime


class LiveFoods:
    """Client that looks up products in external sources and stores them in the database."""

    def __init__(
        self, database: Database, clock: Clock, source: ProductSource | None, max_age: timedelta
    ) -> None:
        self._database = database
        self._clock = clock
        self._source = source
        self._max_age = max_age
        self._cached: dict[int, tuple[float, Food]] = {}
        self._look_ups: dict[str, asyncio.Task[Food | None]] = {}

    def food(self, food_id: int) -> Food:
        """Return the food with the given ID, from the cache or the database."""
        if not FIRST_LIVE_ID <= food_id <= LAST_LIVE_ID:
            raise UnknownFood(food_id)
        if self.is_cached(food_id):
            return self._cached[food_id][1]
        food = self._database.read_blocking(_with_id, food_id)
        if food is None:
            raise UnknownFood(food_id)
        return self._cache(food)

    def is_cached(self, food_id: int) -> bool:
        """Return whether `food` can return a food without reading the database."""
        read_s, _ = self._cached.get(food_id, (-math.inf, None))
        return self._clock.monotonic_s() - read_s < _FRESH_S

    async def product(self, gtins: tuple[str, ...], code: str) -> Food:
        """Return the product with a barcode, from the database or the external source.

        Concurrent lookups of a product share one request to the source. An outdated product is
        fetched again; if the source does not respond or no longer has it, the stored product is
        returned.
        """
        failure: Exception = UnknownBarcode(code)
        for task in [self._start(gtin) for gtin in gtins] if self._source else ():
            try:
                food = await asyncio.shield(task)
            except Refusal as refusal:
                failure = refusal
                continue
            if food is not None:
                return food
        try:
            raise failure
        finally:
            del failure  # Break the reference cycle through the traceback.

    async def close(self) -> None:
        """Cancel lookups in progress."""
        tasks = list(self._look_ups.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _look_up(self, gtin: str) -> Food | None:
        assert self._source is not None
        now = self._clock.steady()
        stored, is_absent = await self._database.read(_stored_food, gtin, now - ABSENT_FOR)
        if is_absent:
            return None
        if stored is not None and now - stored.fetched_at < self._max_age:
            return stored.food
        try:
            found = await self._source.find(gtin)
        except Refusal:
            if stored is None:
                raise
            found = None
        if found is None and stored is not None:  # Shops may still sell the product.
            fetched_at = now - self._max_age + ABSENT_FOR
            await self._database.write(_set_fetched_at, stored.food.id, fetched_at)
            return stored.food
        food = await self._database.write(_store, gtin, found, self._clock.steady())
        return None if food is None else self._cache(food)

    def _start(self, gtin: str) -> asyncio.Task[Food | None]:
        """Return the running lookup of a product, or start a new one."""
        task = self._look_ups.get(gtin)
        if task is None:
            task = self._look_ups[gtin] = asyncio.create_task(self._look_up(gtin))
            task.add_done_callback(partial(self._finish, gtin))
        return task

    def _finish(self, gtin: str, task: asyncio.Task[Food | None]) -> None:
        del self._look_ups[gtin]
        if not task.cancelled():
            task.exception()  # Mark the error as retrieved: all waiting requests may have ended.

    def _cache(self, food: Food) -> Food:
        if len(self._cached) >= _MAX_CACHED:
            self._cached.clear()
        self._cached[food.id] = (self._clock.monotonic_s(), food)
        return food


def _with_id(connection: Connection, food_id: int) -> Food | None:
    query = select(live_food).where(live_food.c.id == food_id - _OFFSET)
    row = connection.execute(query).first()
    return None if row is None else _food(row.id, row.food)


def _stored_food(
    connection: Connection, gtin: str, since: datetime
) -> tuple[_StoredFood | None, bool]:
    """Return the stored product, and whether a lookup since `since` found no product."""
    row = connection.execute(select(live_food).where(live_food.c.gtin == gtin)).first()
    if row is not None:
        return _StoredFood(_food(row.id, row.food), row.fetched_at), False
    is_recent = absent_product.c.asked_at > since
    query = select(absent_product.c.gtin).where(absent_product.c.gtin == gtin, is_recent)
    return None, connection.execute(query).first() is not None


def _store(
    connection: Connection, gtin: str, found: TableFood | None, now: datetime
) -> Food | None:
    if found is None:
        put(connection, absent_product, {"gtin": gtin}, {"asked_at": now})
        return None
    stored = _STORED.dump_json(found).decode()
    values = {"source": found.source, "food": stored, "fetched_at": now}
    put(connection, live_food, {"gtin": gtin}, values)
    number = connection.execute(select(live_food.c.id).where(live_food.c.gtin == gtin))
    return _food(number.scalar_one(), stored)


def _set_fetched_at(connection: Connection, food_id: int, fetched_at: datetime) -> None:
    statement = update(live_food).where(live_food.c.id == food_id - _OFFSET)
    connection.execute(statement.values(fetched_at=fetched_at))


def _food(number: int, stored: str) -> Food:
    """Convert a stored product to a food, processing it in the same way as foods in the catalog."""
    table_food = _STORED.validate_json(stored)
    row = food_row(table_food, ([], 0), (), 0, diets_of(table_food))._replace(id=_OFFSET + number)
    return food_from_row(table_food.kind, table_food.category, row)
