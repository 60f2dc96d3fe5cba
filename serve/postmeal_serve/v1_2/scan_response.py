"""Meal scans in v1.2 responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from postmeal.foods.food import Selection
from postmeal.rounding import rounded
from postmeal.scans import Confidence, Scan
from postmeal_serve.resources.scans import concise, selection_of
from postmeal_serve.v1_2.nutrients import NutrientTable, nutrient_table

__all__ = [
    "ReadScanResponse",
    "ScanResponse",
    "detection",
    "scan_detections",
    "scan_response",
]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ScannedServingResponse(_Wire):
    """The amount that was eaten, in the unit of a serving."""

    id: str = Field(description="ID of the serving.")
    quantity: float = Field(description="Amount that was eaten, in the unit of the serving.")
    unit: str = Field(description="Unit of the serving, such as cup or g.")
    scaling_factor: float | None = Field(
        description="Nutrients of the amount relative to those of the food's default serving; null"
        " if a correction was sent without it."
    )
    weight_grams: float | None = Field(
        description="Weight of the amount in grams; null if a correction was sent without it."
    )
    is_primary: bool = Field(description="Whether this is the default serving.")


class DetectedFoodResponse(_Wire):
    """A food with the nutrients of the amount that was eaten."""

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    name: str
    brand_name: str | None = Field(description="Brand; null for generic foods.")
    nutrients: NutrientTable = Field(description="Nutrients in the amount that was eaten.")
    servings: list[ScannedServingResponse] = Field(
        min_length=1, max_length=1, description="The amount that was eaten."
    )


class DetectionResponse(_Wire):
    """A recognized food."""

    confidence_score: Confidence = Field(
        description="`high`, `medium` or `low`; the amount may be uncertain in any case."
    )
    food: DetectedFoodResponse


class ScanResponse(_Wire):
    """The foods of a meal with their total nutrients."""

    meal_name: str | None = Field(description="Name of the meal; null if it has none.")
    total_nutrients: NutrientTable = Field(
        description="Sum over the detections; a nutrient that is unknown in one of them is omitted."
    )
    detections: list[DetectionResponse] = Field(description="Empty if no food was recognized.")


class ReadScanResponse(ScanResponse):
    """The foods of a meal that was described or corrected in words."""

    unread: list[str] = Field(
        description="Words that were not understood; empty if everything was. Show them to the"
        " user: the meal may contain more than the detections."
    )


def scan_response(
    meal_name: str | None, detections: Sequence[dict[str, Any]], **fields: Any
) -> dict[str, Any]:
    """Return a scan with its total nutrients as a JSON-compatible object."""
    return {
        "meal_name": meal_name,
        "total_nutrients": _total([each["food"]["nutrients"] for each in detections]),
        "detections": detections,
        **fields,
    }


def scan_detections(scan: Scan) -> list[dict[str, Any]]:
    """Return the foods of a scan as JSON-compatible objects."""
    return [detection(selection_of(food), food.confidence) for food in scan.foods]


def detection(selection: Selection, confidence: Confidence) -> dict[str, Any]:
    """Return a detection as a JSON-compatible object."""
    food, serving = selection.food, selection.serving
    return {
        "confidence_score": confidence,
        "food": {
            "id": str(food.id),
            "name": food.name,
            "brand_name": food.brand_name,
            "nutrients": nutrient_table(selection.nutrients),
            "servings": [
                {
                    "id": str(serving.id),
                    "quantity": concise(selection.quantity),
                    "unit": serving.unit,
                    "scaling_factor": concise(selection.factor),
                    "weight_grams": concise(weight_g) if (weight_g := selection.weight_g) else None,
                    "is_primary": serving.is_default,
                }
            ],
        },
    }


def _total(tables: Sequence[dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Return the sum of each nutrient that is known in all tables."""
    if not tables:
        return {}
    known = [name for name in tables[0] if all(name in each for each in tables)]
    total = {}
    for name in known:
        unit = tables[0][name]["unit"]
        value = rounded(sum(each[name]["value"] for each in tables), unit)
        total[name] = {"value": value, "unit": unit}
    return total
