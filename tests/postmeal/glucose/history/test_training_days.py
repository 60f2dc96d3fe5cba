"""Which days may be learned from: rules, edges, changes of the clocks, and a slow reference."""

import random
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from days_by_hand import (
    ODD,
    columns,
    judged,
    judged_by_hand,
    meals_at,
    random_history,
    trace_of,
)

from postmeal.errors import InputError, TooFewDays, UnusableHistory
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.training_days import (
    TrainingDay,
    explain_days,
    require_changing_glucose,
    require_training_days,
    training_days,
)

BERLIN = ZoneInfo("Europe/Berlin")
NO_MEALS = meals_at([])


def read(start: datetime, quarters: int, step_min: float = 15) -> list[tuple[datetime, float]]:
    """Readings from a moment on, as many quarter hours long as said."""
    moment = start.astimezone(UTC)
    times = (moment + timedelta(minutes=step_min * n) for n in range(int(15 * quarters / step_min)))
    return [(time.astimezone(start.tzinfo), 100.0 + n % 7) for n, time in enumerate(times)]


def covered_h(*readings: tuple[datetime, float]) -> dict[date, float]:
    return {one.day: one.covered_h for one in training_days(trace_of(readings), NO_MEALS)}


def days_of(
    number: int, quarters: int = 48, hours: tuple[int, ...] = (8, 13)
) -> tuple[CgmTrace, MealHistory]:
    """A history of some days, each with so many quarter hours and meals at these hours."""
    readings, meals = [], []
    for day in range(1, number + 1):
        midnight = datetime(2026, 5, day, tzinfo=BERLIN)
        readings += read(midnight, quarters)
        meals += [midnight.replace(hour=hour) for hour in hours]
    return trace_of(readings), meals_at(meals)


@pytest.mark.parametrize(("quarters", "valid"), [(47, False), (48, True), (96, True)])
def test_a_day_needs_twelve_hours_of_readings(quarters, valid):
    """Rows 431, 456, 467: 47 quarter hours are too few, 48 are enough."""
    trace, meals = days_of(1, quarters)
    (day,) = training_days(trace, meals)
    assert (day.covered_h, day.is_valid) == (quarters / 4, valid)


def test_quarter_hours_need_not_be_neighbours():
    """Row 431: bins alone count, wherever they lie in the day."""
    midnight = datetime(2026, 5, 1, tzinfo=UTC)
    scattered = [(midnight + timedelta(minutes=30 * n, seconds=17 * n), 90.0) for n in range(48)]
    assert covered_h(*scattered) == {date(2026, 5, 1): 12.0}


def test_more_readings_in_a_quarter_hour_cover_no_more():
    """Rows 287, 467: duplicates do not add."""
    midnight = datetime(2026, 5, 1, tzinfo=UTC)
    dense = read(midnight, 47, step_min=1)
    assert covered_h(*dense, *dense[:60]) == {date(2026, 5, 1): 11.75}


def test_the_first_and_the_last_moment_of_a_quarter_hour_belong_to_it():
    midnight = datetime(2026, 5, 1, tzinfo=UTC)
    last = midnight + timedelta(minutes=15) - timedelta(milliseconds=1)
    assert covered_h((midnight, 90), (last, 90)) == {date(2026, 5, 1): 0.25}
    assert covered_h((last, 90), (midnight + timedelta(minutes=15), 90)) == {date(2026, 5, 1): 0.5}


@pytest.mark.parametrize(
    ("hours", "times", "valid"), [((8, 8), 1, False), ((8, 13), 2, True), ((), 0, False)]
)
def test_a_day_needs_food_at_two_different_times(hours, times, valid):
    """Row 457."""
    trace, meals = days_of(1, hours=hours)
    (day,) = training_days(trace, meals)
    assert (day.meal_times, day.is_valid) == (times, valid)


def test_one_moment_on_two_clocks_is_one_meal_time():
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    meals = meals_at([noon, noon.astimezone(BERLIN)])
    assert [one.meal_times for one in training_days(trace_of([]), meals)] == [1]


def test_a_reading_belongs_to_the_day_of_its_own_clock():
    """Row 459: 23:30 in New York is the day that it is there, not that of UTC."""
    late = datetime(2026, 5, 1, 23, 30, tzinfo=timezone(timedelta(hours=-4)))
    assert covered_h((late, 90)) == {date(2026, 5, 1): 0.25}
    assert covered_h((late.astimezone(UTC), 90)) == {date(2026, 5, 2): 0.25}


def test_a_zone_replaces_the_offsets_of_the_times():
    """Row 459: with a zone the days are those of its clocks."""
    late = datetime(2026, 5, 1, 23, 30, tzinfo=UTC)
    trace = CgmTrace.from_readings([(late, 90.0)], zone=BERLIN)
    meals = meals_at([late]).in_zone(BERLIN)
    assert [one.day for one in training_days(trace, meals)] == [date(2026, 5, 2)]


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("America/New_York", date(2026, 3, 8), 23),
        ("America/New_York", date(2026, 11, 1), 25),
        ("Australia/Lord_Howe", date(2026, 4, 5), 24.5),
        ("Australia/Lord_Howe", date(2026, 10, 4), 23.5),
        ("America/Sao_Paulo", date(2018, 11, 4), 23),
        ("America/Havana", date(2026, 11, 1), 25),
        ("Asia/Kathmandu", date(2026, 5, 1), 24),
    ],
)
def test_a_day_is_as_long_as_the_clocks_make_it(zone, day, hours):
    """Row 467: 23 h and 25 h days, and clocks that are changed by half an hour or at midnight."""
    here = ZoneInfo(zone)
    before = datetime(day.year, day.month, day.day, tzinfo=here) - timedelta(days=1)
    found = covered_h(*read(before, 4 * 72, step_min=5))
    assert found[day] == hours


def test_both_passes_of_a_repeated_hour_count():
    """Row 467: 02:00 to 03:00 twice is two hours."""
    first = datetime(2026, 10, 25, 2, 0, tzinfo=BERLIN)
    hour = [(first + timedelta(minutes=5 * n), 90.0) for n in range(12)]
    again = [(time.replace(fold=1), value) for time, value in hour]
    assert covered_h(*hour) == {date(2026, 10, 25): 1.0}
    assert covered_h(*hour, *again) == {date(2026, 10, 25): 2.0}


def test_a_quarter_hour_written_with_two_offsets_counts_once():
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    on_another_clock = (noon + timedelta(minutes=5)).astimezone(BERLIN)
    assert covered_h((noon, 90), (on_another_clock, 95)) == {date(2026, 5, 1): 0.25}


def test_quarter_hours_are_those_of_the_local_clock_even_at_an_odd_offset():
    """Row 431: from local midnight, 11 h 45 min of readings are 47 quarter hours."""
    midnight = datetime(2026, 5, 1, tzinfo=ODD)
    assert covered_h(*read(midnight, 47, step_min=1)) == {date(2026, 5, 1): 11.75}


def test_five_valid_days_may_be_learned_from():
    """Row 433."""
    days = require_training_days(*days_of(5))
    assert days == tuple(date(2026, 5, day) for day in range(1, 6))


def test_four_valid_days_are_refused_with_the_reason_of_every_other_day():
    """Rows 289, 432, 468: a typed error with the count and what each day lacks."""
    trace, meals = days_of(7, quarters=47)
    full, _ = days_of(4)
    trace = CgmTrace.of(
        np.concatenate([trace.utc_s, full.utc_s + 60]),
        7200,
        np.concatenate([trace.glucose_mg_dl, full.glucose_mg_dl]),
    )
    meals = MealHistory.of(meals.utc_s[:-1], 7200, meals.macronutrients[:-1])
    with pytest.raises(TooFewDays, match="got 4") as refusal:
        require_training_days(trace, meals)
    assert isinstance(refusal.value, InputError)
    assert refusal.value.valid == 4
    too_short = "11.75 h of CGM, 12 needed"
    assert refusal.value.refused == {
        date(2026, 5, 5): (too_short,),
        date(2026, 5, 6): (too_short,),
        date(2026, 5, 7): (too_short, "meals at 1 time, 2 needed"),
    }


def test_nothing_at_all_is_no_day():
    assert training_days(trace_of([]), NO_MEALS) == ()
    with pytest.raises(TooFewDays, match="got 0"):
        require_training_days(trace_of([]), NO_MEALS)


def test_the_dry_run_explains_every_day():
    trace, meals = days_of(3, hours=(8, 13))
    table = explain_days(
        training_days(trace, MealHistory.of(meals.utc_s[:-1], 7200, meals.macronutrients[:-1]))
    )
    assert table.splitlines() == [
        "day         CGM hours  meal times  verdict",
        "2026-05-01      12.00           2  valid",
        "2026-05-02      12.00           2  valid",
        "2026-05-03      12.00           1  meals at 1 time, 2 needed",
        "2 valid days, 5 needed",
    ]


def test_a_day_with_several_problems_is_explained_by_all_of_them():
    days = (
        TrainingDay(date(2026, 5, 1), 12.0, 2),
        TrainingDay(date(2026, 5, 2), 11.75, 0, 2),
    )
    assert explain_days(iter(days), 2).splitlines() == [
        "day         CGM hours  meal times  verdict",
        "2026-05-01      12.00           2  valid",
        "2026-05-02      11.75           0  11.75 h of CGM, 12 needed; meals at 0 different times, "
        "2 needed; 2 implausibly large meals not counted",
        "1 valid day, 2 needed",
    ]


def test_a_sensor_that_never_moved_cannot_be_learned_from():
    trace, _ = days_of(5)
    stuck = CgmTrace.of(trace.utc_s, trace.utc_offset_s, np.full(len(trace), 99.0))
    days = [date(2026, 5, day) for day in range(1, 6)]
    require_changing_glucose(trace, days)
    require_changing_glucose(stuck, [])
    problem = "must vary over the day; all 240 readings are the same, got 99.0"
    for field in ("cgm_data", "readings"):
        with pytest.raises(UnusableHistory, match=f"^{field} {problem}$"):
            require_changing_glucose(stuck, days, field)
    with pytest.raises(UnusableHistory, match=f"^trace {problem}$"):
        require_changing_glucose(stuck, days)


@pytest.mark.parametrize("seed", range(6))
def test_the_days_are_those_of_the_slow_reference(seed):
    """Row 467: gaps, duplicates, shuffles, zones and changes of the clocks, 50 cases a seed."""
    chance = random.Random(seed)
    for _ in range(50):
        history = random_history(chance)
        trace, meals = trace_of(history.readings), meals_at(history.meals)
        assert judged(trace, meals) == judged_by_hand(history)


@pytest.mark.parametrize("seed", range(20))
def test_the_trace_is_the_same_for_any_order_and_any_chunks(seed):
    """Row 467: to the last bit."""
    chance = random.Random(seed)
    readings = random_history(chance).readings
    again = readings * 3
    chance.shuffle(again)
    cuts = sorted(chance.sample(range(len(again) + 1), min(len(again), 5)))
    spans = zip([0, *cuts], [*cuts, len(again)], strict=True)
    chunks = [again[start:end] for start, end in spans]
    chance.shuffle(chunks)
    whole = CgmTrace.from_readings(sorted(readings * 3))
    assert columns(trace_of(one for chunk in chunks for one in chunk)) == columns(whole)
