"""Times of Nightscout: several fields may hold one, and the offset may stand apart."""

import json
from pathlib import Path

import pytest

from postmeal.glucose.history.exports import read_export

EIGHT_S = 1_777_622_400.0
"""2026-05-01T08:00 in UTC."""


@pytest.fixture
def moment(tmp_path: Path):
    def moment(**said: object) -> tuple[float, float]:
        path = tmp_path / "entries.json"
        path.write_text(json.dumps([{"sgv": 101} | said]))
        trace = read_export(path).trace
        return float(trace.utc_s[0]) - EIGHT_S, float(trace.utc_offset_s[0])

    return moment


def test_milliseconds_come_before_text_and_the_date_before_the_copy(moment):
    at = 1000 * EIGHT_S
    later = "2026-05-01T09:00:00Z"
    assert moment(date=at, mills=at + 5000, created_at=later) == (0, 0)
    assert moment(date=5, mills=at + 5000, created_at=later) == (5, 0)
    assert moment(date="soon", created_at=later) == (3600, 0)
    assert moment(date=f" {at:.0f} ") == (0, 0)


def test_of_several_texts_the_first_that_is_a_time_counts(moment):
    texts = {
        "created_at": "2026-05-01T08:00:01Z",
        "timestamp": "2026-05-01T08:00:02Z",
        "dateString": "2026-05-01T08:00:03Z",
        "sysTime": "2026-05-01T08:00:04Z",
    }
    for second, name in enumerate(list(texts), start=1):
        assert moment(**texts) == (second, 0)
        texts[name] = ("today", "1999-12-31T23:59:59Z", 7, "2200-01-01T00:00:00Z")[second - 1]
        if second == 4:
            assert moment(**texts, date=1000 * EIGHT_S) == (0, 0)


@pytest.mark.parametrize(
    ("minutes", "offset_s"),
    [
        (120, 7200),
        (-330, -19800),
        (1439, 86340),
        (1440, 3600),
        (0, 3600),
        ("60", 3600),
        (None, 3600),
    ],
)
def test_an_offset_of_its_own_replaces_that_of_the_text(moment, minutes, offset_s):
    """An offset of a day or more is none, and zero tells nothing that the text does not."""
    assert moment(dateString="2026-05-01T09:00:00+01:00", utcOffset=minutes) == (0, offset_s)


def test_a_number_that_is_no_time_is_none(moment):
    for wrong in (True, 1e300, 10**400, [1], "1e12"):
        assert moment(date=wrong, created_at="2026-05-01T08:00:00Z") == (0, 0)


def test_a_treatment_without_a_type_of_reading_is_food(tmp_path):
    path = tmp_path / "treatments.json"
    entries = [
        {"type": "mbg", "sgv": 101, "carbs": 30, "date": 1000 * EIGHT_S},
        {"carbs": "0", "date": 1000 * EIGHT_S},
        {"eventType": "Meal Bolus", "carbs": 7, "fat": "1,5", "date": 1000 * EIGHT_S},
    ]
    path.write_text(json.dumps({"result": entries}))
    export = read_export(path)
    assert export.meals.macronutrients[:, 0].tolist() == [30, 7]
    assert export.meals.macronutrients[1, 3] == 1.5


def test_food_may_have_none_of_a_macronutrient(tmp_path):
    path = tmp_path / "treatments.json"
    entry = {"carbs": 30, "fiber": 0, "protein": 0.0, "fat": "0", "date": 1000 * EIGHT_S}
    path.write_text(json.dumps([entry]))
    assert read_export(path).meals.macronutrients.tolist() == [[30, 0, 0, 0]]


def test_the_device_is_that_of_the_first_reading_that_names_one(tmp_path):
    path = tmp_path / "entries.json"
    names = [None, "", "xDrip-G6", "share2"]
    entries = [
        {"sgv": 101, "date": 1000 * EIGHT_S + n, "device": name} for n, name in enumerate(names)
    ]
    path.write_text(json.dumps(entries))
    assert read_export(path).device == "xDrip-G6"
