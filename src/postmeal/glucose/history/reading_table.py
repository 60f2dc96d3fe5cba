"""CGM readings in a DataFrame: its columns, and the rows of one person and device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError
from postmeal.glucose.history.repeated_rows import of_device

if TYPE_CHECKING:
    import pandas as pd

PERSON, DEVICE = "person", "device"
"""Optional columns of a table of readings."""


def reading_rows(
    frame: pd.DataFrame,
    time: str,
    glucose: str,
    person: object,
    device: str | None,
    field: str,
) -> NDArray[np.intp]:
    """Return the positions of the rows with a reading of the person and the device."""
    if not hasattr(frame, "columns"):
        raise InputError(field, "must be a DataFrame", frame)
    missing = [column for column in (time, glucose) if column not in frame.columns]
    if missing:
        problem = (
            f"must have the columns {time} and {glucose}; missing: {', '.join(missing)};"
            f" columns of the frame: {', '.join(map(str, frame.columns)) or 'none'}; rename the"
            " columns, or pass their names as time= and glucose="
        )
        raise InputError(field, problem)
    for column, value in ((PERSON, person), (DEVICE, device)):
        if value is not None and column not in frame.columns:
            raise InputError(column, f"must be omitted if the frame has no column {column}", value)
    rows = np.flatnonzero(frame[glucose].notna())
    if PERSON in frame.columns:
        people = frame[PERSON].to_numpy()[rows]
        names = [str(name) for name in dict.fromkeys(people.tolist())]
        if person is None and len(names) > 1:
            problem = f"is required, because the frame has readings of {len(names)} people"
            raise InputError(PERSON, problem, allowed=names[:5])
        if person is not None:
            rows = rows[people == person]
        if person is not None and not len(rows):
            raise InputError(PERSON, "must be in the column person", person, allowed=names[:5])
    if device is not None:
        names = frame[DEVICE].iloc[rows].fillna("").astype(str).tolist()
        rows = rows[of_device(names, device)]
    return rows


def error_of_row(
    error: InputError, frame: pd.DataFrame, columns: dict[str, tuple[str, str]]
) -> InputError:
    """Return an error that names the row and column of a DataFrame and ends with a hint."""
    match = re.search(r"\[(\d+)\]\.(\w+)$", error.field)
    if match is None or match[2] not in columns:
        return error
    column, hint = columns[match[2]]
    named = InputError(column, error.problem).within(f"row {frame.index[int(match[1])]}")
    named.args = (f"{named.field}{str(error).removeprefix(error.field)}{hint}",)
    return named
