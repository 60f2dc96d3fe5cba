"""Course of predicted glucose after the start of a meal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Course(NamedTuple):
    """Predicted glucose before clipping to the range of sensors."""

    start_mg_dl: Array
    rise_mg_dl: Array
    hour_sd_mg_dl: Array | None = None

    @property
    def curve_mg_dl(self) -> Array:
        """Glucose at each minute, of shape (n_cases, n_times)."""
        return self.start_mg_dl[:, None] + self.rise_mg_dl

    def mean_over_hours(self, n_hours: NDArray[np.intp]) -> Course:
        """Return the mean of each case over its hours, and the spread between the hours."""
        first = np.cumsum(n_hours) - n_hours

        def mean(column: Array) -> Array:
            return (np.add.reduceat(column, first, axis=0).T / n_hours).T

        start, rise = mean(self.start_mg_dl), mean(self.rise_mg_dl)
        mean_curve = start[:, None] + rise
        deviation = self.curve_mg_dl - np.repeat(mean_curve, n_hours, axis=0)
        return Course(start, rise, np.sqrt(mean(deviation**2)))
