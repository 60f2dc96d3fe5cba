"""Corrections of scans, written by people who had not seen the grammar."""

from __future__ import annotations

from pathlib import Path

import pytest

from postmeal import Catalog, InputError
from tools.evaluate.scan_corrections import (
    correct_scans,
    corrections_report,
    read_scan_cases,
)

READ = Path(__file__).with_name("corrections") / "read.jsonl"


@pytest.mark.reliability
def test_corrections_of_the_open_half_stay_as_good_as_documented() -> None:
    found = correct_scans(read_scan_cases(READ), Catalog.open())
    assert len(found) == 100
    assert sum(one.outcome == "right" for one in found) >= 80
    assert sum(one.outcome == "wrong" for one in found) <= 2
    assert corrections_report(found).splitlines()[-1].endswith("abstained")


def test_a_line_that_is_not_a_case_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"scan": [["rice", 1]], "text": "x"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        read_scan_cases(path)
