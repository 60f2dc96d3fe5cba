"""The index that a literature search uses, which is an immutable folder.

A *library folder* contains one folder per index, and a file ``current`` with the name of the index
in use. A new index is built in a temporary folder, and ``current`` is replaced atomically, so that
readers always find a complete index.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from postmeal.errors import DataSetError
from postmeal.literature.article import Article
from postmeal.literature.article_table import ArticleTable, ArticleWriter
from postmeal.literature.postings import Postings, PostingsWriter
from postmeal.literature.tokens import stems
from postmeal.literature.vectors import Vectors, VectorsWriter

SCHEMA_VERSION = 2
"""Format version of an index. Indexes with a different version must be rebuilt."""

_DESCRIPTION = "index.json"
_CURRENT = "current"
_BATCH = 512

Encode = Callable[[list[Article]], npt.NDArray[np.float32]]


class Index:
    """Articles, word postings and vectors of an index."""

    def __init__(self, folder: Path) -> None:
        try:
            description = json.loads((folder / _DESCRIPTION).read_text(encoding="utf-8"))
            version = description["schema_version"]
            n_articles, model = description["n_articles"], description["model"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataSetError(
                f"{folder} is not an index of articles; build the index again with"
                f" `postmeal literature build --folder {folder.parent}`"
            ) from error
        if version != SCHEMA_VERSION:
            raise DataSetError(
                f"the index {folder} has format version {version} instead of {SCHEMA_VERSION};"
                " build the index again"
            )
        self.folder = folder
        self.n_articles: int = n_articles
        self.model: str | None = model
        try:
            self.articles = ArticleTable(folder, self.n_articles)
            self.postings = Postings(folder, self.n_articles)
            self.vectors = Vectors(folder) if self.model else None
        except Exception as error:
            raise DataSetError(
                f"the index {folder} is damaged: {error}; build the index again"
            ) from error


def build_index(
    articles: Iterable[Article],
    n_articles: int,
    folder: Path,
    *,
    encode: Encode | None = None,
    model: str | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Path:
    """Build an index in a new folder of a library; the same articles always give the same bytes."""
    if not n_articles:
        raise DataSetError(
            "an index must contain at least one article, got none; import articles first"
        )
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=folder))
    try:
        table, postings = ArticleWriter(unfinished), PostingsWriter(unfinished)
        vectors: VectorsWriter | None = None
        done = 0
        for batch in _batches(articles, _BATCH):
            for article in batch:
                table.add(article)
                postings.add(stems(article.citation.title), stems(article.text))
            if encode is not None:
                encoded = encode(batch)
                vectors = vectors or VectorsWriter(unfinished, n_articles, encoded.shape[1])
                vectors.add(encoded)
            done += len(batch)
            progress(done)
        table.finish()
        postings.finish()
        if vectors is not None:
            vectors.finish()
        description = {"schema_version": SCHEMA_VERSION, "n_articles": done, "model": model}
        (unfinished / _DESCRIPTION).write_text(json.dumps(description) + "\n", encoding="utf-8")
        unfinished.chmod(0o755)
        finished = folder / f"index-{_digest(unfinished)}"
        try:
            unfinished.rename(finished)
        except OSError:
            if not finished.is_dir():
                raise
            if finished.name == f"index-{_digest(finished)}":
                shutil.rmtree(unfinished)  # another process built the same index
            else:
                shutil.rmtree(finished)  # the existing folder is damaged
                unfinished.rename(finished)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return finished


def put_into_use(index: Path) -> None:
    """Make an index current, and delete all others but the previous one, which may be in use."""
    folder = index.parent
    try:
        last = (folder / _CURRENT).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        last = ""
    pointer = folder / f".{_CURRENT}-{os.getpid()}"
    pointer.write_text(index.name + "\n", encoding="utf-8")
    pointer.replace(folder / _CURRENT)
    for other in folder.glob("index-*"):
        if other.name not in (index.name, last):
            shutil.rmtree(other, ignore_errors=True)


def current_index(folder: Path) -> Index:
    """Open the current index of a library folder."""
    for _ in range(3):  # a build may delete the index before it is opened
        with suppress(OSError, UnicodeDecodeError):
            name = (folder / _CURRENT).read_text(encoding="utf-8").strip()
            with suppress(FileNotFoundError):
                if (folder / name).is_dir():
                    return Index(folder / name)
    raise missing_index(folder)


def missing_index(folder: Path) -> DataSetError:
    """Create the error for a library folder without an index."""
    if folder.is_dir():
        problem = "contains no index of articles"
    else:
        problem = "is not a folder" if folder.exists() else "does not exist"
    command = f"postmeal literature build --folder {folder} FILE..."
    return DataSetError(f"{folder} {problem}; create an index with `{command}`")


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def _batches(articles: Iterable[Article], size: int) -> Iterator[list[Any]]:
    iterator = iter(articles)
    while batch := list(islice(iterator, size)):
        yield batch
