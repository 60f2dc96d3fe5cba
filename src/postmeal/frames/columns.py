"""Convert columns of a DataFrame to arrays, and mark rows with possibly invalid values."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.errors import InputError
from postmeal.glucose.population.sensors import BLOOD, SensorConstant, sensor_constant
from postmeal.glucose.population.states import STATES, state_of
from postmeal.people import Profile

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

UNREAD_FIELDS = ("age", "sex", "height_cm", "weight_kg", "activity_level")
"""Profile fields that the model does not use."""

_DAY_S = 86400


class People(NamedTuple):
    """Health conditions of the person in each row, and their states of glucose regulation."""

    state: NDArray[np.intp]
    is_trained: NDArray[np.bool_]
    condition: NDArray[np.intp]
    conditions: list[tuple[str, ...]]


def cell(frame: pd.DataFrame, position: int, column: str) -> Any:
    """Return a cell as a plain Python object, or None if the value or its column is missing."""
    if column not in frame.columns:
        return None
    value = frame[column].iloc[position]
    if isinstance(value, (list, tuple)):
        return value
    plain = value.item() if isinstance(value, np.generic) else value
    return None if pd.isna(plain) else plain


def parse_numbers(frame: pd.DataFrame, column: str) -> tuple[Array, Mask]:
    """Return a column as floats (NaN if missing) and a mask of the values that are not numbers."""
    if column not in frame.columns:
        return np.full(len(frame), np.nan), np.zeros(len(frame), dtype=np.bool_)
    values = frame[column]
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        return numbers, np.zeros(len(frame), dtype=np.bool_)
    plain = [cell(frame, position, column) for position in range(len(frame))]
    known = [float(value) if is_number(value) else np.nan for value in plain]
    is_invalid = [value is not None and not is_number(value) for value in plain]
    return np.array(known, dtype=np.float64), np.array(is_invalid, dtype=np.bool_)


def is_number(value: object) -> bool:
    """Return whether a value is an int or a float; a bool is not a number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def parse_times(times: pd.Series) -> tuple[Array, Array, Mask]:
    """Return the local hours, the days since 1970-01-01 and a mask of missing times.

    The hours are from 0 to below 24; they are NaN where the column contains a date without an hour.
    """
    lacks_hour = np.zeros(len(times), dtype=np.bool_)
    if pd.api.types.is_datetime64_any_dtype(times):
        wall = times.dt.tz_localize(None).to_numpy(dtype="datetime64[s]")
    else:
        known = [time if isinstance(time, date) else None for time in times]
        plain = [t.replace(tzinfo=None) if isinstance(t, datetime) else t for t in known]
        wall = np.array(plain, dtype="datetime64[s]")
        lacks_hour |= [not isinstance(time, datetime) for time in known]
    is_missing = np.isnat(wall)
    seconds = np.where(is_missing, 0, wall.astype(np.int64))
    day, second = np.divmod(seconds, _DAY_S)
    hour = second // 3600 + second % 3600 // 60 / 60 + second % 60 / 3600
    return np.where(lacks_hour, np.nan, hour), day.astype(np.float64), is_missing


def make_profile(values: dict[str, Any]) -> Profile:
    """Create a profile from the values that are known."""
    return Profile(**{field: value for field, value in values.items() if value is not None})


def parse_people(frame: pd.DataFrame) -> tuple[People, Mask]:
    """Return the people in all rows, and a mask of the rows with an invalid profile."""
    conditions = [()] * len(frame)
    if "health_conditions" in frame.columns:
        conditions = [parse_conditions(value) for value in frame["health_conditions"]]
    fields = [field for field in UNREAD_FIELDS if field in frame.columns]
    columns = [frame[field].astype(object).where(frame[field].notna(), None) for field in fields]
    keys = list(zip(conditions, *columns, strict=True))
    invalid, states = set(), {}
    for key in dict.fromkeys(keys):
        known = {"health_conditions": key[0], **dict(zip(fields, key[1:], strict=True))}
        try:
            states[key] = state_of(make_profile(known).health_conditions)
        except InputError:
            invalid.add(key)
            states[key] = state_of(())
    positions = {names: position for position, names in enumerate(dict.fromkeys(conditions))}
    people = People(
        np.array([STATES.index(states[key].state) for key in keys], dtype=np.intp),
        np.array([states[key].is_trained for key in keys], dtype=np.bool_),
        np.array([positions[names] for names in conditions], dtype=np.intp),
        list(positions),
    )
    return people, np.array([key in invalid for key in keys], dtype=np.bool_)


def parse_conditions(value: Any) -> Any:
    """Parse health conditions from a list or from comma-separated names."""
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    if isinstance(value, (list, tuple)):
        return tuple(value)
    return () if pd.isna(value) else value


def parse_sensors(
    frame: pd.DataFrame, families: dict[str, SensorConstant]
) -> tuple[Array, Array, Mask]:
    """Return the offset (mg/dL) and gain of each row's sensor and a mask of unknown sensors."""
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
    columns = np.array([*constants, BLOOD], dtype=np.float64)  # the last item is for missing names
    return columns[codes, 0], columns[codes, 1], np.array([*is_unknown, False])[codes]
