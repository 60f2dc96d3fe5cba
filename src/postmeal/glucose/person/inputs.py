"""What a prediction used, and warnings about what it could not use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

__all__ = ["WARNINGS", "InputUsed", "PredictionWarning"]


@dataclass(frozen=True, slots=True)
class InputUsed:
    """An input that was given for a prediction.

    Attributes
    ----------
    name : str
        Name of the input: a field of `Profile`, an argument of `Predictor.predict`, or ``hour``.
    used : bool
        Whether the input can change the curve.
    hours : float or None
        Usable hours of a trace; None for other inputs.
    weight : float or None
        Weight of a trace's mean in the level of the person, 0 to 1; None for other inputs.
    n_meals : int or None
        Number of logged meals that were used; None for other inputs.
    """

    name: str
    used: bool
    hours: float | None = None
    weight: float | None = None
    n_meals: int | None = None


@dataclass(frozen=True, slots=True)
class PredictionWarning:
    """Something that the caller can change to get a better prediction.

    Attributes
    ----------
    code : str
        One of the keys of `WARNINGS`.
    field : str
        The argument of `Predictor.predict` that the warning is about.
    message : str
        What is wrong and what to do.
    """

    code: str
    field: str
    message: str


WARNINGS: dict[str, str] = {
    "meals_after_meal": "Meals that start at or after the predicted meal were ignored: {n}.",
    "meals_not_usable": (
        "None of the meals could be used: at least one needs known carbohydrate and two hours of"
        " CGM readings after it."
    ),
    "model_ignores_input": ("{version} does not use {what}; population-4 does."),
    "reading_after_meal": (
        "The reading was taken {minutes:.0f} min after the start of the meal and was ignored; give"
        " a reading from before the meal."
    ),
    "reading_too_old": (
        "The reading was taken {minutes:.0f} min before the meal; a reading counts fully for 15 min"
        " and no longer after 60 min."
    ),
    "sensor_missing": (
        "The sensor is unknown, so the readings were treated as blood glucose; name the sensor."
    ),
    "trace_after_meal": "Readings after the start of the meal were ignored: {n}.",
    "trace_ended_early": (
        "The last reading is {minutes:.0f} min before the meal: the readings tell the person's"
        " level; where the curve starts, they tell fully for 15 min and no longer after 60 min."
    ),
    "trace_flat": "The readings hardly change, as if the sensor had failed, and were ignored.",
    "trace_mixed": (
        "The readings jump as if they were those of several people, and were ignored; send the"
        " readings of one person."
    ),
    "trace_too_old": "No reading is from the {days:.0f} days before the meal; none was used.",
    "trace_too_short": (
        "The readings cover {hours:.1f} usable hours; from 12 hours on, they tell the person's"
        " level and gain."
    ),
}
"""Codes of warnings, each with the sentence of its message."""


def warning(code: str, field: str, **values: object) -> PredictionWarning:
    """Create a warning from its code and the values in its message."""
    return PredictionWarning(code, field, WARNINGS[code].format(**values))


@lru_cache(maxsize=1024)
def plain_inputs(named: tuple[tuple[str, bool], ...]) -> tuple[InputUsed, ...]:
    """Return the inputs with these names, each with whether it was used."""
    return tuple(InputUsed(name, used) for name, used in named)
