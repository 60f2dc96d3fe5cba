"""Columns of a table as arrays, each with the rows that a single prediction may refuse."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.errors import InputError
from postmeal.glucose.population.sensors import BLOOD, SensorConstant, sensor_constant
from postmeal.glucose.population.states import STATES, state_of
from postmeal.people import Profile

__all__ = [
    "UNREAD_FIELDS",
    "Eaters",
    "cell",
    "conditions_of",
    "eaters_of",
    "is_number",
    "numbers",
    "profile_of",
    "sensors_of",
    "wall_clock",
]

Array = NDArray[np.float64]
Doubts = NDArray[np.bool_]

UNREAD_FIELDS: dict[str, Any] = {
    "age": 40,
    "sex": "female",
    "height_cm": 170,
    "weight_kg": 70,
    "activity_level": None,
}
"""Fields of a profile that no model reads, and what stands for one that is missing."""

_DAY_S = 86400


class Eaters(NamedTuple):
    """Who eats, for each row.

    Attributes
    ----------
    state : ndarray of int of shape (n_rows,)
        Position in `STATES`.
    is_trained : ndarray of bool of shape (n_rows,)
        False for a condition without training data.
    which : ndarray of int of shape (n_rows,)
        Position in `conditions`.
    conditions : list of tuple of str
        The distinct combinations of health conditions.
    """

    state: NDArray[np.intp]
    is_trained: NDArray[np.bool_]
    which: NDArray[np.intp]
    conditions: list[tuple[str, ...]]


def cell(frame: pd.DataFrame, position: int, column: str) -> Any:
    """Return one value as a plain Python object, None where it or its column is missing."""
    if column not in frame.columns:
        return None
    value = frame[column].iloc[position]
    if isinstance(value, (list, tuple)):
        return value
    plain = value.item() if isinstance(value, np.generic) else value
    return None if pd.isna(plain) else plain


def numbers(frame: pd.DataFrame, column: str) -> tuple[Array, Doubts]:
    """Read a column of numbers: NaN where missing; in doubt where there is something else."""
    if column not in frame.columns:
        return np.full(len(frame), np.nan), np.zeros(len(frame), dtype=np.bool_)
    values = frame[column]
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        read = values.to_numpy(dtype=np.float64, na_value=np.nan)
        return read, np.zeros(len(frame), dtype=np.bool_)
    plain = [cell(frame, position, column) for position in range(len(frame))]
    known = [float(value) if is_number(value) else np.nan for value in plain]
    wrong = [value is not None and not is_number(value) for value in plain]
    return np.array(known, dtype=np.float64), np.array(wrong, dtype=np.bool_)


def is_number(value: object) -> bool:
    """Return whether a value counts as an amount: a bool does not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def wall_clock(times: pd.Series) -> tuple[Array, Array, Doubts]:
    """Read local times: the hour with its fraction, and the day since 1970-01-01."""
    if pd.api.types.is_datetime64_any_dtype(times):
        wall = times.dt.tz_localize(None).to_numpy(dtype="datetime64[s]")
    else:
        known = [each if isinstance(each, datetime) else None for each in times]
        plain = [None if each is None else each.replace(tzinfo=None) for each in known]
        wall = np.array(plain, dtype="datetime64[s]")
    is_missing = np.isnat(wall)
    seconds = np.where(is_missing, 0, wall.astype(np.int64))
    day, of_day = np.divmod(seconds, _DAY_S)
    hour = of_day // 3600 + of_day % 3600 // 60 / 60 + of_day % 60 / 3600
    return hour, day.astype(np.float64), is_missing


def profile_of(values: dict[str, Any]) -> Profile:
    """Make a profile of what is known; a field that no model reads may be missing."""
    known = {field: value for field, value in values.items() if value is not None}
    return Profile(**(UNREAD_FIELDS | {"health_conditions": ()} | known))


def eaters_of(frame: pd.DataFrame) -> tuple[Eaters, Doubts]:
    """Read who eats; in doubt where a profile would be refused."""
    conditions = [()] * len(frame)
    if "health_conditions" in frame.columns:
        conditions = [conditions_of(value) for value in frame["health_conditions"]]
    fields = [field for field in UNREAD_FIELDS if field in frame.columns]
    columns = [frame[field].astype(object).where(frame[field].notna(), None) for field in fields]
    keys = list(zip(conditions, *columns, strict=True))
    is_wrong, states = {}, {}
    for key in dict.fromkeys(keys):
        known = {"health_conditions": key[0], **dict(zip(fields, key[1:], strict=True))}
        try:
            states[key] = state_of(profile_of(known).health_conditions)
        except InputError:
            is_wrong[key] = True
            states[key] = state_of(())
    number = {name: position for position, name in enumerate(dict.fromkeys(conditions))}
    found = Eaters(
        np.array([STATES.index(states[key].state) for key in keys], dtype=np.intp),
        np.array([states[key].is_trained for key in keys], dtype=np.bool_),
        np.array([number[name] for name in conditions], dtype=np.intp),
        list(number),
    )
    return found, np.array([key in is_wrong for key in keys], dtype=np.bool_)


def conditions_of(value: Any) -> Any:
    """Read health conditions: a list, or names separated by commas.

    Examples
    --------
    >>> conditions_of("prediabetes, lada"), conditions_of(float("nan")), conditions_of(["none"])
    (('prediabetes', 'lada'), (), ('none',))
    """
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    if isinstance(value, (list, tuple)):
        return tuple(value)
    return () if pd.isna(value) else value


def sensors_of(
    frame: pd.DataFrame, families: dict[str, SensorConstant]
) -> tuple[Array, Array, Doubts]:
    """Read what sensors read, offset and gain; in doubt where one is of no known family."""
    if "sensor" not in frame.columns:
        n_rows = len(frame)
        return np.zeros(n_rows), np.ones(n_rows), np.zeros(n_rows, dtype=np.bool_)
    codes, names = pd.factorize(frame["sensor"])  # -1 where missing
    constants, is_unknown = [], []
    for name in names:
        try:
            constants.append(sensor_constant(name, families))
            is_unknown.append(False)
        except InputError:
            constants.append(BLOOD)
            is_unknown.append(True)
    columns = np.array([*constants, BLOOD], dtype=np.float64)  # the last is for a missing name
    return columns[codes, 0], columns[codes, 1], np.array([*is_unknown, False])[codes]
