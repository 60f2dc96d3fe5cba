"""User profiles in v1.1 request bodies, in inches and pounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from postmeal.errors import InputError
from postmeal.people import ACTIVITY_LEVELS, ActivityLevel, Profile, Sex
from postmeal_serve.wire.request_body import MOST_VALUES, Accepts, RequestModel

__all__ = ["CONDITIONS", "PROFILE_ACCEPTS", "Condition", "RegisteredProfile", "UserProfile"]

Condition = Literal[
    "Type 1 diabetes",
    "Type 2 diabetes",
    "Prediabetes",
    "Gestational diabetes (prior pregnancy)",
    "Latent autoimmune diabetes in adults (LADA)",
    "Cystic-fibrosis related diabetes",
    "Diabetes, but not sure which type",
    "None of the above",
    "Other",
]

CONDITIONS: dict[str, str] = {
    "Type 1 diabetes": "type_1_diabetes",
    "Type 2 diabetes": "type_2_diabetes",
    "Prediabetes": "prediabetes",
    "Gestational diabetes (prior pregnancy)": "gestational_diabetes",
    "Latent autoimmune diabetes in adults (LADA)": "lada",
    "Cystic-fibrosis related diabetes": "cystic_fibrosis_related_diabetes",
    "Diabetes, but not sure which type": "diabetes_unknown_type",
    "None of the above": "none",
    "Other": "other",
}
"""Library names of the health conditions, by their v1.1 names."""

_FIELDS = {
    "sex": ("gender", "must be male or female"),
    "height_cm": ("height", "must be 19.7 to 107 inches (50 to 272 cm)"),
    "weight_kg": ("weight", "must be 2.21 to 1543 pounds (1 to 700 kg)"),
    "health_conditions": (
        "healthConditions",
        "must not combine None of the above with other conditions",
    ),
}


def _none() -> Any:
    return None


PROFILE_ACCEPTS: Accepts = {
    "age": "must be a number from 1 to 120",
    "gender": ("male", "female"),
    "height": "must be a number of inches greater than 0",
    "weight": "must be a number of pounds greater than 0",
    "activityLevel": ACTIVITY_LEVELS,
    "healthConditions": tuple(CONDITIONS),
}
"""Accepted values of each field, for error messages."""


class RegisteredProfile(RequestModel):
    """Profile of a registered user; omit optional fields instead of sending null."""

    other_names: ClassVar[Mapping[str, str]] = {
        "sex": "gender",
        "medical_conditions": "healthConditions",
    }

    age: float = Field(ge=1, le=120, description="Age in years.")
    gender: Sex
    height: float = Field(gt=0, description="Height in inches.")
    weight: float = Field(gt=0, description="Weight in pounds.")
    activityLevel: ActivityLevel = Field(default_factory=_none)
    healthConditions: list[Condition] = Field(
        default_factory=list,
        max_length=MOST_VALUES,
        description="Health conditions; `None of the above` cannot be combined with others.",
    )

    def library_fields(self) -> dict[str, Any]:
        """Return the fields that were sent, as arguments for `Profile.imperial`."""
        fields: dict[str, Any] = {
            "age": self.age,
            "sex": self.gender,
            "height_in": self.height,
            "weight_lb": self.weight,
        }
        if "activityLevel" in self.model_fields_set:
            fields["activity_level"] = self.activityLevel
        if "healthConditions" in self.model_fields_set:
            unique = dict.fromkeys(self.healthConditions)
            fields["health_conditions"] = [CONDITIONS[name] for name in unique]
        return fields

    def profile(self, field: str) -> Profile:
        """Convert to the library's `Profile`; error messages use the field names of the API."""
        try:
            return Profile.imperial(**self.library_fields())
        except InputError as error:
            name, problem = _FIELDS.get(error.field, (error.field, error.problem))
            raise InputError(f"{field}.{name}", problem) from None


class UserProfile(RegisteredProfile):
    """Profile of the user; all fields are required."""

    activityLevel: ActivityLevel
    healthConditions: list[Condition] = Field(
        max_length=MOST_VALUES,
        description="Health conditions; `None of the above` cannot be combined with others.",
    )
