"""Live foods: products that a source outside was asked for, kept with ids of their own."""

from __future__ import annotations

import asyncio
import math
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple, Protocol

from pydantic import TypeAdapter
from sqlalchemy import Connection, select, update

from postmeal.errors import UnknownBarcode, UnknownFood
from postmeal.foods.catalog.row import food_of, food_row
from postmeal.foods.diets.rules import diets_of
from postmeal.foods.food import Food
from postmeal.foods.id_ranges import FIRST_LIVE_ID, LAST_LIVE_ID
from postmeal.foods.table import TableFood
from serve.runtime.clock import Clock
from serve.storage.database import Database
from serve.storage.tables import absent_product, live_food
from serve.storage.upsert import put
from serve.wire.errors import Refusal

__all__ = ["ABSENT_FOR", "LiveFoods", "ProductSource"]

ABSENT_FOR = timedelta(hours=1)
"""How long it is remembered that no source has a product."""

_OFFSET = FIRST_LIVE_ID - 1  # from the number of a row to the id of its food
_FRESH_S = 60.0  # in which another process may have fetched a food anew
_REMEMBERED = 4096

_STORED = TypeAdapter(TableFood)


class ProductSource(Protocol):
    """What is asked for a product; `serve.upstreams.products.Products` is one."""

    async def find(self, gtin: str) -> TableFood | None:
        """Answer the product with a GTIN of 14 digits, None if there is none.

        Raises
        ------
        Refusal
            It may be there, but no answer came.
        """


class _Kept(NamedTuple):
    food: Food
    fetched_at: datetime


class LiveFoods:
    """The products that were looked up, and the look-up.

    Parameters
    ----------
    database : Database
        Where they are kept.
    clock : Clock
        The time.
    source : ProductSource or None
        What is asked; nothing outside when None: what was found before still has its id.
    kept : timedelta
        How long a product is answered before it is asked for again.
    """

    def __init__(
        self, database: Database, clock: Clock, source: ProductSource | None, kept: timedelta
    ) -> None:
        self._database = database
        self._clock = clock
        self._source = source
        self._kept = kept
        self._recent: dict[int, tuple[float, Food]] = {}
        self._asking: dict[str, asyncio.Task[Food | None]] = {}

    def food(self, food_id: int) -> Food:
        """Look up a food by its id, in the database unless it is at hand.

        Raises
        ------
        UnknownFood
            No food has it.
        """
        if not FIRST_LIVE_ID <= food_id <= LAST_LIVE_ID:
            raise UnknownFood(food_id)
        if self.is_at_hand(food_id):
            return self._recent[food_id][1]
        food = self._database.read_blocking(_with_id, food_id)
        if food is None:
            raise UnknownFood(food_id)
        return self._remembered(food)

    def is_at_hand(self, food_id: int) -> bool:
        """Return whether a food was read so recently that the database need not be asked."""
        read_s, _ = self._recent.get(food_id, (-math.inf, None))
        return self._clock.monotonic_s() - read_s < _FRESH_S

    async def product(self, gtins: tuple[str, ...], code: str) -> Food:
        """Look up a product by its barcode, outside where it is not known here.

        However many ask for one product at the same time, this process asks for it once. A product
        whose time has come is asked for again, and answered as it was if no source answers.

        Parameters
        ----------
        gtins : tuple of str
            What the barcode may mean, see `postmeal.foods.barcodes.possible_gtins`.
        code : str
            The barcode, for the error.

        Raises
        ------
        UnknownBarcode
            No source has it, or none is asked.
        Refusal
            A source that may have it did not answer.
        """
        failure: Exception = UnknownBarcode(code)
        for asking in [self._ask(gtin) for gtin in gtins] if self._source else ():
            try:
                food = await asyncio.shield(asking)
            except Refusal as refusal:
                failure = refusal
                continue
            if food is not None:
                return food
        try:
            raise failure
        finally:
            del failure  # whose trace leads back to here

    async def close(self) -> None:
        """Break off what is under way."""
        under_way = list(self._asking.values())
        for asking in under_way:
            asking.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    async def _looked_up(self, gtin: str) -> Food | None:
        assert self._source is not None
        now = self._clock.steady()
        known, is_absent = await self._database.read(_known, gtin, now - ABSENT_FOR)
        if is_absent:
            return None
        if known is not None and now - known.fetched_at < self._kept:
            return known.food
        try:
            found = await self._source.find(gtin)
        except Refusal:
            if known is None:
                raise
            found = None
        if found is None and known is not None:  # it may still stand on a shelf
            again = now - self._kept + ABSENT_FOR
            await self._database.write(_ask_again, known.food.id, again)
            return known.food
        kept = await self._database.write(_keep, gtin, found, self._clock.steady())
        return None if kept is None else self._remembered(kept)

    def _ask(self, gtin: str) -> asyncio.Task[Food | None]:
        """Begin to look a product up, or join those who wait for it already."""
        asking = self._asking.get(gtin)
        if asking is None:
            asking = self._asking[gtin] = asyncio.create_task(self._looked_up(gtin))
            asking.add_done_callback(partial(self._asked, gtin))
        return asking

    def _asked(self, gtin: str, asking: asyncio.Task[Food | None]) -> None:
        del self._asking[gtin]
        if not asking.cancelled():
            asking.exception()  # everyone who waited for it may be gone

    def _remembered(self, food: Food) -> Food:
        if len(self._recent) >= _REMEMBERED:
            self._recent.clear()
        self._recent[food.id] = (self._clock.monotonic_s(), food)
        return food


def _with_id(connection: Connection, food_id: int) -> Food | None:
    asked = select(live_food).where(live_food.c.id == food_id - _OFFSET)
    row = connection.execute(asked).first()
    return None if row is None else _food(row.id, row.food)


def _known(connection: Connection, gtin: str, since: datetime) -> tuple[_Kept | None, bool]:
    """Answer the product that is kept, and whether no source had it lately."""
    row = connection.execute(select(live_food).where(live_food.c.gtin == gtin)).first()
    if row is not None:
        return _Kept(_food(row.id, row.food), row.fetched_at), False
    lately = absent_product.c.asked_at > since
    asked = select(absent_product.c.gtin).where(absent_product.c.gtin == gtin, lately)
    return None, connection.execute(asked).first() is not None


def _keep(connection: Connection, gtin: str, found: TableFood | None, now: datetime) -> Food | None:
    if found is None:
        put(connection, absent_product, {"gtin": gtin}, {"asked_at": now})
        return None
    stored = _STORED.dump_json(found).decode()
    values = {"source": found.source, "food": stored, "fetched_at": now}
    put(connection, live_food, {"gtin": gtin}, values)
    number = connection.execute(select(live_food.c.id).where(live_food.c.gtin == gtin))
    return _food(number.scalar_one(), stored)


def _ask_again(connection: Connection, food_id: int, fetched_at: datetime) -> None:
    this = update(live_food).where(live_food.c.id == food_id - _OFFSET)
    connection.execute(this.values(fetched_at=fetched_at))


def _food(number: int, stored: str) -> Food:
    """Read a product as the catalogue reads its own."""
    kept = _STORED.validate_json(stored)
    row = food_row(kept, ([], 0), (), 0, diets_of(kept))._replace(id=_OFFSET + number)
    return food_of(kept.kind, kept.category, row)
