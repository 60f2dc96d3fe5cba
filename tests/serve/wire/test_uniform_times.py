"""Many timestamps that are parsed at once have the same values as timestamps parsed one by one."""

import random
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.errors import InputError
from postmeal.glucose.history.wall_clock import moment_of
from postmeal_serve.resources.cgm_history import read_trace
from postmeal_serve.wire.times import local_time, uniform_times

offsets = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(min_value=datetime(7, 1, 1), max_value=datetime(9986, 12, 31))


@given(st.lists(moments, max_size=20), st.lists(offsets, min_size=1, max_size=4), st.randoms())
def test_times_have_the_values_of_times_parsed_one_by_one(
    naive: list[datetime], zones: list[timezone], choice: random.Random
) -> None:
    texts = [time.replace(microsecond=0, tzinfo=choice.choice(zones)).isoformat() for time in naive]
    parsed = uniform_times(texts)
    assert parsed is not None
    utc_s, utc_offset_s = parsed
    expected = [moment_of(local_time(text, None, "time")) for text in texts]
    assert list(zip(utc_s.tolist(), utc_offset_s.tolist(), strict=True)) == expected


days = ["2024-02-29", "2023-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "2026-13-01"]
clocks = ["T00:00:00", "T23:59:60", "T24:00:00", "T08:60:00", "T08:00", " 08:00:00", "T08:00:00"]
endings = ["", "Z", "+05", "+0530", "-23:59", "+24:00", ".0Z", ",000000001Z", ".5Z", "Z\n", "z"]


@pytest.mark.parametrize("day", days)
@pytest.mark.parametrize("clock", clocks)
@pytest.mark.parametrize("ending", endings)
def test_a_strange_time_is_refused_or_has_the_value_of_the_time_alone(
    day: str, clock: str, ending: str
) -> None:
    text = f"{day}{clock}{ending}"
    parsed = uniform_times([text])
    if parsed is not None:
        values = parsed[0].item(), parsed[1].item()
        assert values == moment_of(local_time(text, None, "time"))
    else:
        valid = (day in days[:1] + days[3:5], clock in ("T00:00:00", "T08:00:00"))
        assert not all(valid) or ending not in ("Z", "+05", "+0530", "-23:59", ".0Z")


@given(
    st.lists(st.datetimes(min_value=datetime(1850, 1, 1), max_value=datetime(2100, 1, 1))),
    st.sampled_from(["Europe/Berlin", "Asia/Kathmandu", "Africa/Monrovia", "America/St_Johns"]),
)
def test_times_in_a_zone_have_the_offsets_of_times_parsed_one_by_one(
    naive: list[datetime], name: str
) -> None:
    zone = ZoneInfo(name)
    texts = [time.replace(microsecond=0).isoformat() + "Z" for time in naive]
    readings = [{"timestamp": text, "value": 100 + place} for place, text in enumerate(texts)]
    trace, _ = read_trace(readings[:300], zone, "cgm_data")
    expected = {moment_of(local_time(text, zone, "time")) for text in texts}
    assert set(zip(trace.utc_s.tolist(), trace.utc_offset_s.tolist(), strict=True)) == expected


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
    assert uniform_times(["2026-01-05T08:00:00Z", text]) is None


def test_more_than_four_offsets_are_left_to_the_parser_of_single_times() -> None:
    texts = [f"2026-01-05T08:00:00+0{hours}:00" for hours in range(5)]
    assert uniform_times(texts) is None
    assert uniform_times(texts[:4]) is not None


def test_readings_with_and_without_fractions_get_the_offsets_of_the_users_zone() -> None:
    """Fractions of zero are parsed at once; times with other fractions are parsed one by one."""
    zone, start = ZoneInfo("Europe/Berlin"), datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
    times = [(start + timedelta(minutes=30 * step)).isoformat() for step in range(8)]
    fractions = [time.replace("+00:00", ".000+00:00") for time in times]
    traces = [
        read_trace([{"timestamp": time, "value": 100} for time in texts], zone, "cgm_data")[0]
        for texts in (times, fractions)
    ]
    assert uniform_times(fractions) is not None  # zeros only, so the times are in whole seconds
    quarter = [time.replace(".000", ".250") for time in fractions]
    assert uniform_times(quarter) is None
    slow, _ = read_trace([{"timestamp": time, "value": 100} for time in quarter], zone, "cgm_data")
    for trace in traces:
        assert trace.utc_s.tolist() == [second - 0.25 for second in slow.utc_s.tolist()]
        assert trace.utc_offset_s.tolist() == slow.utc_offset_s.tolist()
    assert set(slow.utc_offset_s.tolist()) == {3600.0, 7200.0}


def test_an_invalid_time_among_many_is_named() -> None:
    readings = [{"timestamp": "2026-01-05T08:00:00Z", "value": 100} for _ in range(3)]
    readings[2]["timestamp"] = "2026-02-30T08:00:00Z"
    with pytest.raises(InputError, match=r"cgm_data\[2\]\.timestamp must be a date and time that"):
        read_trace(readings, None, "cgm_data")


def test_the_last_second_of_the_calendar_is_out_of_range_in_a_zone_east_of_utc() -> None:
    reading = {"timestamp": "9999-12-31T23:59:59Z", "value": 100}
    with pytest.raises(InputError, match=r"cgm_data\[0\]\.timestamp is out of range"):
        read_trace([reading], ZoneInfo("Asia/Tokyo"), "cgm_data")
