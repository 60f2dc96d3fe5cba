"""Files of meals, as people keep them beside a CGM export."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from postmeal import parse_meal
from postmeal.errors import InputError
from postmeal.glucose.history.meal_file import read_meals
from postmeal.glucose.population.carbohydrate_kind import CARB_WEIGHTS
from postmeal.glucose.population.features import food_macronutrients

BERLIN = ZoneInfo("Europe/Berlin")
NOON_S = datetime(2026, 5, 1, 12, tzinfo=UTC).timestamp()


@pytest.fixture
def write(tmp_path: Path):
    def write(*lines: str, encoding: str = "utf-8") -> Path:
        path = tmp_path / "meals.csv"
        path.write_bytes("\r\n".join(lines).encode(encoding))
        return path

    return write


@pytest.mark.parametrize("meal", ['"1 cup oatmeal, 1 banana"', "1 cup oatmeal, 1 banana"])
def test_meals_are_told_in_plain_english_quoted_or_not(write, catalog, meal):
    found = read_meals(write("time,meal", f"2026-05-01T12:00,{meal}", ""), catalog)
    foods = parse_meal("1 cup oatmeal, 1 banana", catalog)
    expected = food_macronutrients(foods, CARB_WEIGHTS).sum(axis=0)
    assert found.meals.macronutrients.tolist() == [expected.tolist()]
    assert found.meals.utc_s.tolist() == [NOON_S]
    assert not found.has_offsets


def test_meals_are_read_as_in_their_country(write, catalog):
    file = write("time,meal", "2026-05-01T12:00,200 g of rice")
    for country in ("LA", None):
        foods = parse_meal("200 g of rice", catalog, country=country)
        expected = food_macronutrients(foods, CARB_WEIGHTS).sum(axis=0)
        found = read_meals(file, catalog, country=country)
        assert found.meals.macronutrients.tolist() == [expected.tolist()]
    with pytest.raises(InputError, match="country must be an ISO 3166-1 alpha-2 code"):
        read_meals(file, catalog, country="UK")


def test_meals_are_told_in_grams_and_what_is_left_out_is_unknown(write):
    lines = [
        "time,carbs_g,fiber_g,protein_g,fat_g",
        "2026-05-01T12:00,62,8.5,,",
        "2026-05-01 13:00,40",
    ]
    content = read_meals(write(*lines)).meals.macronutrients
    assert content[0, :2].tolist() == [62, 8.5]
    assert content[1, 0] == 40
    assert np.isnan(content).tolist() == [[False, False, True, True], [False, True, True, True]]


def test_columns_may_stand_in_any_order_and_decimals_with_commas(write):
    lines = ["Time;carbs_g;fat_g", "2026-05-01T12:00;62,5;7,25"]
    content = read_meals(write(*lines, encoding="utf-16")).meals.macronutrients
    assert content[0, [0, 3]].tolist() == [62.5, 7.25]


def test_a_zone_reads_times_without_an_offset_and_sets_the_clock_of_the_others(write):
    path = write("time,carbs_g", "2026-05-01T14:00,60", "2026-05-01T08:00-04:00,61")
    found = read_meals(path, zone=BERLIN)
    assert read_meals(path, zone="Europe/Berlin").meals.utc_s.tolist() == found.meals.utc_s.tolist()
    assert found.meals.utc_s.tolist() == [NOON_S, NOON_S]
    assert found.meals.utc_offset_s.tolist() == [7200, 7200]
    assert found.has_offsets
    with pytest.raises(InputError, match="zone is required because some times have no UTC offset"):
        read_meals(path)


def test_times_with_offsets_need_no_zone(write):
    found = read_meals(write("time,carbs_g", "2026-05-01T08:00:00-04:00,60"))
    assert found.meals.utc_offset_s.tolist() == [-14400]
    assert found.has_offsets


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([""], "meals.csv must not be empty"),
        ([",,"], "meals.csv, line 1 must list one of these sets of columns: 'time,meal'"),
        (
            ["time,carbs_g,carbs_g", "x,1,2"],
            "meals.csv, line 1 must list one of these sets of columns: 'time,meal'",
        ),
        (
            ["when,what", "x,y"],
            "meals.csv, line 1 must list one of these sets of columns: 'time,meal', 'time,carbs_g,",
        ),
        (
            ["time,carbs_g", "2026-05-01,60"],
            "meals.csv, line 2, time must be in a format such as 2026-05-01T08:00",
        ),
        (
            ["time,carbs_g", "2026-02-30T08:00,60"],
            "meals.csv, line 2, time has a date that does not exist in the calendar",
        ),
        (
            ["time,carbs_g", "", "2026-05-01T08:00,-60"],
            "meals.csv, line 3, carbs_g must be 0 g or more",
        ),
        (["time,carbs_g", "2026-05-01T08:00,60,5"], "meals.csv, line 2 must have 2 fields, got 3"),
        (
            ["time,carbs_g", '2026-05-01T08:00,"60'],
            "meals.csv, line 2 must not contain a quote that is not closed",
        ),
        (
            ["time,meal", "2026-05-01T08:00,1 xyzzy"],
            "meals.csv, line 2: meal contains '1 xyzzy', which",
        ),
        (["time,meal", "2026-05-01T08:00"], "meals.csv, line 2: meal must name at least one food"),
    ],
)
def test_a_row_that_cannot_be_read_is_refused_by_its_line(write, catalog, lines, problem):
    with pytest.raises(InputError) as refusal:
        read_meals(write(*lines), catalog, errors="raise")
    assert str(refusal.value).startswith(problem)


BAD_ROWS = [
    ("2026-05-01T08:00,1 xyzzy", "meal contains '1 xyzzy', which matches no food in the catalog"),
    ("yesterday,1 banana", "time must be in a format such as 2026-05-01T08:00, got 'yesterday'"),
    ("2026-05-01T08:00,", "meal must name at least one food"),
    ('2026-05-01T08:00,"1 banana', "must not contain a quote that is not closed"),
]


@pytest.mark.parametrize(("row", "reason"), BAD_ROWS)
def test_a_meal_that_is_not_understood_is_skipped_and_reported_by_its_line(
    write, catalog, row, reason
):
    good = "2026-05-01T12:00,1 banana", "2026-05-01T18:00,2 eggs"
    for lines, at in (((row, *good), 2), ((good[0], row, good[1]), 3)):
        found = read_meals(write("time,meal", *lines), catalog)
        assert found.meals.utc_s.tolist() == [NOON_S, NOON_S + 6 * 3600]
        assert [line for line, _ in found.skipped] == [at]
        assert found.skipped[0].reason.startswith(reason)


def test_a_row_of_impossible_grams_is_skipped_and_its_clock_is_not_asked_for(write):
    """A skipped row does not decide whether the times of the file carry offsets."""
    lines = ["2026-05-01T12:00,60", "2026-05-01T14:00+02:00,-5", "2026-05-01T13:00,x"]
    found = read_meals(write("time,carbs_g", *lines))
    assert len(found.meals) == 1
    assert not found.has_offsets
    unit = "carbs_g must be a number of grams without a unit, got 'x'"
    reasons = ["carbs_g must be 0 g or more, got '-5'", unit]
    assert found.skipped == ((3, reasons[0]), (4, reasons[1]))


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["time,meal"], "meals.csv must contain a readable meal"),
        (
            ["time,meal", "2026-05-01T08:00,1 xyzzy", "x,1 banana"],
            "meals.csv must contain a readable meal; all 2 rows were skipped, for example line 2:"
            " meal contains '1 xyzzy'",
        ),
    ],
)
def test_a_file_of_which_no_meal_is_understood_is_refused(write, catalog, lines, problem):
    with pytest.raises(InputError) as refusal:
        read_meals(write(*lines), catalog)
    assert str(refusal.value).startswith(problem)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (
            ["Date,Meal,Calories,Fat (g)"],
            "meals.csv, line 1 is from an export of MyFitnessPal, which is not supported; it",
        ),
        (
            ['[{"carbs": 5}]'],
            "meals.csv, line 1 is from a JSON list of objects with the keys carbs; it",
        ),
    ],
)
def test_a_file_without_meals_is_refused_with_a_description(write, lines, problem):
    with pytest.raises(InputError) as refusal:
        read_meals(write(*lines))
    assert str(refusal.value).startswith(
        f"{problem} must list one of these sets of columns: 'time,meal', 'time,carbs_g"
    )


@pytest.mark.reliability
def test_what_is_assumed_in_a_meal_is_told(tmp_path: Path) -> None:
    file = tmp_path / "meals.csv"
    file.write_text("time,meal\n2026-05-01T08:00,bread and xyzzy\n", encoding="utf-8")
    found = read_meals(file)
    assert len(found.meals) == 1
    (assumed,) = found.assumed
    assert assumed.line == 2
    assert "g of Bread assumed, " in assumed.reason
    assert assumed.reason.endswith("'xyzzy' not understood")
    with pytest.raises(InputError, match="state the amount"):
        read_meals(file, errors="raise")
