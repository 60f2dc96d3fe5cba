"""Profile of a person."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from postmeal.errors import InputError
from postmeal.units import CM_PER_INCH, KG_PER_POUND

__all__ = [
    "ACTIVITY_LEVELS",
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

ACTIVITY_LEVELS: tuple[str, ...] = get_args(ActivityLevel)
HEALTH_CONDITIONS: tuple[str, ...] = get_args(HealthCondition)


class Profile(BaseModel):
    """Age, sex, body size, activity and health conditions of a person.

    Values are not coerced: a number passed as a string raises an error, as does an implausible
    value.

    Attributes
    ----------
    age : float
        Age in years, 1 to 120.
    sex : {"female", "male"}
        Sex.
    height_cm : float
        Height in centimeters, 50 to 272.
    weight_kg : float
        Body mass in kilograms, 1 to 700.
    activity_level : str or None
        ``sedentary``, ``lightly_active``, ``moderately_active`` or ``very_active``.
    health_conditions : tuple of str
        Any of `HEALTH_CONDITIONS`; ``none`` cannot be combined with others.

    Raises
    ------
    InputError
        A field is missing or unknown, has the wrong type, or is out of range. The `field` attribute
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

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    age: float = Field(ge=1, le=120)
    sex: Sex
    height_cm: float = Field(ge=50, le=272)
    weight_kg: float = Field(ge=1, le=700)
    activity_level: ActivityLevel | None = None
    health_conditions: tuple[HealthCondition, ...] = ()

    def __init__(self, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise _input_error(error.errors()[0]) from None

    @field_validator("health_conditions", mode="before")
    @classmethod
    def _accept_a_list(cls, conditions: object) -> object:
        return tuple(conditions) if isinstance(conditions, list) else conditions

    @field_validator("health_conditions")
    @classmethod
    def _check_none_is_exclusive(cls, conditions: tuple[str, ...]) -> tuple[str, ...]:
        if "none" in conditions and set(conditions) != {"none"}:
            raise ValueError("must not combine 'none' with other conditions")
        return conditions

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
            The profile, in centimeters and kilograms.

        Raises
        ------
        InputError
            As for `Profile`, and if the height or the weight is not a number.
        """
        for field, value in (("height_in", height_in), ("weight_lb", weight_lb)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise InputError(field, "must be a number", value)
        return cls(height_cm=height_in * CM_PER_INCH, weight_kg=weight_lb * KG_PER_POUND, **fields)

    @property
    def bmi(self) -> float:
        """Body mass index in kg/m² (Quetelet 1832)."""
        return self.weight_kg / (self.height_cm / 100) ** 2


_ALLOWED: dict[str, tuple[str, ...]] = {
    "sex": get_args(Sex),
    "activity_level": ACTIVITY_LEVELS,
    "health_conditions": HEALTH_CONDITIONS,
}


def _input_error(detail: ErrorDetails) -> InputError:
    """Convert a validation error into an `InputError`."""
    name = str(detail["loc"][0])
    field = name + "".join(f"[{part}]" for part in detail["loc"][1:])
    kind = detail["type"]
    if kind == "missing":
        return InputError(field, "is required")
    if kind == "extra_forbidden":
        return InputError(
            field, "is not a profile field; supported fields", allowed=Profile.model_fields
        )
    if kind == "tuple_type":
        return InputError(
            field, "must be a list of values from", detail["input"], allowed=_ALLOWED[name]
        )
    if name in _ALLOWED and kind != "value_error":
        return InputError(field, "must be one of", detail["input"], allowed=_ALLOWED[name])
    problem = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    problem = problem.replace("less than or equal to", "at most")
    problem = problem.replace("greater than or equal to", "at least")
    return InputError(
        field, problem if kind == "value_error" else f"must be {problem}", detail["input"]
    )
