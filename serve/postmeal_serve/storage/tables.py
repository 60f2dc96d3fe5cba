"""Database tables.

Columns used to measure durations are in monotonic time (see `postmeal_serve.runtime.clock`):
`created_at` of client tokens and food logs, `ends_at`, `zero_at` and `seen_at`, and all times in
the tables burst, rate_window, reservation, idempotency, tombstone, live_food, live_cell,
absent_product, transcripts and scanned_food.
All other times are wall times.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

__all__ = [
    "METADATA",
    "UtcDateTime",
    "absent_product",
    "api_key",
    "audit",
    "burst",
    "client_token",
    "end_user",
    "food_log",
    "idempotency",
    "live_cell",
    "live_food",
    "live_place",
    "organization",
    "personal_model",
    "process",
    "rate_window",
    "reservation",
    "scanned_food",
    "served_model",
    "steady_time",
    "tombstone",
    "transcripts",
    "usage",
    "write_probe",
]


class UtcDateTime(TypeDecorator[datetime]):
    """A timezone-aware time in UTC, even on SQLite, which does not store time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect | None) -> Any:
        """Convert a time to UTC for the database."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time must have a time zone to be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect | None) -> datetime | None:
        """Return a stored time with UTC as its time zone."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Metadata of all tables."""


def _organization_id(**options: Any) -> Column[int]:
    return Column("organization_id", ForeignKey("organization.id"), nullable=False, **options)


organization = Table(
    "organization",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False, unique=True),
    Column("plan", Text, nullable=False),
    Column("agreement", JSON, nullable=False),
    Column("may_mint", Boolean, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)
"""Partners; `agreement` overrides limits of their plan."""

api_key = Table(
    "api_key",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _organization_id(index=True),
    Column("version", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    Column("last_4", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("disabled_at", UtcDateTime),
    Column("ends_at", UtcDateTime),
)
"""API keys, as hashes. `disabled_at` can be in the future; `ends_at` is the same time in monotonic
time."""

client_token = Table(
    "client_token",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _organization_id(),
    Column("end_user_id", Text, nullable=False),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
    Column("revoked_at", UtcDateTime),
    Column("ends_at", UtcDateTime, index=True),
    Column("expired_at", UtcDateTime),
    Index(None, "organization_id", "end_user_id"),
)
"""Client tokens, as hashes. A token expires at the earliest of three times: `expires_at` (wall
time), `ends_at` (monotonic time) and `expired_at` (when it was first refused as expired)."""

usage = Table(
    "usage",
    METADATA,
    _organization_id(primary_key=True),
    Column("month", Text, primary_key=True),
    Column("requests", Integer, nullable=False),
    Column("credits", Integer, nullable=False),
)
"""Numbers of requests, including leased ones, and of charged credits by month (``2026-02``)."""

burst = Table(
    "burst",
    METADATA,
    _organization_id(primary_key=True),
    Column("minute", UtcDateTime, primary_key=True),
    Column("requests", Integer, nullable=False),
)
"""Request counts for each minute of the last day."""

rate_window = Table(
    "rate_window",
    METADATA,
    Column("holder", Text, primary_key=True),
    Column("endpoint", Text, primary_key=True),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("calls", Integer, nullable=False),
)
"""Current rate limit window of each caller and endpoint; `calls` includes leased requests."""

reservation = Table(
    "reservation",
    METADATA,
    Column("id", Text, primary_key=True),
    _organization_id(index=True),
    Column("endpoint", Text, nullable=False),
    Column("credits", Integer, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("month", Text),
    Column("process_id", Text),
)
"""Requests in flight that have reserved credits of a month, a slot of their endpoint, or both."""

process = Table(
    "process",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("ends_at", UtcDateTime, nullable=False),
)
"""Leases of processes; a reservation is void when the lease of its process has ended."""

end_user = Table(
    "end_user",
    METADATA,
    Column("id", Text, primary_key=True),
    _organization_id(),
    Column("partner_user_id", Text),
    Column("profile", JSON, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("organization_id", "partner_user_id"),
)
"""Registered users; food logs do not require registration."""

personal_model = Table(
    "personal_model",
    METADATA,
    _organization_id(primary_key=True),
    Column("end_user_id", Text, primary_key=True),
    Column("base", Text, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("trained_at", UtcDateTime, nullable=False),
)
"""Personal models of registered users. Each is a compact state with a hash, without CGM data."""

food_log = Table(
    "food_log",
    METADATA,
    Column("id", Text, primary_key=True),
    _organization_id(),
    Column("end_user_id", Text, nullable=False),
    Column("eaten_at", UtcDateTime, nullable=False),
    Column("name", Text),
    Column("foods", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
    Index(None, "organization_id", "end_user_id", "eaten_at", "id"),
)
"""Food logs; `foods` is a snapshot of the consumed foods with scaled nutrients."""

idempotency = Table(
    "idempotency",
    METADATA,
    _organization_id(primary_key=True),
    Column("end_user_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request_sha256", LargeBinary, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
    Column("claimed_until", UtcDateTime, nullable=False),
    Column("answer", LargeBinary),
    Column("food_log_id", Text),
)
"""Idempotency keys with the response (`answer`) of the first request. The response is NULL while
that request is in progress, and empty once the food log in it has been deleted."""

tombstone = Table(
    "tombstone",
    METADATA,
    _organization_id(primary_key=True),
    Column("person", Text, primary_key=True),
    Column("erased_at", UtcDateTime, nullable=False, index=True),
    Column("begun_again_at", UtcDateTime),
)
"""Users erased within the last minute, as hashes; see `postmeal_serve.resources.tombstones`."""

steady_time = Table(
    "steady_time",
    METADATA,
    Column("boot", Text, primary_key=True),
    Column("zero_at", UtcDateTime, nullable=False),
    Column("wall_zero_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    Column("seen_wall_at", UtcDateTime, nullable=False),
)
"""Times of each boot of a machine: the monotonic time and the wall time at boot, and the monotonic
time and the wall time of the database when they were last recorded."""

live_food = Table(
    "live_food",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("gtin", Text, nullable=False, unique=True),
    Column("source", Text, nullable=False),
    Column("food", Text, nullable=False),
    Column("fetched_at", UtcDateTime, nullable=False),
)
"""Products from external sources; rows are never deleted, since food logs may refer to them."""

absent_product = Table(
    "absent_product",
    METADATA,
    Column("gtin", Text, primary_key=True),
    Column("asked_at", UtcDateTime, nullable=False, index=True),
)
"""Barcodes for which no external source has a product."""

live_cell = Table(
    "live_cell",
    METADATA,
    Column("cell", Text, primary_key=True),
    Column("fetched_at", UtcDateTime, nullable=False),
)
"""Cells of the Earth (see `postmeal_serve.resources.cells`) whose places were fetched."""

live_place = Table(
    "live_place",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("cell", Text, nullable=False, index=True),
    Column("place", Text, nullable=False),
)
"""Places from an external source, as JSON."""

transcripts = Table(
    "transcripts",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _organization_id(),
    Column("kind", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
)
"""Accepted requests and their complete answers as JSON, without the end user. The kind is that of
the request, such as ``literature``."""

scanned_food = Table(
    "scanned_food",
    METADATA,
    _organization_id(primary_key=True),
    Column("end_user_id", Text, primary_key=True),
    Column("fingerprint", LargeBinary, primary_key=True),
    Column("created_at", UtcDateTime, nullable=False, index=True),
)
"""Foods in the scans of users, as fingerprints; see `postmeal_serve.resources.scan_history`."""

served_model = Table(
    "served_model",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("first_served_at", UtcDateTime, nullable=False),
)
"""Population models that have been served, by version, with the hash of their weights."""

write_probe = Table(
    "write_probe",
    METADATA,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("written_at", UtcDateTime, nullable=False),
)
"""Rows written every few seconds to check that the database is writable."""

audit = Table(
    "audit",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("at", UtcDateTime, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("organization_id", Integer),
    Column("subject", Text, nullable=False),
)
"""Append-only audit trail."""
