"""Time since the previous meal, which comes from the request or from the diary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
from sqlalchemy import Connection

from postmeal.errors import InputError
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.population.features import MACRONUTRIENTS
from postmeal_serve.resources.diary import Diary, FoodLog

__all__ = ["DIARY_HOURS", "PREVIOUS_HOURS", "hours_since_diary_meal", "hours_since_previous_meal"]

PREVIOUS_HOURS = 12.0
"""Hours before the start of a meal within which previous meals are accepted."""

DIARY_HOURS = 6.0
"""Hours before the start of a meal within which the diary is read."""


def hours_since_previous_meal(
    meals: MealHistory,
    times: Sequence[str],
    start: datetime,
    field: str,
    others: MealHistory | None = None,
) -> float | None:
    """Return the hours since the latest of the previous meals and other meals in a request.

    Foods within 15 minutes of each other are one meal. Foods within 15 minutes of the start belong
    to the current meal. See `MealHistory.hours_since_meal`.
    """
    moment_s = start.timestamp()
    ago_h = (moment_s - meals.utc_s) / 3600
    outside = np.flatnonzero(~((ago_h > 0) & (ago_h <= PREVIOUS_HOURS)))
    if len(outside):
        index = int(outside[0])
        problem = f"must be within the {PREVIOUS_HOURS:g} hours before start_time"
        raise InputError(f"{field}[{index}].timestamp", problem, times[index][:60])
    return (meals if others is None else _joined(meals, others)).hours_since_meal(moment_s)


def _joined(meals: MealHistory, others: MealHistory) -> MealHistory:
    """Return the entries of both histories."""
    pairs = zip(vars(meals).values(), vars(others).values(), strict=True)
    return MealHistory(*(np.concatenate(pair) for pair in pairs))


def hours_since_diary_meal(
    connection: Connection, organization_id: int, end_user_id: str, start: datetime
) -> float | None:
    """Return the hours since the last meal in the diary."""
    try:
        first = start - timedelta(hours=DIARY_HOURS)
        diary = Diary(connection, organization_id, end_user_id)
        logs: list[FoodLog] = []
        while True:
            page = diary.page(first, start, logs[-1].position if logs else None)
            logs += page.logs
            if page.is_last:
                break
    except OverflowError:  # The start is at the beginning of the calendar.
        return None
    entries = [(log.eaten_at.timestamp(), food) for log in logs for food in log.foods]
    macronutrients = [
        [food.nutrients.get(key, math.nan) for key in MACRONUTRIENTS] for _, food in entries
    ]
    meals = MealHistory.of([time_s for time_s, _ in entries], 0.0, macronutrients)
    return meals.hours_since_meal(start.timestamp())
