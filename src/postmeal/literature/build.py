"""Import files into a library folder, and build its index."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from postmeal.assets import cache_folders
from postmeal.errors import DataSetError
from postmeal.literature.article import Article
from postmeal.literature.embedding.encoder import Encoder
from postmeal.literature.index import Index, build_index, current_index, put_into_use
from postmeal.literature.sources.collection import Collection
from postmeal.literature.sources.jats_xml import import_jats
from postmeal.literature.sources.medline_xml import import_medline
from postmeal.literature.sources.report import ImportReport
from postmeal.literature.sources.xml_records import Progress

__all__ = ["build_library", "default_library", "import_file", "import_files", "locked"]

_COLLECTION = "articles.db"
_BATCH = 512
_BEGINNING = 2**16


def default_library() -> Path:
    """Return the library folder that commands use if none is given."""
    return next(cache_folders()) / "literature"


def import_files(
    files: Sequence[Path],
    folder: Path,
    progress: Progress = lambda path, read, size: None,
) -> list[ImportReport]:
    """Import files into the collection of a library folder.

    The files are imported in the given order. Interrupted imports are resumed, and files that have
    already been imported are skipped.

    Parameters
    ----------
    files : sequence of Path
        MEDLINE XML or JATS XML files, plain or compressed with gzip. Pass MEDLINE update files in
        the order of their names, after the baseline files.
    folder : Path
        Library folder, which is created if it does not exist.
    progress : callable, optional
        Called with the file, the number of bytes read and the file size.

    Returns
    -------
    list of ImportReport
        The report of each file.

    Raises
    ------
    DataSetError
        A file cannot be opened or contains no records, or another process uses the folder.
    """
    with locked(folder), Collection(folder / _COLLECTION) as collection:
        return [import_file(path, collection, progress) for path in files]


def build_library(
    folder: Path,
    encoder: Encoder | None = None,
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Index:
    """Build the index of a library folder from its collection, and put the index into use.

    With an encoder, the vectors are computed and stored in batches, which takes most of the time.
    An interrupted build continues with the articles that have no vector yet. If the folder has no
    index, an index without vectors is built first, so that the folder can be searched in the
    meantime.

    Parameters
    ----------
    folder : Path
        Library folder.
    encoder : Encoder, optional
        Model that computes the vectors. When omitted, the index has no vectors.
    progress : callable, optional
        Called with the step (``"words"`` or ``"vectors"``), the number of articles processed and
        the total number of articles.

    Raises
    ------
    DataSetError
        The collection is missing or empty, or another process uses the folder.
    """
    path = folder / _COLLECTION
    if not path.is_file():
        raise DataSetError(
            f"{folder} contains no imported articles; import files with"
            f" `postmeal literature build --folder {folder} FILE...`"
        )
    with locked(folder):
        return _build(folder, path, encoder, progress)


def _build(
    folder: Path,
    path: Path,
    encoder: Encoder | None,
    progress: Callable[[str, int, int], None],
) -> Index:
    for unfinished in folder.glob("unfinished-*"):  # left over from a build that was killed
        shutil.rmtree(unfinished, ignore_errors=True)
    with Collection(path) as collection:
        collection.delete_retracted()
        n_articles = len(collection)
        if encoder is None or not (folder / "current").is_file():
            index = build_index(
                collection.articles(), n_articles, folder,
                progress=lambda done: progress("words", done, n_articles),
            )  # fmt: skip
            put_into_use(index)
        if encoder is not None:
            _encode_missing(collection, encoder, lambda n: progress("vectors", n, n_articles))
            model = encoder.model
            index = build_index(
                collection.articles(), n_articles, folder,
                encode=lambda articles: _stored_vectors(collection, articles, model),
                model=model, progress=lambda done: progress("words", done, n_articles),
            )  # fmt: skip
            put_into_use(index)
    return current_index(folder)


def _encode_missing(
    collection: Collection, encoder: Encoder, progress: Callable[[int], None]
) -> None:
    for batch, texts in enumerate(_text_batches(collection)):
        stored = collection.vectors(texts, encoder.model)
        missing = [text for text in dict.fromkeys(texts) if text not in stored]
        if missing:
            vectors = encoder.encode(missing).astype(np.float16)
            rows = zip(missing, vectors, strict=True)
            collection.put_vectors({text: row.tobytes() for text, row in rows}, encoder.model)
        progress(batch * _BATCH + len(texts))


def _text_batches(collection: Collection) -> Iterator[list[str]]:
    texts = map(Encoder.text_of, collection.articles())
    while batch := list(islice(texts, _BATCH)):
        yield batch


def _stored_vectors(
    collection: Collection, articles: Sequence[Article], model: str
) -> npt.NDArray[np.float32]:
    texts = [Encoder.text_of(article) for article in articles]
    stored = collection.vectors(texts, model)
    rows = [np.frombuffer(stored[text], dtype=np.float16) for text in texts]
    return np.stack(rows).astype(np.float32)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a library folder for the duration of a ``with`` block, creating it if necessary.

    The operating system releases the lock when the process ends, even if it is killed. On Windows,
    the folder is not locked.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with (folder / ".lock").open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            process = (
                f"process {number}" if (number := lock.read(20).strip()) else "another process"
            )
            raise DataSetError(
                f"{folder} is in use: {process} imports articles or builds the index there; wait"
                " until it has finished, or choose another folder with --folder"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def import_file(
    path: Path,
    collection: Collection,
    progress: Progress = lambda path, read, size: None,
) -> ImportReport:
    """Import a file of MEDLINE XML or JATS XML, or a ``.tar.gz`` archive of JATS XML."""
    try:
        with path.open("rb") as file:
            beginning = file.read(_BEGINNING)
        if beginning[:2] == b"\x1f\x8b":
            with gzip.open(path) as packed:
                beginning = packed.read(_BEGINNING)
    except OSError as error:
        raise DataSetError(f"{path} cannot be read: {error.strerror}; check the path") from error
    except (EOFError, zlib.error):
        beginning = b"<PubmedArticleSet"  # this importer reports the position of the damage
    is_archive = beginning[257:262] == b"ustar"
    if is_archive or b"<article" in beginning or b"<pmc-articleset" in beginning:
        return import_jats(path, collection, progress)
    return import_medline(path, collection, progress)
