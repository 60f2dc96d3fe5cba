"""Coefficients that turn what is known about a person into a level and a gain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np


class Laboratory(NamedTuple):
    """Change of the level with laboratory values: slopes on deviations from the mean of the state.

    `hba1c` is in mg/dL per percent, and each slope has a standard deviation. `explained` is the
    share of the variance of the level that the values explain, and `band` the factor of the width
    of the band.
    """

    hba1c: float
    hba1c_sd: float
    fasting: float
    fasting_sd: float
    explained: float
    band: float


class LearnedTrace(NamedTuple):
    """What a trace tells, by its usable hours: the columns are lists in the order of `hours`.

    The level is `level_weight` times the deviation of the trace's mean. The log of the gain is
    `log_gain` + `log_gain_slope` times the log of the trace's spread over the usual spread.
    """

    hours: tuple[float, ...]
    level_weight: tuple[float, ...]
    level_weight_sd: tuple[float, ...]
    log_gain: tuple[float, ...]
    log_gain_sd: tuple[float, ...]
    log_gain_slope: tuple[float, ...]
    log_gain_slope_sd: tuple[float, ...]
    band: tuple[float, ...]
    band_with_reading: tuple[float, ...]

    def at(self, column: tuple[float, ...], usable_hours: float) -> float:
        """Interpolate a column at a number of usable hours, on the logarithm of hours."""
        return float(np.interp(np.log(usable_hours), np.log(self.hours), column))


class PersonCoefficients(NamedTuple):
    """Coefficients of all rungs below logged meals; means and spreads are of blood glucose.

    The mean of a trace is higher than the level, which is glucose at the start of meals. With a
    trace, `known_level` is the weight of the effects that a reading at the start has if the level
    is known from meals; the rest is that of the effects if only the state is known.
    """

    usual_sd_mg_dl: dict[str, float]
    mean_above_level_mg_dl: float
    known_level: float
    mean_hba1c_percent: dict[str, float]
    mean_fasting_mg_dl: dict[str, float]
    laboratory: dict[str, Laboratory]
    trace: LearnedTrace

    @classmethod
    def from_dict(cls, values: Mapping[str, Any] | None) -> PersonCoefficients | None:
        """Create the coefficients from ``weights.json``; None for weights that have none."""
        if values is None:
            return None
        return cls(
            values["usual_sd_mg_dl"],
            values["mean_above_level_mg_dl"],
            values["known_level"],
            values["mean_hba1c_percent"],
            values["mean_fasting_mg_dl"],
            {name: Laboratory(**item) for name, item in values["laboratory"].items()},
            LearnedTrace(**{key: tuple(column) for key, column in values["trace"].items()}),
        )
