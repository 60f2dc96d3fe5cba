"""CGM histories in requests: glucose readings, and the foods eaten in the same period."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from pydantic import WithJsonSchema

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace, time_columns
from postmeal.glucose.history.glucose_column import READABLE_MG_DL
from postmeal.glucose.history.meal_history import MealHistory, credible_entries
from postmeal.glucose.history.wall_clock import moment_of, zone_offset_s
from postmeal.glucose.population.carbohydrate_kind import CARB_WEIGHTS
from postmeal.glucose.population.features import food_macronutrients
from postmeal.units import GLUCOSE
from postmeal_serve.resources.food_choices import FoodChoice, Foods, select
from postmeal_serve.wire.response_warnings import WarningCode
from postmeal_serve.wire.times import ISO_8601, local_time, uniform_times

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

_MAX_DIFFERENCE_MG_DL = 20.0
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


NO_READINGS = CgmTrace.of([], 0, [])
NO_MEALS = MealHistory.of([], 0, [])


class History(NamedTuple):
    """CGM readings and the meals eaten in the same period."""

    trace: CgmTrace = NO_READINGS
    meals: MealHistory = NO_MEALS

    def before(self, moment_s: float) -> History:
        """Return the readings up to the start of a meal, and the foods eaten before it."""
        return History(self.trace.until(moment_s), self.meals.only(self.meals.utc_s < moment_s))


def read_trace(
    readings: object, zone: ZoneInfo | None, field: str
) -> tuple[CgmTrace, list[WarningCode]]:
    """Parse CGM readings from an array of ``{timestamp, value}``.

    Simultaneous readings are averaged, as the API documents.
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
    for index in np.flatnonzero(~((glucose_mg_dl >= _LOW) & (glucose_mg_dl <= _HIGH))).tolist():
        GLUCOSE.convert(values[index], "mg/dL", f"{field}[{index}].value")  # raises
    return _averaged(utc_s, offset_s, glucose_mg_dl)


def _averaged(
    utc_s: NDArray[np.float64],
    utc_offset_s: NDArray[np.float64],
    glucose_mg_dl: NDArray[np.float64],
) -> tuple[CgmTrace, list[WarningCode]]:
    """Sort readings by time, and average those at the same time."""
    # Sort by all columns, so that sums do not depend on the input order.
    order = np.lexsort((utc_offset_s, glucose_mg_dl, utc_s))
    time, offset, glucose = utc_s[order], utc_offset_s[order], glucose_mg_dl[order]
    first = np.flatnonzero(np.diff(time, prepend=-np.inf))
    if len(first) == len(time):
        return CgmTrace(time, offset, glucose), []
    last = np.append(first[1:], len(time)) - 1
    mean = np.add.reduceat(glucose, first) / (last - first + 1)
    trace = CgmTrace(time[first], np.minimum.reduceat(offset, first), mean)
    is_different = (glucose[last] - glucose[first] > _MAX_DIFFERENCE_MG_DL).any()
    return trace, ["readings_averaged"] if is_different else []


def read_meal_history(
    foods: Foods,
    choices: Iterable[tuple[str, FoodChoice]],
    zone: ZoneInfo | None,
    field: str,
) -> MealHistory:
    """Build a meal history from foods and the times they were eaten."""
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
