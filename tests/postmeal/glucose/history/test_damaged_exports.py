"""Export files as they reach us: re-encoded, cut off, edited, or something else altogether."""

import json
from pathlib import Path

import pytest
from export_files import BERLIN, CLARITY, SIDIARY, egv, libre, libre_head, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from postmeal.errors import InputError
from postmeal.glucose.history.exports import Export, read_export

READING = egv("2026-05-01T08:00:00", 101)
TWO = [("2026-05-01T08:00:00", 101.0), ("2026-05-01T08:05:00", 105.0)]


def read(folder: Path, data: bytes, **options: object) -> Export:
    path = folder / "export"
    path.write_bytes(data)
    return read_export(path, **options)


def read_lines(folder: Path, *lines: str, **options: object) -> Export:
    return read(folder, "\n".join(lines).encode(), **options)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\n\r\n"])
def test_a_file_is_read_in_every_encoding_and_with_every_line_end(tmp_path, encoding, end):
    text = end.join([CLARITY, READING, egv("2026-05-01T08:05:00", 105), ""])
    export = read(tmp_path, text.encode(encoding))
    assert (rows(export.trace), export.skipped) == (TWO, ())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_file_is_read_with_every_separator_quoted_or_not(tmp_path, separator):
    lines = [CLARITY, READING, egv("2026-05-01T08:05:00", "105,0" if separator == ";" else 105)]
    fields = [line.replace("105,0", "105.0").split(",") for line in lines]
    for form in ("{}", '"{}"'):
        text = "\n".join(separator.join(form.format(one) for one in row) for row in fields)
        assert rows(read(tmp_path, text.encode()).trace) == TWO


def test_old_western_encodings_do_not_disturb_the_readings(tmp_path):
    text = f"{CLARITY}\n1,,FirstName,,Renée,,,,,,,,\n{READING}\n"
    assert rows(read(tmp_path, text.encode("cp1252")).trace) == TWO[:1]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (egv("2026-05-01T08:05:00", 12), "glucose must be 20 to 600 mg/dL, got 12 mg/dL"),
        (egv("2026-05-01T08:05:00", "???"), "glucose must be a number, got '???'"),
        (egv("2026-05-01T08:05:00", "nan"), "glucose must be a number, got 'nan'"),
        (egv("2026-05-01T08:05:00", ""), "glucose must be a number, got ''"),
        (
            egv("05/01/2026 08:05", 105),
            "time must be a local time such as 2026-05-01T08:00:00, got",
        ),
        (
            egv("2026-05-01T08:05:00Z", 105),
            "time must be a local time such as 2026-05-01T08:00:00, got",
        ),
        (egv("0001-01-01T00:00:00", 105), "time must be in the years 1971 to 2199, got"),
        (f'"{READING}', "quotes must be closed"),
        ("9,2026-05-01T08:05:00,EGV,,,,iPhone G6,1", "must have 14 fields, got 8"),
        ("9,2026-05-01T08:05:00,Carbs,,,,iPhone G6,,,-5,,,", "carbohydrate must be 0 g or more"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported_and_the_others_are_read(tmp_path, row, reason):
    later = egv("2026-05-01T08:05:00", 105)
    for at, lines in ((3, (READING, row, later)), (4, (READING, later, row))):
        export = read_lines(tmp_path, CLARITY, *lines)
        assert rows(export.trace) == TWO
        assert [line for line, _ in export.skipped] == [at]
        assert export.skipped[0].reason.startswith(reason)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (libre("05-31-2026 08:05 AM", 9, 90), "record type must be 0 to 6, got '9'"),
        (
            libre("31-31-2026 08:05 AM", 0, 90),
            "date does not exist in the calendar (read as month-day-year), got",
        ),
        (
            libre("05-31-2026 13:05 PM", 0, 90),
            "time must be in a format such as 05-31-2026 08:15 AM or",
        ),
        (libre("yesterday", 0, 90), "time must be in a format such as 05-31-2026 08:15 AM or"),
        (libre("05-31-2026 08:05 AM", 0, "x"), "glucose must be a number, got 'x'"),
        (libre("05-31-2026 08:05 AM", 0, 90)[:-9], "must have 19 fields, got 10"),
    ],
)
def test_libreview_reports_its_bad_rows(tmp_path, row, reason):
    good = libre("05-31-2026 08:00 AM", 0, 95)
    export = read_lines(tmp_path, libre_head().replace("\r", ""), good, row, day_first=False)
    assert len(export.trace) == 1
    assert [line for line, _ in export.skipped] == [4]
    assert export.skipped[0].reason.startswith(reason)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("31.05.2026;08:05;5;;;;", "glucose must be 39 to 600 mg/dL, got 5 mg/dL"),
        (
            "05/31/2026;08:05;105;;;;",
            "time must be in a format such as 31.05.2026;08:15, got '05/31/2026;08:05'",
        ),
        ("31.05.20", "must have 7 fields, got 1"),
        ("31.05.2026;08:05;;;x;;", "carbohydrate must be 0 g or more, got 'x'"),
    ],
)
def test_xdrip_reports_its_bad_rows(tmp_path, row, reason):
    export = read_lines(tmp_path, SIDIARY, "31.05.2026;08:00;101;;;;", "", row)
    assert len(export.trace) == 1
    assert export.skipped == ((4, reason),)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"type": "sgv", "sgv": 5, "date": 1777622400000}, "glucose must be 39 to 600 mg/dL"),
        ({"type": "sgv", "sgv": None, "date": 1777622400000}, "glucose must be a number"),
        ({"type": "sgv", "sgv": 105}, "must have a date in milliseconds or an ISO 8601 time"),
        ({"type": "sgv", "sgv": 105, "date": 1e300}, "must have a date in milliseconds"),
        ({"type": "sgv", "sgv": 105, "date": 1777622400}, "must have a date in milliseconds"),
        ({"type": "sgv", "sgv": 105, "date": True}, "must have a date in milliseconds"),
        ({"carbs": 5, "created_at": "0001-01-01T00:00:00Z"}, "must have a date in milliseconds"),
        ({"carbs": -5, "date": 1777622400000}, "carbs, fiber, protein and fat must be 0 g or more"),
    ],
)
def test_nightscout_reports_its_bad_entries(tmp_path, entry, reason):
    good = {"type": "sgv", "sgv": 101, "date": 1777622400000}
    export = read(tmp_path, json.dumps([good, entry]).encode())
    assert len(export.trace) == 1
    assert [line for line, _ in export.skipped] == [2]
    assert export.skipped[0].reason.startswith(reason)


def test_a_quoted_note_may_run_over_lines(tmp_path):
    note = 'FreeStyle LibreLink,AB-1,05-31-2026 08:05 AM,6,,,,,,,,,,"two\nlines",,,,,'
    good = [libre("05-31-2026 08:00 AM", 0, 95), libre("05-31-2026 08:15 AM", 0, 99)]
    export = read_lines(tmp_path, libre_head().replace("\r", ""), good[0], note, good[1])
    assert (len(export.trace), export.skipped) == (2, ())


def test_a_quote_left_open_costs_its_own_row_and_no_other(tmp_path):
    """Even where a later row has one too, so that all between could be taken for one field."""
    note = "FreeStyle LibreLink,AB-1,05-31-2026 08:05 AM,6,,,,,,,,,,{},,,,,"
    good = [libre(f"05-31-2026 08:{minute} AM", 0, 95) for minute in (10, 15, 20)]
    rows = [good[0], note.format('"open'), good[1], note.format('open"'), good[2]]
    export = read_lines(tmp_path, libre_head().replace("\r", ""), *rows)
    assert len(export.trace) == 3
    assert export.skipped == ((4, "quotes must be closed"),)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "file must not be empty"),
        (b"\n \n", "file must not be empty"),
        (
            b"time,glucose\n1,2\n",
            "file must be an export from one of these apps: Dexcom",
        ),
        (b'[{"type": "sgv", "sgv": 1', "line 1 must be JSON"),
        (
            b"{}",
            "file must be a list or an object with at least one of the lists: entries, treatments",
        ),
        (b"[" * 100_000, "file must be a list of entries that is not deeply nested"),
        (b"[" + b"9" * 5000 + b"]", "file must not contain a number with thousands of digits"),
        (b"PK\x03\x04nothing", "file must be a readable zip archive"),
        (CLARITY[:90].encode(), "file must have a glucose column after the time column"),
        (
            CLARITY.replace(" (mg/dL)", "").encode(),
            "unit is required because the file does not state it",
        ),
    ],
)
def test_what_is_no_export_is_refused_with_what_is(tmp_path, data, problem):
    with pytest.raises(InputError) as refusal:
        read(tmp_path, data)
    assert str(refusal.value).startswith(problem)


def test_a_file_that_names_no_unit_takes_the_one_given(tmp_path):
    bare = CLARITY.replace(" (mg/dL)", "")
    export = read_lines(tmp_path, bare, egv("2026-05-01T08:00:00", "6,0"), unit="mmol/L")
    assert export.trace.glucose_mg_dl.tolist() == [6 * 18.016]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"unit": "mmol/L"}, "unit must be mg/dL, the unit of the file, got 'mmol/L'"),
        ({"unit": "mmol"}, "unit must be one of: mg/dL, mmol/L; got 'mmol'"),
        ({"zone": "Berlin"}, "zone must be an IANA time zone such as Europe/Berlin, got 'Berlin'"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, problem):
    with pytest.raises(InputError) as refusal:
        read_lines(tmp_path, CLARITY, READING, **options)
    assert str(refusal.value) == problem


@settings(max_examples=200)
@given(st.data())
def test_a_damaged_file_is_read_reported_or_refused(tmp_path_factory, data):
    """Bytes cut out or changed anywhere: what is not read is listed, and nothing else happens."""
    files = [
        "\n".join([CLARITY, *(egv(f"2026-10-25T0{n}:30:00", 99) for n in range(6))]),
        "\n".join([libre_head(), *(libre(f"05-31-2026 0{n}:30 AM", 0, 95) for n in range(6))]),
        "\n".join([SIDIARY, *(f"25.10.2026;0{n}:30;101;;30;;" for n in range(6))]),
        json.dumps([{"type": "sgv", "sgv": 99, "date": 1.7e12 + 3e5 * n} for n in range(6)]),
    ]
    intact = data.draw(st.sampled_from(files)).encode()
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(intact))] * 2)))
    damaged = intact[:start] + data.draw(st.binary(max_size=6)) + intact[stop:]
    folder = tmp_path_factory.mktemp("damaged")
    try:
        export = read(folder, damaged, zone=BERLIN)
    except InputError:
        pass
    else:
        assert len(export.trace) <= 6 + len(damaged) / 20
