"""Meal scans in v1.1 responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from postmeal.foods.food import Selection
from postmeal.scans import Confidence, Scan
from postmeal_serve.resources.scans import LONGEST_FOOD_NAME, concise, selection_of
from postmeal_serve.v1_1.detection import total_nutrients
from postmeal_serve.v1_1.nutrients import DetectedNutrients, nutrient_object

__all__ = ["ScanResponse", "scan_detection", "scan_detections", "scan_response"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ScannedServingResponse(_Answer):
    """The amount that was eaten, in the unit of a serving."""

    id: int = Field(description="ID of the serving.")
    quantity: float = Field(description="Amount that was eaten, in the unit of the serving.")
    unit: str = Field(description="Unit of the serving, such as cup or g.")


class ScannedFoodResponse(_Answer):
    """A recognized food with the nutrients of the amount that was eaten."""

    name: str
    id: int
    brandName: str = Field(description="Brand; empty for generic foods.")
    nutrients: DetectedNutrients
    servings: list[ScannedServingResponse] = Field(min_length=1, max_length=1)


class ScannedDetectionResponse(_Answer):
    """A recognized food and the confidence of the detection."""

    food: ScannedFoodResponse
    confidenceScore: Confidence = Field(description="`high`, `medium` or `low`.")


class ScanResponse(_Answer):
    """The foods of a meal with their total nutrients."""

    mealName: str = Field(
        description="Name of the meal or, if it has none, its foods; empty if there are no foods."
    )
    totalNutrients: DetectedNutrients
    detections: list[ScannedDetectionResponse]


def scan_response(meal_name: str | None, detections: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a scan with its total nutrients as a JSON-compatible object.

    If `meal_name` is None, the meal is named after its foods, because corrections require a name.
    """
    foods = ", ".join(each["food"]["name"] for each in detections)
    return {
        "mealName": meal_name or foods[:LONGEST_FOOD_NAME],
        "totalNutrients": total_nutrients(detections),
        "detections": detections,
    }


def scan_detections(scan: Scan) -> list[dict[str, Any]]:
    """Return the foods of a scan as JSON-compatible objects."""
    return [scan_detection(selection_of(food), food.confidence) for food in scan.foods]


def scan_detection(selection: Selection, confidence: Confidence) -> dict[str, Any]:
    """Return a detection as a JSON-compatible object."""
    food, serving = selection.food, selection.serving
    quantity = concise(selection.quantity)
    return {
        "food": {
            "name": food.name,
            "id": food.id,
            "brandName": food.brand_name or "",
            "nutrients": nutrient_object(selection.nutrients),
            "servings": [{"id": serving.id, "quantity": quantity, "unit": serving.unit}],
        },
        "confidenceScore": confidence,
    }
