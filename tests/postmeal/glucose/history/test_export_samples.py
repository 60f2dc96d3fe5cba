"""Exports of many apps: those that are read give their counts, the others are refused by name."""

import json
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from export_files import BERLIN, CLARITY, egv, rows

from postmeal.errors import InputError
from postmeal.glucose.history.exports import FORMATS, read_export

READ = [
    "dexcom_clarity_mgdl.csv",
    "dexcom_clarity_mmol.csv",
    "dexcom_clarity_resaved.csv",
    "dexcom_studio_tab.txt",
    "libreview_de.csv",
    "libreview_eu_slash_bom.csv",
    "libreview_fr.csv",
    "libreview_libre3.csv",
    "libreview_resaved_excel.csv",
    "libreview_uk.csv",
    "libreview_us.csv",
    "libreview_us_clinic.csv",
    "nightscout_entries.csv",
    "nightscout_entries.json",
    "nightscout_exporter.csv",
    "nightscout_treatments.json",
    "xdrip_exportCSV20250408-090000.zip",
    "xdrip_sidiary.csv",
]
REFUSED = {
    "apple_health_mgdl.xml": "Apple Health",
    "apple_health_mmol.xml": "Apple Health",
    "cronometer_servings.csv": "Cronometer",
    "eetmeter.xml": "Eetmeter",
    "glooko_carbs.csv": "Glooko",
    "glooko_cgm_de.csv": "Glooko",
    "glooko_cgm_mgdl.csv": "Glooko",
    "glooko_cgm_mmol.csv": "Glooko",
    "levels.csv": "Levels",
    "libre_desktop.csv": "FreeStyle Libre desktop",
    "libre_table.xlsx": "FreeStyle Libre desktop",
    "medtronic_carelink.csv": "Medtronic CareLink",
    "medtronic_ipro.xlsx": "Medtronic iPro",
    "myfitnesspal_meals.csv": "MyFitnessPal",
    "mysugr_da.csv": "mySugr",
    "mysugr_en.csv": "mySugr",
    "nutrisense.csv": "Nutrisense",
    "tidepool.csv": "Tidepool",
    "tidepool.json": "Tidepool",
    "tidepool.xlsx": "Tidepool",
}
DESCRIBED = {  # tables of nobody's app
    "cleaned_three_columns.csv": "a CSV file with the columns subjectid, timestamp, sensorglucose",
    "food_diary.xlsx": "an xlsx workbook with the sheets Sheet1 and the cells Date, Time, Meal",
    "notes_activity_bom.csv": "a CSV file with the columns Start, End, Activity, Comment",
    "notes_activity_ctrl.csv": "a CSV file with the columns Start, End, Activity, Comment",
    "notes_semicolon.csv": "a CSV file with the columns timestamp, note, details",
}
DAY_FIRST = {  # the valid dates of these samples do not show the order of day and month
    "libreview_de.csv": True,
    "libreview_eu_slash_bom.csv": True,
    "libreview_fr.csv": True,
    "libreview_libre3.csv": True,
    "libreview_resaved_excel.csv": False,
    "libreview_uk.csv": True,
    "libreview_us.csv": False,
    "libreview_us_clinic.csv": False,
}
ACCEPTED = "Dexcom Clarity, LibreView, xDrip+, Nightscout"


def line_of(place: dict[str, object]) -> int:
    """Line of an unreadable row; records of JSON are counted from 0 there, and from 1 here."""
    return place["line"] if "line" in place else place["record"] + 1


def test_every_sample_is_read_or_refused(export_samples):
    names = {one.name for one in export_samples.iterdir()} - {"README.md", "expected.json"}
    assert names == {*READ, *REFUSED, *DESCRIBED}


@pytest.mark.parametrize("name", READ)
def test_a_sample_gives_its_counts(export_samples, name):
    """Fingersticks are left out; a reading beyond the range counts as the range's end."""
    expected = json.loads((export_samples / "expected.json").read_text(encoding="utf-8"))[name]
    export = read_export(export_samples / name, BERLIN, day_first=DAY_FIRST.get(name))
    glucose = export.trace.glucose_mg_dl
    kinds, beyond = expected["by_kind"], expected["out_of_range_words"]
    sensor = kinds.get("cgm", 0) + kinds.get("scan", 0)
    assert export.n_readings == sensor + sum(beyond.values())
    assert (glucose == 400).sum() == beyond["high"]
    assert np.nansum(export.meals.macronutrients[:, 0]) == expected["total_carbs_g"]
    assert (export.meals.macronutrients[:, 0] > 0).sum() == expected["carb_entries"]
    unreadable = [line for line, reason in export.skipped if "at the same time" not in reason]
    assert unreadable == [line_of(one) for one in expected["unreadable"]]
    scans = [reason for _, reason in export.skipped if "at the same time" in reason]
    assert all(reason.endswith("the stored reading is used") for reason in scans)
    # Three scans in each LibreView sample have the minute of a stored reading.
    assert export.n_readings - len(glucose) == (3 if export.format == "LibreView" else 0)
    if kinds == {"cgm": sensor} and not sum(beyond.values()):
        assert glucose.mean() == pytest.approx(expected["mean_mgdl"], abs=0.2)
        times = [time for time, _ in rows(export.trace)]
        assert [times[0], times[-1]] == [expected["first_local"], expected["last_local"]]


@pytest.mark.parametrize("name", DAY_FIRST)
def test_the_impossible_date_of_a_sample_does_not_decide_the_order_of_its_dates(
    export_samples, name
):
    with pytest.raises(InputError, match="order of day and month is ambiguous"):
        read_export(export_samples / name)


@pytest.mark.parametrize("name", REFUSED)
def test_a_sample_of_another_app_is_refused_by_name(export_samples, name):
    with pytest.raises(InputError) as refusal:
        read_export(export_samples / name)
    said = f"file is an export of {REFUSED[name]}, which is not supported; supported formats: "
    assert str(refusal.value) == said + ACCEPTED


@pytest.mark.parametrize("name", DESCRIBED)
def test_a_sample_of_an_unknown_app_is_refused_with_a_description(export_samples, name):
    with pytest.raises(InputError) as refusal:
        read_export(export_samples / name)
    named = "this" if name.endswith(".xlsx") else name
    assert f"{ACCEPTED}; {named} is {DESCRIBED[name]}" in str(refusal.value)


def written(folder: Path, text: str) -> Path:
    path = folder / "export"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("app", "text"),
    [
        ("mySugr", '"Datum","Zeit","Tags","Blutzuckermessung (mg/dL)","Bolus","Basal"\n'),
        ("Glooko", "Name:A. Person, Date Range:2026-05-01 - 2026-05-03\nTimestamp,Glucose\n"),
        ("Medtronic CareLink", "Last Name;First Name;Patient ID;System ID\nA;B;;\n"),
        ("Nutrisense", "class,value,time,length,photo_url,description\n"),
        ("Levels", "Levels,A. Person,,\nTime (UTC),Time (Local),Glucose Reading (mg/dL)\n"),
        ("Tidepool", '[{"type": "cbg", "deviceTime": "2026-05-01T08:00:00", "value": 5.5}]'),
        ("Tidepool", '[\n  {\n    "type": "upload",\n    "deviceTime": null\n  }\n]'),
        ("Tidepool", "jsonRowIndex,annotations,deviceTime,carbInput\n1,,,\n"),
        ("Apple Health", '<?xml version="1.0"?>\n<HealthData locale="en_US">\n</HealthData>'),
    ],
)
def test_an_error_names_another_app_but_no_person(tmp_path, app, text):
    with pytest.raises(
        InputError, match=f"file is an export of {app}, which is not supported"
    ) as refusal:
        read_export(written(tmp_path, text))
    assert "Person" not in str(refusal.value)


def test_a_workbook_is_described_by_its_sheets_and_cells(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "My & days"
    book.active.append(["When", "Sugar"])
    book.save(tmp_path / "export.xlsx")
    with pytest.raises(InputError, match="xlsx workbook with the sheets My & days and the cells "):
        read_export(tmp_path / "export.xlsx")
    book.create_sheet("cbg")
    book.create_sheet("smbg")
    book.save(tmp_path / "export.xlsx")
    with pytest.raises(InputError, match="file is an export of Tidepool, which is not supported"):
        read_export(tmp_path / "export.xlsx")


@pytest.mark.parametrize(
    ("member", "said"),
    [
        (
            "export20260531-080000.sqlite",
            "file is an export of xDrip\\+ \\(its database\\), which is not",
        ),
        (
            "apple_health_export/export.xml",
            "file is an export of Apple Health, which is not supported",
        ),
        (
            "notes.txt",
            "file must contain exactly one CSV .*, got 0; .*: this is a zip archive of notes.txt",
        ),
    ],
)
def test_a_zip_archive_without_a_csv_file_is_described_by_its_files(tmp_path, member, said):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, "x")
    with pytest.raises(InputError, match=said.replace(": this", ".*; this")):
        read_export(path)


@pytest.mark.parametrize(
    ("start", "look"),
    [(b"SQLite format 3\0", "an SQLite database"), (b"%PDF-1.7", "a PDF document")],
)
def test_a_binary_file_is_described_by_its_kind(tmp_path, start, look):
    path = tmp_path / "export"
    path.write_bytes(start + bytes(100))
    with pytest.raises(InputError, match=f"file must be a text file .*; export is {look}"):
        read_export(path)


def test_a_file_of_which_no_row_can_be_read_is_an_error_with_the_first_reason(tmp_path):
    """Before, a file of 1961 was a success with no reading, and its dates had a wrong form."""
    lines = [egv(f"1961-04-12T0{hour}:00:00", 101) for hour in range(8)]
    with pytest.raises(InputError) as refusal:
        read_export(written(tmp_path, "\n".join([CLARITY, *lines])))
    said = str(refusal.value)
    assert said.startswith("file must contain a readable row; export is in the format of")
    reason = "time must be in the years 1971 to 2199, got '1961-04-12T00:00:00'"
    assert said.endswith(f"Dexcom Clarity, and all 8 rows were skipped; line 2: {reason}")


@pytest.mark.parametrize(
    ("text", "look"),
    [
        (CLARITY, "a CSV file with the columns Index, Timestamp"),
        ('[{"eventType": "Temp Basal", "rate": 0.5}]', "a JSON list of objects with the keys ev"),
        ("[]", "an empty JSON list"),
        ('{"entries": []}', "a JSON object with the keys entries"),
    ],
)
def test_a_file_without_a_reading_or_food_is_an_error(tmp_path, text, look):
    with pytest.raises(InputError) as refusal:
        read_export(written(tmp_path, text))
    assert str(refusal.value).startswith(
        "file must contain readings or food in one of these formats"
    )
    assert f"; export is {look}" in str(refusal.value)


@pytest.mark.parametrize("form", ["{month}/{day}/26 {hour}:00", "{day}.{month}.2026 {hour}:00:00"])
def test_clarity_saved_by_a_spreadsheet_is_read_if_a_day_above_twelve_shows_the_order(
    tmp_path, form
):
    lines = [egv(form.format(day=day, month=5, hour=7), 90 + day) for day in (12, 13)]
    export = read_export(written(tmp_path, "\n".join([CLARITY, *lines])))
    assert rows(export.trace) == [("2026-05-12T07:00:00", 102), ("2026-05-13T07:00:00", 103)]


def test_clarity_saved_by_a_spreadsheet_without_a_day_above_twelve_needs_day_first(tmp_path):
    path = written(tmp_path, "\n".join([CLARITY, egv("5/4/26 7:00", 101)]))
    with pytest.raises(
        InputError, match="day_first is required because the order of day and month"
    ):
        read_export(path)
    assert rows(read_export(path, day_first=False).trace) == [("2026-05-04T07:00:00", 101)]
    assert rows(read_export(path, day_first=True).trace) == [("2026-04-05T07:00:00", 101)]


def test_treatments_whose_carbohydrate_is_not_a_number_are_reported(tmp_path):
    good = {"carbs": 20, "created_at": "2026-05-01T08:01:00Z"}
    export = read_export(written(tmp_path, json.dumps([good, good | {"carbs": "some"}])))
    assert len(export.meals) == 1
    assert [line for line, _ in export.skipped] == [2]


def test_entries_and_treatments_of_nightscout_are_read_as_one(tmp_path):
    start = 1777622400000
    entries, treatments = tmp_path / "entries.json", tmp_path / "treatments.json"
    readings = [{"sgv": 90 + n, "date": start + 300_000 * n, "device": "share2"} for n in range(3)]
    entries.write_text(json.dumps([*readings, {"sgv": 100}]))
    meal = {"carbs": 20, "created_at": "2026-05-01T08:01:00Z"}
    treatments.write_text(json.dumps([meal, meal, {"carbs": "some"} | meal | {"carbs": -1}]))
    export = read_export([entries, treatments])
    assert export.trace.glucose_mg_dl.tolist() == [90, 91, 92]
    assert export.meals.macronutrients[:, 0].tolist() == [20]
    assert (export.format, export.device, export.has_offsets) == ("Nightscout", "share2", True)
    assert [(line, reason.split(" ")[-1]) for line, reason in export.skipped] == [
        (4, "(entries.json)"),
        (2, "(treatments.json)"),
        (3, "(treatments.json)"),
    ]
    again = read_export([entries, treatments, entries, treatments])
    assert again.trace.utc_s.tolist() == export.trace.utc_s.tolist()
    assert len(again.meals) == 1


def test_files_of_two_apps_are_not_mixed(tmp_path):
    clarity, nightscout = tmp_path / "one", tmp_path / "other"
    clarity.write_text("\n".join([CLARITY, egv("2026-05-01T08:00:00", 101)]))
    nightscout.write_text('[{"sgv": 100, "date": 1777622400000}]')
    with pytest.raises(
        InputError, match="must be exports of the same app, got 'Dexcom Clarity, Night"
    ):
        read_export([clarity, nightscout])
    with pytest.raises(InputError, match="files must contain at least one file"):
        read_export([])


def test_errors_list_the_accepted_formats():
    assert ", ".join(FORMATS) == ACCEPTED
