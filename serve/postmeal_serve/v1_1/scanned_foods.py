"""Foods in a user's scan history, in the format of v1.1 responses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from postmeal_serve.http.call import Call
from postmeal_serve.resources.scan_history import ScanHistory

__all__ = ["record_scan", "were_scanned"]


async def record_scan(call: Call, user_id: str, detections: Sequence[dict[str, Any]]) -> None:
    """Record the detections of a response in the user's scan history."""
    service = call.service
    if not detections or not service.settings.scan_days:
        return
    await service.database.write(_record, call, user_id, detections, service.clock.steady())


def _record(
    connection: Connection,
    call: Call,
    user_id: str,
    detections: Iterable[dict[str, Any]],
    steady: datetime,
) -> None:
    history = _history(connection, call, user_id)
    call.service.allow_writing(connection, call.caller, history.person, steady)
    history.record(map(_uniform, detections), steady)


async def were_scanned(call: Call, user_id: str, detections: Sequence[dict[str, Any]]) -> bool:
    """Return whether each detected food was in an earlier scan of the user, in the same form."""

    def read(connection: Connection) -> bool:
        return _history(connection, call, user_id).has_all(map(_uniform, detections))

    return not detections or await call.service.database.read(read)


def _history(connection: Connection, call: Call, user_id: str) -> ScanHistory:
    pepper = call.service.settings.pepper
    return ScanHistory(connection, call.caller.organization.id, user_id, pepper)


def _uniform(detection: dict[str, Any]) -> list[Any]:
    """Return a detected food in a form in which equal foods have equal JSON."""
    food = detection["food"]
    nutrients = {name: float(amount["value"]) for name, amount in food["nutrients"].items()}
    servings = [(each["id"], float(each["quantity"]), each["unit"]) for each in food["servings"]]
    return [food["id"], food["name"], food["brandName"], sorted(nutrients.items()), servings]
