"""Receipts of erased users, disabled API keys and revoked client tokens, and their replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from postmeal_serve.resources.credential_receipts import credential_receipts, end_again
from postmeal_serve.resources.erasure_receipts import Receipt, erasures, receipts, replay
from postmeal_serve.runtime.clock import Clock

__all__ = ["Replayed", "replay_receipts", "stored_receipts"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """Result of a replay."""

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
    """Repeat erasures, disabling of keys and revocation of tokens in a restored database."""
    erased = replay(connection, entries, clock.steady(), pepper)
    ended = end_again(connection, entries, clock.now(), clock.steady(), pepper)
    return Replayed(len(erasures(entries)), erased, ended.keys, ended.tokens)
