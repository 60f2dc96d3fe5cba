"""Predictions in v1.2 responses, with the curve and the optional parts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from postmeal.foods.food import Selection
from postmeal.glucose.population.contributions import Contributions
from postmeal.glucose.prediction import Prediction
from postmeal.rounding import MG_DL, rounded, rounded_glucose
from postmeal_serve.v1_2.inputs_used import InputResponse, WarningResponse
from postmeal_serve.v1_2.nutrients import NutrientTable, nutrient_table

__all__ = ["INCLUDED", "PredictionResponse", "prediction_response"]

INCLUDED = ("band", "nutrients", "contributions", "chances", "notes")
"""Names of the optional parts of the response."""

_Chance = Field(ge=0, le=1)


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Point(_Wire):
    """Predicted glucose at one time after the start of the meal, in mg/dL."""

    minutes: int = Field(description="Minutes since the start of the meal.")
    value: float = Field(ge=40, le=400, description="Predicted glucose in mg/dL.")
    lower: float | SkipJsonSchema[None] = Field(
        None, description="Lower bound of the 90% band in mg/dL; present only with `include=band`."
    )
    upper: float | SkipJsonSchema[None] = Field(
        None, description="Upper bound of the 90% band in mg/dL; present only with `include=band`."
    )


class Chart(_Wire):
    """Usual glucose range of the end user in mg/dL, extended to include the whole curve."""

    min: int = Field(description="Lower bound in mg/dL.")
    max: int = Field(description="Upper bound in mg/dL.")


class Contribution(_Wire):
    """How much one food contributes to the predicted peak."""

    index: int = Field(ge=0, description="Position of the food in `foods`, counted from 0.")
    id: str = Field(description="ID of the food.")
    name: str
    peak_mg_dl: float = Field(
        description="Contribution to the peak of blood glucose predicted by the population model,"
        " in mg/dL; negative if the food lowers it."
    )


class ImpactChances(_Wire):
    """Probability of each impact score; the probabilities add up to 1."""

    low: float = _Chance
    medium: float = _Chance
    high: float = _Chance


class ChancesResponse(_Wire):
    """Probabilities from 0 to 1 for the two hours from the start of the meal."""

    impact: ImpactChances
    peak_140: float = Field(ge=0, le=1, description="Glucose reaches 140 mg/dL.")
    peak_180: float = Field(ge=0, le=1, description="Glucose reaches 180 mg/dL.")
    rise_30: float = Field(ge=0, le=1, description="Glucose rises by 30 mg/dL or more.")
    rise_50: float = Field(ge=0, le=1, description="Glucose rises by 50 mg/dL or more.")


class PredictionResponse(_Wire):
    """The predicted glucose curve over the two hours from the start of the meal."""

    points: list[Point] = Field(
        min_length=9, max_length=9, description="Nine points, 15 minutes apart."
    )
    impact_score: Literal["low", "medium", "high"] = Field(
        description="How strongly the meal is predicted to raise glucose."
    )
    chart: Chart
    unit: Literal["mg/dL"] = Field(description="Unit of the points and of the chart.")
    inputs_used: list[InputResponse] = Field(
        description="The fields that tell something about the end user, and whether they can change"
        " the curve. Age, sex, height, weight, activity level and medicines never do."
    )
    warnings: list[WarningResponse] = Field(
        description="What was not used and what to send instead; empty if there is nothing to say."
    )
    nutrients: NutrientTable | SkipJsonSchema[None] = Field(
        None, description="Nutrients of the meal; present only with `include=nutrients`."
    )
    contributions: list[Contribution] | SkipJsonSchema[None] = Field(
        None,
        description="Contribution of each food to the peak, in the order of `foods`; present only"
        " with `include=contributions`.",
    )
    chances: ChancesResponse | SkipJsonSchema[None] = Field(
        None,
        description="How likely high peaks and large rises are; present only with"
        " `include=chances`.",
    )
    notes: list[str] | SkipJsonSchema[None] = Field(
        None,
        description="Caveats of the prediction, such as an estimated nutrient; present only with"
        " `include=notes`.",
    )


def prediction_response(
    prediction: Prediction,
    inputs: list[dict[str, Any]],
    warnings: list[dict[str, str]],
    included: frozenset[str],
    contributions: Contributions | None,
) -> dict[str, Any]:
    """Return a prediction as a JSON-compatible object."""
    response: dict[str, Any] = {
        "points": _points(prediction, band="band" in included),
        "impact_score": prediction.impact,
        "chart": {"min": prediction.cgp_min, "max": prediction.cgp_max},
        "unit": "mg/dL",
        "inputs_used": inputs,
        "warnings": warnings,
    }
    if "nutrients" in included:
        response["nutrients"] = nutrient_table(prediction.nutrients)
    if "contributions" in included and contributions is not None:
        response["contributions"] = _contributions(prediction.meal.selections, contributions)
    if "chances" in included:
        impact = {"impact": prediction.impact_probabilities}
        response["chances"] = impact | asdict(prediction.chances)
    if "notes" in included:
        response["notes"] = list(prediction.notes)
    return response


def _points(prediction: Prediction, *, band: bool) -> list[dict[str, float]]:
    minutes = map(int, prediction.minutes)
    values = rounded_glucose(prediction.glucose_mg_dl)
    if not band:
        return [
            {"minutes": minute, "value": value}
            for minute, value in zip(minutes, values, strict=True)
        ]
    lowers = rounded_glucose(prediction.lower_mg_dl)
    uppers = rounded_glucose(prediction.upper_mg_dl)
    return [
        {"minutes": minute, "value": value, "lower": lower, "upper": upper}
        for minute, value, lower, upper in zip(minutes, values, lowers, uppers, strict=True)
    ]


def _contributions(
    selections: tuple[Selection, ...], contributions: Contributions
) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "id": str(selection.food.id),
            "name": selection.food.name,
            "peak_mg_dl": rounded(peak_mg_dl, MG_DL),
        }
        for index, (selection, peak_mg_dl) in enumerate(
            zip(selections, contributions.foods_mg_dl, strict=True)
        )
    ]
