"""Export files of CGM makers: read as their publishers write them."""

import json
import math
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from export_files import BERLIN, CLARITY, SIDIARY, egv, libre, libre_head, rows

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.exports import Export, read_export
from postmeal.units import MG_DL_PER_MMOL_L

CLARITY_IN_CZECH = (
    '"Obsah";"Časové razítko (RRRR-MM-DDThh:mm:ss)";"Typ události";"Podtyp události";'
    '"Údaje pacienta";"Informace o zařízení";"ID zdrojového zařízení";"Hodnota glukózy (mmol/L)";'
    '"Hodnota inzulinu (j)";"Hodnota sacharidů (gramů)";"Trvání (hh:mm:ss)";'
    '"Rychlost změny glukózy (mmol/L/min)";"Čas vysílače (Dlouhá celočíselná hodnota)";'
    '"ID vysílače"'
)


@pytest.fixture
def write(tmp_path: Path):
    def write(*lines: str, encoding: str = "utf-8", end: str = "\r\n") -> Path:
        path = tmp_path / "export.csv"
        path.write_bytes(end.join([*lines, ""]).encode(encoding))
        return path

    return write


def utc(export: Export) -> list[str]:
    return [f"{datetime.fromtimestamp(one, UTC):%H:%M:%S}" for one in export.trace.utc_s]


def czech(time, event, kind="", glucose="", device="", duration="", counter="") -> str:
    fields = ("7", time, event, kind, "", device, "android G7", glucose, "", "", duration, "")
    return ";".join(f'"{field}"' for field in (*fields, counter, ""))


def test_clarity_gives_its_readings_and_logged_carbohydrate(write):
    export = read_export(
        write(
            CLARITY,
            "1,,FirstName,,Ann,,,,,,,,",
            "2,,Device,,,Dexcom G6 Mobile App,iPhone G6,,,,,,",
            "3,,Alert,High,,,iPhone G6,200,,,,,",
            egv("2026-05-01T08:00:10", 101),
            "10,2026-05-01T08:02:00,Carbs,,,,iPhone G6,,,45,,,",
            "11,2026-05-01T08:02:30,Insulin,Fast-Acting,,,iPhone G6,,2,,,,",
            "12,2026-05-01T08:03:00,Calibration,,,,iPhone G6,250,,,,,,8AAA00",
            egv("2026-05-01 08:05:10", 105.0),
        ),
        BERLIN,
    )
    assert rows(export.trace) == [("2026-05-01T08:00:10", 101), ("2026-05-01T08:05:10", 105)]
    assert utc(export) == ["06:00:10", "06:05:10"]
    assert (export.format, export.device) == ("Dexcom Clarity", "Dexcom G6 Mobile App")
    assert (export.skipped, export.has_offsets) == ((), True)
    carbs_g, *others = export.meals.macronutrients[0]
    assert carbs_g == 45
    assert all(math.isnan(one) for one in others)


def test_low_and_high_are_the_ends_of_the_sensors_range(write):
    low, high = egv("2026-05-01T08:00:00", "Low"), egv("2026-05-01T08:05:00", "High")
    assert read_export(write(CLARITY, low, high)).trace.glucose_mg_dl.tolist() == [40, 400]


def test_clarity_in_another_language_is_read_by_position(write):
    """As a Czech account writes it: quoted, with semicolons, decimal commas and a mark in front."""
    export = read_export(
        write(
            CLARITY_IN_CZECH,
            czech("", "Zařízení", device="Dexcom G7"),
            czech("", "Výstraha", "Vysoká", "11,1"),
            czech("2026-05-01T08:00:00", "Odhadovaná hodnota glukózy", "", "7,5", counter="300"),
            czech("2026-05-01T08:05:00", "Odhadovaná hodnota glukózy", "", "Nízká", counter="600"),
            czech("2026-05-01T09:00:00", "Aktivita", duration="01:00:00"),
            encoding="utf-8-sig",
        )
    )
    assert export.trace.glucose_mg_dl.tolist() == [7.5 * MG_DL_PER_MMOL_L, 40]
    assert (export.device, export.skipped) == ("Dexcom G7", ())


def test_clarity_interleaves_a_repeated_hour_and_its_counter_tells_the_passes_apart(write):
    first, again = range(3), range(3)
    lines = [egv("2026-10-25T01:58:30", 100, 1000)]
    for n in first:
        lines.append(egv(f"2026-10-25T02:{3 + 5 * n:02}:30", 110 + n, 1300 + 300 * n))
        lines.append(egv(f"2026-10-25T02:{3 + 5 * n:02}:30", 140 + n, 4900 + 300 * n))
    export = read_export(write(CLARITY, *reversed(lines[1:]), lines[0]), BERLIN)
    times = ["23:58:30", *(f"00:{3 + 5 * n:02}:30" for n in first)]
    times += [f"01:{3 + 5 * n:02}:30" for n in again]
    assert utc(export) == times
    assert export.trace.glucose_mg_dl.tolist() == [100, 110, 111, 112, 140, 141, 142]


def test_without_a_zone_times_are_those_of_the_clock(write):
    export = read_export(write(CLARITY, egv("2026-10-25T02:30:00", 100)))
    assert rows(export.trace) == [("2026-10-25T02:30:00", 100)]
    assert not export.has_offsets


@pytest.mark.parametrize(
    ("made", "morning", "evening"),
    [
        ("05-31-2026 09:00 AM UTC", "05-03-2026 08:15 AM", "05-03-2026 12:15 PM"),
        ("31-05-2026 09:00 UTC", "03-05-2026 08:15", "03-05-2026 12:15"),
        ("31.05.2026 09:00 UTC", "03.05.2026 08:15", "03.05.2026 12:15"),
        ("2026-05-31 09:00 UTC", "2026/05/03 08:15", "2026/05/03 12:15"),
    ],
)
def test_libreview_writes_days_and_hours_as_the_account_is_set(write, made, morning, evening):
    """The file's own date tells the order where no row does."""
    export = read_export(write(libre_head(made), libre(morning, 0, 95), libre(evening, 1, "", 140)))
    assert rows(export.trace) == [("2026-05-03T08:15:00", 95), ("2026-05-03T12:15:00", 140)]
    assert (export.format, export.device) == ("LibreView", "FreeStyle LibreLink")


def test_midnight_and_noon_are_twelve_o_clock(write):
    times = ["05-31-2026 12:10 AM", "05-31-2026 12:10\u202fPM"]
    export = read_export(write(libre_head(), *(libre(time, 0, 95) for time in times)))
    assert [time for time, _ in rows(export.trace)] == [
        "2026-05-31T00:10:00",
        "2026-05-31T12:10:00",
    ]


def test_a_libreview_file_that_does_not_tell_the_order_of_its_dates_asks_for_it(write):
    path = write(libre_head("03-04-2026 09:00 UTC"), libre("03-04-2026 08:15", 0, 95))
    with pytest.raises(InputError, match=r"day_first is required because .* is ambiguous"):
        read_export(path)
    for day_first, day in ((True, "2026-04-03"), (False, "2026-03-04")):
        export = read_export(path, day_first=day_first)
        assert rows(export.trace) == [(f"{day}T08:15:00", 95)]


def test_a_libreview_file_in_both_orders_is_refused_with_both_lines(write):
    path = write(libre_head(), libre("13-04-2026 08:15", 0, 95))
    with pytest.raises(
        InputError, match="line 3 has the day first, but line 1 has the month first"
    ):
        read_export(path)


def test_libreview_food_is_read_and_other_records_are_ignored(write):
    export = read_export(
        write(
            libre_head(unit="mmol/L"),
            libre("05-31-2026 08:00 AM", 0, "5.4"),
            libre("05-31-2026 08:05 AM", 5, carbs=60),
            libre("05-31-2026 01:00 PM", 5),
            libre("05-31-2026 08:10 AM", 6),
            libre("05-31-2026 08:10 AM", 4),
        )
    )
    assert export.trace.glucose_mg_dl.tolist() == [5.4 * MG_DL_PER_MMOL_L]
    assert export.meals.macronutrients[0, 0] == 60
    assert np.isnan(export.meals.macronutrients[1]).all()
    assert export.skipped == ()


def test_libreview_groups_rows_so_time_steps_back_between_groups_only(write):
    """A scan group that begins again at 02:20 is no second pass of the repeated hour."""
    historic = [libre(f"25-10-2026 {time}", 0, 95) for time in ("02:15", "02:45", "02:00", "02:30")]
    scans = [libre(f"25-10-2026 {time}", 1, "", 99) for time in ("02:20", "02:50")]
    export = read_export(write(libre_head("26-10-2026 09:00 UTC"), *historic, *scans), BERLIN)
    assert utc(export) == [
        f"{time}:00" for time in ("00:15", "00:20", "00:45", "00:50", "01:00", "01:30")
    ]


def test_xdrip_gives_readings_then_treatments(write):
    export = read_export(
        write(
            SIDIARY,
            "31.05.2026;08:00;101;;;;",
            "31.05.2026;08:05;105;;;;",
            "31.05.2026;08:01;;110;;;",
            '31.05.2026;08:02;;;45.0;2.5;a 5" roll; with butter',
            "31.05.2026;09:00;;;;1;",
            end="\n",
        ),
        ZoneInfo(BERLIN),
    )
    assert rows(export.trace) == [("2026-05-31T08:00:00", 101), ("2026-05-31T08:05:00", 105)]
    assert export.meals.macronutrients[:, 0].tolist() == [45]
    assert (export.format, export.device, export.skipped) == ("xDrip+", None, ())


def test_xdrip_ascends_so_a_step_back_begins_the_second_pass(write):
    times = ["01:55", "02:10", "02:50", "02:05", "02:10", "03:00"]
    lines = [f"25.10.2026;{time};{100 + at};;;;" for at, time in enumerate(times)]
    export = read_export(write(SIDIARY, *lines), BERLIN)
    assert utc(export) == ["23:55:00", "00:10:00", "00:50:00", "01:05:00", "01:10:00", "02:00:00"]
    assert export.trace.glucose_mg_dl.tolist() == [100, 101, 102, 103, 104, 105]


def test_the_zip_that_xdrip_writes_is_opened(tmp_path):
    path = tmp_path / "exportCSV20260531-080000.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("export20260531-080000.csv", f"{SIDIARY}\n31.05.2026;08:00;101;;;;\n")
    assert len(read_export(path).trace) == 1
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("another.csv", SIDIARY)
    with pytest.raises(
        InputError, match="file must contain exactly one CSV file if it is a zip archive, got 2"
    ):
        read_export(path)


def nightscout(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "entries.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_nightscout_gives_its_entries_and_its_treatments(tmp_path):
    start = datetime(2026, 5, 1, 8, tzinfo=UTC)
    entry = {
        "type": "sgv",
        "sgv": 101,
        "date": 1000 * start.timestamp(),
        "device": "xDrip-DexcomG5",
    }
    content = {
        "entries": [
            entry | {"date": entry["date"] + 300_000, "sgv": "105", "utcOffset": 120},
            entry | {"utcOffset": 120, "dateString": "2026-05-01T08:00:00.000Z"},
            {"type": "mbg", "mbg": 110, "date": entry["date"]},
            {"type": "cal", "slope": 1, "date": entry["date"]},
        ],
        "treatments": [
            {"eventType": "Carb Correction", "carbs": 30, "created_at": "2026-05-01T08:01:00.000Z"},
            {"eventType": "Meal Bolus", "carbs": 20, "protein": 5, "mills": entry["date"]},
            {"eventType": "Temp Basal", "carbs": None, "created_at": "2026-05-01T08:01:00Z"},
            {"eventType": "Correction Bolus", "insulin": 1, "carbs": 0},
        ],
    }
    export = read_export(nightscout(tmp_path, content))
    assert rows(export.trace) == [("2026-05-01T10:00:00", 101), ("2026-05-01T10:05:00", 105)]
    assert utc(export) == ["08:00:00", "08:05:00"]
    assert (export.format, export.device) == ("Nightscout", "xDrip-DexcomG5")
    assert (export.skipped, export.has_offsets) == ((), True)
    assert export.meals.macronutrients[:, 0].tolist() == [30, 20]
    assert export.meals.macronutrients[1, 2] == 5
    there = read_export(nightscout(tmp_path, content["entries"]), "Asia/Tokyo")
    assert rows(there.trace)[0][0] == "2026-05-01T17:00:00"


@pytest.mark.parametrize(
    "said",
    [
        {"utcOffset": 120, "dateString": "2026-05-01T08:00:00Z", "date": 1777622400000},
        {"dateString": "2026-05-01T10:00:00.000+0200", "date": 1777622400000},
        {"created_at": "2026-05-01T10:00:00+02:00"},
        {"utcOffset": 120, "created_at": "2026-05-01T08:00:00Z"},
        {"utcOffset": "120", "mills": "1777622400000"},
    ],
)
def test_nightscout_tells_a_moment_and_its_clock_in_several_ways(tmp_path, said):
    export = read_export(nightscout(tmp_path, [{"type": "sgv", "sgv": 101} | said]))
    assert (rows(export.trace), utc(export)) == ([("2026-05-01T10:00:00", 101)], ["08:00:00"])


def test_every_real_clarity_file_gives_what_the_training_loader_reads(shared_data):
    from postmeal.training.datasets import load_data_set

    folder = shared_data / "cgm" / "bigideas"
    loaded = load_data_set("bigideas", folder).readings
    for person, own in loaded.groupby("person"):
        export = read_export(folder / person / f"Dexcom_{person}.csv")
        expected = CgmTrace.from_readings(zip(own.time, own.glucose_mg_dl, strict=True))
        assert export.trace.utc_s.tolist() == expected.utc_s.tolist()
        assert export.trace.glucose_mg_dl.tolist() == expected.glucose_mg_dl.tolist()
        assert export.skipped == ()
        assert export.device in ("Dexcom G6 Mobile App", "Dexcom Receiver with G6")


def test_twenty_thousand_readings_are_read(write):
    start = datetime(2025, 6, 1)
    times = (start + timedelta(minutes=5 * n) for n in range(20_000))
    lines = [
        egv(f"{time:%Y-%m-%dT%H:%M:%S}", 80 + at % 99, 300 * at) for at, time in enumerate(times)
    ]
    export = read_export(write(CLARITY, *lines), BERLIN)
    assert len(export.trace) == 20_000
    assert set(np.diff(export.trace.utc_s)) == {300.0}
