"""A database with two partners and stored data of people."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, Table, func, insert, select

from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.tables import (
    METADATA,
    client_token,
    food_log,
    idempotency,
    organization,
    personal_model,
    scanned_food,
)
from postmeal_serve.storage.upsert import put

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


class SetClock(Clock):
    """A clock that returns the time to which it was set."""

    def __init__(self, at: datetime = NOW) -> None:
        super().__init__()
        self.boot = str(uuid.uuid4())
        self.at = at

    def wall(self) -> datetime:
        return self.at

    def monotonic_s(self) -> float:
        return 1000 + (self.at - NOW).total_seconds()

    def forward(self, **units: float) -> datetime:
        self.at += timedelta(**units)
        return self.at


def prepared(url: str) -> Database:
    """Return a migrated database with the partners 1 and 2."""
    database = Database(url)
    migrate(database)
    with database.writing() as connection:
        for number in (1, 2):
            row = {"id": number, "name": f"partner {number}", "plan": "free", "agreement": {}}
            connection.execute(insert(organization).values(**row, may_mint=True, created_at=NOW))
    return database


def add_traces(
    connection: Connection, organization_id: int, end_user_id: str, canary: str = "porridge"
) -> None:
    """Store a food log, a token, a stored response, a trained model and a scan of a person."""
    mine = {"organization_id": organization_id, "end_user_id": end_user_id}
    moments = {"created_at": NOW}
    log = {"id": str(uuid.uuid4()), "eaten_at": NOW, "name": canary, "foods": json.dumps([canary])}
    connection.execute(insert(food_log).values(**mine, **moments, **log))
    token = {"sha256": uuid.uuid4().bytes, "scopes": "", "expires_at": NOW + timedelta(minutes=30)}
    connection.execute(insert(client_token).values(**mine, **moments, **token))
    answer = {"key": canary, "request_sha256": b"", "claimed_until": NOW}
    connection.execute(
        insert(idempotency).values(
            **mine, **moments, **answer, answer=json.dumps(log["name"]).encode()
        )
    )
    trained = {"base": "population-1", "state": canary.encode(), "trained_at": NOW}
    put(connection, personal_model, mine, trained)
    scanned = mine | {"fingerprint": canary.encode()}
    put(connection, scanned_food, scanned, moments)


OF_THE_SERVICE = {"usage", "burst", "rate_window", "write_probe", "steady_time", "process"}
"""Tables that count calls or that the service itself writes."""


def all_rows(connection: Connection) -> dict[str, list[str]]:
    """Return the rows of all tables except those in `OF_THE_SERVICE`."""
    return {
        table.name: sorted(map(repr, connection.execute(select(table))))
        for table in METADATA.sorted_tables
        if table.name not in OF_THE_SERVICE
    }


def number_of(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
