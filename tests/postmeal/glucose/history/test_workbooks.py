"""Workbooks are refused by what they hold."""

import openpyxl
import pytest

from postmeal.errors import InputError
from postmeal.glucose.history.exports import read_export

FORMATS = "Dexcom Clarity, LibreView, xDrip+, Nightscout"


@pytest.fixture
def refusal(tmp_path):
    def refusal(book: openpyxl.Workbook) -> str:
        book.save(tmp_path / "export.xlsx")
        with pytest.raises(InputError) as raised:
            read_export(tmp_path / "export.xlsx")
        return str(raised.value)

    return refusal


def test_a_workbook_is_described_by_all_its_sheets_and_its_cells(refusal):
    book = openpyxl.Workbook()
    book.active.title = "One < two"
    book.active.append(["When & where", "Sugar", 5])
    book.create_sheet("Notes")
    assert refusal(book) == (
        "file must be a text file, not a workbook; save the sheet as CSV, in one of these formats: "
        f"{FORMATS}; this is an xlsx workbook with the sheets One < two, Notes and the cells "
        "When & where, Sugar"
    )


def test_a_workbook_of_a_known_app_is_named(refusal):
    said = f"which is not supported; supported formats: {FORMATS}"
    sheets = openpyxl.Workbook()
    for name in ("cbg", "smbg"):
        sheets.create_sheet(name)
    assert refusal(sheets) == f"file is an export of Tidepool, {said}"
    cells = openpyxl.Workbook()
    cells.active.append(["Device", "Meter Timestamp", "Record Type", "Glucose"])
    assert refusal(cells) == f"file is an export of FreeStyle Libre desktop, {said}"
