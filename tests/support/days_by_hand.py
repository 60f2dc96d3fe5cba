"""A slow and obvious check of training days, and random histories to check."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.training_days import TrainingDay, training_days

ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",  # UTC−03:30
    "America/Sao_Paulo",  # clocks were changed at midnight
    "America/Havana",  # 01:00 becomes 00:00
    "Atlantic/Azores",  # 00:00 becomes 01:00
    "Asia/Beirut",  # midnight becomes 01:00, and 00:00 becomes 23:00 of the day before
    "Asia/Kathmandu",  # UTC+05:45
    "Australia/Lord_Howe",  # by half an hour
    "Pacific/Chatham",  # UTC+12:45
    "Africa/Casablanca",
    "UTC",
)
ODD = timezone(timedelta(hours=5, minutes=37))

Reading = tuple[datetime, float]


@dataclass
class History:
    """Readings and meal times of a person, in local time."""

    readings: list[Reading]
    meals: list[datetime]


def judged_by_hand(history: History) -> list[tuple[date, int, int]]:
    """Return each day with its numbers of covered quarter-hours and meal times."""
    quarters: dict[date, set[datetime]] = {}
    meal_times: dict[date, set[datetime]] = {}
    clocks: dict[datetime, datetime] = {}
    values: dict[datetime, set[float]] = {}
    for time, glucose in history.readings:
        values.setdefault(time.astimezone(UTC), set()).add(glucose)
    for time, _ in history.readings:  # equal readings count once, with the smallest offset
        if len(values[time.astimezone(UTC)]) > 1:
            continue  # different readings at the same time do not count
        known = clocks.setdefault(time.astimezone(UTC), time)
        if time.utcoffset() < known.utcoffset():
            clocks[time.astimezone(UTC)] = time
    for time in clocks.values():
        begin = time.replace(minute=time.minute // 15 * 15, second=0, microsecond=0)
        quarters.setdefault(time.date(), set()).add(begin.astimezone(UTC))
    for time in history.meals:
        meal_times.setdefault(time.date(), set()).add(time.astimezone(UTC))
    days = sorted({*quarters, *meal_times})
    return [(day, len(quarters.get(day, ())), len(meal_times.get(day, ()))) for day in days]


def judged(trace: CgmTrace, meals: MealHistory) -> list[tuple[date, int, int]]:
    """Return the same as `judged_by_hand`, computed by the library."""
    return [plain(day) for day in training_days(trace, meals)]


def plain(day: TrainingDay) -> tuple[date, int, int]:
    assert day.is_valid == (day.covered_h >= 12 and day.meal_times >= 2)
    return day.day, int(4 * day.covered_h), day.meal_times


def trace_of(readings: Iterable[Reading]) -> CgmTrace:
    return CgmTrace.from_readings(readings)


def meals_at(times: list[datetime]) -> MealHistory:
    offsets = [time.utcoffset().total_seconds() for time in times]
    return MealHistory.of(
        [time.timestamp() for time in times], offsets, np.full((len(times), 4), 20.0)
    )


def columns(trace: CgmTrace) -> list[bytes]:
    """Return the columns of a trace as bytes, for an exact comparison."""
    return [column.tobytes() for column in (trace.utc_s, trace.utc_offset_s, trace.glucose_mg_dl)]


@cache
def changes(zone: str) -> list[date]:
    """Return the days since 2015 on which the clocks of a zone were changed."""
    noons = [
        datetime(2015, 1, 1, 12, tzinfo=ZoneInfo(zone)) + timedelta(days=n) for n in range(4000)
    ]
    pairs = pairwise(noons)
    return [after.date() for before, after in pairs if before.utcoffset() != after.utcoffset()]


def random_history(chance: random.Random) -> History:
    """Generate a few days of a person in a random zone, often around a DST change."""
    name = chance.choice(ZONES)
    zone: tzinfo = ZoneInfo(name)
    first = date(2015, 1, 1) + timedelta(days=chance.randrange(4000))
    if changes(name) and chance.random() < 0.6:
        first = chance.choice(changes(name)) - timedelta(days=chance.randrange(2))
    if chance.random() < 0.1:
        zone = ODD
    midnight = datetime(first.year, first.month, first.day, tzinfo=zone).astimezone(UTC)
    make = chance.choice((_worn, _worn, _exact))
    moments = make(midnight, zone, chance)
    readings = [(moment.astimezone(zone), chance.uniform(40, 300)) for moment in moments]
    repeated = readings[1:]  # the first stays certain, because a trace needs one that is
    for again in chance.choices(repeated, k=chance.randrange(6)) if repeated else ():
        readings.append((again[0], again[1] + chance.choice((0, 7.3))))
    if readings and chance.random() < 0.2:  # the same moments on another clock
        at = chance.randrange(len(readings))
        readings[at] = (readings[at][0].astimezone(UTC), readings[at][1])
    chance.shuffle(readings)
    meals = [
        (midnight + timedelta(minutes=chance.randrange(4 * 1440))).astimezone(zone)
        for _ in range(chance.randrange(10))
    ]
    meals += chance.choices(meals, k=2) if meals else []
    return History(readings, meals)


def _worn(midnight: datetime, zone: tzinfo, chance: random.Random) -> list[datetime]:
    """Generate the times of a sensor that is worn for up to four days, with gaps."""
    step = timedelta(minutes=chance.choice((5, 10, 15, 15, 14, 16)))
    moment = midnight + timedelta(minutes=chance.randrange(-300, 900), seconds=chance.randrange(60))
    end = moment + timedelta(days=chance.uniform(0.1, 4))
    moments = []
    while moment < end:
        moments.append(moment + timedelta(milliseconds=chance.randrange(2000)))
        moment += step
        if chance.random() < 0.02:
            moment += timedelta(minutes=chance.randrange(600))
    return moments


def _exact(midnight: datetime, zone: tzinfo, chance: random.Random) -> list[datetime]:
    """Generate a local day with 46 to 49 covered quarter-hours and readings at their edges."""
    day = midnight.astimezone(zone).date()
    quarters = [
        moment
        for moment in (midnight + timedelta(minutes=15 * n) for n in range(100))
        if moment.astimezone(zone).date() == day
    ]
    moments = []
    for quarter in chance.sample(quarters, chance.choice((46, 47, 48, 49))):
        times_ms = (0, 899_999, chance.randrange(1, 899_999))
        for into_ms in chance.sample(times_ms, chance.randrange(1, 4)):  # at different times
            moments.append(quarter + timedelta(milliseconds=into_ms))
    return moments
