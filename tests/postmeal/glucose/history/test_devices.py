"""Devices in exports: their names, and their counters, which separate the two passes of an hour."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from export_files import BERLIN, CLARITY, egv, libre, libre_head, rows

from postmeal.glucose.history.exports import Export, read_export

IN_CZECH = CLARITY.replace("Event Type", "Typ události")


@pytest.fixture
def read(tmp_path: Path):
    def read(*lines: str, head: str = CLARITY, zone: str | None = None) -> Export:
        path = tmp_path / "export.csv"
        path.write_text("\n".join([head, *lines]))
        return read_export(path, zone)

    return read


def utc(export: Export) -> list[str]:
    return [f"{datetime.fromtimestamp(time, UTC):%H:%M}" for time in export.trace.utc_s]


def test_the_source_of_the_readings_names_the_device_where_no_row_does(read):
    row = egv("2026-05-01T08:00:00", 101)
    assert read(row).device == "iPhone G6"
    assert read(row, row.replace("iPhone G6", "android")).device == "iPhone G6"
    assert read(row.replace("iPhone G6", "")).device is None
    named = ["2,,Device,,,Dexcom G6,,,,,,,", "3,,Device,,,Dexcom G7,,,,,,,"]
    assert read(*named, row).device == "Dexcom G6"


def test_the_device_of_libreview_is_that_of_the_first_row(tmp_path):
    first, second = libre("05-31-2026 08:00 AM", 0, 95), libre("05-31-2026 08:15 AM", 0, 99)
    other = second.replace("FreeStyle LibreLink", "LibreReader")
    path = tmp_path / "export.csv"
    path.write_text("\n".join([libre_head(), first, other]))
    assert read_export(path).device == "FreeStyle LibreLink"
    path.write_text("\n".join([libre_head(), other, first]))
    assert read_export(path).device == "LibreReader"
    path.write_text("\n".join([libre_head(), first.replace("FreeStyle LibreLink", "")]))
    assert read_export(path).device is None


def test_other_events_of_clarity_are_no_readings_even_with_a_counter(read):
    row = "12,2026-05-01T08:03:00,Calibration,,,,iPhone G6,250,,,,,900,8AAA00"
    export = read(egv("2026-05-01T08:00:00", 101, 720), row)
    assert rows(export.trace) == [("2026-05-01T08:00:00", 101)]


def test_in_english_food_is_what_is_called_so_and_in_other_languages_what_has_carbohydrate(read):
    reading = egv("2026-05-01T08:00:00", 101, 720)
    row = "12,2026-05-01T08:03:00,{},,,,iPhone G6,,2,45,,,,"
    assert read(reading, row.format("Insulin")).meals.utc_s.tolist() == []
    for head, event in ((CLARITY, "Carbs"), (IN_CZECH, "Sacharidy")):
        found = read(reading, row.format(event), head=head)
        assert found.meals.macronutrients[:, 0].tolist() == [45]
        assert len(found.trace) == 1


def test_a_counter_shows_that_a_reading_is_of_the_second_pass_of_an_hour(read):
    """65 minutes passed from 01:58 to 02:03, so it is 02:03 for the second time."""
    before = egv("2026-10-25T01:58:30", 100, 1000)
    after = egv("2026-10-25T02:03:30", 140, 1000 + 65 * 60)
    assert utc(read(before, after, zone=BERLIN)) == ["23:58", "01:03"]
    soon = egv("2026-10-25T02:03:30", 140, 1000 + 5 * 60)
    assert utc(read(before, soon, zone=BERLIN)) == ["23:58", "00:03"]
    unknown = egv("2026-10-25T02:03:30", 140, "")
    assert utc(read(before, unknown, zone=BERLIN)) == ["23:58", "00:03"]


def test_counters_of_two_transmitters_are_not_compared(read):
    before = egv("2026-10-25T01:58:30", 100, 1000, "8AAA00")
    after = egv("2026-10-25T02:03:30", 140, 1000 + 65 * 60, "8BBB11")
    assert utc(read(before, after, zone=BERLIN)) == ["23:58", "00:03"]
