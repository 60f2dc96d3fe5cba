"""Scan history of one user, which consists of fingerprints of the foods in the user's scans.

Neither a picture nor a food is stored. A fingerprint shows only whether a given food was in a scan.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from datetime import datetime

from pydantic_core import to_json
from sqlalchemy import Connection, delete, select

from postmeal_serve.resources.users import stored_user_id
from postmeal_serve.storage.tables import scanned_food
from postmeal_serve.storage.upsert import put_all

__all__ = ["ScanHistory", "delete_until"]


class ScanHistory:
    """The foods in the scans of a single user."""

    def __init__(
        self,
        connection: Connection,
        organization_id: int,
        end_user_id: str,
        pepper: bytes = b"",
    ) -> None:
        self._connection = connection
        self.person = stored_user_id(connection, organization_id, end_user_id)
        self._owner = organization_id
        self._pepper = pepper

    def record(self, foods: Iterable[object], now: datetime) -> None:
        """Store the foods of a scan; if a food is already stored, update its time."""
        rows = [
            {
                "organization_id": self._owner,
                "end_user_id": self.person,
                "fingerprint": fingerprint,
                "created_at": now,
            }
            for fingerprint in sorted({self._fingerprint(food) for food in foods})
        ]
        put_all(self._connection, scanned_food, rows)

    def has_all(self, foods: Iterable[object]) -> bool:
        """Return whether every food was in a scan of the user with exactly the same JSON."""
        fingerprints = {self._fingerprint(food) for food in foods}
        found = select(scanned_food.c.fingerprint).where(
            scanned_food.c.organization_id == self._owner,
            scanned_food.c.end_user_id == self.person,
            scanned_food.c.fingerprint.in_(fingerprints),
        )
        return len(self._connection.execute(found).all()) == len(fingerprints)

    def _fingerprint(self, food: object) -> bytes:
        whose = f"{self._owner}\0{self.person}\0".encode()
        return hmac.digest(self._pepper, whose + to_json(food), hashlib.sha256)


def delete_until(connection: Connection, latest: datetime) -> int:
    """Delete scanned foods up to a monotonic time, and return how many were deleted."""
    statement = delete(scanned_food).where(scanned_food.c.created_at <= latest)
    return connection.execute(statement).rowcount
