"""Live places, which are restaurants from an external source, stored by cells of about 5.6 km."""

from __future__ import annotations

import asyncio
import logging
import math
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple, Protocol

from sqlalchemy.exc import SQLAlchemyError

from postmeal.errors import PostmealError
from postmeal.restaurants.compile import compile_places
from postmeal.restaurants.place import Place
from postmeal.restaurants.places import Places
from postmeal_serve.resources.cells import Bounds, Cell, cell_at
from postmeal_serve.resources.stored_cells import (
    place_with_id,
    places_in,
    store_cells,
    stored_cells,
)
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.database import Database
from postmeal_serve.wire.errors import Refusal

__all__ = ["LivePlaces", "PlaceSource"]

_FRESH_S = 60.0  # time for which opened places are used, even if newer ones have been stored
_RETRY_S = 10.0  # pause after a failure, and time for which incomplete places are used
_MAX_OPEN = 32  # number of neighborhoods whose places stay open
_MAX_CELLS = 4096  # number of cells about which a failure or an absence is remembered
_FAILURES = (Refusal, SQLAlchemyError, sqlite3.Error, PostmealError, OSError)

_log = logging.getLogger(__name__)


class PlaceSource(Protocol):
    """An external source of places, such as `postmeal_serve.upstreams.overpass.Overpass`."""

    async def places(self, areas: Sequence[Bounds]) -> list[Place] | None:
        """Return the places in the given areas, or None if the source failed."""


class _Opened(NamedTuple):
    places: Places | None  # None if there are none
    read_s: float
    lasts_s: float
    stamp: frozenset[tuple[str, object]]


class LivePlaces:
    """Restaurants near a point, from an external source or the database.

    Only whole cells are requested, so that the source cannot learn where in a cell a user is. If
    the source or the database fails, fewer places are returned, and no error is raised.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        source: PlaceSource,
        max_age: timedelta,
        within_s: float,
    ) -> None:
        self._database = database
        self._clock = clock
        self._source = source
        self._max_age = max_age
        self._within_s = within_s
        self._paused_until_s = -math.inf
        self._opened: dict[tuple[Cell, ...], _Opened] = {}
        self._opening: dict[tuple[Cell, ...], asyncio.Task[Places | None]] = {}
        self._fetching: dict[Cell, asyncio.Task[bool]] = {}
        self._absent: dict[tuple[str, Cell], tuple[Cell, ...]] = {}
        self._large: set[Cell] = set()  # cells with neighborhoods too large for one request
        self._numbers = count()
        self._folder = Path(tempfile.mkdtemp(prefix="postmeal-places-"))
        self._delete_folder = weakref.finalize(
            self, shutil.rmtree, self._folder, ignore_errors=True
        )

    async def around(self, latitude: float, longitude: float, file: Places) -> Places | None:
        """Return the live places in the cell of a point and in the cells around it."""
        cells = self._not_in_file(cell_at(latitude, longitude), file)
        if not cells:
            return None
        opened = self._opened.get(cells)
        if opened is not None and self._clock.monotonic_s() - opened.read_s < opened.lasts_s:
            return opened.places
        task = self._opening.get(cells)
        if task is None:
            task = self._opening[cells] = asyncio.create_task(self._open(cells))
            task.add_done_callback(partial(self._finish_opening, cells))
        return await asyncio.shield(task)

    async def place(self, place_id: str) -> Place | None:
        """Return the stored place with the given ID; None if there is none or it cannot be read."""
        try:
            return await self._database.read(place_with_id, place_id)
        except _FAILURES as error:
            _log.warning(
                "stored live places cannot be read and are left out: %s", type(error).__name__
            )
            return None

    async def close(self) -> None:
        """Cancel requests in progress, and delete the temporary files."""
        tasks = [*self._opening.values(), *self._fetching.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for opened in self._opened.values():
            if opened.places is not None:
                opened.places.close()
        self._opened.clear()
        self._delete_folder()

    def _not_in_file(self, center: Cell, file: Places) -> tuple[Cell, ...]:
        """Return the cells of a neighborhood in which the file has no place, center first."""
        key = file.version, center
        cells = self._absent.get(key)
        if cells is None:
            found = (cell for cell in center.neighborhood() if not file.any_within(*cell.bounds))
            if len(self._absent) >= _MAX_CELLS:
                self._absent.clear()
            cells = self._absent[key] = tuple(found)
        return cells

    async def _open(self, cells: tuple[Cell, ...]) -> Places | None:
        """Open the places of the given cells, and fetch cells that are missing or outdated."""
        previous = self._opened.get(cells)
        try:
            is_complete = await self._fetch_missing(cells)
            stamp = frozenset((await self._database.read(stored_cells, cells)).items())
            if previous is not None and previous.stamp == stamp:
                places = previous.places
            else:
                found = await self._database.read(places_in, cells)
                places = await asyncio.to_thread(self._compiled, found) if found else None
        except _FAILURES as error:
            _log.warning(
                "stored live places cannot be read and are left out: %s", type(error).__name__
            )
            places, stamp, is_complete = None, frozenset(), False
        if len(self._opened) >= _MAX_OPEN:
            self._opened.pop(next(iter(self._opened)))
        lasts_s = _FRESH_S if is_complete else _RETRY_S
        self._opened.pop(cells, None)
        self._opened[cells] = _Opened(places, self._clock.monotonic_s(), lasts_s, stamp)
        return places

    async def _fetch_missing(self, cells: Sequence[Cell]) -> bool:
        """Fetch missing and outdated cells; return whether all cells are up to date.

        Wait only for missing cells; outdated cells are fetched in the background.
        """
        stored = await self._database.read(stored_cells, cells)
        oldest = self._clock.steady() - self._max_age
        wanted = [cell for cell in cells if cell.key not in stored or stored[cell.key] <= oldest]
        new = [cell for cell in wanted if cell not in self._fetching]
        if new and self._clock.monotonic_s() >= self._paused_until_s:
            if new[0] in self._large:
                new = new[:1]
            task = asyncio.create_task(self._fetch(new))
            for cell in new:
                self._fetching[cell] = task
            task.add_done_callback(partial(self._finish, new))
        absent = {cell for cell in wanted if cell.key not in stored}
        tasks = {self._fetching[cell] for cell in absent if cell in self._fetching}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=self._within_s)
            if late:
                self._pause()
                return False
            return all(task.result() for task in tasks) and absent <= {*new, *self._fetching}
        return not wanted

    async def _fetch(self, cells: Sequence[Cell]) -> bool:
        """Fetch and store the places of some cells; return whether it succeeded."""
        try:
            found = await self._source.places([cell.bounds for cell in cells])
            if found is not None:
                by_cell = {cell: list[Place]() for cell in cells}
                for place in found:
                    if (cell := cell_at(place.latitude, place.longitude)) in by_cell:
                        by_cell[cell].append(place)
                await self._database.write(store_cells, by_cell, self._clock.steady())
                self._paused_until_s = -math.inf
                return True
        except _FAILURES as error:
            _log.warning(
                "live places cannot be stored; trying again later: %s", type(error).__name__
            )
        self._pause()
        if len(cells) > 1 and len(self._large) < _MAX_CELLS:
            self._large.add(cells[0])
        return False

    def _finish_opening(self, cells: tuple[Cell, ...], task: asyncio.Task[Places | None]) -> None:
        del self._opening[cells]
        if not task.cancelled():
            task.exception()  # Mark the error as retrieved: all waiting requests may have ended.

    def _finish(self, cells: Collection[Cell], task: asyncio.Task[bool]) -> None:
        for cell in cells:
            del self._fetching[cell]
        if not task.cancelled() and (error := task.exception()):
            _log.error(
                "live places could not be updated; using the stored places: %s",
                type(error).__name__,
            )

    def _pause(self) -> None:
        self._paused_until_s = self._clock.monotonic_s() + _RETRY_S

    def _compiled(self, found: Sequence[Place]) -> Places:
        """Compile places into a temporary file, which is deleted with the returned object."""
        path = self._folder / f"{next(self._numbers)}.places"
        compile_places(found, path)
        places = Places.open(path)
        weakref.finalize(places, path.unlink, missing_ok=True)
        return places
