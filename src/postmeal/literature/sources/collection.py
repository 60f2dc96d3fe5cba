"""The collection: a SQLite file with all imported articles, from which an index is built.

A file is imported in batches. Each batch is one transaction that also stores the number of records
read, so that an interrupted import can be resumed. Computing the vectors of the articles takes most
of the time of a build. The collection therefore also stores the vectors, and a later build computes
only those of new articles.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.resumable_import import fingerprint, import_name
from postmeal.literature.article import Article, pmid_order
from postmeal.literature.sources.report import ImportReport

_APPLICATION = 0x706D6C63  # "pmlc" in ASCII
_VERSION = 1
_WAIT_S = 60.0
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS article (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,      -- PMID; articles without a PMID follow
    version INTEGER NOT NULL,       -- the publisher's; an older version never replaces a newer one
    packed BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS retracted (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS import (
    name TEXT PRIMARY KEY,          -- path of the file
    fingerprint TEXT NOT NULL,
    records INTEGER NOT NULL,       -- number of records read so far
    complete INTEGER NOT NULL,
    report TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vector (
    text_hash BLOB PRIMARY KEY,     -- of the encoded text and the model
    vector BLOB NOT NULL            -- float16
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
COMMIT;
"""


@dataclass(slots=True)
class ImportState:
    """Progress of the import of a file."""

    n_records: int
    is_complete: bool
    report: ImportReport


class Collection:
    """A SQLite file of articles, to which further articles can be added."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._database = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
            self._check()
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise DataSetError(f"{path} cannot be opened as a collection: {error}") from error

    def _check(self) -> None:
        is_empty = not self._database.execute("SELECT 1 FROM sqlite_master").fetchone()
        (application,) = self._database.execute("PRAGMA application_id").fetchone()
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if not is_empty and (application, version) != (_APPLICATION, _VERSION):
            self._database.close()
            raise DataSetError(
                f"{self.path} is not a collection of articles with version {_VERSION}; choose"
                " another path"
            )

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *error: object) -> None:
        if self._database.in_transaction:
            self._database.execute("ROLLBACK")
        self._database.close()

    def __len__(self) -> int:
        (count,) = self._database.execute("SELECT count(*) FROM article").fetchone()
        return int(count)

    def articles(self) -> Iterator[Article]:
        """Yield all articles, ordered by PMID."""
        rows = self._database.execute("SELECT packed FROM article ORDER BY position, id")
        for (packed,) in rows:
            yield Article.unpack(packed)

    def put(self, article: Article, version: int = 1) -> bool:
        """Store an article unless a newer one is stored, keeping the fuller of their texts."""
        self._begin()
        query = "SELECT version, packed FROM article WHERE id = ?"
        row = self._database.execute(query, (article.id,)).fetchone()
        if row is not None:
            stored = Article.unpack(row[1])
            if _has_fuller_text(article, stored):
                version = max(version, row[0])
            elif version < row[0]:
                return False
            elif _has_fuller_text(stored, article):
                article = replace(article, sections=stored.sections, license=stored.license)
        position, _ = pmid_order(article.id)
        self._database.execute(
            "INSERT OR REPLACE INTO article VALUES (?, ?, ?, ?)",
            (article.id, position, version, article.pack()),
        )
        return True

    def delete(self, article_id: str) -> int:
        """Remove an article and return the number of removed articles (0 or 1)."""
        self._begin()
        done = self._database.execute("DELETE FROM article WHERE id = ?", (article_id,))
        return done.rowcount

    def retract(self, article_id: str) -> int:
        """Remove an article and never store it again; return the number of removed articles."""
        self._begin()
        self._database.execute("INSERT OR IGNORE INTO retracted VALUES (?)", (article_id,))
        return self.delete(article_id)

    def is_retracted(self, article: Article) -> bool:
        """Return whether any identifier of an article is in the list of retracted articles."""
        query = "SELECT 1 FROM retracted WHERE id = ?"
        return any(
            self._database.execute(query, (identifier,)).fetchone() is not None
            for identifier in article.identifiers
        )

    def delete_retracted(self) -> int:
        """Remove the articles with a retracted PMCID or DOI and return their number."""
        query = "SELECT 1 FROM retracted WHERE id NOT LIKE 'pmid:%'"
        if self._database.execute(query).fetchone() is None:
            return 0
        retracted = [article.id for article in self.articles() if self.is_retracted(article)]
        deleted = sum(map(self.delete, retracted))
        if self._database.in_transaction:
            self._database.execute("COMMIT")
        return deleted

    def resume(self, path: Path) -> ImportState:
        """Return the import state of a file; a new or changed file has an empty state."""
        identity = fingerprint(path)
        row = self._database.execute(
            "SELECT records, complete, report FROM import WHERE name = ? AND fingerprint = ?",
            (import_name(path), identity),
        ).fetchone()
        if row is None:
            return ImportState(0, False, ImportReport(path.name))
        return ImportState(row[0], bool(row[1]), ImportReport.from_json(row[2]))

    def save(
        self, path: Path, n_records: int, report: ImportReport, *, is_complete: bool = False
    ) -> None:
        """Commit the changes since the last call, together with the position in the file."""
        self._begin()
        self._database.execute(
            "INSERT OR REPLACE INTO import VALUES (?, ?, ?, ?, ?)",
            (import_name(path), fingerprint(path), n_records, is_complete, report.to_json()),
        )
        self._database.execute("COMMIT")

    def forget(self, path: Path) -> None:
        """Remove the import state of a file, and discard uncommitted changes."""
        if self._database.in_transaction:
            self._database.execute("ROLLBACK")
        self._database.execute("DELETE FROM import WHERE name = ?", (import_name(path),))

    def vectors(self, texts: Iterable[str], model: str) -> dict[str, bytes]:
        """Return the stored vectors by text; texts without a stored vector are omitted."""
        query = "SELECT vector FROM vector WHERE text_hash = ?"
        found = {}
        for text in texts:
            row = self._database.execute(query, (_text_hash(text, model),)).fetchone()
            if row is not None:
                found[text] = row[0]
        return found

    def put_vectors(self, vectors: dict[str, bytes], model: str) -> None:
        """Store the vectors of texts, and commit the transaction."""
        self._begin()
        rows = [(_text_hash(text, model), vector) for text, vector in vectors.items()]
        self._database.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
        self._database.execute("COMMIT")

    def _begin(self) -> None:
        if not self._database.in_transaction:
            self._database.execute("BEGIN IMMEDIATE")


def _has_fuller_text(article: Article, other: Article) -> bool:
    """Return whether `article` has the text of a JATS file, and `other` has a shorter abstract."""
    is_jats, other_is_jats = article.license is not None, other.license is not None
    return is_jats and not other_is_jats and len(article.text) > len(other.text)


def _text_hash(text: str, model: str) -> bytes:
    return hashlib.sha256(f"{model}\n{text}".encode(errors="replace")).digest()[:16]
