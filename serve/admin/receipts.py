"""Receipts of erased users, disabled API keys and revoked client tokens, and their replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from serve.resources.credential_receipts import credential_receipts, end_again
from serve.resources.erasure_receipts import Receipt, erasures, receipts, replay
from serve.runtime.clock import Clock

__all__ = ["Replayed", "replay_receipts", "stored_receipts"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """Result of a replay.

    Attributes
    ----------
    erasures : int
        Number of replayed erasure receipts, including those that had no effect.
    erased : int
        Number of user IDs whose data was erased.
    keys : int
        Number of API keys that were disabled again.
    tokens : int
        Number of client tokens that were revoked again.
    """

    erasures: int
    erased: int
    keys: int
    tokens: int


def stored_receipts(connection: Connection) -> list[Receipt]:
    """List all receipts in a database."""
    return receipts(connection) + credential_receipts(connection)


def replay_receipts(
    connection: Connection, entries: Sequence[Receipt], clock: Clock, pepper: bytes
) -> Replayed:
    """Repeat erasures, disabling of keys and revocation of tokens in a restored database.

    Parameters
    ----------
    connection : Connection
        Connection with an open write transaction.
    entries : sequence of Receipt
        Receipts from the database that was backed up.
    clock : Clock
        A clock that is synchronized with the restored database.
    pepper : bytes
        Secret of the installation, used as the hash key.

    Returns
    -------
    Replayed
        The numbers of repeated changes.
    """
    erased = replay(connection, entries, clock.steady(), pepper)
    ended = end_again(connection, entries, clock.now(), clock.steady(), pepper)
    return Replayed(len(erasures(entries)), erased, ended.keys, ended.tokens)
