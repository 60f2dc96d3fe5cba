"""Many timestamps that are parsed at once have the same values as timestamps parsed one by one."""

import random
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.errors import InputError
from postmeal.glucose.history.wall_clock import moment_of
from serve.resources.cgm_history import read_trace
from serve.wire.times import local_time, similar_times

offsets = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(min_value=datetime(7, 1, 1), max_value=datetime(9986, 12, 31))


@given(st.lists(moments, max_size=20), st.lists(offsets, min_size=1, max_size=4), st.randoms())
def test_times_have_the_values_of_times_parsed_one_by_one(
    naive: list[datetime], zones: list[timezone], choice: random.Random
) -> None:
    texts = [time.replace(microsecond=0, tzinfo=choice.choice(zones)).isoformat() for time in naive]
    parsed = similar_times(texts)
    assert parsed is not None
    utc_s, utc_offset_s = parsed
    expected = [moment_of(local_time(text, None, "time")) for text in texts]
    assert list(zip(utc_s.tolist(), utc_offset_s.tolist(), strict=True)) == expected


@given(st.text(alphabet="0123456789-+:TZ. ", max_size=30))
def test_a_text_is_parsed_only_if_it_is_valid_alone(text: str) -> None:
    if similar_times([text]) is not None:
        assert local_time(text, None, "time").utcoffset() is not None


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30T08:00:00Z",
        "2026-01-05T24:00:00Z",
        "2026-01-05T08:00:00",
        "2026-01-05T08:00:00.25Z",
        "2026-01-05T08:00Z",
        "2026-01-05 08:00:00Z",
        "0000-01-05T08:00:00Z",
        "2026-01-05T08:00:00+24:00",
        "２026-01-05T08:00:00Z",
        "",
    ],
)
def test_other_times_are_left_to_the_parser_of_single_times(text: str) -> None:
    assert similar_times(["2026-01-05T08:00:00Z", text]) is None


def test_more_than_four_offsets_are_left_to_the_parser_of_single_times() -> None:
    texts = [f"2026-01-05T08:00:00+0{hours}:00" for hours in range(5)]
    assert similar_times(texts) is None
    assert similar_times(texts[:4]) is not None


def test_readings_with_and_without_fractions_get_the_offsets_of_the_users_zone() -> None:
    """Only the trace without fractions is parsed at once."""
    zone, start = ZoneInfo("Europe/Berlin"), datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
    times = [(start + timedelta(minutes=30 * step)).isoformat() for step in range(8)]
    fractions = [time.replace("+00:00", ".000+00:00") for time in times]
    traces = [
        read_trace([{"timestamp": time, "value": 100} for time in texts], zone, "cgm_data")
        for texts in (times, fractions)
    ]
    assert similar_times(fractions) is not None  # zeros only, so the times are in whole seconds
    quarter = [time.replace(".000", ".250") for time in fractions]
    assert similar_times(quarter) is None
    slow = read_trace([{"timestamp": time, "value": 100} for time in quarter], zone, "cgm_data")
    for trace in traces:
        assert trace.utc_s.tolist() == [second - 0.25 for second in slow.utc_s.tolist()]
        assert trace.utc_offset_s.tolist() == slow.utc_offset_s.tolist()
    assert set(slow.utc_offset_s.tolist()) == {3600.0, 7200.0}


def test_an_invalid_time_among_many_is_named() -> None:
    readings = [{"timestamp": "2026-01-05T08:00:00Z", "value": 100} for _ in range(3)]
    readings[2]["timestamp"] = "2026-02-30T08:00:00Z"
    with pytest.raises(InputError, match=r"cgm_data\[2\]\.timestamp must be a date and time that"):
        read_trace(readings, None, "cgm_data")
