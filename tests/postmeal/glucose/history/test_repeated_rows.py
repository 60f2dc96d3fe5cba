"""Rows that repeat or contradict each other: none is averaged, and those left out are listed."""

import json
import math
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from export_files import BERLIN, CLARITY, SIDIARY, egv, libre, libre_head, rows

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.exports import Export, read_export
from postmeal.glucose.history.meal_file import read_meals

MORNING = datetime(2026, 6, 3, 7)
MORNING_MS = 1_780_470_000_000
SPRING, AUTUMN = "2026-03-29", "2026-10-25"


@pytest.fixture
def read(tmp_path: Path):
    def read(*lines: str, zone: str | None = BERLIN, **options: object) -> Export:
        path = tmp_path / "export"
        path.write_text("\n".join(lines))
        return read_export(path, zone, **options)

    return read


@pytest.fixture
def read_entries(tmp_path: Path):
    def read(*entries: dict[str, object], **options: object) -> Export:
        path = tmp_path / "entries.json"
        path.write_text(json.dumps(entries))
        return read_export(path, **options)

    return read


def sgv(minute: float, glucose: object, device: str = "phone") -> dict[str, object]:
    return {"type": "sgv", "date": MORNING_MS + 60_000 * minute, "sgv": glucose, "device": device}


def values(export: Export) -> list[float]:
    return export.trace.glucose_mg_dl.tolist()


def lines_of(export: Export) -> list[int]:
    return [line for line, _ in export.skipped]


def quarters(day: str, *hours: tuple[int, int]) -> list[tuple[str, int]]:
    """Return the times of four readings in each hour, with the glucose of the hour."""
    return [(f"{day}T{hour:02}:{m:02}:00", glucose) for hour, glucose in hours for m in (0, 15, 30)]


AUTUMN_NIGHT = quarters(AUTUMN, (1, 91), (2, 104), (2, 152), (3, 163))
PASSES = [91] * 3 + [104] * 3 + [152] * 3 + [163] * 3


def test_equal_readings_at_the_same_time_are_one(read_entries):
    export = read_entries(sgv(0, 118), sgv(0, 118), sgv(5, 121))
    assert (values(export), export.skipped, export.n_readings) == ([118, 121], (), 3)


def test_of_different_readings_at_the_same_time_none_is_used(read_entries):
    entries = (sgv(0, 118), sgv(5, 90), sgv(10, 121), sgv(5, 160))
    export = read_entries(*entries)
    assert values(export) == [118, 121]
    problem = "glucose of 90 mg/dL differs from 160 mg/dL at the same time; neither is used"
    assert export.skipped[0] == (2, problem)
    assert lines_of(export) == [2, 4]
    with pytest.raises(InputError, match=r"^line 2 cannot be used: glucose of 90 mg/dL differs"):
        read_entries(*entries, errors="raise")
    with pytest.raises(InputError, match=r"^errors must be one of: report, raise; got 'ignore'"):
        read_entries(*entries, errors="ignore")


def test_a_file_in_which_all_readings_contradict_each_other_is_refused(read_entries):
    with pytest.raises(InputError, match="all 2 rows were skipped; line 1: glucose of 80 mg/dL"):
        read_entries(sgv(0, 80), sgv(0, 190))


def test_a_scan_yields_to_the_reading_stored_in_the_same_minute(read):
    lines = [libre("06-23-2026 08:00 AM", 0, 97), libre("06-23-2026 08:00 AM", 1, "", 109)]
    export = read(libre_head("06-23-2026 09:00 AM UTC"), *lines)
    assert values(export) == [97]
    (skipped,) = export.skipped
    assert skipped.reason.endswith("97 mg/dL at the same time; the stored reading is used")
    two_scans = [libre("06-23-2026 08:10 AM", 1, "", glucose) for glucose in (96, 109)]
    export = read(libre_head("06-23-2026 09:00 AM UTC"), lines[0], *two_scans)
    assert (values(export), lines_of(export)) == ([97], [4, 5])


def two_uploaders(*, minutes_apart: float, difference: float) -> list[dict[str, object]]:
    main = [sgv(5 * n, 106 + n % 3, "xDrip") for n in range(20)]
    other = [sgv(5 * n + minutes_apart, 106 + n % 3 + difference, "follower") for n in range(3, 18)]
    return main + other


def test_of_two_devices_at_once_the_one_with_more_readings_is_used(read_entries):
    """A saw-tooth of two sensors is not a glucose curve."""
    entries = two_uploaders(minutes_apart=2, difference=40)
    export = read_entries(*entries)
    assert values(export) == [106 + n % 3 for n in range(20)]
    assert (export.device, lines_of(export)) == ("xDrip", [*range(21, 36)])
    assert export.skipped[0].reason == (
        "follower read while xDrip did, whose readings are used; to use the others, select the"
        " device"
    )


def test_a_device_can_be_selected(read_entries):
    entries = two_uploaders(minutes_apart=2, difference=40)
    export = read_entries(*entries, device="FOLLOW")
    assert (len(export.trace), min(values(export))) == (15, 146)
    assert (export.device, export.skipped) == ("follower", ())
    known = "must be a device in the data: follower, xDrip; got 'pump'"
    with pytest.raises(InputError, match=f"^device {known}"):
        read_entries(*entries, device="pump")


def test_two_uploads_of_one_sensor_are_one(read_entries):
    export = read_entries(*two_uploaders(minutes_apart=0.1, difference=0))
    assert (len(export.trace), export.skipped) == (20, ())


def test_a_device_that_follows_another_or_fills_its_gap_is_used(read_entries):
    earlier = [sgv(5 * n, 100 + n, "old phone") for n in range(12) if n != 6]
    backfilled = [sgv(30.2, 141, "old phone (backfill)")]
    later = [sgv(60 + 5 * n, 110 + n, "new phone") for n in range(6)]
    export = read_entries(*earlier, *backfilled, *later)
    assert (len(export.trace), export.skipped) == (18, ())


def test_a_receiver_and_a_phone_in_clarity_are_two_devices(read):
    times = [f"2026-06-03T08:{minute:02}:00" for minute in range(0, 60, 5)]
    phone = [egv(time, 120) for time in times]
    receiver = [
        egv(time.replace(":00", ":09"), 120 if n else 177).replace("iPhone G6", "SM00")
        for n, time in enumerate(times[:6])
    ]
    export = read(CLARITY, *phone, *receiver)
    assert (values(export), lines_of(export)) == ([120] * 12, [14])
    assert len(read(CLARITY, *phone, *receiver, device="sm00").trace) == 6


def test_the_order_of_the_rows_tells_the_passes_of_the_doubled_hour_apart(read):
    lines = [egv(*reading) for reading in AUTUMN_NIGHT]
    for ordered in (lines, lines[::-1]):
        export = read(CLARITY, *ordered)
        assert (values(export), export.skipped) == (PASSES, ())


def test_a_counter_that_falls_does_not_mislead(read):
    lines = [egv(*reading, 900 * n) for n, reading in enumerate(AUTUMN_NIGHT[::-1])]
    assert values(read(CLARITY, *lines)) == PASSES


def test_a_doubled_hour_in_a_file_without_order_is_left_out(read):
    lines = [egv(*reading) for reading in AUTUMN_NIGHT]
    export = read(CLARITY, *lines[::2], *lines[1::2])
    assert values(export) == [91] * 3 + [163] * 3
    assert len(export.skipped) == 6


def test_readings_in_the_hour_that_clocks_skip_are_left_out(read):
    lines = [egv(*reading) for reading in quarters(SPRING, (1, 95), (2, 128), (3, 171))]
    export = read(CLARITY, *lines)
    assert (values(export), lines_of(export)) == ([95] * 3 + [171] * 3, [5, 6, 7])
    problem = "the time does not exist, because clocks are set forward past it"
    assert {reason for _, reason in export.skipped} == {problem}
    assert len(read(CLARITY, *lines, zone=None).trace) == 9


@pytest.mark.parametrize("code", [38, 20, 12, 9, 1])
def test_error_codes_are_no_readings(read, read_entries, code):
    uploaded = read_entries(sgv(0, 39), sgv(5, code), sgv(10, 102))
    xdrip = read(SIDIARY, "03.06.2026;07:00;39;;;;", f"03.06.2026;07:05;{code};;;;")
    assert (values(uploaded), values(xdrip)) == ([39, 102], [39])
    for export in (uploaded, xdrip):
        ((_, reason),) = export.skipped
        assert reason.startswith(f"glucose must be 39 to 600 mg/dL, got {code}")
    assert uploaded.skipped[0].reason.endswith("an error code" if code >= 20 else "mg/dL")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["LO", 62, 355, "HI"], [40, 62, 355, 400]),
        (["LO", 62, 455, "HI"], [40, 62, 455, 500]),
        (["LO", 31, 520, "HI"], [31, 31, 520, 520]),
    ],
)
def test_a_word_for_a_reading_beyond_the_range_is_at_least_the_largest_number(
    read, written, expected
):
    lines = [libre(f"06-23-2026 08:{15 * n:02} AM", 0, value) for n, value in enumerate(written)]
    assert values(read(libre_head("06-23-2026 09:00 AM UTC"), *lines)) == expected


def treatment(minute: float, carbs: float, **fields: object) -> dict[str, object]:
    return {
        "eventType": "Meal Bolus",
        "date": MORNING_MS + 60_000 * minute,
        "carbs": carbs,
    } | fields


def test_food_that_is_written_twice_counts_once(read_entries, tmp_path):
    lunch = (treatment(0, 42), treatment(0, 42, enteredBy="pump"), treatment(0, 17))
    export = read_entries(*lunch, treatment(1, 42))
    assert export.meals.macronutrients[:, 0].tolist() == [42, 17, 42]
    assert export.skipped == ((2, "food repeats that of line 1, which is used"),)
    again = tmp_path / "again.json"
    again.write_text(json.dumps([treatment(0, 42), treatment(9, 12)]))
    both = read_export([tmp_path / "entries.json", again])
    assert both.meals.macronutrients[:, 0].tolist() == [42, 17, 42, 12]
    assert lines_of(both) == [2]


def test_an_impossible_amount_of_carbohydrate_is_told_and_not_used(read_entries):
    export = read_entries(treatment(0, 42), treatment(90, 1300))
    assert export.meals.is_credible.tolist() == [True, False]
    problem = "carbohydrate must be at most 1,000 g, got 1300; the meal is not used"
    assert export.skipped == ((2, problem),)


def test_a_meal_file_tells_repeated_meals_and_times_that_do_not_exist(tmp_path):
    path = tmp_path / "meals.csv"
    eaten = [f"{SPRING}T01:30,20", f"{SPRING}T02:30,30", f"{SPRING}T08:00,40", f"{SPRING}T08:00,40"]
    path.write_text("\n".join(["time,carbs_g", *eaten]))
    meals, _, skipped, _ = read_meals(path, zone=BERLIN)
    assert meals.macronutrients[:, 0].tolist() == [20, 40]
    assert [line for line, _ in skipped] == [3, 5]
    with pytest.raises(InputError, match=r"^meals.csv, line 3 cannot be used: the time does not"):
        read_meals(path, zone=BERLIN, errors="raise")
    path.write_text("\n".join(["time,carbs_g", eaten[1]]))
    with pytest.raises(InputError, match="must contain a readable meal; all 1 rows were skipped"):
        read_meals(path, zone=BERLIN)


def table(glucose: list[float], **columns: object) -> pd.DataFrame:
    times = [MORNING + timedelta(minutes=5 * n) for n in range(len(glucose))]
    return pd.DataFrame({"time": times, "glucose_mg_dl": glucose}).assign(**columns)


def test_a_table_of_two_people_needs_the_person():
    both = pd.concat([table([92, 98], person="ann"), table([171, 180], person="bo")])
    with pytest.raises(
        InputError,
        match=r"^person is required, because the frame has readings of 2 people: ann, bo",
    ):
        CgmTrace.from_frame(both)
    assert CgmTrace.from_frame(both, person="bo").glucose_mg_dl.tolist() == [171, 180]
    with pytest.raises(
        InputError, match=r"^person must be in the column person: ann, bo; got 'cy'"
    ):
        CgmTrace.from_frame(both, person="cy")
    with pytest.raises(InputError, match=r"^cgm must contain a reading that is certain; reading 0"):
        CgmTrace.from_frame(both.drop(columns="person"))
    with pytest.raises(InputError, match=r"^person must be omitted if the frame has no column"):
        CgmTrace.from_frame(table([92, 98]), person="ann")


def test_a_table_of_two_devices_is_that_of_the_one_with_more_readings():
    one, other = table([92, 98, math.nan, 104], device="G7"), table([150, 151], device="Libre 3")
    both = pd.concat([other, one.assign(time=one.time + timedelta(minutes=1))], ignore_index=True)
    trace = CgmTrace.from_frame(both)
    assert trace.glucose_mg_dl.tolist() == [92, 98, 104]
    assert [row for row, _ in trace.skipped] == [0, 1]
    assert CgmTrace.from_frame(both, device="libre").glucose_mg_dl.tolist() == [150, 151]
    with pytest.raises(InputError, match=r"^device must be omitted if the frame has no column"):
        CgmTrace.from_frame(both.drop(columns="device"), device="libre")


def test_the_row_of_a_reading_in_a_table_is_its_position():
    readings = table([92, math.nan, 98, 104]).set_index(pd.Index([7, 8, 9, 9]))
    readings["time"] = [MORNING, MORNING, MORNING, MORNING + timedelta(minutes=5)]
    trace = CgmTrace.from_frame(readings)
    assert (trace.glucose_mg_dl.tolist(), [row for row, _ in trace.skipped]) == ([104], [0, 2])
    with pytest.raises(InputError, match=r"^cgm\[0\] cannot be used: glucose of 92 mg/dL differs"):
        CgmTrace.from_frame(readings, errors="raise")


def test_a_table_in_the_time_of_a_zone_is_read_through_the_changes_of_the_clocks():
    def trace(night: list[tuple[str, int]]) -> CgmTrace:
        frame = pd.DataFrame(night, columns=["time", "glucose_mg_dl"])
        return CgmTrace.from_frame(frame.assign(time=pd.to_datetime(frame.time)), zone=BERLIN)

    for night in (AUTUMN_NIGHT, AUTUMN_NIGHT[::-1]):
        assert trace(night).glucose_mg_dl.tolist() == PASSES
    spring = trace(quarters(SPRING, (1, 95), (2, 128), (3, 171)))
    assert spring.glucose_mg_dl.tolist() == [95] * 3 + [171] * 3
    assert [time for time, _ in rows(spring)][3] == f"{SPRING}T03:00:00"
    assert [row for row, _ in spring.skipped] == [3, 4, 5]


def test_a_fold_selects_the_pass_of_a_doubled_hour():
    time = datetime.fromisoformat(f"{AUTUMN}T02:30")
    trace = CgmTrace.from_readings([(time.replace(fold=1), 99), (time, 88)], zone=BERLIN)
    assert trace.glucose_mg_dl.tolist() == [88, 99]
    assert np.diff(trace.utc_s).tolist() == [3600]


def test_millimoles_without_their_unit_are_refused_where_all_are_too_low_for_milligrams():
    with pytest.raises(InputError, match=r"^unit must be mmol/L, because all 4 readings are below"):
        CgmTrace.from_frame(table([21.5, 24.0, 23.1, 22.7]))
    assert len(CgmTrace.from_frame(table([21.5, 24.0, 23.1, 45]))) == 4
