"""Detect the format of a file of articles and import it into a collection."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.literature.sources.collection import Collection
from postmeal.literature.sources.jats_xml import import_jats
from postmeal.literature.sources.medline_xml import import_medline
from postmeal.literature.sources.report import ImportReport
from postmeal.literature.sources.xml_records import Progress

__all__ = ["import_file"]

_BEGINNING = 2**16


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
