"""Records of damaged and hostile files."""

import time

import pytest

from postmeal.literature.sources import xml_records
from postmeal.literature.sources.report import ImportReport
from postmeal.literature.sources.xml_records import XmlRecords


def read(path, skip=0):
    report = ImportReport(path.name)
    with XmlRecords(path, ("a",), report, skip) as records:
        texts = [(each.number, each.element.text) for each in records if each.element is not None]
    return texts, [str(fault) for fault in report.faults]


def test_a_record_that_is_too_long_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(xml_records, "MAX_RECORD_BYTES", 3 * 2**20)
    path = tmp_path / "long.xml"
    path.write_text(f"<r><a>1</a>\n<a>{'x' * 2**23}</a>\n<a>3</a></r>")
    texts, faults = read(path)
    assert texts == [(1, "1"), (3, "3")]
    assert faults == ["long.xml, byte 12: a record must have at most 3,145,728 bytes"]


def test_a_long_line_without_records_uses_little_memory(tmp_path):
    path = tmp_path / "line.xml"
    with path.open("wb") as file:
        file.truncate(2**26)
        file.seek(2**26)
        file.write(b"<a>1</a>")
    assert read(path)[0] == [(1, "1")]


@pytest.mark.parametrize("size", range(2**20 - 12, 2**20 + 3))
def test_a_record_is_found_where_the_file_is_read_in_pieces(tmp_path, size):
    path = tmp_path / "pieces.xml"
    path.write_text(" " * size + "<a>1</a><a>2</a>")
    assert read(path) == ([(1, "1"), (2, "2")], [])


def test_skipped_records_are_counted_and_their_faults_are_not_repeated(tmp_path):
    path = tmp_path / "faults.xml"
    path.write_text("<r><a>&x;</a><a>2</a><a>&y;</a></r>")
    assert read(path)[0] == [(2, "2")]
    texts, faults = read(path, skip=2)
    assert texts == []
    assert len(faults) == 1


def test_a_beginning_of_a_million_brackets_is_checked_quickly(tmp_path):
    path = tmp_path / "brackets.xml"
    path.write_text("<!DOCTYPE r>" + "<x " * 300_000 + "<a>1</a>")
    start = time.process_time()
    texts, faults = read(path)
    assert time.process_time() - start < 2
    assert texts == [(1, "1")]
    assert "the beginning of the file is not valid XML" in faults[0]


def test_another_encoding_is_reported(tmp_path):
    path = tmp_path / "latin.xml"
    path.write_bytes('<?xml version="1.0" encoding="ISO-8859-1"?><r><a>é</a></r>'.encode("latin-1"))
    texts, faults = read(path)
    assert texts == []
    assert "the encoding must be UTF-8, got 'ISO-8859-1'" in faults[0]
