"""Profiles: the person as version 1.1 describes one, in inches and pounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from postmeal.errors import InputError
from postmeal.people import ACTIVITY_LEVELS, ActivityLevel, Profile, Sex
from serve.wire.request_body import MOST_VALUES, Accepts, Wire

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
"""The library's name of each health condition."""

_FIELDS = {
    "sex": ("gender", "must be male or female"),
    "height_cm": ("height", "must be 19.7 to 107 inches (50 to 272 cm)"),
    "weight_kg": ("weight", "must be 2.21 to 1543 pounds (1 to 700 kg)"),
    "health_conditions": ("healthConditions", "must not hold None of the above beside another"),
}


def _not_told() -> Any:
    return None


PROFILE_ACCEPTS: Accepts = {
    "age": "must be a number of years, 1 to 120",
    "gender": ("male", "female"),
    "height": "must be a number of inches above 0",
    "weight": "must be a number of pounds above 0",
    "activityLevel": ACTIVITY_LEVELS,
    "healthConditions": tuple(CONDITIONS),
}
"""What the fields of a profile accept."""


class RegisteredProfile(Wire):
    """The person who is registered; an optional field is left out, never null."""

    other_names: ClassVar[Mapping[str, str]] = {
        "sex": "gender",
        "medical_conditions": "healthConditions",
    }

    age: float = Field(ge=1, le=120, description="Years.")
    gender: Sex
    height: float = Field(gt=0, description="Inches.")
    weight: float = Field(gt=0, description="Pounds.")
    activityLevel: ActivityLevel = Field(default_factory=_not_told)
    healthConditions: list[Condition] = Field(
        default_factory=list,
        max_length=MOST_VALUES,
        description="`None of the above` stands alone.",
    )

    def told(self) -> dict[str, Any]:
        """Answer what was sent as arguments of the library's `Profile.imperial`."""
        told: dict[str, Any] = {
            "age": self.age,
            "sex": self.gender,
            "height_in": self.height,
            "weight_lb": self.weight,
        }
        if "activityLevel" in self.model_fields_set:
            told["activity_level"] = self.activityLevel
        if "healthConditions" in self.model_fields_set:
            sent = dict.fromkeys(self.healthConditions)  # each once: they are stored
            told["health_conditions"] = [CONDITIONS[name] for name in sent]
        return told

    def profile(self, field: str) -> Profile:
        """Make the library's profile; errors name the fields as the wire does."""
        try:
            return Profile.imperial(**self.told())
        except InputError as error:
            name, problem = _FIELDS.get(error.field, (error.field, error.problem))
            raise InputError(f"{field}.{name}", problem) from None


class UserProfile(RegisteredProfile):
    """The person who eats; every field is required."""

    activityLevel: ActivityLevel
    healthConditions: list[Condition] = Field(
        max_length=MOST_VALUES, description="`None of the above` stands alone."
    )
