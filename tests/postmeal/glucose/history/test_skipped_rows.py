"""Rows of exports that cannot be read: each is reported by its line with the whole reason."""

import json
from pathlib import Path

import pytest
from export_files import CLARITY, SIDIARY, egv, libre, libre_head, rows

from postmeal.errors import InputError
from postmeal.glucose.history.exports import Export, read_export

LONG = "abcdefghij" * 5
READ = [("2026-05-01T08:00:00", 101.0)]


@pytest.fixture
def read(tmp_path: Path):
    def read(*lines: str, **options: object) -> Export:
        path = tmp_path / "export"
        path.write_text("\n".join(lines), encoding="utf-8")
        return read_export(path, **options)

    return read


def test_rows_of_clarity(read):
    form = "time must be a local time such as 2026-05-01T08:00:00, got"
    export = read(
        CLARITY,
        egv("2026-05-01T08:00:00", 101),
        egv("2026-05-01T08:05:00", LONG),
        egv("2026-05-01T08:05:00", "19.9"),
        egv("2026-05-01T08:05:00", 601),
        egv(LONG, 101),
        egv("1970-12-31T23:59:59", 101),
        egv("2200-01-01T00:00:00", 101),
        '9,2026-05-01T08:05:00,EGV,"open,,,iPhone G6,101,,,,,,8AAA00',
        "9,2026-05-01T08:05:00,EGV,,,,iPhone G6,101,,,,",
        f"9,2026-05-01T08:05:00,Carbs,,,,iPhone G6,,,-{LONG},,,,",
    )
    assert rows(export.trace) == READ
    assert export.skipped == (
        (3, "glucose must be a number, got 'abcdefghijabcdefghij'"),
        (4, "glucose must be 20 to 600 mg/dL, got 19.9 mg/dL"),
        (5, "glucose must be 20 to 600 mg/dL, got 601 mg/dL"),
        (6, f"{form} 'abcdefghijabcdefghijabcdefghij'"),
        (7, "time must be in the years 1971 to 2199, got '1970-12-31T23:59:59'"),
        (8, "time must be in the years 1971 to 2199, got '2200-01-01T00:00:00'"),
        (9, "quotes must be closed"),
        (10, "must have 14 fields, got 12"),
        (11, "carbohydrate must be 0 g or more, got '-abcdefghijabcdefghi'"),
    )


def test_glucose_beyond_the_range_is_reported_in_the_unit_of_the_file(read):
    head = CLARITY.replace("mg/dL", "mmol/L")
    export = read(head, egv("2026-05-01T08:00:00", 5.5), egv("2026-05-01T08:05:00", 33.5))
    assert export.skipped == ((3, "glucose must be 20 to 600 mg/dL, got 33.5 mmol/L"),)


def test_times_from_1971_to_2199_are_read(read):
    export = read(CLARITY, egv("1971-01-01T00:00:00", 101), egv("2199-12-31T23:59:59", 101))
    assert [time for time, _ in rows(export.trace)] == [
        "1971-01-01T00:00:00",
        "2199-12-31T23:59:59",
    ]


def test_the_ends_of_what_is_read_belong_to_it(read):
    food = "9,2026-05-01T08:{},Carbs,,,,iPhone G6,,,{},,,,"
    export = read(
        CLARITY,
        egv("2026-05-01T08:00:00", 20),
        egv("2026-05-01T08:05:00", 600),
        food.format("10:00", 0),
        food.format("15:00", "0.5"),
    )
    assert export.trace.glucose_mg_dl.tolist() == [20, 600]
    assert export.meals.macronutrients[:, 0].tolist() == [0, 0.5]
    assert export.skipped == ()


def test_a_row_of_clarity_may_lack_its_last_field_alone(read):
    export = read(CLARITY, egv("2026-05-01T08:00:00", 101).rpartition(",")[0])
    assert (rows(export.trace), export.skipped) == (READ, ())


def test_rows_of_clarity_that_a_spreadsheet_saved_in_two_forms(read):
    """ISO 8601 in one row means that no other form is a time."""
    iso, other = egv("2026-05-01T08:00:00", 101), egv("13/5/26 8:05", 105)
    assert [line for line, _ in read(CLARITY, other, iso).skipped] == [2]
    assert len(read(CLARITY, other, iso, day_first=True).trace) == 2
    given = read(CLARITY, other, egv("some day", 105), day_first=True)
    assert given.skipped == (
        (3, "time must be a local time such as 2026-05-01T08:00:00, got 'some day'"),
    )


def test_rows_of_libreview(read):
    form = "time must be in a format such as 05-31-2026 08:15 AM or 31-05-2026 08:15, got"
    export = read(
        *libre_head().replace("\r", "").split("\n"),
        libre("05-01-2026 08:00 AM", 0, 101),
        libre("05-01-2026 08:05 AM", 9, 90).replace(",9,", f",{LONG},"),
        libre("31-31-2026 08:05 AM", 0, 90),
        libre("yesterday", 0, 90),
        libre("05-01-2026 13:05 PM", 1, "", 90),
        libre("05-01-2026 00:05 AM", 1, "", 90),
        libre("05-01-2026 08:05 AM", 1, 90, "x"),
        libre("05-01-2026 08:05 AM", 0, 90)[:-9],
        libre("05-01-2026 08:05 AM", 5, carbs="-1"),
        libre("05-01-2026 08:05 AM", 0, '"90'),
        libre("05-01-2026 08:05 AM", 3),
        libre("05-01-2026 08:05 AM", 2),
        day_first=False,
    )
    assert rows(export.trace) == READ
    assert export.skipped == (
        (4, "record type must be 0 to 6, got 'abcdefghijabcdefghij'"),
        (
            5,
            "date does not exist in the calendar (read as month-day-year), got"
            " '31-31-2026 08:05 AM'",
        ),
        (6, f"{form} 'yesterday'"),
        (7, f"{form} '05-01-2026 13:05 PM'"),
        (8, f"{form} '05-01-2026 00:05 AM'"),
        (9, "glucose must be a number, got 'x'"),
        (10, "must have 19 fields, got 10"),
        (11, "carbohydrate must be 0 g or more, got '-1'"),
        (12, "quotes must be closed"),
    )


def test_rows_of_xdrip(read):
    export = read(
        SIDIARY,
        "01.05.2026;08:00;101;;;;",
        "",
        "01.05.2026;08:05;5;;;;",
        "05/31/2026;08:05;105;;;;",
        "31.05.20",
        "01.05.2026;08:05;",
        "01.05.2026;08:05;;;x;;",
        "01.05.2026;08:05;;90;;;a note",
        ";;;;;;",
        "01.05.2026;08:10;much;;30",
    )
    assert rows(export.trace) == READ
    assert export.meals.macronutrients[:, 0].tolist() == [30]
    assert export.skipped == (
        (4, "glucose must be 39 to 600 mg/dL, got 5 mg/dL"),
        (5, "time must be in a format such as 31.05.2026;08:15, got '05/31/2026;08:05'"),
        (6, "must have 7 fields, got 1"),
        (7, "must have 7 fields, got 3"),
        (8, "carbohydrate must be 0 g or more, got 'x'"),
        (11, "glucose must be a number, got 'much'"),
    )


def test_a_row_of_xdrip_may_end_after_its_reading(read):
    assert rows(read(SIDIARY, "01.05.2026;08:00;101").trace) == READ


def test_rows_of_nightscout(read):
    when = {"date": 1777622400000}
    past = "must have a date in milliseconds or an ISO 8601 time in the years 2000 to 2199, got"
    export = read(
        json.dumps(
            [
                {"type": "sgv", "sgv": 101} | when,
                {"type": "cal", "sgv": 99} | when,
                {"sgv": 5} | when,
                {"sgv": None} | when,
                {"sgv": 105},
                {"sgv": 105, "date": 946_684_800_000, "sysTime": "1999-12-31T23:59:59Z"},
                {"sgv": 105, "mills": True, "created_at": LONG},
                {"carbs": 5, "date": 7_258_118_400_000, "timestamp": [1]},
                {"carbs": 5, "fat": -1} | when,
                {"carbs": "some", "protein": "4"} | when,
                {"carbs": "", "eventType": "Note"},
                "no entry",
                {"carbs": 5, "created_at": "2026-02-31T08:00:00Z"},
            ]
        )
    )
    assert rows(export.trace) == READ
    grams = "carbs, fiber, protein and fat must be 0 g or more, got"
    assert export.skipped == (
        (3, "glucose must be 39 to 600 mg/dL, got 5 mg/dL"),
        (4, "glucose must be a number, got 'None'"),
        (5, f"{past} no value"),
        (6, f"{past} date 946684800000, sysTime 1999-12-31T23:59:59Z"),
        (7, f"{past} mills True, created_at {LONG[:29]}"),
        (8, f"{past} date 7258118400000, timestamp list"),
        (9, f"{grams} carbs 5, fat -1"),
        (10, f"{grams} carbs some, protein 4"),
        (
            13,
            "date does not exist in the calendar (read as year-month-day), got"
            " created_at 2026-02-31T08:00:00Z",
        ),
    )


def test_food_of_nightscout_keeps_what_it_knows(read):
    entry = {"carbs": "30.5", "fiber": 4, "protein": " 9,5 ", "date": 1777622400000}
    export = read(json.dumps({"treatments": [entry, entry | {"carbs": 0, "fat": 9}]}))
    assert export.meals.macronutrients[:, :3].tolist() == [[30.5, 4, 9.5]]


def test_a_row_of_libreview_with_an_invalid_value_does_not_decide_the_order_of_dates(read):
    head = libre_head("03-04-2026 09:00 AM UTC").replace("\r", "").split("\n")
    valid, invalid = libre("03-04-2026 08:15 AM", 0, 95), libre("13-04-2026 08:15 AM", 0, "x")
    with pytest.raises(InputError, match=r"ambiguous in this file, got '03-04-2026 09:00 AM'"):
        read(*head, valid, invalid)
    assert rows(read(*head, valid, invalid, day_first=True).trace)[0][0] == "2026-04-03T08:15:00"
    decided = read(*head, valid, libre("13-04-2026 08:15 AM", 5, carbs=20), invalid)
    assert rows(decided.trace) == [("2026-04-03T08:15:00", 95)]
