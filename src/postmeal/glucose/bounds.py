"""cgp_min and cgp_max: the range that a person's glucose keeps to after meals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from postmeal.glucose.intervals import UNTRAINED_FACTOR
from postmeal.glucose.sensors import BLOOD, SensorConstant

__all__ = ["MAX_MG_DL", "MIN_MG_DL", "GlucoseRange"]

MIN_MG_DL = 40.0
MAX_MG_DL = 400.0


@dataclass(frozen=True)
class GlucoseRange:
    """Glucose range of people with one state of regulation, in mg/dL.

    Attributes
    ----------
    low_mg_dl : float
        Low end of post-meal minima, calibrated by person, whatever reads them.
    high_mg_dl : float
        97.5th percentile of post-meal maxima of blood glucose, calibrated by person.
    """

    low_mg_dl: float
    high_mg_dl: float

    def bounds(
        self,
        curve_mg_dl: Sequence[float] = (),
        *,
        sensor: SensorConstant = BLOOD,
        is_trained: bool = True,
    ) -> tuple[int, int]:
        """cgp_min and cgp_max in whole mg/dL, widened only to hold a predicted curve.

        Parameters
        ----------
        curve_mg_dl : sequence of float, optional
            A predicted curve, as the sensor reads it.
        sensor : SensorConstant, default=BLOOD
            What reads the glucose: the upper end is given as it reads it.
        is_trained : bool, default=True
            False for a condition that no training data back: the range is then wider.

        Returns
        -------
        tuple of int
            cgp_min and cgp_max, within 40 and 400.

        Examples
        --------
        >>> GlucoseRange(71.3, 171.2).bounds()
        (71, 172)
        >>> GlucoseRange(71.3, 171.2).bounds([90.0, 180.5])
        (71, 181)
        """
        low = self.low_mg_dl
        high = sensor.offset_mg_dl + sensor.gain * self.high_mg_dl
        if not is_trained:
            margin = (UNTRAINED_FACTOR - 1) * (high - low) / 2
            low, high = low - margin, high + margin
        low = min((low, *curve_mg_dl))
        high = max((high, *curve_mg_dl))
        return math.floor(max(low, MIN_MG_DL)), math.ceil(min(high, MAX_MG_DL))
