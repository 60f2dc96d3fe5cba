"""CGM traces: columns, units, order, duplicates, gaps and curves."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from days_by_hand import columns
from hypothesis import given
from hypothesis import strategies as st

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.units import MG_DL_PER_MMOL_L

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ROWS = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from([0, 3600]), st.floats(20, 600)), max_size=60
)


def trace(*readings: tuple[float, float]) -> CgmTrace:
    """Minutes and mg/dL."""
    return CgmTrace.of([60 * minute for minute, _ in readings], 0, [value for _, value in readings])


def of(rows: list[tuple[int, int, float]]) -> CgmTrace:
    return CgmTrace.of(*np.array(rows, dtype=float).reshape(-1, 3).T)


@given(ROWS, st.randoms())
def test_a_trace_is_the_same_to_the_last_bit_for_any_order(rows, random):
    """Row 467."""
    expected = columns(of(rows))
    random.shuffle(rows)
    assert columns(of(rows)) == expected


@given(ROWS)
def test_times_ascend_and_different_readings_of_one_moment_are_left_out(rows):
    made = of(rows)
    by_time = {time: [] for time, _, _ in rows}
    for time, offset, value in rows:
        by_time[time].append((value, offset))
    sure = {time: at for time, at in by_time.items() if len({value for value, _ in at}) == 1}
    assert made.utc_s.tolist() == sorted(sure)
    assert made.glucose_mg_dl.tolist() == [sure[time][0][0] for time in sorted(sure)]
    offsets = [min(offset for _, offset in sure[time]) for time in sorted(sure)]
    assert made.utc_offset_s.tolist() == offsets
    unsure = [row for row, (time, _, _) in enumerate(rows) if time not in sure]
    assert [row for row, _ in made.skipped] == unsure


def test_a_trace_keeps_no_hold_of_what_it_was_made_of():
    time, glucose = np.arange(3.0), np.full(3, 90.0)
    made = CgmTrace.of(time, 0, glucose)
    time[:], glucose[:] = 0, 0
    assert made.utc_s.tolist() == [0, 1, 2]
    assert made.glucose_mg_dl.tolist() == [90, 90, 90]


def test_millimoles_are_converted_at_the_edge():
    made = CgmTrace.from_readings([(NOON, 5.5)], unit="mmol/L")
    assert made.glucose_mg_dl.tolist() == [5.5 * MG_DL_PER_MMOL_L]
    with pytest.raises(InputError, match=r"cgm.unit must be one of: mg/dL, mmol/L; got 'mmol'"):
        CgmTrace.from_readings([(NOON, 5.5)], unit="mmol")


@pytest.mark.parametrize(
    ("value", "unit"),
    [(19.9, "mg/dL"), (600.1, "mg/dL"), (float("nan"), "mg/dL"), (1.1, "mmol/L"), (34, "mmol/L")],
)
def test_what_no_sensor_reads_is_refused_by_its_place(value, unit):
    """Row 287: 20 to 600 mg/dL."""
    normal = 100 if unit == "mg/dL" else 5.5
    with pytest.raises(InputError, match=r"^cgm_data\[1\].value must be .*600 mg/dL") as refusal:
        CgmTrace.of([0, 300], 0, [normal, value], "cgm_data", unit=unit)
    assert repr(value) in str(refusal.value)


def test_the_bounds_themselves_are_read():
    """Row 287."""
    assert trace((0, 20), (5, 600)).glucose_mg_dl.tolist() == [20, 600]
    CgmTrace.of([0, 1], 0, [1.12, 33.3], unit="mmol/L")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (([0, float("nan")], 0, [90, 90]), r"cgm\[1\].time"),
        (([0, 1e12], 0, [90, 90]), r"cgm\[1\].time"),
        (([0, 1], [0, 86400], [90, 90]), r"cgm\[1\].utc_offset_s"),
        (([0, 1], [0], [90, 90]), "cgm.utc_offset_s"),
        (([0, 1], 0, [90]), "cgm.value"),
        (([0, 1], 0, ["a", "b"]), "cgm.value"),
        (([[0, 1]], 0, [90, 90]), "cgm.time"),
    ],
)
def test_impossible_columns_are_refused_by_name(arguments, field):
    with pytest.raises(InputError, match=f"^{field} "):
        CgmTrace.of(*arguments)


@pytest.mark.parametrize("time", ["2026-05-01", date(2026, 5, 1), 1777.0, None, pd.NaT])
def test_a_time_that_is_no_datetime_is_refused(time):
    with pytest.raises(InputError, match=r"cgm\[0\].time must be a datetime, got "):
        CgmTrace.from_readings([(time, 90.0)])


def test_times_keep_their_own_offsets_unless_a_zone_replaces_them():
    tokyo = NOON.astimezone(timezone(timedelta(hours=9)))
    naive = datetime(2026, 5, 1, 12)
    assert CgmTrace.from_readings([(tokyo, 90)]).utc_offset_s.tolist() == [32400]
    assert columns(CgmTrace.from_readings([(naive, 90)])) == columns(
        CgmTrace.from_readings([(NOON, 90)])
    )
    berlin = ZoneInfo("Europe/Berlin")
    here = CgmTrace.from_readings([(tokyo, 90), (naive, 95)], zone=berlin)
    named = CgmTrace.from_readings([(tokyo, 90), (naive, 95)], zone="Europe/Berlin")
    assert columns(here) == columns(named)
    assert here.utc_offset_s.tolist() == [7200, 7200]
    assert here.utc_s.tolist() == [NOON.timestamp() - 7200, NOON.timestamp()]


def test_a_curve_lies_on_the_lines_between_readings():
    made = trace((0, 100), (10, 120), (20, 110), (30, 110))
    curves = made.curves([0, 300], minutes=[0, 5, 10, 15, 25])
    assert curves.tolist() == [[100, 110, 120, 115, 110], [110, 120, 115, 110, 110]]


def test_a_gap_stays_a_gap():
    made = trace((0, 100), (5, 100), (10, 100), (30, 120), (51, 120), (56, 120))
    curve = made.curves([0], minutes=[9, 20, 30, 40, 52, 57, -1])[0]
    assert np.isnan(curve).tolist() == [False, False, False, True, False, True, True]


def test_a_sensor_that_reads_every_15_minutes_may_miss_one_reading():
    made = trace(*((15 * n, 100.0) for n in range(20) if n != 7))
    assert np.isfinite(made.curves([0], minutes=[100, 105, 110])).all()
    assert np.isnan(
        trace(*((15 * n, 100.0) for n in range(20) if n not in (7, 8))).curves([0])
    ).any()


def test_no_readings_or_no_moments_give_no_curves():
    assert CgmTrace.of([], 0, []).curves([0.0]).shape == (1, len(GRID_MIN))
    assert np.isnan(trace((0, 90)).curves([0.0])).all()
    assert trace((0, 90), (5, 90)).curves([]).shape == (0, len(GRID_MIN))
    assert len(CgmTrace.from_readings([])) == 0


def test_the_last_reading_before_a_moment_is_at_most_15_minutes_old():
    made = trace((0, 90), (5, 95))
    assert [made.last_before(60 * minute) for minute in (-1, 0, 4, 5, 20, 20.1)] == [
        None,
        90,
        90,
        95,
        95,
        None,
    ]
