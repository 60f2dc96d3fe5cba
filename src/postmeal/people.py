"""Profile of a person."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from postmeal.errors import InputError
from postmeal.units import CM_PER_INCH, KG_PER_POUND

__all__ = [
    "ACTIVITY_LEVELS",
    "CONDITION_LABELS",
    "HEALTH_CONDITIONS",
    "ActivityLevel",
    "HealthCondition",
    "Profile",
    "Sex",
]

Sex = Literal["female", "male"]
ActivityLevel = Literal["sedentary", "lightly_active", "moderately_active", "very_active"]
HealthCondition = Literal[
    "type_1_diabetes",
    "type_2_diabetes",
    "prediabetes",
    "gestational_diabetes",
    "lada",
    "cystic_fibrosis_related_diabetes",
    "diabetes_unknown_type",
    "none",
    "other",
]

_SEXES: tuple[str, ...] = get_args(Sex)
ACTIVITY_LEVELS: tuple[str, ...] = get_args(ActivityLevel)
HEALTH_CONDITIONS: tuple[str, ...] = get_args(HealthCondition)

CONDITION_LABELS: dict[str, str] = {name: name.replace("_", " ") for name in HEALTH_CONDITIONS} | {
    "none": "none of these",
    "lada": "LADA",
}
"""Labels of the health conditions in a list of choices."""


@dataclass(frozen=True, init=False)
class Profile:
    """Age, sex, body size, activity and health conditions of a person; all of them are optional.

    Only the health conditions change a prediction. Values are not converted to other types. A
    number passed as a string raises an error, as does an implausible value.

    Attributes
    ----------
    age : float or None
        Age in years, 1 to 120.
    sex : {"female", "male"} or None
        Sex of the person. ``F`` and ``M`` are accepted, and upper and lower case are equal.
    height_cm : float or None
        Height in centimeters, 50 to 272.
    weight_kg : float or None
        Body mass in kilograms, 1 to 700.
    activity_level : str or None
        ``sedentary``, ``lightly_active``, ``moderately_active`` or ``very_active``.
    health_conditions : tuple of str
        Any of `HEALTH_CONDITIONS`; ``none`` cannot be combined with others.

    Raises
    ------
    InputError
        A field is unknown, has the wrong type, or is out of range. The `field` attribute
        of the error names the field.

    Examples
    --------
    >>> someone = Profile.imperial(age=45, sex="female", height_in=66, weight_lb=150)
    >>> round(someone.height_cm, 2), round(someone.weight_kg, 2), round(someone.bmi, 1)
    (167.64, 68.04, 24.2)
    >>> Profile(age=200, sex="female", height_cm=167.64, weight_kg=68.0)
    Traceback (most recent call last):
        ...
    postmeal.errors.InputError: age must be at most 120, got 200
    """

    age: float | None = None
    sex: Sex | None = None
    height_cm: float | None = None
    weight_kg: float | None = None
    activity_level: ActivityLevel | None = None
    health_conditions: tuple[HealthCondition, ...] = ()

    def __init__(self, **fields: Any) -> None:
        values: dict[str, object] = {"age": _number("age", fields)}
        values["sex"] = _sex(fields.get("sex"))
        values["height_cm"] = _number("height_cm", fields)
        values["weight_kg"] = _number("weight_kg", fields)
        level = fields.get("activity_level")
        if level is not None:
            level = _choice("activity_level", level, ACTIVITY_LEVELS)
        values["activity_level"] = level
        values["health_conditions"] = _conditions(fields.get("health_conditions", ()))
        for name in fields:
            if name not in values:
                problem = "is not a profile field; supported fields"
                raise InputError(name, problem, allowed=tuple(values))
        vars(self).update(values)

    @classmethod
    def imperial(cls, *, height_in: float, weight_lb: float, **fields: Any) -> Profile:
        """Create a profile from inches and pounds.

        Parameters
        ----------
        height_in : float
            Height in inches.
        weight_lb : float
            Body mass in pounds.
        **fields
            The other fields of `Profile`.

        Returns
        -------
        Profile
            The profile, with the height in centimeters and the weight in kilograms.

        Raises
        ------
        InputError
            The height or the weight is not a number, or `Profile` rejects a field.
        """
        for field, value in (("height_in", height_in), ("weight_lb", weight_lb)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise InputError(field, "must be a number", value)
        return cls(height_cm=height_in * CM_PER_INCH, weight_kg=weight_lb * KG_PER_POUND, **fields)

    @property
    def bmi(self) -> float | None:
        """Body mass index in kg/m² (Quetelet 1832), None if height or weight is unknown."""
        if self.weight_kg is None or self.height_cm is None:
            return None
        return self.weight_kg / (self.height_cm / 100) ** 2


_LIMITS: Mapping[str, tuple[float, float]] = {
    "age": (1, 120),
    "height_cm": (50, 272),
    "weight_kg": (1, 700),
}


_INITIALS = {"f": "female", "m": "male"}


def _sex(value: object) -> str | None:
    if value is None:
        return None
    name = value.lower() if isinstance(value, str) else value
    return _choice(
        "sex", value if name not in (*_SEXES, *_INITIALS) else _INITIALS.get(name, name), _SEXES
    )


def _number(name: str, fields: Mapping[str, object]) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(name, "must be a number (int or float)", value)
    low, high = _LIMITS[name]
    if low <= value <= high:
        return float(value)
    if not math.isfinite(value):
        raise InputError(name, "must be a finite number", value)
    if value < low:
        raise InputError(name, f"must be at least {low:g}", value)
    raise InputError(name, f"must be at most {high:g}", value)


def _choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise InputError(name, "must be one of", value, allowed=allowed)
    return value


def _conditions(conditions: object) -> tuple[str, ...]:
    name = "health_conditions"
    if not isinstance(conditions, (list, tuple)):
        problem = "must be a list that contains only"
        raise InputError(name, problem, conditions, allowed=HEALTH_CONDITIONS)
    for number, condition in enumerate(conditions):
        if not isinstance(condition, str) or condition not in HEALTH_CONDITIONS:
            _choice(f"{name}[{number}]", condition, HEALTH_CONDITIONS)  # raises
    if "none" in conditions and set(conditions) != {"none"}:
        raise InputError(name, "must not combine 'none' with other conditions", conditions)
    return tuple(conditions)
