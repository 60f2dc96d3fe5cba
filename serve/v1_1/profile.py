"""UserProfile: the person as version 1.1 describes one, in inches and pounds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from postmeal.errors import InputError
from postmeal.people import ActivityLevel, Profile, Sex
from serve.bodies import Wire

__all__ = ["CONDITIONS", "UserProfile"]

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


class UserProfile(Wire):
    """The person who eats; every field is required."""

    age: float = Field(ge=1, le=120, description="Years.")
    gender: Sex
    height: float = Field(gt=0, description="Inches.")
    weight: float = Field(gt=0, description="Pounds.")
    activityLevel: ActivityLevel
    healthConditions: list[Condition] = Field(description="`None of the above` stands alone.")

    def profile(self, field: str) -> Profile:
        """Make the library's profile; errors name the fields as the wire does."""
        try:
            return Profile.imperial(
                age=self.age,
                sex=self.gender,
                height_in=self.height,
                weight_lb=self.weight,
                activity_level=self.activityLevel,
                health_conditions=tuple(CONDITIONS[name] for name in self.healthConditions),
            )
        except InputError as error:
            name, problem = _FIELDS.get(error.field, (error.field, error.problem))
            raise InputError(f"{field}.{name}", problem) from None
