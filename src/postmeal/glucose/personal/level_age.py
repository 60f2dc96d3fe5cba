"""Decay of the learned mean level in the days after the history.

The level of a person drifts, and a new sensor reads higher or lower than the previous one. For both
reasons, a learned level becomes less certain over time, so it fades to the level of the population.
Two weeks after the history, the sensor has almost certainly been changed, and the population's
level is used. The response to meals does not depend on the sensor and is kept.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEVEL_DAYS", "MAX_LEVEL_AGE_DAYS", "level_share", "level_shares"]

Array = NDArray[np.float64]

LEVEL_DAYS = 30.0
"""Days in which a mean level fades to 1/e.

Among 7, 10, 14, 20, 30, 50 and 100 days, this value is within 0.02 mg/dL of the smallest error for
held-out people of BIG IDEAs and Shanghai in the first week and within 0.1 mg/dL in the second, with
simulated changes of the sensor.
"""

MAX_LEVEL_AGE_DAYS = 14.0
"""Maximum number of days after the history for which a learned level is used."""


def level_share(age_days: float) -> float:
    """Return the share of the learned mean level that is used `age_days` days after the history.

    Examples
    --------
    >>> [round(level_share(days), 2) for days in (-3, 0, 7, 14, 15)]
    [1.0, 1.0, 0.79, 0.63, 0.0]
    """
    return 0.0 if age_days > MAX_LEVEL_AGE_DAYS else math.exp(-max(age_days, 0.0) / LEVEL_DAYS)


def level_shares(age_days: Array) -> Array:
    """Return the share of the learned mean level at each age; see `level_share`."""
    share = np.exp(-np.maximum(age_days, 0.0) / LEVEL_DAYS)
    return np.where(age_days > MAX_LEVEL_AGE_DAYS, 0.0, share)
