"""Prior of a person: level, gain and width of the band before any logged meal is used.

The gain is how much glucose rises after a meal, relative to the mean of the state. People whose
glucose varies more over the day rise more after meals. In type 1 diabetes, the spread of glucose
shows insulin doses rather than meals, and does not change the gain.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from postmeal.glucose.person.coefficients import PersonCoefficients
from postmeal.glucose.person.level import laboratory_of, level_change_mg_dl, trace_weight
from postmeal.glucose.person.trace import NO_TRACE, TraceSummary, rung_share
from postmeal.glucose.population.sensors import SensorConstant


class PersonPrior(NamedTuple):
    """How a person differs from the mean of the state, in blood glucose.

    `known_level` moves the effects of a reading at the start to those of personal models. The range
    from `low_mg_dl` to `high_mg_dl` is that of the person's own readings; it has the weight
    `range_weight` beside the range of the state.
    """

    level_mg_dl: float = 0.0
    log_gain: float = 0.0
    band: float = 1.0
    band_with_reading: float = 1.0
    known_level: float = 0.0
    low_mg_dl: float = 0.0
    high_mg_dl: float = 0.0
    range_weight: float = 0.0


MEAN_PERSON = PersonPrior()
"""Prior of a person of whom only the state is known."""


def person_prior(
    learned: PersonCoefficients | None,
    state: str,
    state_mean_mg_dl: float,
    sensor: SensorConstant,
    trace: TraceSummary = NO_TRACE,
    hba1c_percent: float | None = None,
    fasting_glucose_mg_dl: float | None = None,
) -> PersonPrior:
    """Return the prior of a person from laboratory values and a trace, if there are any."""
    if learned is None:
        return MEAN_PERSON
    if not trace.is_credible:
        trace = NO_TRACE
    values = hba1c_percent, fasting_glucose_mg_dl
    laboratory = laboratory_of(learned, state, *values)
    share, band, with_reading = rung_share(trace.usable_hours), 1.0, 1.0
    if laboratory is not None:
        band = laboratory.band
    if share:
        hours = trace.usable_hours
        band += share * (min(learned.trace.at(learned.trace.band, hours), band) - band)
        with_reading += share * (learned.trace.at(learned.trace.band_with_reading, hours) - 1)
    low, high = 0.0, 0.0
    if share:
        low, high = (
            (end - sensor.offset_mg_dl) / sensor.gain for end in (trace.low_mg_dl, trace.high_mg_dl)
        )
    return PersonPrior(
        level_change_mg_dl(learned, state, state_mean_mg_dl, sensor, trace, laboratory, *values),
        _log_gain_change(learned, state, sensor, trace),
        band,
        with_reading,
        share * learned.known_level,
        low,
        high,
        trace_weight(learned, trace.usable_hours),
    )


def _log_gain_change(
    learned: PersonCoefficients, state: str, sensor: SensorConstant, trace: TraceSummary
) -> float:
    """Return the change of the logarithm of the gain that the spread of a trace tells."""
    share = rung_share(trace.usable_hours)
    if not share or state == "type_1":
        return 0.0
    ratio = trace.sd_mg_dl / sensor.gain / learned.usual_sd_mg_dl[state]
    constant = learned.trace.at(learned.trace.log_gain, trace.usable_hours)
    slope = learned.trace.at(learned.trace.log_gain_slope, trace.usable_hours)
    return share * (constant + slope * math.log(ratio))
