"""Receipts: erasures recorded in the audit trail, repeated on a restored backup.

A backup holds the people who were erased after it was made. The receipts of their erasures hold
hashes of ids, so every id in the restored database is hashed and compared. The key of the hash is
``POSTMEAL_KEY_PEPPER``, which the restored API keys need, too; another machine needs nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from sqlalchemy import Connection, select

from postmeal.errors import InputError
from serve.partners.audit import Action, record
from serve.partners.audit import person as hashed
from serve.resources import erasure, users
from serve.storage.tables import audit

__all__ = ["Receipt", "read_receipts", "receipts", "replay", "write_receipts"]

_ERASED: Action = "user deleted"
_TEST_USERS_ERASED: Action = "test users deleted"
_ERASED_AT_ONCE = 500  # the number of parameters of a statement is limited


class Receipt(BaseModel):
    """An erasure as recorded in the audit trail.

    Attributes
    ----------
    at : datetime
        Time of the erasure.
    actor : str
        Who requested it.
    action : str
        Whether a user was erased, or all test users of a partner were.
    organization_id : int
        The partner.
    subject : str
        The hashes of the person's ids.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: AwareDatetime
    actor: str
    action: Action
    organization_id: int
    subject: str


def receipts(connection: Connection) -> list[Receipt]:
    """List the receipts of a database, the oldest first."""
    query = select(audit).where(audit.c.action.in_((_ERASED, _TEST_USERS_ERASED)))
    rows = connection.execute(query.order_by(audit.c.id)).mappings()
    return [Receipt(**{name: row[name] for name in Receipt.model_fields}) for row in rows]


def write_receipts(found: Iterable[Receipt], path: Path) -> None:
    """Write receipts to a new file, a line of JSON each; only its owner may read it.

    Raises
    ------
    OSError
        The file exists already, or cannot be written.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.writelines(f"{each.model_dump_json()}\n" for each in found)
        file.flush()
        os.fsync(file.fileno())


def read_receipts(path: Path) -> list[Receipt]:
    """Read a file of `write_receipts`.

    Raises
    ------
    InputError
        A line is not a receipt.
    OSError
        The file cannot be read.
    """
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(Receipt.model_validate_json(line))
        except ValidationError:
            raise InputError("receipts", f"line {number} of {path} is not a receipt") from None
    return found


def replay(
    connection: Connection, found: Iterable[Receipt], steady: datetime, pepper: bytes = b""
) -> int:
    """Repeat the erasures of the receipts that the database does not hold.

    The receipts are added to the audit trail, so that a second replay changes nothing.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    found : iterable of Receipt
        Receipts of the database that the backup was made of.
    steady : datetime
        The steady time.
    pepper : bytes, default=b""
        Secret of the installation, the key of the hashes.

    Returns
    -------
    int
        The number of ids under which something was erased.
    """
    known = set(receipts(connection))
    missing = [each for each in dict.fromkeys(found) if each not in known]
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
    for owner, wanted in hashes.items():
        names = sorted(_names(connection, owner, wanted, pepper))
        for start in range(0, len(names), _ERASED_AT_ONCE):
            some = names[start : start + _ERASED_AT_ONCE]
            erasure.erase_names(connection, owner, some, steady, pepper)
        erased += len(names)
    return erased


def _names(connection: Connection, owner: int, wanted: set[str], pepper: bytes) -> Iterator[str]:
    """Find the ids whose hashes are wanted, and the other ids of the same people."""
    found = set()
    for column in erasure.PERSONAL:
        mine = column.table.c.organization_id == owner
        stored = select(column).where(mine, column.is_not(None)).distinct()
        for name in connection.execute(stored).scalars():
            keys = {pepper, b""}  # receipts written before a pepper was set
            if any(hashed(owner, name, key) in wanted for key in keys):
                found.add(name)
    for name in list(found):
        if (person := users.find(connection, owner, name)) is not None:
            found |= {person.id, person.partner_user_id or person.id}
    yield from found
