"""Priors of people before each of their meals, from what is known by then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.person.prior import PersonPrior, person_prior
from postmeal.glucose.person.trace import NO_TRACE, TraceSummary, summarize
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.predictor import Predictor
from postmeal.training.fit.person_history import PersonHistory

Array = NDArray[np.float64]

FULL_COVER = 0.9
"""Least share of the last hours that readings must cover to count as that many hours of CGM."""


def before_meals(
    trace: CgmTrace, moments_s: Array, hours: float, ending_s: float = 0.0
) -> list[TraceSummary]:
    """Summarize the last hours of a trace before each moment, or before `ending_s` earlier."""
    return [
        summarize(trace.between(moment - ending_s - 3600 * hours, moment - ending_s), moment)
        for moment in moments_s.tolist()
    ]


def priors_of(
    predictor: Predictor,
    history: PersonHistory,
    summaries: Sequence[TraceSummary],
    *,
    hba1c: bool = False,
    fasting: bool = False,
) -> list[PersonPrior]:
    """Return the prior of a person for each summary of the readings before a meal."""
    constant = sensor_constant(history.sensor, predictor.sensors)
    level = predictor.level_mg_dl[history.state]
    laboratory = history.laboratory(hba1c, fasting)
    return [
        person_prior(predictor.person, history.state, level, constant, summary, *laboratory)
        for summary in summaries or [NO_TRACE]
    ]
