"""Erasure receipts, with which erasures can be repeated in a restored backup.

A backup still contains users who were erased after it was made. Receipts contain only hashes of
user IDs, so all IDs in the restored database are hashed and compared with them. The hash key is
``POSTMEAL_KEY_PEPPER``, which the restored API keys require as well. This secret, the backup and
the receipts are sufficient to restore a database on another machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError, model_validator
from sqlalchemy import Connection, select

from postmeal.errors import InputError
from postmeal_serve.partners.audit import Action, record
from postmeal_serve.partners.audit import person as hashed
from postmeal_serve.resources import erasure, users
from postmeal_serve.storage.tables import audit

__all__ = [
    "Receipt",
    "ReceiptAction",
    "erasures",
    "read_receipts",
    "receipts",
    "replay",
    "was_erased",
    "write_receipts",
]

_ERASED: Action = "user deleted"
_TEST_USERS_ERASED: Action = "test users deleted"
_ERASURES = (_ERASED, _TEST_USERS_ERASED)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_BATCH = 500  # Databases limit the number of parameters in a statement.


ReceiptAction = Literal["user deleted", "test users deleted", "key disabled", "tokens revoked"]
"""Kinds of receipts."""


class Receipt(BaseModel):
    """An erasure recorded in the audit trail, or a disabled key or revoked token."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: AwareDatetime
    actor: str
    action: ReceiptAction
    organization_id: int
    subject: str

    @model_validator(mode="after")
    def _has_a_hash(self) -> Self:
        """Check that the subject of a key or token is a hash."""
        if self.action not in _ERASURES and not _SHA256.fullmatch(self.subject):
            raise ValueError("must be a hash of 64 hexadecimal digits")
        return self


def erasures(entries: Iterable[Receipt]) -> list[Receipt]:
    """Return the receipts that record erasures."""
    return [each for each in entries if each.action in _ERASURES]


def receipts(connection: Connection) -> list[Receipt]:
    """List the erasure receipts in the audit trail, oldest first."""
    query = select(audit).where(audit.c.action.in_(_ERASURES))
    rows = connection.execute(query.order_by(audit.c.id)).mappings()
    return [Receipt(**{name: row[name] for name in Receipt.model_fields}) for row in rows]


def was_erased(
    connection: Connection, organization_id: int, user_id: str, pepper: bytes = b""
) -> bool:
    """Return whether a receipt in the audit trail shows that a user was erased."""
    # Receipts may be older than the pepper.
    hashes = {hashed(organization_id, user_id, key) for key in (pepper, b"")}
    of_partner = (each for each in receipts(connection) if each.organization_id == organization_id)
    return any(not hashes.isdisjoint(each.subject.split(", ")) for each in of_partner)


def write_receipts(entries: Iterable[Receipt], path: Path) -> None:
    """Write receipts to a new JSON Lines file that only its owner can read."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.writelines(f"{each.model_dump_json()}\n" for each in entries)
        file.flush()
        os.fsync(file.fileno())


def read_receipts(path: Path) -> list[Receipt]:
    """Read receipts from a file written by `write_receipts`."""
    result = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            result.append(Receipt.model_validate_json(line))
        except ValidationError:
            raise InputError(
                f"line {number} of {path}",
                "is not a receipt; pass a file written by `admin receipts`",
            ) from None
    return result


def replay(
    connection: Connection, entries: Iterable[Receipt], steady: datetime, pepper: bytes = b""
) -> int:
    """Repeat the erasures whose receipts are missing from the database.

    The receipts are added to the audit trail, so that a second replay changes nothing.
    """
    known = set(receipts(connection))
    missing = [each for each in dict.fromkeys(erasures(entries)) if each not in known]
    hashes: dict[int, set[str]] = {}
    erased = 0
    for each in missing:
        record(connection, each.at, each.actor, each.action, each.subject, each.organization_id)
        if each.action == _ERASED:
            hashes.setdefault(each.organization_id, set()).update(each.subject.split(", "))
        else:
            erased += erasure.erase_test_identities(
                connection, each.organization_id, steady, pepper
            )
    for owner, erased_hashes in hashes.items():
        names = sorted(_names(connection, owner, erased_hashes, pepper))
        for start in range(0, len(names), _BATCH):
            batch = names[start : start + _BATCH]
            erasure.erase_names(connection, owner, batch, steady, pepper)
        erased += len(names)
    return erased


def _names(connection: Connection, owner: int, hashes: set[str], pepper: bytes) -> Iterator[str]:
    """Yield the stored IDs that have one of the given hashes, and the other IDs of their users."""
    names = set()
    for column in erasure.PERSONAL:
        of_owner = column.table.c.organization_id == owner
        query = select(column).where(of_owner, column.is_not(None)).distinct()
        for name in connection.execute(query).scalars():
            keys = {pepper, b""}  # Receipts may be older than the pepper.
            if any(hashed(owner, name, key) in hashes for key in keys):
                names.add(name)
    for name in list(names):
        if (user := users.find(connection, owner, name)) is not None:
            names |= {user.id, user.partner_user_id or user.id}
    yield from names
