"""Meal files that cannot be read: the whole message says where and why."""

from pathlib import Path

import pytest

from postmeal.errors import InputError
from postmeal.glucose.history.meal_file import read_meals

HEADERS = "'time,meal', 'time,carbs_g,fiber_g,protein_g,fat_g'"
AT = "2026-05-01T08:00"
TIME = "must be in a format such as 2026-05-01T08:00, got"
MISSING = "has a date that does not exist in the calendar (read as year-month-day)"


@pytest.fixture
def write(tmp_path: Path):
    def write(*lines: str) -> Path:
        path = tmp_path / "meals.csv"
        path.write_text("\n".join(lines))
        return path

    return write


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (",,", f"must list one of these sets of columns: {HEADERS}; got ''"),
        ("when,what", f"must list one of these sets of columns: {HEADERS}; got 'when,what'"),
        (
            "time;carbs_g;x",
            f"must list one of these sets of columns: {HEADERS}; got 'time;carbs_g;x'",
        ),
        (
            "time,carbs_g,carbs_g",
            f"must list one of these sets of columns: {HEADERS}; got 'time,carbs_g,carbs_g'",
        ),
        ("time,fiber_g", f"must list one of these sets of columns: {HEADERS}; got 'time,fiber_g'"),
        (
            "time,meal,fat_g",
            f"must list one of these sets of columns: {HEADERS}; got 'time,meal,fat_g'",
        ),
        (
            "Date,Meal,Calories,Fat (g)",
            "is from an export of MyFitnessPal, which is not supported; "
            "it must list one of these sets of columns: "
            f"{HEADERS}; got 'Date,Meal,Calories,Fat (g)'",
        ),
        (
            '{"carbs": 5}',
            "is from a JSON object with the keys carbs; "
            "it must list one of these sets of columns: "
            f"{HEADERS}; got '{{\"carbs\": 5}}'",
        ),
        (
            "<a>",
            "is from an XML file with the root element a; it must list one of these sets of"
            f" columns: {HEADERS}; got '<a>'",
        ),
    ],
)
def test_a_header_is_refused_with_those_that_are_read(write, header, said):
    with pytest.raises(InputError) as refusal:
        read_meals(write(header))
    assert str(refusal.value) == f"meals.csv, line 1 {said}"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2026-05-01,60", f", time {TIME} '2026-05-01'"),
        ("2026-02-30T08:00,60", f", time {MISSING}, got '2026-02-30T08:00'"),
        (f"{AT},-60", ", carbs_g must be 0 g or more, got '-60'"),
        (f"{AT},60,x", ", fat_g must be a number of grams without a unit, got 'x'"),
        (f"{AT},27g", ", carbs_g must be a number of grams without a unit, got '27g'"),
        (f"{AT},60,5,7", " must have 3 fields, got 4"),
        (f'{AT},"60', " must not contain a quote that is not closed"),
    ],
)
def test_a_row_of_grams_is_refused_or_skipped_by_its_line(write, row, said):
    path = write("time,carbs_g,fat_g", f"{AT},60", row)
    with pytest.raises(InputError) as refusal:
        read_meals(path, errors="raise")
    assert str(refusal.value) == f"meals.csv, line 3{said}"
    assert read_meals(path).skipped == ((3, said.lstrip(", ")),)


def test_a_meal_is_refused_with_its_text(write, catalog):
    path = write("time,meal", f"{AT},1 xyzzy, 2 abcd", f"{AT},1 banana")
    with pytest.raises(InputError) as refusal:
        read_meals(path, catalog, errors="raise")
    said = (
        "meal contains '1 xyzzy', which matches no food in the catalog; "
        "check the spelling or use a more general name"
    )
    assert str(refusal.value) == f"meals.csv, line 2: {said}"
    assert read_meals(path, catalog).skipped == ((2, said),)


def test_a_file_without_a_readable_row_is_refused_with_the_first_reason(write):
    with pytest.raises(InputError) as refusal:
        read_meals(write("time,carbs_g", f"{AT},x", "y"))
    assert str(refusal.value) == (
        "meals.csv must contain a readable meal; all 2 rows were skipped, for example line 2:"
        " carbs_g must be a number of grams without a unit, got 'x'"
    )
    for lines, said in (
        (("",), "meals.csv must not be empty"),
        (("time,carbs_g",), "meals.csv must contain a readable meal"),
    ):
        with pytest.raises(InputError, match=f"^{said}$"):
            read_meals(write(*lines))


def test_clocks_are_not_mixed_without_a_zone(write):
    path = write("time,carbs_g", f"{AT},60", f"{AT}Z,60")
    with pytest.raises(InputError) as refusal:
        read_meals(path)
    assert str(refusal.value) == (
        "zone is required because some times have no UTC offset; pass the time zone of the meals"
    )
    with pytest.raises(InputError, match=r"^zone must be an IANA time zone such as Europe/Berlin"):
        read_meals(path, zone="Berlin")
