"""Decay of a person's learned mean level in the days after the history.

A person's level drifts, and a new sensor reads higher or lower than the previous one. A learned
level therefore becomes less certain over time, and fades to the level of the population. More than
two weeks after the history, the sensor has almost certainly been changed. The level then fades out
within `PersonalPrior.fading_days`, which is no time at all up to population-3. The learned response
to meals is still used, because it does not depend on the sensor.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.smooth_step import smooth_step, smooth_steps

Array = NDArray[np.float64]

LEVEL_DAYS = 30.0
"""Days after which the learned mean level has faded to 1/e.

Values of 7, 10, 14, 20, 30, 50 and 100 days were compared on held-out people of BIG IDEAs and
Shanghai, with simulated changes of the sensor. The error of this value is within 0.02 mg/dL of the
smallest error in the first week, and within 0.1 mg/dL in the second week.
"""

MAX_LEVEL_AGE_DAYS = 14.0
"""Maximum number of days after the history until which a learned level is kept."""


def kept_at(age_days: float, fading_days: float = 0.0) -> float:
    """Return the share of a level that is not lost by a change of the sensor."""
    past = max(age_days - MAX_LEVEL_AGE_DAYS, 0.0)
    return smooth_step(1 - past / fading_days) if fading_days else float(past == 0)


def level_kept(age_days: Array, fading_days: float = 0.0) -> Array:
    """Return `kept_at` at each age."""
    past = np.nan_to_num(np.maximum(age_days - MAX_LEVEL_AGE_DAYS, 0.0))
    return smooth_steps(1 - past / fading_days) if fading_days else (past == 0).astype(float)


def level_share(age_days: float, fading_days: float = 0.0) -> float:
    """Return the share of the learned mean level that is used `age_days` days after the history."""
    return kept_at(age_days, fading_days) * math.exp(-max(age_days, 0.0) / LEVEL_DAYS)


def level_shares(age_days: Array, fading_days: float = 0.0) -> Array:
    """Return the share of the learned mean level at each age; see `level_share`."""
    return level_kept(age_days, fading_days) * np.exp(-np.maximum(age_days, 0.0) / LEVEL_DAYS)
