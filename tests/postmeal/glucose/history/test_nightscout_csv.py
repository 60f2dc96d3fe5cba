"""CSV files of Nightscout: its entries, and the two sections of its report exporter."""

from pathlib import Path

import numpy as np
import pytest
from export_files import BERLIN, rows

from postmeal.errors import InputError
from postmeal.glucose.history.exports import read_export
from postmeal.units import MG_DL_PER_MMOL_L

AT_NOON = '"2026-05-31T10:00:28.000Z",1780221628000'
READINGS = ["# CGM ENTRIES", "Date,Time,Glucose (mg/dL),Type,Device,Trend,ID"]
FOOD = [
    "# TREATMENTS (Insulin, Carbs, Exercise)",
    "Date,Time,Event Type,Insulin (U),Carbs (g),Notes,ID",
]


@pytest.fixture
def write(tmp_path: Path):
    def write(*lines: str) -> Path:
        path = tmp_path / "export.csv"
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return write


def test_entries_have_no_header_and_exact_times(write):
    export = read_export(
        write(
            f'{AT_NOON},139,"Flat","xDrip-G6"',
            "2026-05-31T09:55:28.000Z,1780221328000,Low,Flat,another",
        ),
        BERLIN,
    )
    assert rows(export.trace) == [("2026-05-31T11:55:28", 40), ("2026-05-31T12:00:28", 139)]
    assert (export.format, export.device) == ("Nightscout", "xDrip-G6")
    assert (export.skipped, export.has_offsets, len(export.meals)) == ((), True, 0)


def test_entries_without_a_zone_are_in_utc_and_may_name_no_device(write):
    export = read_export(write(f"{AT_NOON},139,Flat,", f"{AT_NOON},139"))
    assert rows(export.trace) == [("2026-05-31T10:00:28", 139)]
    assert (export.device, export.n_readings) == (None, 2)


def test_an_entry_that_cannot_be_read_is_skipped_and_the_next_is_read(write):
    export = read_export(
        write(
            f"{AT_NOON},139,Flat,",
            AT_NOON,
            f'{AT_NOON},139,"open',
            "yesterday,soon,139,Flat,",
            f"{AT_NOON},much,Flat,",
            "2026-05-31T10:05:28.000Z,,140,Flat,",
        )
    )
    assert rows(export.trace) == [("2026-05-31T10:00:28", 139), ("2026-05-31T10:05:28", 140)]
    problem = "must have a time, a time in milliseconds and glucose, got"
    assert [line for line, _ in export.skipped] == [2, 3, 4, 5]
    assert export.skipped[0].reason == f"{problem} 2 fields"
    assert export.skipped[1].reason == f"{problem} an unclosed quote"
    assert export.skipped[3].reason == "glucose must be a number, got 'much'"


def test_entries_are_always_in_mg_dl(write):
    path = write(f"{AT_NOON},139,Flat,")
    assert len(read_export(path, unit="mg/dL").trace) == 1
    with pytest.raises(InputError, match="unit must be mg/dL, the unit of Nightscout exports, got"):
        read_export(path, unit="mmol/L")


def test_the_exporter_writes_readings_and_treatments_in_local_time(write):
    path = write(
        *READINGS,
        '"5/31/2026","12:55:28 PM","139","sgv","","","TEST-0"',
        '"5/31/2026","1:00:28 PM","144","sgv","Dexcom","Flat","TEST-1"',
        '"5/31/2026","1:05:28 PM","150","mbg","Meter","","TEST-2"',
        '"5/31/2026","1:10:28 PM","146","sgv","Other","Flat","TEST-3"',
        "",
        *FOOD,
        '"5/31/2026","4:00:00 PM","Temp Basal","","","","TEST-t0"',
        '"5/31/2026","4:00:00 PM","Bolus","2","0","","TEST-t1"',
        '"5/31/2026","4:05:00 PM","Carb Correction","","19","a ""roll"", with butter","TEST-c0"',
    )
    export = read_export(path, BERLIN)
    assert rows(export.trace) == [
        ("2026-05-31T12:55:28", 139),
        ("2026-05-31T13:00:28", 144),
        ("2026-05-31T13:10:28", 146),
    ]
    assert export.meals.utc_s - export.trace.utc_s[0] == pytest.approx([3 * 3600 + 572])
    carbs_g, *others = export.meals.macronutrients[0]
    assert carbs_g == 19
    assert np.isnan(others).all()
    assert (export.format, export.device, export.skipped) == ("Nightscout", "Dexcom", ())
    assert export.has_offsets
    assert not read_export(path).has_offsets


def test_a_file_may_hold_treatments_alone_before_or_without_readings(write):
    food = "5/31/2026,4:05:00 PM,Carb Correction,,19,,c0"
    reading = "5/31/2026,4:10:00 PM,139,sgv,,,0"
    alone = read_export(write(*FOOD, food))
    assert (len(alone.trace), alone.meals.macronutrients[0, 0]) == (0, 19)
    swapped = read_export(write(*FOOD, food, *READINGS, reading))
    assert (len(swapped.trace), len(swapped.meals), swapped.device) == (1, 1, None)


def test_the_unit_of_a_section_is_that_of_its_column(write):
    head = [READINGS[0], READINGS[1].replace("mg/dL", "mmol/L")]
    row = "5/31/2026,4:10:00 PM,6.5,sgv,,,0"
    assert read_export(write(*head, row)).trace.glucose_mg_dl == 6.5 * MG_DL_PER_MMOL_L
    bare = [READINGS[0], READINGS[1].replace(" (mg/dL)", "")]
    given = read_export(write(*bare, row), unit="mmol/L")
    assert given.trace.glucose_mg_dl == 6.5 * MG_DL_PER_MMOL_L
    with pytest.raises(InputError, match="unit is required because the file does not state it"):
        read_export(write(*bare, row))


def test_days_and_months_are_told_apart_by_the_whole_file_or_asked_for(write):
    lines = ["3/4/2026,4:10:00 PM,139,sgv,,,0", "13/4/2026,4:10:00 PM,140,sgv,,,1"]
    export = read_export(write(*READINGS, *lines))
    assert [time for time, _ in rows(export.trace)] == [
        "2026-04-03T16:10:00",
        "2026-04-13T16:10:00",
    ]
    with pytest.raises(
        InputError, match="day_first is required because the order of day and month"
    ):
        read_export(write(*READINGS, lines[0]))
    for day_first, day in ((True, "2026-04-03"), (False, "2026-03-04")):
        given = read_export(write(*READINGS, lines[0]), day_first=day_first)
        assert rows(given.trace) == [(f"{day}T16:10:00", 139)]


def test_rows_of_a_section_that_cannot_be_read_are_skipped_by_line(write):
    export = read_export(
        write(
            *READINGS,
            "5/31/2026,25:10,139,sgv,,,0",
            "some day,4:10:00 PM,139,sgv,,,0",
            "2/31/2026,4:10:00 PM,139,sgv,,,0",
            "5/31/2026,4:10:00 PM,much,sgv,,,0",
            '5/31/2026,4:10:00 PM,139,sgv,"open,,0',
            "5/31/2026,4:15:00 PM,139,sgv",
            *FOOD,
            "5/31/2026,4:05:00 PM,Carb Correction,,-5,,c0",
        )
    )
    assert rows(export.trace) == [("2026-05-31T16:15:00", 139)]
    form = "time must be in a format such as 5/31/2026, 8:15:00 AM, got"
    assert export.skipped == (
        (3, f"{form} '5/31/2026, 25:10'"),
        (4, f"{form} 'some day, 4:10:00 PM'"),
        (
            5,
            "date does not exist in the calendar (read as month-day-year), got"
            " '2/31/2026, 4:10:00 PM'",
        ),
        (6, "glucose must be a number, got 'much'"),
        (7, "quotes must be closed"),
        (11, "carbohydrate must be 0 g or more, got '-5'"),
    )
