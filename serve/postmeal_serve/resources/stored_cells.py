"""Storage of live places in the database, by cell."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from pydantic import TypeAdapter
from sqlalchemy import Connection, delete, select

from postmeal.restaurants.place import Place
from postmeal_serve.resources.cells import Cell
from postmeal_serve.storage.tables import live_cell, live_place
from postmeal_serve.storage.upsert import put, put_all

__all__ = ["place_with_id", "places_in", "store_cells", "stored_cells"]

_STORED = TypeAdapter(Place)


def stored_cells(connection: Connection, cells: Collection[Cell]) -> dict[str, datetime]:
    """Return the monotonic time at which each stored cell was fetched, by the cell's key."""
    query = select(live_cell.c.cell, live_cell.c.fetched_at)
    rows = connection.execute(query.where(live_cell.c.cell.in_([cell.key for cell in cells])))
    return {row.cell: row.fetched_at for row in rows}


def places_in(connection: Connection, cells: Collection[Cell]) -> list[Place]:
    """Return the stored places in the given cells, ordered by ID."""
    query = select(live_place.c.place).order_by(live_place.c.id)
    rows = connection.execute(query.where(live_place.c.cell.in_([cell.key for cell in cells])))
    return [_STORED.validate_json(text) for (text,) in rows]


def place_with_id(connection: Connection, place_id: str) -> Place | None:
    """Return the stored place with the given ID, or None if there is none."""
    query = select(live_place.c.place).where(live_place.c.id == place_id)
    text = connection.execute(query).scalar()
    return None if text is None else _STORED.validate_json(text)


def store_cells(
    connection: Connection, found: Mapping[Cell, Sequence[Place]], now: datetime
) -> None:
    """Store the places of some cells, and delete the earlier places of these cells."""
    for cell in sorted(found):  # Two processes that store the same cells wait for each other here.
        put(connection, live_cell, {"cell": cell.key}, {"fetched_at": now})
    keys = [cell.key for cell in found]
    connection.execute(delete(live_place).where(live_place.c.cell.in_(keys)))
    rows = {
        place.id: {
            "id": place.id,
            "cell": cell.key,
            "place": _STORED.dump_json(place).decode(),
        }
        for cell, places in found.items()
        for place in places
    }
    put_all(connection, live_place, [rows[place_id] for place_id in sorted(rows)])
