"""What a prediction used, and warnings about the rest, in v1.2 responses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from postmeal.glucose.person.inputs import WARNINGS
from postmeal.glucose.prediction import Prediction
from postmeal_serve.resources.personal_models import HistoryFields
from postmeal_serve.wire.response_warnings import WARNING_MEANINGS, WarningCode

__all__ = ["InputResponse", "WarningResponse", "inputs_used", "warnings_told"]

_FIELD_OF = {
    "hour": "start_time",
    "since_meal_h": "previous_meals",
    "start_mg_dl": "current_glucose",
    "hba1c_percent": "hba1c",
    "fasting_glucose_mg_dl": "fasting_glucose",
    "height_cm": "height",
    "weight_kg": "weight",
}
"""Names of fields in requests by the names in the library, where the two differ."""


class InputResponse(BaseModel):
    """A field of the request, and whether it can change the curve."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(description="Name of the field.")
    used: bool = Field(description="Whether the field can change the curve.")
    hours: float | SkipJsonSchema[None] = Field(
        None, description="Usable hours of CGM readings; present only for readings."
    )
    weight: float | SkipJsonSchema[None] = Field(
        None,
        description="Weight, 0 to 1, of the mean of the readings in the level of the end user;"
        " present only for readings.",
    )
    n_meals: int | SkipJsonSchema[None] = Field(
        None,
        description="Number of meals with readings that a model was fitted to; present only for"
        " foods eaten during the period of the readings.",
    )


class WarningResponse(BaseModel):
    """Something that was not used, and what to send instead."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(
        description=f"One of {', '.join(f'`{code}`' for code in (*WARNINGS, *WARNING_MEANINGS))}."
        " Later releases may add codes."
    )
    field: str = Field(description="The field of the request.")
    message: str = Field(description="What is wrong, and what to do.")


def inputs_used(
    prediction: Prediction, fields: HistoryFields, has_previous: bool, is_clock_known: bool
) -> list[dict[str, Any]]:
    """Return the inputs of a prediction by the names of the fields that were sent.

    Medicines are always listed, because people expect a prediction to take them into account.
    """
    inputs = [] if is_clock_known else [{"name": "start_time", "used": False}]
    for item in prediction.inputs_used:
        name = _field(item.name, fields)
        if name != "previous_meals" or has_previous:
            known = {key: value for key, value in asdict(item).items() if value is not None}
            inputs.append(known | {"name": name})
    return [*inputs, {"name": "medicines", "used": False}]


def warnings_told(
    prediction: Prediction, fields: HistoryFields, codes: Iterable[WarningCode]
) -> list[dict[str, str]]:
    """Return the warnings of a prediction, and those that `X-Warnings` names."""
    told = [
        {"code": item.code, "field": _field(item.field, fields), "message": item.message}
        for item in prediction.warnings
    ]
    for code in codes:
        message = WARNING_MEANINGS[code]
        message = f"{message[:1].upper()}{message[1:]}."
        field = "timezone" if code == "time_zone_unknown" else fields.cgm
        told.append({"code": code, "field": field, "message": message})
    return told


def _field(name: str, fields: HistoryFields) -> str:
    """Return the name of a field in requests from the name in the library."""
    return {"trace": fields.cgm, "meals": fields.meals, **_FIELD_OF}.get(name, name)
