"""CGM histories in requests: glucose readings, and the foods eaten in the same period."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from pydantic import WithJsonSchema

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import READABLE_MG_DL, CgmTrace, time_columns
from postmeal.glucose.history.meal_history import MealHistory, credible_entries
from postmeal.glucose.history.wall_clock import moment_of, zone_offset_s
from postmeal.glucose.population.carbohydrate_kind import CARB_WEIGHTS
from postmeal.glucose.population.features import food_macronutrients
from serve.resources.food_choices import FoodChoice, Foods, select
from serve.wire.times import ISO_8601, local_time, uniform_times

__all__ = [
    "MOST_CONSUMED_FOODS",
    "MOST_READINGS",
    "History",
    "Readings",
    "read_meal_history",
    "read_trace",
]

MOST_READINGS = 100_000
"""Maximum number of readings: about one year with a reading every five minutes."""

MOST_CONSUMED_FOODS = 10_000
"""Maximum number of foods in a history."""

_LOW, _HIGH = READABLE_MG_DL
_READING = {
    "type": "object",
    "required": ["timestamp", "value"],
    "properties": {
        "timestamp": {"type": "string", "pattern": f"^{ISO_8601}$"},
        "value": {"type": "number", "minimum": _LOW, "maximum": _HIGH, "description": "mg/dL."},
    },
}
_MANY: dict[str, Any] = {"type": "array", "items": _READING, "maxItems": MOST_READINGS}

Readings = Annotated[Any, WithJsonSchema(_MANY)]
"""Body field that `read_trace` parses. Validation with Pydantic would be ten times slower."""


class History(NamedTuple):
    """CGM readings and the meals eaten in the same period.

    Attributes
    ----------
    trace : CgmTrace
        CGM readings.
    meals : MealHistory
        The foods that were eaten.
    """

    trace: CgmTrace
    meals: MealHistory

    def before(self, moment_s: float) -> History:
        """Return the readings up to the start of a meal, and the foods eaten before it.

        Parameters
        ----------
        moment_s : float
            Start of the meal in seconds since 1970 (UTC).
        """
        trace, meals = self
        is_read, is_eaten = trace.utc_s <= moment_s, meals.utc_s < moment_s
        return History(
            CgmTrace(
                trace.utc_s[is_read], trace.utc_offset_s[is_read], trace.glucose_mg_dl[is_read]
            ),
            MealHistory(
                meals.utc_s[is_eaten],
                meals.utc_offset_s[is_eaten],
                meals.macronutrients[is_eaten],
                meals.is_credible[is_eaten],
            ),
        )


def read_trace(readings: object, zone: ZoneInfo | None, field: str) -> CgmTrace:
    """Parse CGM readings from an array of ``{timestamp, value}``.

    Parameters
    ----------
    readings : object
        Parsed JSON of the field.
    zone : ZoneInfo or None
        Time zone of the user, which determines local days and hours. If None, the offset of each
        timestamp determines them.
    field : str
        Field name for error messages.

    Returns
    -------
    CgmTrace
        The readings, sorted by time.

    Raises
    ------
    InputError
        The value is not such an array, is too long, or contains a malformed or out-of-range
        reading.
    """
    if not isinstance(readings, list):
        raise InputError(field, "must be an array of objects {timestamp, value}")
    if len(readings) > MOST_READINGS:
        raise InputError(field, f"must have at most {MOST_READINGS} readings", len(readings))
    try:
        times = [reading["timestamp"] for reading in readings]
        values = [reading["value"] for reading in readings]
    except (TypeError, KeyError):
        raise _malformed(readings, field) from None
    if not {*map(type, times)} <= {str} or not {*map(type, values)} <= {int, float}:
        raise _malformed(readings, field)
    try:
        glucose_mg_dl = np.array(values, dtype=np.float64)
    except OverflowError:  # An integer is too large for a float.
        raise _malformed(readings, field) from None
    utc_s, offset_s = _columns(times, zone, field)
    return CgmTrace.of(utc_s, offset_s, glucose_mg_dl, field)


def read_meal_history(
    foods: Foods,
    choices: Iterable[tuple[str, FoodChoice]],
    zone: ZoneInfo | None,
    field: str,
) -> MealHistory:
    """Build a meal history from foods and the times they were eaten.

    Parameters
    ----------
    foods : Foods
        Foods in which the IDs are looked up.
    choices : iterable of (str, FoodChoice)
        Pairs of the ISO 8601 time at which a food was eaten and the food.
    zone : ZoneInfo or None
        Time zone of the user, which determines local days and hours. If None, the offset of each
        timestamp determines them.
    field : str
        Field name for error messages.

    Returns
    -------
    MealHistory
        The foods, in the order of `choices`.

    Raises
    ------
    UnknownFood
        One of the IDs does not belong to any food.
    InputError
        A timestamp is malformed, or a serving does not belong to its food.
    """
    pairs = list(choices)
    utc_s, offset_s = _columns([text for text, _ in pairs], zone, field)
    selections = select(foods, (choice for _, choice in pairs), field)
    macronutrients = (
        food_macronutrients(selections, CARB_WEIGHTS) if selections else np.empty((0, 4))
    )
    is_credible = credible_entries(utc_s, [(each,) for each in selections])
    return MealHistory.of(utc_s, offset_s, macronutrients, field, is_credible=is_credible)


def _columns(
    texts: Sequence[str], zone: ZoneInfo | None, field: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Convert timestamps to seconds since 1970 (UTC) and offsets from UTC in seconds."""
    parsed = uniform_times(texts)
    columns = _one_by_one(texts, zone, field) if parsed is None else parsed
    try:
        utc_s, utc_offset_s = time_columns(*columns, field)
    except InputError as error:
        path = error.field.rpartition(".")[0]
        problem = "is out of range; the year must be from 6 to 9987"
        raise InputError(f"{path}.timestamp", problem) from None
    if parsed is not None and zone is not None:
        # The offsets are those in the texts; replace them with those of the zone.
        return utc_s, zone_offset_s(utc_s, zone)
    return utc_s, utc_offset_s


def _one_by_one(
    texts: Iterable[str], zone: ZoneInfo | None, field: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Parse timestamps one by one; an error names the first invalid timestamp."""
    moments = []
    for index, text in enumerate(texts):
        try:
            moments.append(moment_of(local_time(text, zone, field)))
        except InputError as error:
            path = f"{field}[{index}].timestamp"
            raise InputError(path, error.problem, text[:60]) from None
    columns = np.array(moments, dtype=np.float64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _malformed(readings: list[Any], field: str) -> InputError:
    """Return an error for the first malformed reading."""
    for index, reading in enumerate(readings):
        path = f"{field}[{index}]"
        if not isinstance(reading, dict):
            return InputError(path, "must be an object {timestamp, value}")
        for name in ("timestamp", "value"):
            if name not in reading:
                return InputError(f"{path}.{name}", "is required")
        if not isinstance(reading["timestamp"], str):
            return InputError(f"{path}.timestamp", "must be an ISO 8601 date and time as a string")
        value = reading["value"]
        if type(value) not in (int, float) or abs(value) > 1e6:
            return InputError(f"{path}.value", f"must be a number from {_LOW:g} to {_HIGH:g} mg/dL")
    raise AssertionError("none of the readings is malformed, although the list was refused")
