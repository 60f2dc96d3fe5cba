"""Level of a person: the change of blood glucose at the start of a meal from the mean of the state.

HbA1c and fasting glucose give a first estimate, and the mean of a trace moves it. The weight of the
trace is smaller if laboratory values already explain a part of the differences between people.
"""

from __future__ import annotations

from postmeal.glucose.person.coefficients import Laboratory, PersonCoefficients
from postmeal.glucose.person.trace import TraceSummary, rung_share
from postmeal.glucose.population.sensors import SensorConstant


def laboratory_of(
    learned: PersonCoefficients,
    state: str,
    hba1c_percent: float | None,
    fasting_glucose_mg_dl: float | None,
) -> Laboratory | None:
    """Return the coefficients for the laboratory values that are given, None if there are none."""
    given = {"hba1c": hba1c_percent, "fasting": fasting_glucose_mg_dl}
    if state not in learned.mean_hba1c_percent:  # type 1 diabetes
        return None
    return learned.laboratory.get(
        "_and_".join(k for k, value in given.items() if value is not None)
    )


def level_change_mg_dl(
    learned: PersonCoefficients,
    state: str,
    state_mean_mg_dl: float,
    sensor: SensorConstant,
    trace: TraceSummary,
    laboratory: Laboratory | None,
    hba1c_percent: float | None,
    fasting_glucose_mg_dl: float | None,
) -> float:
    """Return the change of a person's level from the mean of the state, in blood glucose.

    `laboratory` are the coefficients for the given laboratory values; see `laboratory_of`.
    """
    change = 0.0
    if laboratory is not None and hba1c_percent is not None:
        change += laboratory.hba1c * (hba1c_percent - learned.mean_hba1c_percent[state])
    if laboratory is not None and fasting_glucose_mg_dl is not None:
        change += laboratory.fasting * (fasting_glucose_mg_dl - learned.mean_fasting_mg_dl[state])
    weight = trace_weight(learned, trace.usable_hours, laboratory)
    if not weight:
        return change
    own = (trace.mean_mg_dl - sensor.offset_mg_dl) / sensor.gain - state_mean_mg_dl
    own -= learned.mean_above_level_mg_dl
    return change + weight * (own - change)


def trace_weight(
    learned: PersonCoefficients, usable_hours: float, laboratory: Laboratory | None = None
) -> float:
    """Return the weight of a trace's mean; laboratory values leave less for it to explain."""
    share = rung_share(usable_hours)
    if not share:
        return 0.0
    alone = learned.trace.at(learned.trace.level_weight, usable_hours)
    unexplained = 1.0 if laboratory is None else 1 - laboratory.explained
    return share * alone * unexplained / (alone * unexplained + 1 - alone)
