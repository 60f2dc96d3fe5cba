"""Import the records of an XML file in batches, so that an interrupted import can be resumed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element

from postmeal.literature.sources.collection import Collection, ImportState
from postmeal.literature.sources.report import ImportReport
from postmeal.literature.sources.xml_records import XmlRecords

__all__ = ["Progress", "import_records"]

Progress = Callable[[Path, int, int], None]
"""Function that receives a file, the number of bytes read so far and the file size in bytes."""


def import_records(
    path: Path,
    collection: Collection,
    state: ImportState,
    names: tuple[str, ...],
    store: Callable[[Element, Collection, ImportReport], None],
    batch: int,
    progress: Progress,
) -> int:
    """Store the records of a file, skipping those that earlier runs have already stored."""
    report, n_records = state.report, state.n_records
    with XmlRecords(path, names, report, skip=n_records) as records:
        for record in records:
            n_records = record.number
            if record.element is not None:
                with report.guard(record.byte):
                    store(record.element, collection, report)
            if n_records % batch == 0:
                collection.save(path, n_records, report)
                progress(path, records.read_bytes, records.size)
        if n_records:
            collection.save(path, n_records, report, is_complete=True)
            progress(path, records.size, records.size)
        else:
            collection.forget(path)
    return n_records
