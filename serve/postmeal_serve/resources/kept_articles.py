"""Articles from external sources, stored temporarily in a SQLite file with a full-text index."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from postmeal.literature.article import Article
from postmeal.literature.tokens import stems

__all__ = ["KeptArticles"]

_WAIT_S = 5.0
_MAX_WORDS = 32  # words of a question that are used
_SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS article (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    packed BLOB NOT NULL,
    fetched_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS article_fetched_at ON article (fetched_at);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, text);
"""

_log = logging.getLogger(__name__)


class KeptArticles:
    """Store of the articles that external sources returned; it does not contain the questions.

    The file is a cache, which the processes of a machine share. A damaged file is replaced by a new
    one. All methods block, so call them in a thread.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def put(self, articles: Iterable[Article], omitted: Iterable[str], now: datetime) -> None:
        """Store articles, and delete those that must no longer be used, such as retracted ones."""
        with closing(self._connect()) as database, database:
            database.execute("BEGIN IMMEDIATE")
            for article in articles:
                _delete(database, "id = ?", article.id)
                row = article.id, article.pack(), now.isoformat()
                number = database.execute(
                    "INSERT INTO article (id, packed, fetched_at) VALUES (?, ?, ?)", row
                ).lastrowid
                texts = (" ".join(stems(text)) for text in (article.citation.title, article.text))
                database.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)",
                                 (number, *texts))  # fmt: skip
            for article_id in omitted:
                _delete(database, "id = ?", article_id)

    def search(self, question: str, limit: int, since: datetime) -> list[Article]:
        """Return the articles that contain words of a question, best first."""
        words = list(dict.fromkeys(stems(question)))[:_MAX_WORDS]
        if not words or not self._path.is_file():
            return []
        matching = " OR ".join(f'"{word}"' for word in words)
        query = (
            "SELECT packed FROM words JOIN article ON article.number = words.rowid"
            " WHERE words MATCH ? AND fetched_at >= ? ORDER BY bm25(words, 2, 1), id LIMIT ?"
        )
        with closing(self._connect()) as database:
            rows = database.execute(query, (matching, since.isoformat(), limit)).fetchall()
        return [Article.unpack(packed) for (packed,) in rows]

    def delete_until(self, latest: datetime) -> None:
        """Delete the articles that were fetched before `latest`."""
        if self._path.is_file():
            with closing(self._connect()) as database, database:
                database.execute("BEGIN IMMEDIATE")
                _delete(database, "fetched_at < ?", latest.isoformat())

    def _connect(self) -> sqlite3.Connection:
        try:
            return self._open()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # the file is busy, or the disk is full
                raise
            _log.warning("the file of fetched articles is damaged; creating a new one")
            for name in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + name).unlink(missing_ok=True)
            return self._open()

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self._path, timeout=_WAIT_S, isolation_level=None)
        try:
            database.executescript(_SCHEMA)
        except BaseException:
            database.close()
            raise
        return database


def _delete(database: sqlite3.Connection, condition: str, value: str) -> None:
    numbers: Sequence[tuple[int]] = database.execute(
        f"SELECT number FROM article WHERE {condition}",
        (value,),
    ).fetchall()
    database.executemany("DELETE FROM words WHERE rowid = ?", numbers)
    database.executemany("DELETE FROM article WHERE number = ?", numbers)
