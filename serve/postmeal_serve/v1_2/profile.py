"""User profiles in v1.2 request bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from postmeal.errors import InputError
from postmeal.people import (
    ACTIVITY_LEVELS,
    HEALTH_CONDITIONS,
    ActivityLevel,
    HealthCondition,
    Profile,
    Sex,
)
from postmeal.units import length_cm, mass_kg
from postmeal_serve.wire.request_body import MOST_VALUES, Accepts, RequestModel

__all__ = ["PROFILE_ACCEPTS", "UserProfile"]

_PROFILE_FIELDS = {
    "height_cm": ("height", "must be 50 to 272 cm (19.7 to 107 in)"),
    "weight_kg": ("weight", "must be 1 to 700 kg (2.21 to 1543 lb)"),
}


def _sex(value: object) -> object:
    """Return the sex from ``{"value": "female"}`` or ``"female"``."""
    return value.get("value") if isinstance(value, dict) else value


_SEXES = {"type": "string", "enum": ["female", "male"]}
_SEX_SCHEMA = {
    "anyOf": [_SEXES, {"type": "object", "properties": {"value": _SEXES}, "required": ["value"]}]
}


class Height(RequestModel):
    """Height, 50 to 272 cm."""

    value: float = Field(gt=0)
    unit: Literal["in", "cm"]


class Weight(RequestModel):
    """Weight, 1 to 700 kg."""

    value: float = Field(gt=0)
    unit: Literal["lb", "kg"]


class UserProfile(RequestModel):
    """Profile of the end user."""

    other_names: ClassVar[Mapping[str, str]] = {
        "gender": "sex",
        "medical_conditions": "health_conditions",
    }

    age: float = Field(ge=1, le=120, description="Age in years.")
    sex: Annotated[Sex, BeforeValidator(_sex), WithJsonSchema(_SEX_SCHEMA)]
    height: Height
    weight: Weight
    activity_level: ActivityLevel | None = None
    health_conditions: list[HealthCondition] | None = Field(
        None,
        max_length=MOST_VALUES,
        description="Health conditions; `none` cannot be combined with others.",
    )

    def profile(self, field: str) -> Profile:
        """Convert to the library's `Profile`; error messages use the field names of the API."""
        try:
            return Profile(
                age=self.age,
                sex=self.sex,
                height_cm=length_cm(self.height.value, self.height.unit),
                weight_kg=mass_kg(self.weight.value, self.weight.unit),
                activity_level=self.activity_level,
                health_conditions=self.health_conditions or (),
            )
        except InputError as error:
            name, problem = _PROFILE_FIELDS.get(error.field, (error.field, error.problem))
            raise InputError(f"{field}.{name}", problem) from None


PROFILE_ACCEPTS: Accepts = {
    "user_profile": "must be an object with age, sex, height and weight",
    "age": "must be a number from 1 to 120",
    "sex": ("female", "male"),
    "height": 'must be an object with a value and the unit "in" or "cm", such as'
    ' {"value": 66, "unit": "in"}',
    "weight": 'must be an object with a value and the unit "lb" or "kg", such as'
    ' {"value": 150, "unit": "lb"}',
    "value": "must be a number greater than 0",
    "activity_level": ACTIVITY_LEVELS,
    "health_conditions": HEALTH_CONDITIONS,
}
"""Accepted values of each field, for error messages."""
