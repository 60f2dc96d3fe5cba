"""Moments and wall clocks, around changes of the clocks above all."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from postmeal.errors import InputError
from postmeal.glucose.history.wall_clock import (
    EPOCH,
    moment_of,
    utc_of_wall_clock,
    zone_named,
    zone_offset_s,
)

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = st.sampled_from(
    ["Europe/Berlin", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe", "Asia/Kathmandu"]
)
AUTUMN = datetime(2026, 10, 25, tzinfo=UTC).timestamp()  # 02:00 in Berlin; repeated at 01:00 UTC


def shown_s(utc_s: np.ndarray, zone: ZoneInfo = BERLIN) -> np.ndarray:
    return utc_s + zone_offset_s(utc_s, zone)


def seconds(*times: str) -> np.ndarray:
    return np.array([(datetime.fromisoformat(time) - EPOCH).total_seconds() for time in times])


def in_utc(wall_s: np.ndarray, **tells: object) -> list[str]:
    utc_s, _ = utc_of_wall_clock(wall_s, BERLIN, **tells)
    return [f"{EPOCH + timedelta(seconds=second):%H:%M}" for second in utc_s]


@given(ZONES, st.lists(st.integers(1_400_000_000, 1_790_000_000), max_size=50))
def test_offsets_are_those_of_every_moment_looked_up_by_itself(name, moments):
    zone = ZoneInfo(name)
    alone = [datetime.fromtimestamp(one, zone).utcoffset().total_seconds() for one in moments]
    assert zone_offset_s(np.array(moments, dtype=float), zone).tolist() == alone


@given(ZONES, st.integers(1_400_000_000, 1_790_000_000), st.integers(60, 1200))
def test_a_file_in_the_order_of_time_gives_back_every_moment(name, start, step_s):
    """Through any change of the clocks: within a repeated hour, time that steps back tells.

    A file that begins in the second pass of a repeated hour looks like one of the first pass.
    """
    zone = ZoneInfo(name)
    assume(not datetime.fromtimestamp(start, zone).fold)
    utc_s = start + step_s * np.arange(400.0)
    found, offset_s = utc_of_wall_clock(shown_s(utc_s, zone), zone)
    assert found.tolist() == utc_s.tolist()
    assert offset_s.tolist() == zone_offset_s(utc_s, zone).tolist()


def test_a_file_with_the_newest_first_is_read_from_its_end():
    utc_s = AUTUMN - 3600 + 300 * np.arange(60.0)
    found, _ = utc_of_wall_clock(shown_s(utc_s)[::-1], BERLIN)
    assert found[::-1].tolist() == utc_s.tolist()


def test_the_same_time_twice_in_a_row_is_the_first_pass_and_the_second():
    """As a file sorted by local time has it."""
    wall_s = seconds(*["2026-10-25T01:55"], *["2026-10-25T02:05"] * 2, *["2026-10-25T02:10"] * 2)
    assert in_utc(wall_s) == ["23:55", "00:05", "01:05", "00:10", "01:10"]


def test_a_counter_tells_the_passes_of_a_repeated_hour_apart():
    """Also where nothing else does: here only the second pass was read."""
    wall_s = seconds("2026-10-25T01:55", "2026-10-25T02:05", "2026-10-25T02:07")
    assert in_utc(wall_s) == ["23:55", "00:05", "00:07"]
    counted = np.array([100.0, 100.0 + 600 + 3600, np.nan])
    assert in_utc(wall_s, elapsed_s=counted) == ["23:55", "01:05", "00:07"]


def test_the_order_of_a_file_that_is_not_in_order_tells_nothing():
    """Both times are then of the first pass, and contradict each other."""
    wall_s = seconds("2026-10-25T03:20", "2026-10-25T02:50", "2026-10-25T02:20", "2026-10-25T01:00")
    assert in_utc(wall_s) == ["02:20", "00:50", "00:20", "23:00"]
    shuffled = wall_s[[3, 0, 1, 2, 3]]
    assert in_utc(shuffled) == ["23:00", "02:20", "00:50", "00:20", "23:00"]


def test_a_counter_that_runs_backward_tells_nothing():
    wall_s = seconds("2026-10-25T01:55", "2026-10-25T02:05", "2026-10-25T02:01", "2026-10-25T03:01")
    assert in_utc(wall_s, elapsed_s=np.array([900.0, 600.0, 300.0, 0.0])) == [
        *("23:55", "00:05", "01:01", "02:01")
    ]


def test_order_means_something_within_one_device_only():
    wall_s = seconds("2026-10-25T02:50", "2026-10-25T02:20", "2026-10-25T03:20")
    assert in_utc(wall_s) == ["00:50", "01:20", "02:20"]
    assert in_utc(wall_s, run=["a", "b", "b"]) == ["00:50", "00:20", "02:20"]


def test_a_time_that_clocks_skip_does_not_exist():
    wall_s = seconds("2026-03-29T01:55", "2026-03-29T02:30", "2026-03-29T03:35")
    utc_s, offset_s = utc_of_wall_clock(wall_s, BERLIN)
    assert np.isnan(utc_s).tolist() == np.isnan(offset_s).tolist() == [False, True, False]
    assert in_utc(wall_s[[0, 2]]) == ["00:55", "01:35"]


def test_a_single_time_that_clocks_skip_is_read_off_a_clock_not_yet_put_forward():
    assert moment_of(datetime(2026, 3, 29, 2, 30), BERLIN)[0] % 86400 == 5400


def test_without_a_zone_the_clock_is_taken_for_utc():
    wall_s = seconds("2026-10-25T02:30")
    utc_s, offset_s = utc_of_wall_clock(wall_s, None)
    assert (utc_s.tolist(), offset_s.tolist()) == (wall_s.tolist(), [0.0])


def test_a_time_keeps_its_own_offset_and_one_without_takes_the_zone():
    aware = datetime.fromisoformat("2026-05-01T08:00:00.250-05:00")
    assert moment_of(aware, BERLIN) == (aware.timestamp(), -18000.0)
    noon = datetime(2026, 5, 1, 12)
    assert moment_of(noon) == (noon.replace(tzinfo=UTC).timestamp(), 0.0)
    assert moment_of(noon, BERLIN) == (noon.replace(tzinfo=BERLIN).timestamp(), 7200.0)
    twice = datetime(2026, 10, 25, 2, 30)
    passes = [moment_of(twice.replace(fold=fold), BERLIN)[0] for fold in (0, 1)]
    assert passes[1] - passes[0] == 3600


@pytest.mark.parametrize(
    "name", ["Berlin", "", "../etc/passwd", "Europe", "Europe/Berlin\0", "x" * 300]
)
def test_an_unknown_zone_is_refused_with_an_example(name):
    with pytest.raises(InputError, match="zone must be an IANA time zone such as Europe/Berlin"):
        zone_named(name)
