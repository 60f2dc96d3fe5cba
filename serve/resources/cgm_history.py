"""History: what a person's sensor read and what they ate meanwhile, as requests tell it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from pydantic import WithJsonSchema

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import READABLE_MG_DL, CgmTrace, time_columns
from postmeal.glucose.history.meal_history import MealHistory, credible_entries
from postmeal.glucose.history.wall_clock import moment_of
from postmeal.glucose.population.features import food_macronutrients
from serve.resources.food_choices import FoodChoice, Foods, select
from serve.wire.times import ISO_8601, local_time

__all__ = ["MOST_EATEN", "MOST_READINGS", "History", "Readings", "read_eaten", "read_trace"]

MOST_READINGS = 100_000
"""Readings of the longest history: a year, one every five minutes."""

MOST_EATEN = 10_000
"""Foods of the longest history."""

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
"""Field of a body that `read_trace` reads: an object for each reading would cost ten times more."""


class History(NamedTuple):
    """What was read and what was meals.

    Attributes
    ----------
    trace : CgmTrace
        What the sensor read.
    meals : MealHistory
        What was meals.
    """

    trace: CgmTrace
    meals: MealHistory

    def before(self, moment_s: float) -> History:
        """Answer what was known at the first bite of a meal, to which nothing later may add."""
        trace, meals = self
        read, begun = trace.utc_s <= moment_s, meals.utc_s < moment_s
        return History(
            CgmTrace(trace.utc_s[read], trace.utc_offset_s[read], trace.glucose_mg_dl[read]),
            MealHistory(
                meals.utc_s[begun],
                meals.utc_offset_s[begun],
                meals.macronutrients[begun],
                meals.is_credible[begun],
            ),
        )


def read_trace(sent: object, zone: ZoneInfo | None, field: str) -> CgmTrace:
    """Read an array of ``{timestamp, value}``.

    Parameters
    ----------
    sent : object
        JSON as it came.
    zone : ZoneInfo or None
        The wearer's zone, which sets the local day and hour; each time's own offset without it.
    field : str
        The name to blame in an error.

    Returns
    -------
    CgmTrace
        The readings, sorted.

    Raises
    ------
    InputError
        It is no such array, holds too many, or one of them is malformed or out of range.
    """
    if not isinstance(sent, list):
        raise InputError(field, "must be an array of objects {timestamp, value}")
    if len(sent) > MOST_READINGS:
        raise InputError(field, f"must hold at most {MOST_READINGS} readings", len(sent))
    try:
        times = [one["timestamp"] for one in sent]
        values = [one["value"] for one in sent]
    except (TypeError, KeyError):
        raise _malformed(sent, field) from None
    if not {*map(type, times)} <= {str} or not {*map(type, values)} <= {int, float}:
        raise _malformed(sent, field)
    try:
        glucose_mg_dl = np.array(values, dtype=np.float64)
    except OverflowError:  # a whole number beyond all floats
        raise _malformed(sent, field) from None
    utc_s, offset_s = _columns(times, zone, field)
    return CgmTrace.of(utc_s, offset_s, glucose_mg_dl, field)


def read_eaten(
    foods: Foods,
    choices: Iterable[tuple[str, FoodChoice]],
    zone: ZoneInfo | None,
    field: str,
) -> MealHistory:
    """Read foods with the times at which they were meals.

    Parameters
    ----------
    foods : Foods
        The foods.
    choices : iterable of (str, FoodChoice)
        Each with its time.
    zone : ZoneInfo or None
        The eater's zone, which sets the local day and hour; each time's own offset without it.
    field : str
        The name to blame in an error.

    Returns
    -------
    MealHistory
        The foods, in their order.

    Raises
    ------
    UnknownFood, InputError
        See `serve.resources.food_choices.select`; or a time is malformed.
    """
    pairs = list(choices)
    utc_s, offset_s = _columns((text for text, _ in pairs), zone, field)
    selections = select(foods, (choice for _, choice in pairs), field)
    content = food_macronutrients(selections) if selections else np.empty((0, 4))
    credible = credible_entries(utc_s, [(each,) for each in selections])
    return MealHistory.of(utc_s, offset_s, content, field, is_credible=credible)


def _columns(
    texts: Iterable[str], zone: ZoneInfo | None, field: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Seconds since 1970, and seconds ahead of UTC."""
    moments = []
    for place, text in enumerate(texts):
        try:
            moments.append(moment_of(local_time(text, zone, field)))
        except InputError as error:
            at = f"{field}[{place}].timestamp"
            raise InputError(at, error.problem, text[:60]) from None
    columns = np.array(moments, dtype=np.float64).reshape(-1, 2)
    try:
        return time_columns(columns[:, 0], columns[:, 1], field)
    except InputError as error:
        at = error.field.rpartition(".")[0]
        raise InputError(f"{at}.timestamp", "must not lie at an end of the calendar") from None


def _malformed(sent: list[Any], field: str) -> InputError:
    """Name the first reading that is none."""
    for place, one in enumerate(sent):
        at = f"{field}[{place}]"
        if not isinstance(one, dict):
            return InputError(at, "must be an object {timestamp, value}")
        for name in ("timestamp", "value"):
            if name not in one:
                return InputError(f"{at}.{name}", "is required")
        if not isinstance(one["timestamp"], str):
            return InputError(f"{at}.timestamp", "must be an ISO 8601 date and time, as text")
        value = one["value"]
        if type(value) not in (int, float) or abs(value) > 1e6:
            return InputError(f"{at}.value", f"must be a number, {_LOW:g} to {_HIGH:g} mg/dL")
    raise AssertionError("one of them is malformed")
