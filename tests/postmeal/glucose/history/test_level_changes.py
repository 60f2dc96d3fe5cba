"""A sensor that is changed without a gap: seen in the daily means, as by Student's t test."""

import numpy as np
import pytest
from scipy import stats

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.sensor_changes import sensor_changes

DAY_S = 86400.0
HALF_HOUR_S = 1800.0


def trace_of(means: list[float], offset_s: float = 0.0, first_h: float = 0.0) -> CgmTrace:
    """Half-hourly readings, the same all day; the first day may begin after midnight."""
    time = HALF_HOUR_S * np.arange(48 * len(means))
    glucose = np.repeat(means, 48)
    kept = time >= 3600 * first_h
    offsets = np.full(kept.sum(), offset_s)
    return CgmTrace(time[kept] - offset_s, offsets, glucose[kept])


def found_days(trace: CgmTrace) -> list[float]:
    return ((sensor_changes(trace) + trace.utc_offset_s[0]) / DAY_S).tolist()


def largest_t(means: list[float]) -> tuple[float, int]:
    """Return Student's t of the best split into two parts of two days or more."""
    splits = range(2, len(means) - 1)
    tests = [abs(stats.ttest_ind(means[:day], means[day:]).statistic) for day in splits]
    return max(zip(tests, splits, strict=True))


def test_a_change_is_where_t_is_largest_if_it_exceeds_five():
    chance = np.random.default_rng(1)
    found = []
    for jump in (0, 15, 25, 40, 60) * 20:
        means = (120 + chance.normal(0, 8, chance.integers(5, 12))).tolist()
        day = int(chance.integers(2, len(means) - 2, endpoint=True))
        means[day:] = [mean + jump for mean in means[day:]]
        t, split = largest_t(means)
        found.append(found_days(trace_of(means)))
        assert found[-1] == ([split] if t > 5 else [])
    assert 20 < found.count([]) < 80


def test_days_that_hardly_differ_have_an_error_of_1_mg_dl():
    """With two days on both sides, the standard error of the difference is 1 mg/dL too."""
    assert found_days(trace_of([100, 100, 104.9, 104.9])) == []
    assert found_days(trace_of([100, 100, 105.1, 105.1])) == [2]
    three = 5 * (1 / 2 + 1 / 4) ** 0.5
    assert found_days(trace_of([100] * 2 + [100 + three - 0.1] * 4)) == []
    assert found_days(trace_of([100] * 2 + [100 + three + 0.1] * 4)) == [2]


def test_four_days_are_needed_and_two_on_each_side():
    assert found_days(trace_of([100, 100, 200])) == []
    assert found_days(trace_of([100, 200, 200, 200])) == []


def test_days_are_those_of_the_wearer():
    assert found_days(trace_of([100, 100, 130, 130], offset_s=5 * 3600.0)) == [2]


def test_a_day_with_less_than_twelve_hours_of_readings_does_not_count():
    assert found_days(trace_of([100, 100, 130, 130], first_h=12)) == [2]
    assert found_days(trace_of([100, 100, 130, 130], first_h=12.5)) == []


@pytest.mark.parametrize(("hours", "changes"), [(71.9, []), (72, [72])])
def test_a_second_reading_after_three_days_may_be_of_another_sensor(hours, changes):
    trace = CgmTrace.of([0, 3600 * hours], 0, [100, 100])
    assert (sensor_changes(trace) / 3600).tolist() == changes
