"""A column of glucose readings: supported units and values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.errors import InputError
from postmeal.units import GLUCOSE, MG_DL_PER_MMOL_L

Array = NDArray[np.float64]

READABLE_MG_DL = (GLUCOSE.low, GLUCOSE.high)
"""Lowest and highest glucose accepted as a reading, in mg/dL."""

GLUCOSE_UNITS = {"mg/dL": 1.0, "mmol/L": MG_DL_PER_MMOL_L}
"""Supported units of glucose, with the factors that convert them to mg/dL."""

_READABLE = {
    "mg/dL": "must be 20 to 600 mg/dL",
    "mmol/L": "must be 1.12 to 33.3 mmol/L (20 to 600 mg/dL)",
}


def glucose_column(glucose: ArrayLike, unit: str, length: int, field: str) -> Array:
    """Validate readings, and convert them to mg/dL."""
    if unit not in GLUCOSE_UNITS:
        raise InputError(f"{field}.unit", "must be one of", unit, allowed=GLUCOSE_UNITS)
    values = number_column(glucose, f"{field}.value", length)
    glucose_mg_dl = values * GLUCOSE_UNITS[unit]
    low, high = READABLE_MG_DL
    invalid = np.flatnonzero(~((glucose_mg_dl >= low) & (glucose_mg_dl <= high)))
    if len(invalid):
        row = int(invalid[0])
        problem, value = _READABLE[unit], float(values[row])
        for other, factor in GLUCOSE_UNITS.items():
            if other != unit and low <= value * factor <= high:
                problem += f"; the value seems to be in {other}"
        raise InputError(f"{field}[{row}].value", problem, value)
    return glucose_mg_dl


def number_column(column: ArrayLike, field: str, length: int | None = None) -> Array:
    """Validate a column of numbers; its length is arbitrary if `length` is None."""
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(field, f"must be numbers: {str(error)[:100]}") from None
    if numbers.ndim != 1 or length not in (None, len(numbers)):
        shape = "(n,)" if length is None else f"({length},)"
        raise InputError(field, f"must have the shape {shape}", numbers.shape)
    return numbers
