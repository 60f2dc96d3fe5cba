"""Articles in an index: a SQLite file with citations and texts, and arrays for filters."""

from __future__ import annotations

import os
import sqlite3
import threading
from array import array
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from postmeal.literature.article import TYPES, Article, ArticleType
from postmeal.literature.mapped_array import load_mapped

_SCHEMA = """
CREATE TABLE article (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    pmid TEXT,
    doi TEXT,                       -- in lower case
    packed BLOB NOT NULL
);
"""
_INDEXES = """
CREATE UNIQUE INDEX article_id ON article (id);
CREATE INDEX article_pmid ON article (pmid) WHERE pmid IS NOT NULL;
CREATE INDEX article_doi ON article (doi) WHERE doi IS NOT NULL;
"""


class ArticleTable:
    """Read the articles in an index, with one connection per process and thread."""

    def __init__(self, folder: Path, n_articles: int) -> None:
        self.n_articles = n_articles
        self._path = folder / "articles.sqlite"
        self._days = load_mapped(folder / "days.npy")
        self._types = load_mapped(folder / "types.npy")
        if self._days.shape != (n_articles, 2) or self._types.shape != (n_articles,):
            raise ValueError(
                f"the index must have the day and the type of {n_articles} articles, got"
                f" {len(self._days)} days and {len(self._types)} types"
            )
        self._local = threading.local()
        self._connect()

    def _connect(self) -> sqlite3.Connection:
        # Connections of a parent process stay in the dictionary: SQLite forbids to close them.
        connections: dict[Any, sqlite3.Connection] = self._local.__dict__
        connection = connections.get(os.getpid())
        if connection is None:
            # Immutable: SQLite does not lock the file, and can read it if its folder was renamed.
            uri = f"{self._path.resolve().as_uri()}?mode=ro&immutable=1"
            connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
            connection.execute("SELECT number FROM article LIMIT 1").fetchone()
            connections[os.getpid()] = connection
        return connection

    def articles(self, numbers: Iterable[int]) -> list[Article]:
        """Return the articles with the given numbers, in the same order."""
        query = "SELECT packed FROM article WHERE number = ?"
        connection = self._connect()
        return [
            Article.unpack(connection.execute(query, (int(number),)).fetchone()[0])
            for number in numbers
        ]

    def numbers_of_ids(self, ids: Iterable[str]) -> list[int]:
        """Return the numbers of the articles with the given IDs; unknown IDs are skipped."""
        query = "SELECT number FROM article WHERE id = ?"
        return [number for each in ids for number in self._numbers(query, each)]

    def numbers_of_pmid(self, pmid: str) -> list[int]:
        """Return the numbers of the articles with the given PMID, among them their summaries."""
        return self._numbers("SELECT number FROM article WHERE pmid = ? ORDER BY number", pmid)

    def numbers_of_doi(self, doi: str) -> list[int]:
        """Return the numbers of the articles with the given DOI."""
        query = "SELECT number FROM article WHERE doi = ? ORDER BY number"
        return self._numbers(query, doi.lower())

    def _numbers(self, query: str, value: str) -> list[int]:
        return [number for (number,) in self._connect().execute(query, (value,))]

    def allowed(
        self, after: date | None, before: date | None, types: Sequence[ArticleType] | None
    ) -> npt.NDArray[np.bool_] | None:
        """Return a mask of the articles that pass the filters; None if there is no filter."""
        if after is None and before is None and types is None:
            return None
        allowed = np.ones(len(self._types), dtype=np.bool_)
        if after is not None:
            allowed &= self._days[:, 1] >= after.toordinal()
        if before is not None:
            allowed &= (self._days[:, 0] <= before.toordinal()) & (self._days[:, 0] > 0)
        if types is not None:
            allowed &= np.isin(self._types, [TYPES.index(each) for each in types])
        return allowed


class ArticleWriter:
    """Write the articles of an index."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._days = array("i")
        self._types = array("B")
        self._database = sqlite3.connect(folder / "articles.sqlite", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.executescript(_SCHEMA)
        self._database.execute("BEGIN")

    def add(self, article: Article) -> None:
        """Add the next article."""
        citation = article.citation
        doi = citation.doi.lower() if citation.doi else None
        row = (len(self._types), article.id, citation.pmid, doi, article.pack())
        self._database.execute("INSERT INTO article VALUES (?, ?, ?, ?, ?)", row)
        self._days.extend(day.toordinal() for day in citation.days or ())
        self._days.extend(() if citation.days else (0, 0))
        self._types.append(TYPES.index(citation.type))

    def finish(self) -> None:
        """Write the indexes and arrays, and close the database."""
        self._database.execute("COMMIT")
        self._database.executescript(_INDEXES)
        self._database.close()
        days = np.array(self._days, dtype=np.int32).reshape(-1, 2)
        np.save(self._folder / "days.npy", days)
        np.save(self._folder / "types.npy", np.array(self._types, dtype=np.uint8))
