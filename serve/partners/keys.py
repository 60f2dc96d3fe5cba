"""API keys: made once, shown once, kept as a hash.

A key is 256 random bits behind a prefix that names its API version, so plain SHA-256 is enough:
nothing about it can be guessed, and it is found by its hash in one look-up.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from postmeal.errors import InputError

__all__ = ["CACHE_S", "Key", "KeyRing"]

CACHE_S = 30.0
"""Seconds for which a key that was found is not looked up again."""

_TABLE = """
CREATE TABLE IF NOT EXISTS api_key (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    version TEXT NOT NULL,
    name TEXT NOT NULL,
    sha256 BLOB NOT NULL UNIQUE,
    last_4 TEXT NOT NULL,
    created_at TEXT NOT NULL,
    disabled_at TEXT
) STRICT
"""
_COLUMNS = "id, version, name, last_4, created_at, disabled_at"


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of an API key: everything but the key."""

    id: int
    version: str
    name: str
    last_4: str
    created_at: str
    disabled_at: str | None

    @property
    def shown(self) -> str:
        """The key as it may be shown: its prefix and last four characters."""
        return f"sk-{self.version}-…{self.last_4}"


class KeyRing:
    """The API keys, in one small SQLite file.

    Parameters
    ----------
    path : Path
        The file; it and its folder are made where they are missing, readable by their owner only.
    pepper : bytes, default=b""
        Secret of the installation that is hashed together with every key.
    clock : callable, default=time.monotonic
        Seconds, for the age of what was found.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ring = KeyRing(Path(folder, "keys.sqlite"))
    ...     secret, key = ring.create("v1.2", "demo")
    ...     found = ring.find(secret)
    ...     ring.close()
    >>> secret.startswith("sk-v1.2-"), found == key
    (True, True)
    """

    def __init__(
        self, path: Path, pepper: bytes = b"", clock: Callable[[], float] = time.monotonic
    ) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        self._pepper = pepper
        self._clock = clock
        self._found: dict[bytes, tuple[bytes, Key, float]] = {}
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            for setting in ("busy_timeout=5000", "journal_mode=WAL", "synchronous=FULL"):
                self._database.execute(f"PRAGMA {setting}")
            self._write(_TABLE)
        except sqlite3.Error:  # not a database, or one that cannot be written
            self._database.close()
            raise

    def create(self, version: str, name: str) -> tuple[str, Key]:
        """Make a key for one API version.

        Returns
        -------
        tuple of str and Key
            The secret, which cannot be had again, and what is kept of it.

        Raises
        ------
        InputError
            The name is empty, or would not fit on a line of the list of keys.
        """
        if not name.strip() or not name.isprintable():
            raise InputError("name", "must be printable text, not blank", name)
        secret = f"sk-{version}-{secrets.token_urlsafe(32)}"
        row = (version, name, self._hash(secret), secret[-4:], _now())
        columns = "version, name, sha256, last_4, created_at"
        key_id = self._write(f"INSERT INTO api_key ({columns}) VALUES (?, ?, ?, ?, ?)", *row)
        return secret, next(key for key in self.all_keys() if key.id == key_id)

    def find(self, secret: str) -> Key | None:
        """Answer the key that this secret is, None when it is none or no longer one."""
        digest = self._hash(secret)
        if hit := self._found.get(digest):
            stored, key, since = hit
            if self._clock() - since < CACHE_S and hmac.compare_digest(stored, digest):
                return key
            del self._found[digest]
        row = self._database.execute(
            f"SELECT sha256, {_COLUMNS} FROM api_key WHERE sha256 = ?", (digest,)
        ).fetchone()
        if row is None or not hmac.compare_digest(row[0], digest):
            return None
        key = Key(*row[1:])
        if key.disabled_at is not None:
            return None
        self._found[digest] = (row[0], key, self._clock())
        return key

    def all_keys(self) -> list[Key]:
        """List every key, the newest first."""
        rows = self._database.execute(f"SELECT {_COLUMNS} FROM api_key ORDER BY id DESC")
        return [Key(*row) for row in rows]

    def disable(self, key_id: int) -> None:
        """End a key; every process refuses it within `CACHE_S` seconds.

        Raises
        ------
        InputError
            No key has this id.
        """
        if not any(key.id == key_id for key in self.all_keys()):
            raise InputError("id", "must be the id of a key", key_id)
        self._write(
            "UPDATE api_key SET disabled_at = coalesce(disabled_at, ?) WHERE id = ?", _now(), key_id
        )

    def check(self) -> None:
        """Read the table once, so that a file that is unusable raises `sqlite3.Error`."""
        self._database.execute("SELECT count(*) FROM api_key").fetchone()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _hash(self, secret: str) -> bytes:
        return hashlib.sha256(self._pepper + secret.encode()).digest()

    def _write(self, statement: str, *values: object) -> int | None:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            cursor = self._database.execute(statement, values)
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")
        return cursor.lastrowid


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
