"""Files of bare newlines, which cost no more than their bytes."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.collection.text_lines import Mark, TextLines, csv_rows

BLANK = 2_000_000


def text_lines(path: Path, start: Mark = Mark()) -> TextLines:
    return TextLines(path, ImportReport(path.name), start)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_millions_of_blank_lines_are_a_few_texts(tmp_path: Path, end: bytes):
    """Whatever reads the lines does its work for each text, not for each line."""
    path = tmp_path / "dump.jsonl.gz"
    path.write_bytes(gzip.compress(b"first" + end + BLANK * end + b"last" + end, 1))
    with text_lines(path) as lines:
        found = list(lines)
        assert len(found) < 20
        assert lines.mark == Mark((BLANK + 2) * len(end) + 9, BLANK + 2)
    assert "".join(found).encode() == gzip.decompress(path.read_bytes())


def test_the_lines_behind_blank_ones_have_their_numbers(tmp_path: Path):
    path = tmp_path / "dump.jsonl"
    path.write_bytes(b"\n\n\n{}\n\r\n\n\n[]")
    marks = []
    with text_lines(path) as lines:
        marks = [(text, lines.mark) for text in lines if text.strip()]
    assert marks == [("{}\n", Mark(6, 4)), ("[]", Mark(12, 8))]
    with text_lines(path, Mark(2, 2)) as again:  # an import that goes on within them
        assert [text for text in again if text.strip()] == ["{}\n", "[]"]


def test_blank_lines_between_quotes_belong_to_their_field(tmp_path: Path):
    path = tmp_path / "foods.csv"
    path.write_bytes(b'name,note\n\n\n\nrice,"a\n\n\n\nb"\n\n\n\noats,c\n\n\n')
    with text_lines(path) as lines:
        rows = list(csv_rows(lines, ImportReport(path.name), ["name", "note"]))
    assert rows == [("rice", "a\n\n\n\nb"), ("oats", "c")]


def test_a_file_that_is_cut_within_blank_lines_is_refused(tmp_path: Path):
    path = tmp_path / "dump.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}\n" + b"\n" * BLANK, 1)[:-9])
    with pytest.raises(Exception, match="truncated or damaged"), text_lines(path) as lines:
        list(lines)
