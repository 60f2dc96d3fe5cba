"""Columns of readings and meals that are refused: the whole message, by field and row."""

import math
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory

EPOCH = datetime(1970, 1, 1)
DAY_S = 24 * 3600
LONG = "a" * 200
NO_NUMBER = f"must be numbers: could not convert string to float: '{LONG}'"[: 17 + 100]


def refusal(call, *arguments, **options) -> str:
    with pytest.raises(InputError) as raised:
        call(*arguments, **options)
    return str(raised.value)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (([LONG], 0, [90]), f"cgm.time {NO_NUMBER}"),
        (([0], 0, [LONG]), f"cgm.value {NO_NUMBER}"),
        (([[0]], 0, [90]), "cgm.time must have the shape (n,), got (1, 1)"),
        (([0, 1], [0], [90, 90]), "cgm.utc_offset_s must have the shape (2,), got (1,)"),
        (([0, 1], 0, [90]), "cgm.value must have the shape (2,), got (1,)"),
        (
            ([0, 1], 0, [90, 19.5]),
            "cgm[1].value must be 20 to 600 mg/dL; the value seems to be in mmol/L, got 19.5",
        ),
        (
            ([0, 1], [0, DAY_S], [90, 90]),
            "cgm[1].utc_offset_s must be less than 86400 seconds (one day) in either direction,"
            " got 86400.0",
        ),
        (
            ([0, 1], [0, -DAY_S], [90, 90]),
            "cgm[1].utc_offset_s must be less than 86400 seconds (one day) in either direction,"
            " got -86400.0",
        ),
    ],
)
def test_columns_of_readings(columns, said):
    assert refusal(CgmTrace.of, *columns) == said
    assert refusal(CgmTrace.of, *columns, "days") == said.replace("cgm", "days")


def test_an_offset_may_be_almost_a_day():
    offsets = [1 - DAY_S, DAY_S - 1]
    assert CgmTrace.of([0, 1], offsets, [90, 90]).utc_offset_s.tolist() == offsets


def test_a_time_is_one_that_a_datetime_can_hold():
    first, last = -62_000_000_000, 253_000_000_000
    assert EPOCH + timedelta(seconds=first) > datetime.min
    assert EPOCH + timedelta(seconds=last) < datetime.max
    assert CgmTrace.of([first, last], 0, [90, 90]).utc_s.tolist() == [first, last]
    for beyond in (first - 1.0, last + 1.0, math.nan):
        said = f"cgm[1].time must be {first} to {last} seconds since 1970, got {beyond}"
        assert refusal(CgmTrace.of, [0, beyond], 0, [90, 90]) == said


def test_a_unit_is_refused_by_its_field():
    said = "cgm.unit must be one of: mg/dL, mmol/L; got 'g/L'"
    assert refusal(CgmTrace.of, [0], 0, [90], unit="g/L") == said
    assert refusal(CgmTrace.of, [0], 0, [90], "own", unit="g/L") == said.replace("cgm", "own")


def test_a_time_that_is_no_datetime_is_refused_by_its_row():
    rows = [(datetime(2026, 5, 1), 90), ("today", 90)]
    said = "cgm[1].time must be a datetime, got 'today'"
    assert refusal(CgmTrace.from_readings, rows) == said
    assert refusal(CgmTrace.from_readings, rows, field="own") == said.replace("cgm", "own")
    frame = pd.DataFrame(rows, columns=["time", "glucose_mg_dl"], index=["a", "b"])
    assert refusal(CgmTrace.from_frame, frame) == "row b: time must be a datetime, got 'today'"


def test_readings_in_another_unit_are_refused_with_the_argument_for_the_unit():
    frame = pd.DataFrame({"time": [datetime(2026, 5, 1)], "glucose_mg_dl": [5.6]})
    assert refusal(CgmTrace.from_frame, frame) == (
        "row 0: glucose_mg_dl must be 20 to 600 mg/dL; the value seems to be in mmol/L, got 5.6;"
        " for readings in mmol/L, pass unit='mmol/L'"
    )


def test_a_table_is_refused_by_the_columns_that_it_lacks():
    said = (
        "cgm must have the columns when and mmol; missing: when, mmol; columns of the frame: none;"
        " rename the columns, or pass their names as time= and glucose="
    )
    assert refusal(CgmTrace.from_frame, pd.DataFrame(), time="when", glucose="mmol") == said
    frame = pd.DataFrame({"time": []})
    said = (
        "own must have the columns time and glucose_mg_dl; missing: glucose_mg_dl; columns of the"
        " frame: time; rename the columns, or pass their names as time= and glucose="
    )
    assert refusal(CgmTrace.from_frame, frame, field="own") == said


def test_a_table_may_have_its_own_clock_and_unit():
    time = pd.Timestamp("2026-05-01 08:00")
    frame = pd.DataFrame({"time": [time], "glucose_mg_dl": [5.0]})
    made = CgmTrace.from_frame(frame, unit="mmol/L", zone="Asia/Tokyo")
    assert made.utc_offset_s.tolist() == [9 * 3600]
    assert made.glucose_mg_dl == pytest.approx([90.08])


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            ([0, 1], 0, [[1, 0, 0, 0]]),
            "meals must have the shape (2, 4) with the columns carbs_g, fiber_g, protein_g, fat_g,"
            " got (1, 4)",
        ),
        (
            ([0], 0, [[1, 0, 0]]),
            "meals must have the shape (1, 4) with the columns carbs_g, fiber_g, protein_g, fat_g,"
            " got (1, 3)",
        ),
        (([0], 0, [[1, -0.5, 0, 0]]), "meals[0].fiber_g must be 0 g or more, got -0.5"),
        (
            ([0, 1], 0, [[1, 0, 0, 0], [0, 0, 0, math.inf]]),
            "meals[1].fat_g must be 0 g or more, got inf",
        ),
        (([LONG], 0, [[1, 0, 0, 0]]), f"meals.time {NO_NUMBER}"),
    ],
)
def test_columns_of_meals(columns, said):
    assert refusal(MealHistory.of, *columns) == said
    assert refusal(MealHistory.of, *columns, "food") == said.replace("meals", "food")


def test_meals_that_are_no_numbers_are_refused_with_the_beginning_of_the_reason():
    said = refusal(MealHistory.of, [0], 0, [[LONG, 0, 0, 0]])
    reason = f"could not convert string to float: '{LONG}'"[:100]
    assert said == f"meals must be rows of numbers, all of the same length: {reason}"


def test_entries_are_credible_up_to_1000_g_unless_it_is_said_otherwise():
    grams = [[1000, 0, 0, 0], [1000.5, 0, 0, 0], [math.nan, 0, 0, 0]]
    made = MealHistory.of([0, 1, 2], 0, grams)
    assert made.is_credible.tolist() == [True, False, True]
    told = MealHistory.of([0, 1, 2], 0, grams, is_credible=[False, True, True])
    assert told.is_credible.tolist() == [False, False, True]


def test_a_history_keeps_no_hold_of_what_it_was_made_of():
    time, offset = np.zeros(1), np.zeros(1)
    made = MealHistory.of(time, offset, [[1, 0, 0, 0]])
    time[:], offset[:] = 5, 5
    assert (made.utc_s.tolist(), made.utc_offset_s.tolist()) == ([0], [0])
