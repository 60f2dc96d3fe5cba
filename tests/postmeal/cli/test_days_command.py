"""The command `postmeal days`, from export and meal file to a table and an exit status."""

import json
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from export_files import CLARITY, egv

from postmeal.cli import main


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Seven days around a change of the clocks, of which the first was worn for 11 h 45 min."""
    start = datetime(2026, 10, 23, 12, 15)
    times = (start + timedelta(minutes=5 * n) for n in range(12 * 24 * 7))
    rows = [egv(f"{time:%Y-%m-%dT%H:%M:%S}", 90 + n % 40) for n, time in enumerate(times)]
    path = tmp_path / "clarity.csv"
    path.write_text("\n".join([CLARITY, *rows, egv("2026-10-30T13:00:00", "?")]))
    return path


@pytest.fixture
def meals(tmp_path: Path) -> Path:
    """Two meals on each of six days."""
    days = (datetime(2026, 10, 24) + timedelta(days=n) for n in range(6))
    rows = [f"{day:%Y-%m-%d}T{hour}:00,{what}" for day in days for hour, what in MEALS]
    path = tmp_path / "meals.csv"
    path.write_text("\n".join(["time,meal", *rows]))
    return path


NO_MEALS = "meals at 0 different times, 2 needed"
MEALS = (("08", "1 cup oatmeal, 1 banana"), ("13", "2 eggs, 1 slice toast"))


def run(*words: object) -> int:
    return main(["days", *(str(word) for word in words)])


def test_five_valid_days_are_a_success(export, meals, capsys):
    """Rows 456, 457, 467: every day is listed with its problems."""
    assert run(export, "--meals", meals, "--zone", "Europe/Berlin") == 0
    assert capsys.readouterr().out.splitlines() == [
        "Dexcom Clarity, iPhone G6: 2016 readings",
        "skipped rows in clarity.csv: 1",
        "  line 2018: glucose must be a number, got '?'",
        "day         CGM hours  meal times  verdict",
        f"2026-10-23      11.75           0  11.75 h of CGM, 12 needed; {NO_MEALS}",
        "2026-10-24      24.00           2  valid",
        "2026-10-25      24.00           2  valid",
        "2026-10-26      24.00           2  valid",
        "2026-10-27      24.00           2  valid",
        "2026-10-28      24.00           2  valid",
        "2026-10-29      24.00           2  valid",
        f"2026-10-30      12.25           0  {NO_MEALS}",
        "6 valid days, 5 needed",
    ]


def test_fewer_valid_days_are_status_1(export, capsys):
    """The export's own carbohydrate counts where no meals are given, and there is none."""
    assert run(export) == 1
    printed = capsys.readouterr().out
    assert "the times have no UTC offset; pass --zone to handle changes to or from DST" in printed
    assert printed.endswith("0 valid days, 5 needed\n")


def test_the_exports_own_carbohydrate_counts_where_no_meals_are_given(export, capsys):
    food = "9,2026-10-24T{}:00:00,Carbs,,,,iPhone G6,,,45,,,"
    with export.open("a") as file:
        file.write("\n".join(["", food.format("08"), food.format("13")]))
    assert run(export) == 1
    assert "2026-10-24      24.00           2  valid" in capsys.readouterr().out


def test_clocks_with_and_without_offsets_are_not_mixed(export, tmp_path, capsys):
    meals = tmp_path / "meals.csv"
    meals.write_text("time,carbs_g\n2026-10-24T08:00+02:00,60\n")
    assert run(export, "--meals", meals) == 2
    problem = (
        "--zone is required because the times in the export have no UTC offset; pass a time zone"
        " such as Europe/Berlin"
    )
    assert capsys.readouterr().err == f"postmeal: {problem}\n"
    assert run(export, "--meals", meals, "--zone", "Europe/Berlin") == 1


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--zone", "Berlin"], "--zone must be an IANA time zone such as Europe/Berlin"),
        (["--unit", "mmol/L"], "--unit must be mg/dL, the unit of the file"),
        (["--meals", "/nowhere/meals.csv"], "meals.csv: no such file or directory"),
    ],
)
def test_a_mistake_is_told_in_one_line(export, words, problem, capsys):
    assert run(export, *words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert problem in printed.err
    assert printed.err.count("\n") == 1


def test_the_order_of_dates_can_be_given(tmp_path, capsys):
    from export_files import libre, libre_head

    path = tmp_path / "libre.csv"
    rows = [libre("03-04-2026 08:15", 0, 95)]
    path.write_text("\n".join([libre_head("03-04-2026 09:00 UTC").replace("\r", ""), *rows]))
    assert run(path) == 2
    assert capsys.readouterr().err == (
        "postmeal: --day-first or --month-first is required because the order of day and month is"
        " ambiguous in this file, got '03-04-2026 09:00'\n"
    )
    for order, day in (("--day-first", "2026-04-03"), ("--month-first", "2026-03-04")):
        assert run(path, order) == 1
        assert f"\n{day} " in capsys.readouterr().out


def test_a_month_first_option_for_an_app_with_the_day_first_is_refused_by_its_name(
    tmp_path, capsys
):
    path = tmp_path / "xdrip.csv"
    path.write_text("DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS;REMARK\n01.05.2026;08:00;101;;;;")
    assert run(path, "--month-first") == 2
    assert capsys.readouterr().err == (
        "postmeal: --month-first must be omitted for this export, whose dates start with the day\n"
    )


def test_an_impossible_date_is_reported_with_file_line_and_value(tmp_path, capsys):
    path = tmp_path / "xdrip.csv"
    head = "DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS;REMARK"
    rows = ("01.05.2026;08:00;101;;;;", "31.02.2026;08:05;102;;;;", "01.13.2026;08:10;103;;;;")
    path.write_text("\n".join([head, *rows]))
    assert run(path) == 1
    assert capsys.readouterr().out.splitlines()[1:4] == [
        "skipped rows in xdrip.csv: 2",
        "  line 3: date does not exist in the calendar (read as day-month-year), got"
        " '31.02.2026;08:05'",
        "  line 4: date does not exist in the calendar (read as day-month-year), got"
        " '01.13.2026;08:10'",
    ]


@pytest.mark.reliability
def test_meals_that_are_not_understood_are_reported_and_the_others_count(export, meals, capsys):
    with meals.open("a") as file:
        file.write("\n2026-10-24T20:00,1 xyzzy\n")
    words = (export, "--meals", meals, "--zone", "Europe/Berlin")
    assert run(*words) == 0
    printed = capsys.readouterr().out
    assert "skipped meals: 1\n  line 14: meal contains '1 xyzzy', which" in printed
    assert printed.endswith("6 valid days, 5 needed\n")
    assert run(*words, "--strict") == 2
    refusal = capsys.readouterr().err
    assert refusal == "postmeal: line 2018 cannot be used: glucose must be a number, got '?'\n"
    export.write_text(export.read_text().rpartition("\n")[0])
    assert run(*words, "--strict") == 2
    assert capsys.readouterr().err.startswith(
        "postmeal: meals.csv, line 14: meal contains '1 xyzzy', which"
    )


def test_readings_that_contradict_each_other_are_listed_and_a_device_can_be_selected(
    tmp_path, capsys
):
    path = tmp_path / "entries.json"
    readings = [
        {"sgv": 104 + 40 * of_other, "date": 1777593600000 + 300_000 * n + 60_000 * of_other}
        | {"device": "pump" if of_other else "phone"}
        for n in range(12)
        for of_other in (0, 1)
    ]
    path.write_text(json.dumps([*readings, {"sgv": 38, "date": 1777593600000}]))
    assert run(path) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["Nightscout, phone: 12 readings", "skipped rows in entries.json: 13"]
    assert printed[2].startswith("  line 2: pump read while phone did")
    assert printed[12] == "  and 3 more"
    assert run(path, "--device", "pump") == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["Nightscout, pump: 12 readings", "skipped rows in entries.json: 1"]
    assert run(path, "--device", "watch") == 2
    assert "--device must be a device in the data: phone, pump; got" in capsys.readouterr().err


def test_a_damaged_archive_is_told_in_one_line(tmp_path, capsys):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("export.csv", "DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS;REMARK\n" * 50)
    damaged = bytearray(path.read_bytes())
    damaged[45] ^= 0xFF
    path.write_bytes(damaged)
    assert run(path) == 2
    error = capsys.readouterr().err
    assert error.startswith("postmeal: export.zip must be a readable zip archive: ")
    assert error.count("\n") == 1


def test_several_files_of_one_app_are_judged_as_one(tmp_path, capsys):
    entries, treatments = tmp_path / "entries.json", tmp_path / "treatments.json"
    moments = [1777593600000 + 300_000 * n for n in range(12 * 24)]
    entries.write_text(json.dumps([{"sgv": 100, "date": moment} for moment in moments]))
    eaten = [{"carbs": 40, "date": moments[at]} for at in (90, 160)]
    treatments.write_text(json.dumps(eaten))
    assert run(entries, treatments) == 1
    assert "2026-05-01      24.00           2  valid" in capsys.readouterr().out


def test_an_export_of_another_app_is_status_2_and_named(tmp_path, capsys):
    path = tmp_path / "tidepool.json"
    path.write_text('[{"type": "cbg", "deviceTime": "2026-05-01T08:00:00", "value": 5.5}]')
    assert run(path) == 2
    said = "postmeal: tidepool.json is an export of Tidepool, which is not supported"
    assert capsys.readouterr().err.startswith(said)
    other = tmp_path / "entries.json"
    moments = [1777593600000 + 300_000 * n for n in range(12 * 24)]
    other.write_text(json.dumps([{"sgv": 100, "date": moment} for moment in moments]))
    assert run(other, path) == 2
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.reliability
def test_two_days_are_enough_for_a_preliminary_model(export, meals, capsys):
    """Row 468: without the option, five days are needed as before."""
    lines = meals.read_text().splitlines()
    meals.write_text("\n".join(lines[:5]))
    words = (export, "--meals", meals, "--zone", "Europe/Berlin")
    assert run(*words) == 1
    assert capsys.readouterr().out.endswith("2 valid days, 5 needed\n")
    assert run(*words, "--preliminary") == 0
    assert capsys.readouterr().out.endswith(
        "2 valid days, 2 needed\nenough for a preliminary model; a full model needs 5 valid days\n"
    )
    meals.write_text("\n".join(lines[:3]))
    assert run(*words, "--preliminary") == 1
    assert capsys.readouterr().out.endswith("1 valid day, 2 needed\n")
    meals.write_text("\n".join(lines))
    assert run(*words, "--preliminary") == 0
    assert capsys.readouterr().out.endswith("6 valid days, 2 needed\n")
