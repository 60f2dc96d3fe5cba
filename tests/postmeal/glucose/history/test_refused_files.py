"""Files that are no export: the whole message says what was expected and what the file is."""

import json
import os
import zipfile
from pathlib import Path

import pytest
from export_files import CLARITY, SIDIARY, libre_head, rows

from postmeal.errors import InputError
from postmeal.glucose.history.exports import archive, read_export
from postmeal.glucose.history.exports.descriptions import describe_text, join_names

APPS = "Dexcom Clarity, LibreView, xDrip+, Nightscout"
LIMIT = 256 * 1024 * 1024
ENTRY = {"sgv": 101, "date": 1777622400000}


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(InputError) as raised:
        read_export(path, **options)
    return str(raised.value)


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "export"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def zipped(folder: Path, **members: str) -> Path:
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, text in members.items():
            file.writestr(name.replace("_", "."), text)
    return path


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"SQLite format 3\0", "an SQLite database"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"\x89PNG", "an image"),
        (b"\xff\xd8\xff", "an image"),
    ],
)
def test_a_binary_file_is_named_by_its_kind(tmp_path, start, kind):
    path = written(tmp_path, start)
    said = f"file must be a text file in one of these formats: {APPS}; {path.name} is {kind}"
    assert refusal(path) == said


def test_a_database_of_xdrip_is_known_by_its_name(tmp_path):
    path = tmp_path / "export20260531-080000.sqlite"
    path.write_bytes(b"SQLite format 3\0")
    said = "file is an export of xDrip+ (its database), which is not supported; supported formats"
    assert refusal(path) == f"{said}: {APPS}"


def test_a_file_has_at_most_256_mib(tmp_path):
    path = tmp_path / "export"
    path.touch()
    os.truncate(path, LIMIT + 1)
    assert refusal(path) == "file must be at most 268,435,456 bytes, got 268,435,457"


def test_a_zip_archive_has_one_csv_file(tmp_path):
    expected = "file must contain exactly one CSV file if it is a zip archive, got"
    path = zipped(tmp_path, a_csv="x", b_CSV="y", c_txt="z")
    known = "supported formats"
    assert refusal(path) == (
        f"{expected} 2; {known}: {APPS}; this is a zip archive of a.csv, b.CSV, c.txt"
    )
    path = zipped(tmp_path)
    # An archive without files begins otherwise, and is no text.
    assert refusal(path).startswith("file must be an export from one of these apps: ")


def test_a_csv_file_in_a_zip_archive_may_be_beside_others(tmp_path):
    path = zipped(tmp_path, readme_txt="x", export_CSV=f"{SIDIARY}\n31.05.2026;08:00;101;;;;")
    assert rows(read_export(path).trace) == [("2026-05-31T08:00:00", 101)]


def test_a_file_in_a_zip_archive_is_measured_before_it_is_unpacked(tmp_path, monkeypatch):
    path = zipped(tmp_path, a_csv=SIDIARY)
    monkeypatch.setattr(archive, "MAX_BYTES", len(SIDIARY))
    assert refusal(path).startswith("file must contain readings or food in one of these formats")
    monkeypatch.setattr(archive, "MAX_BYTES", 40)
    said = "file must be at most 40 bytes when decompressed, got"
    assert refusal(path) == f"{said} {len(SIDIARY)}"


def test_a_zip_archive_that_is_damaged_or_locked_is_refused(tmp_path):
    path = zipped(tmp_path, export_csv=SIDIARY * 9)
    data = bytearray(path.read_bytes())
    assert refusal(written(tmp_path, bytes(data[:60]))).startswith(
        "file must be a readable zip archive: "
    )
    data[6] |= 1  # the mark of a password, before the file and in the directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert refusal(written(tmp_path, bytes(data))).startswith(
        "file must be a readable zip archive: "
    )


@pytest.mark.parametrize("kind", ["csv", "workbook"])
def test_an_archive_with_any_damaged_byte_is_read_or_refused(tmp_path, kind):
    """The damage changes compressed data, names, sizes, flags and positions in the archive."""
    lines = [f"31.05.2026;{hour:02}:{minute:02}" for hour in range(24) for minute in range(60)]
    content = "\n".join([SIDIARY, *(f"{line};{90 + len(line)};;;;" for line in lines)])
    path = tmp_path / "export.zip"
    name = "xl/workbook.xml" if kind == "workbook" else "export.csv"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    intact = path.read_bytes()
    refusals = []
    for position in range(len(intact) - 1, 3, -max(1, len(intact) // 400)):
        for bit in (1, 0x80):
            damaged = bytearray(intact)
            damaged[position] ^= bit
            path.write_bytes(damaged)
            try:
                read_export(path)
            except InputError as error:
                refusals.append(str(error))
    assert not [text for text in refusals if "\n" in text]
    assert sum("must be a readable zip archive" in text for text in refusals) > 20


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (CLARITY, {"unit": "mmol"}, "unit must be one of: mg/dL, mmol/L; got 'mmol'"),
        (
            CLARITY,
            {"zone": "Berlin"},
            "zone must be an IANA time zone such as Europe/Berlin, got 'B",
        ),
        (
            SIDIARY,
            {"unit": "mmol/L"},
            "unit must be mg/dL, the unit of xDrip+ exports, got 'mmol/L'",
        ),
        (
            SIDIARY,
            {"day_first": False},
            "day_first must be true for xDrip+ exports, whose dates start with the day",
        ),
        (
            json.dumps([ENTRY]),
            {"unit": "mmol/L"},
            "unit must be mg/dL, the unit of Nightscout exports, got 'mmol/L'",
        ),
        (
            CLARITY.replace(" (mg/dL)", ""),
            {},
            "unit is required because the file does not state it; supported units: mg/dL, mmol/L",
        ),
        (CLARITY[:100], {}, "file must have a glucose column after the time column"),
        (f'"{CLARITY}', {}, "file must have a header row in which every quote is closed"),
        (
            libre_head().replace("Device,", '"Device,'),
            {},
            "file must have a header row in which every",
        ),
        ("[1,\n2", {}, "line 2 must be JSON: Expecting ',' delimiter"),
        ("[" * 100_000, {}, "file must be a list of entries that is not deeply nested"),
        ("[" + "9" * 5000 + "]", {}, "file must not contain a number with thousands of digits"),
        (
            '{"data": []}',
            {},
            "file must be a list or an object with at least one of the lists: entries, treatments, "
            "result",
        ),
    ],
)
def test_a_message_names_the_field_and_what_was_expected(tmp_path, text, options, said):
    assert refusal(written(tmp_path, text), **options).startswith(said)


@pytest.mark.parametrize("unit", [None, "mg/dL"])
def test_the_unit_of_a_format_may_be_given(tmp_path, unit):
    for text in (f"{SIDIARY}\n31.05.2026;08:00;101;;;;", json.dumps([ENTRY])):
        assert len(read_export(written(tmp_path, text), unit=unit, day_first=True).trace) == 1


@pytest.mark.parametrize(
    ("text", "look"),
    [
        ("", "an empty file"),
        (" \n", "an empty file"),
        ("x" * 50, f"a text file starting with {'x' * 40!r}"),
        ("\n time;glucose\n08:00;112", "a CSV file with the columns time, glucose"),
        ("a\tb\n", "a CSV file with the columns a, b"),
        ('"open,b\n', "a text file starting with '\"open,b'"),
        ("  <?xml version='1'?><h:Data x='1'>", "an XML file with the root element h:Data"),
        ("<1>", "a text file starting with '<1>'"),
        ("[]", "an empty JSON list"),
        ("[1]", "a JSON list without objects"),
        ('[1, {"a": 1, "b": 2}, {"c": 3}]', "a JSON list of objects with the keys a, b"),
        (' {"a": 1}', "a JSON object with the keys a"),
        ("{", "damaged JSON"),
        ("[" * 100_000, "damaged JSON"),
    ],
)
def test_a_text_is_described_by_its_beginning(text, look):
    assert describe_text(text) == look


def test_a_description_has_at_most_eight_names_of_forty_characters():
    assert join_names(["a", "", "b"]) == "a, b"
    assert join_names("abcdefgh") == "a, b, c, d, e, f, g, h"
    assert join_names("abcdefghi") == "a, b, c, d, e, f, g, h and 1 more"
    assert join_names("abcdefghij") == "a, b, c, d, e, f, g, h and 2 more"
    assert join_names(["x" * 41]) == "x" * 40
