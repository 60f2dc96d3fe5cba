"""Partners and client tokens that are created in a database, and their audit records."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, select
from stored_people import prepared

from postmeal_serve.partners import organizations, tokens
from postmeal_serve.partners.organizations import Organization
from postmeal_serve.partners.plans import PLANS
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import audit

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
PEPPER = b"pepper"

_NUMBERS = itertools.count(1)


def fresh_database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return a SQLite database for a test module; each test creates its own partners."""
    return prepared(f"sqlite:///{tmp_path_factory.mktemp('partners')}/postmeal.sqlite")


def fresh_name() -> str:
    return f"no. {next(_NUMBERS)}"


def made(connection: Connection, name: str, plan: str = "free", **agreed: Any) -> Organization:
    agreement = organizations.parse_agreement(agreed)
    return organizations.create(connection, NOW, name, plan, agreement, PLANS)


def minted(connection: Connection, partner: int, user: str = "u-1", **changed: Any) -> tokens.Token:
    given = {"scopes": ("foods:read", "glucose:read"), "ttl_s": 600, "actor": "key 5"} | changed
    return tokens.mint(connection, given.pop("now", NOW), partner, user, **given)


def trail(connection: Connection, partner: int) -> list[tuple[str, str, str, datetime]]:
    """Return the audit records of a partner: actor, action, subject and time."""
    rows = connection.execute(select(audit).where(audit.c.organization_id == partner))
    return [(row.actor, row.action, row.subject, row.at) for row in rows]
