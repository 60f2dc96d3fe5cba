"""Readings and meals of made-up people on the days before a meal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory

NOON = datetime(2026, 5, 20, 12, 30)
"""Time of the predicted meal."""

_EVERY_S = 300


class Recorded(NamedTuple):
    """Readings, which end five minutes before a meal, and the meals of the same days."""

    trace: CgmTrace
    meals: MealHistory


def recorded(
    seed: int,
    days: float = 7,
    *,
    until: datetime = NOON,
    level_mg_dl: float = 100.0,
    rise: float = 1.0,
    noise_mg_dl: float = 6.0,
) -> Recorded:
    """Generate the days before a moment, with readings every five minutes and three meals a day.

    A seed gives the same person and the same readings, however many days of them are asked for.
    """
    chance = np.random.default_rng(seed)
    end_s = until.replace(tzinfo=UTC).timestamp()
    n_days = 30
    first = (until - timedelta(days=n_days)).replace(hour=0, minute=0, second=0, tzinfo=UTC)
    hours = np.tile([8.0, 13.0, 19.0], n_days) + chance.uniform(-1, 1, 3 * n_days)
    meal_s = first.timestamp() + 86400 * np.repeat(np.arange(n_days), 3) + np.round(3600 * hours)
    grams = chance.uniform((10, 0, 2, 2), (110, 10, 40, 40), (3 * n_days, 4))
    time_s = np.arange(end_s - 86400 * n_days, end_s, _EVERY_S)
    glucose = np.full(len(time_s), float(level_mg_dl))
    for start_s, (carbs_g, fiber_g, *_) in zip(meal_s, grams, strict=True):
        after = np.maximum(time_s - start_s, 0.0) / 3000
        glucose += rise * 0.7 * (carbs_g - fiber_g / 2) * after * np.exp(1 - after)
    slow = np.convolve(chance.normal(0, 1, len(time_s) + 35), np.ones(36) / 6, mode="valid")
    glucose = np.clip(glucose + noise_mg_dl * slow, 41, 399)
    kept = time_s >= end_s - 86400 * days
    eaten = (meal_s >= end_s - 86400 * days) & (meal_s < end_s)
    return Recorded(
        CgmTrace.of(time_s[kept], 0, glucose[kept]),
        MealHistory.of(meal_s[eaten], 0, grams[eaten]),
    )


def ending(trace: CgmTrace, minutes: float, until: datetime = NOON) -> CgmTrace:
    """Return a trace shifted so that its last reading is some minutes before a moment."""
    last_s = until.replace(tzinfo=UTC).timestamp() - 60 * minutes
    shift_s = last_s - float(trace.utc_s[-1])
    return CgmTrace.of(trace.utc_s + shift_s, 0, trace.glucose_mg_dl)
