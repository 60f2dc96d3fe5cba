"""CGM readings of one person as columns: any order in, one ascending trace out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.errors import InputError
from postmeal.glucose.curve import GRID_MIN

__all__ = ["READABLE_MG_DL", "CgmTrace"]

Array = NDArray[np.float64]

READABLE_MG_DL = (20.0, 600.0)
"""The lowest and the highest glucose that is taken for a reading."""

_MIN_GAP = 20.0


@dataclass(frozen=True, eq=False)
class CgmTrace:
    """What a sensor read of one person's glucose.

    Attributes
    ----------
    utc_s : ndarray of shape (n_readings,)
        Seconds since 1970-01-01T00:00Z, ascending, no two the same.
    utc_offset_s : ndarray of shape (n_readings,)
        Seconds by which the wearer's clock was ahead of UTC at each reading.
    glucose_mg_dl : ndarray of shape (n_readings,)
        Readings in mg/dL.
    """

    utc_s: Array
    utc_offset_s: Array
    glucose_mg_dl: Array

    @classmethod
    def of(
        cls,
        utc_s: ArrayLike,
        utc_offset_s: ArrayLike,
        glucose_mg_dl: ArrayLike,
        field: str = "cgm",
    ) -> CgmTrace:
        """Sort readings by time and average those of one moment.

        Parameters
        ----------
        utc_s, utc_offset_s, glucose_mg_dl : array_like of shape (n_readings,)
            Readings in any order.
        field : str, default="cgm"
            The name to blame in an error.

        Returns
        -------
        CgmTrace
            The trace.

        Raises
        ------
        InputError
            A reading lies outside `READABLE_MG_DL`, or a time is no number.
        """
        time = np.asarray(utc_s, dtype=np.float64)
        glucose = np.asarray(glucose_mg_dl, dtype=np.float64)
        offset = np.broadcast_to(np.asarray(utc_offset_s, dtype=np.float64), time.shape)
        low, high = READABLE_MG_DL
        wrong = np.flatnonzero(~((glucose >= low) & (glucose <= high) & np.isfinite(time)))
        if len(wrong):
            at = int(wrong[0])
            problem = f"must be {low:g} to {high:g} mg/dL"
            raise InputError(f"{field}[{at}].value", problem, float(glucose[at]))
        order = np.lexsort((offset, glucose, time))  # equal sums for any order in
        time, offset, glucose = time[order], offset[order], glucose[order]
        first = np.flatnonzero(np.diff(time, prepend=-np.inf))
        if len(first) == len(time):
            return cls(time, offset, glucose)
        count = np.diff(first, append=len(time))
        earliest = np.minimum.reduceat(offset, first)
        return cls(time[first], earliest, np.add.reduceat(glucose, first) / count)

    @classmethod
    def from_readings(cls, readings: Iterable[tuple[datetime, float]]) -> CgmTrace:
        """Make a trace of times and readings in mg/dL; a time without a zone is taken as UTC."""
        rows = [(*moment_of(time), value) for time, value in readings]
        columns = np.array(rows, dtype=np.float64).reshape(-1, 3)
        return cls.of(columns[:, 0], columns[:, 1], columns[:, 2])

    def __len__(self) -> int:
        return len(self.utc_s)

    def curves(self, start_s: ArrayLike, minutes: Iterable[float] = GRID_MIN) -> Array:
        """Interpolate what was read after some moments.

        Each point lies on the line between the readings before and after it, which are at most
        20 minutes apart, or, for a sensor that reads every 15 minutes, at most 35.

        Parameters
        ----------
        start_s : array_like of shape (n,)
            Moments, seconds since 1970-01-01T00:00Z.
        minutes : iterable of float, default=GRID_MIN
            Minutes after them.

        Returns
        -------
        ndarray of shape (n, n_times)
            Glucose in mg/dL, NaN where readings are too far apart.
        """
        start = np.asarray(start_s, dtype=np.float64)
        after_min = np.array([*minutes], dtype=np.float64)
        if len(self) < 2 or not len(start):
            return np.full((len(start), len(after_min)), np.nan)
        at = self.utc_s / 60
        wanted = start[:, None] / 60 + after_min
        max_gap_min = max(_MIN_GAP, 2 * float(np.median(np.diff(at))) + 5)
        after = np.searchsorted(at, wanted)
        before = np.searchsorted(at, wanted, side="right") - 1
        inside = (before >= 0) & (after < len(at))
        gap = at[np.minimum(after, len(at) - 1)] - at[np.maximum(before, 0)]
        curves: Array = np.interp(wanted, at, self.glucose_mg_dl)
        curves[~(inside & (gap <= max_gap_min))] = np.nan
        return curves

    def last_before(self, moment_s: float, within_min: float = 15.0) -> float | None:
        """Latest reading in the minutes up to a moment, None where there is none."""
        position = int(np.searchsorted(self.utc_s, moment_s, side="right")) - 1
        if position < 0 or moment_s - self.utc_s[position] > 60 * within_min:
            return None
        return float(self.glucose_mg_dl[position])


def moment_of(time: datetime) -> tuple[float, float]:
    """Seconds since 1970 and seconds ahead of UTC of a time; one without a zone is UTC."""
    offset = time.utcoffset()
    if offset is None:
        return (time - datetime(1970, 1, 1)).total_seconds(), 0.0
    return time.timestamp(), offset.total_seconds()
