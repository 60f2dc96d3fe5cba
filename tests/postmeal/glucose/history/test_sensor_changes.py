"""Where the sensor was changed: as the export says, after a gap, or where the level changes."""

import json

import numpy as np
import pytest
from export_files import CLARITY, egv

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.exports import read_export
from postmeal.glucose.history.sensor_changes import sensor_changes, sensor_numbers

DAY_S = 86400.0


def trace_of(days, *, gaps=(), jump_day=None, jump=0.0, changed=()):
    """Readings every 15 min with noise; gaps as (day, hours)."""
    chance = np.random.default_rng(4)
    time = np.arange(0, days * DAY_S, 900.0)
    glucose = 110 + 12 * np.sin(time / 7000) + chance.normal(0, 3, len(time))
    if jump_day is not None:
        glucose += jump * (time >= jump_day * DAY_S)
    for day, hours in gaps:
        kept = (time < day * DAY_S) | (time >= day * DAY_S + hours * 3600)
        time, glucose = time[kept], glucose[kept]
    return CgmTrace(time, np.zeros(len(time)), glucose, np.array(changed))


@pytest.mark.parametrize("days", [1, 5, 14])
def test_a_steady_trace_has_no_changes(days):
    assert sensor_changes(trace_of(days)).tolist() == []


def test_no_readings_have_no_changes():
    assert sensor_changes(CgmTrace.of([], [], [])).tolist() == []
    assert sensor_changes(CgmTrace.of([0], 0, [100])).tolist() == []


def test_a_new_sensor_warms_up_for_an_hour_or_two():
    found = sensor_changes(trace_of(14, gaps=[(10, 2)]))
    assert found.tolist() == [10 * DAY_S + 2 * 3600]
    assert sensor_changes(trace_of(14, gaps=[(10, 0.5)])).tolist() == []


def test_gaps_that_follow_soon_are_gaps_of_one_sensor():
    found = sensor_changes(trace_of(14, gaps=[(1, 2), (4, 2), (5, 3), (6, 2), (8, 2)]))
    assert (found / DAY_S).round(1).tolist() == [4.1, 8.1]


def test_a_known_change_takes_the_place_of_the_gaps_around_it():
    found = sensor_changes(trace_of(14, gaps=[(4, 2), (6, 2), (10, 2)], changed=[5 * DAY_S]))
    assert (found / DAY_S).round(1).tolist() == [5.0, 10.1]


def test_a_change_of_the_level_is_a_change_of_the_sensor():
    found = sensor_changes(trace_of(8, jump_day=5, jump=-20.0))
    assert found.tolist() == [5 * DAY_S]
    assert sensor_changes(trace_of(8, jump_day=5, jump=-1.0)).tolist() == []
    assert sensor_changes(trace_of(8, jump_day=7, jump=-20.0)).tolist() == []  # one day says little


def test_sensors_are_numbered_as_they_occur():
    changes = np.array([2.0, 4.0, 6.0]) * DAY_S
    times = np.array([0.5, 1.0, 2.0, 6.5]) * DAY_S
    assert sensor_numbers(times, changes).tolist() == [0, 0, 1, 2]
    assert sensor_numbers(times, np.empty(0)).tolist() == [0, 0, 0, 0]


def test_a_new_transmitter_in_a_clarity_export_is_a_known_change(tmp_path):
    rows = [egv(f"2026-05-0{day}T08:00:00", 100, "", "8AAA00") for day in (1, 2, 3)]
    rows += [egv(f"2026-05-0{day}T08:00:00", 100, "", "8BBB11") for day in (4, 5)]
    path = tmp_path / "clarity.csv"
    path.write_text("\n".join([CLARITY, *rows]))
    trace = read_export(path, "UTC").trace
    assert trace.changed_s.tolist() == [trace.utc_s[3]]


def test_sensor_starts_logged_in_nightscout_are_known_changes(tmp_path):
    first = 1_777_600_000
    entries = [{"type": "sgv", "sgv": 100, "date": (first + n * 300) * 1000} for n in range(9)]
    events: list[dict] = [
        {"eventType": kind, "created_at": f"2026-05-01T0{hour}:10:00Z", "carbs": None}
        for kind, hour in (("Sensor Start", 2), ("Sensor Change", 1), ("Note", 2))
    ]
    events.append({"eventType": "Meal Bolus", "created_at": "2026-05-01T02:00:00Z", "carbs": 30})
    paths = [tmp_path / "entries.json", tmp_path / "treatments.json", tmp_path / "both.json"]
    for path, content in zip(paths, (entries, events, [*entries, *events]), strict=True):
        path.write_text(json.dumps(content))
    trace = read_export(paths[2]).trace
    assert trace.utc_s[0] == first
    start = 1_777_601_400.0  # 02:10 UTC; 01:10 is before the first reading
    assert trace.changed_s.tolist() == [start - 3600, start]
    assert sensor_changes(trace).tolist() == [start]
    assert read_export(paths[:2]).trace.changed_s.tolist() == trace.changed_s.tolist()
    assert sensor_changes(read_export(paths[2], "Europe/Berlin").trace).tolist() == [start]
