"""Split a large XML file into records without parsing the whole file.

The file is not trusted: it may be truncated, contain a line of 2 GB, or declare entities that
expand to gigabytes. The part before the first record is parsed by defusedxml, which rejects
entities. A record cannot declare entities, because it starts with its own root element.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from postmeal.errors import DataSetError
from postmeal.literature.sources.collection import Collection, ImportState
from postmeal.literature.sources.report import ImportReport

MAX_RECORD_BYTES = 16 * 2**20
"""Maximum length of a record in bytes. Longer records are reported and skipped."""

_PIECE = 2**20
_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_UTF_8 = re.compile(rb"encoding\s*=\s*[\"'](?!utf-?8[\"'])([^\"']*)", re.IGNORECASE)

Progress = Callable[[Path, int, int], None]
"""Function that receives a file, the number of bytes read so far and the file size in bytes."""


class Record(NamedTuple):
    """A record in an XML file."""

    number: int
    element: ElementTree.Element | None
    byte: int


class XmlRecords:
    """Iterate over the elements with the given names in XML, which is a file or bytes."""

    def __init__(
        self, source: Path | bytes, names: Sequence[str], report: ImportReport, skip: int = 0
    ) -> None:
        self._report = report
        self._skip = skip
        self._is_skipping = skip > 0
        self._start = re.compile(rb"<(%s)(?=[\s/>])" % "|".join(names).encode())
        self._overlap = max(map(len, names)) + 2
        self._buffer = b""
        self._offset = 0  # position of the buffer in the decompressed file
        self._raw: BinaryIO
        if isinstance(source, bytes):
            self._raw, self.size, is_packed = io.BytesIO(source), len(source), False
        else:
            self._raw, self.size, is_packed = _open(source)
        self._text: Any = gzip.GzipFile(fileobj=self._raw) if is_packed else self._raw

    @property
    def read_bytes(self) -> int:
        """Number of bytes of the file on disk that have been read."""
        return self._raw.tell()

    def __enter__(self) -> XmlRecords:
        return self

    def __exit__(self, *error: object) -> None:
        self._text.close()
        self._raw.close()

    def __iter__(self) -> Iterator[Record]:
        number = 0
        while (start := self._find_start(number == 0)) is not None:
            number += 1
            self._is_skipping = number <= self._skip
            record, byte = self._cut(start, b"</%s>" % start)
            if self._is_skipping:
                continue
            yield Record(number, self._parse(record, byte), byte)

    def _more(self) -> bool:
        try:
            piece = self._text.read1(_PIECE)  # `read` would lose the data before the damaged part
        except (OSError, EOFError, zlib.error) as error:
            is_cut = isinstance(error, EOFError)
            problem = (
                "the compressed data is truncated; download the file again"
                if is_cut
                else f"damaged data: {error}"
            )
            self._fault(self._offset + len(self._buffer), problem)
            return False
        self._buffer += piece
        return bool(piece)

    def _fault(self, byte: int, problem: str) -> None:
        if not self._is_skipping:
            self._report.fault(byte, problem)

    def _find_start(self, is_first: bool) -> bytes | None:
        """Move to the next record and return its element's name, or None at the end of the file."""
        before = b""
        while True:
            found = self._start.search(self._buffer)
            if is_first and len(before) < _PIECE:
                before += self._buffer[: found.start() if found else -self._overlap]
            if found:
                if is_first:
                    self._check_prolog(before)
                self._advance(found.start())
                return found.group(1)
            self._advance(max(0, len(self._buffer) - self._overlap))
            if not self._more():
                return None

    def _advance(self, count: int) -> None:
        self._buffer = self._buffer[count:]
        self._offset += count

    def _check_prolog(self, prolog: bytes) -> None:
        """Report entities and encodings other than UTF-8, which can make records unreadable."""
        from defusedxml.common import EntitiesForbidden, ExternalReferenceForbidden
        from defusedxml.ElementTree import fromstring

        prolog = prolog[prolog.find(b"<") :]  # the prolog follows the header of an archive
        if encoding := _UTF_8.search(prolog):
            name = encoding.group(1).decode(errors="replace")
            self._fault(0, f"the encoding must be UTF-8, got {name!r}")
        if not _DECLARED.search(prolog):
            return
        last = prolog[prolog.rfind(b"<") :]
        opened = re.match(rb"<([A-Za-z][\w.-]*)(?=[\s/>])[^>]*>\s*$", last)
        root = b"</%s>" % opened.group(1) if opened else b"<root/>"
        try:
            fromstring(prolog + root, forbid_dtd=False, forbid_entities=True)
        except (EntitiesForbidden, ExternalReferenceForbidden):
            self._fault(0, "entities must not be declared; records that use them are skipped")
        except ElementTree.ParseError as error:
            self._fault(0, f"the beginning of the file is not valid XML: {error}")

    def _cut(self, name: bytes, end_tag: bytes) -> tuple[bytes | None, int]:
        """Return the bytes of a record (None if it has no end tag), and its position."""
        searched = 0
        while (end := self._buffer.find(end_tag, searched)) < 0:
            searched = max(0, len(self._buffer) - len(end_tag))
            if len(self._buffer) > MAX_RECORD_BYTES:
                byte = self._offset
                self._fault(byte, f"a record must have at most {MAX_RECORD_BYTES:,} bytes")
                self._advance(len(self._buffer) - self._overlap)
                return None, byte
            if not self._more():
                byte = self._offset
                self._fault(
                    byte, f"a {name.decode()} record has no end tag; the file may be incomplete"
                )
                self._advance(len(self._buffer))
                return None, byte
        record, byte = self._buffer[: end + len(end_tag)], self._offset
        starts = [found for found in self._start.finditer(record) if found.group(1) == name]
        if len(starts) > 1:  # an earlier record has no end tag
            self._fault(byte, f"a {name.decode()} record has no end tag")
            record, byte = record[starts[-1].start() :], byte + starts[-1].start()
        self._advance(end + len(end_tag))
        return record, byte

    def _parse(self, record: bytes | None, byte: int) -> ElementTree.Element | None:
        if record is None:
            return None
        if _DECLARED.search(record):
            self._fault(byte, "the record must not contain declarations")
            return None
        try:
            return ElementTree.fromstring(record)
        except ElementTree.ParseError as error:
            self._fault(byte, f"the record is not valid XML: {error}")
        except RecursionError:
            self._fault(byte, "the record is nested too deeply")
        return None


def _open(path: Path) -> tuple[BinaryIO, int, bool]:
    """Open a file, and return it with its size and whether it is compressed."""
    try:
        file = path.open("rb")
        is_packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        return file, path.stat().st_size, is_packed
    except OSError as error:
        raise DataSetError(
            f"{path} cannot be read: {error.strerror}; check the path and its permissions"
        ) from error


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
