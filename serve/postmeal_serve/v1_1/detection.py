"""Detections in v1.1 responses: recognized foods and their total nutrients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from postmeal.foods.food import Selection
from postmeal.rounding import rounded
from postmeal_serve.v1_1.nutrients import DETECTION_KEYS, DetectedNutrients, nutrient_object

__all__ = ["DetectionResponse", "detection", "total_nutrients"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DetectedServingResponse(_Answer):
    """The serving that the amount refers to."""

    id: int
    quantity: float = Field(description='Number of units in the serving, such as 1 for "1 cup".')
    unit: str = Field(description="Unit of the serving, such as cup or g.")
    selected_quantity: float | SkipJsonSchema[None] = Field(
        None,
        gt=0,
        description="Amount eaten, in the serving's unit; omitted if the serving has no weight.",
    )


class DetectedFoodResponse(_Answer):
    """A recognized food with the nutrients of the amount eaten."""

    name: str
    id: int
    brandName: str = Field(description="Brand; empty for generic foods.")
    nutrients: DetectedNutrients
    servings: list[DetectedServingResponse] = Field(min_length=1)


class DetectionResponse(_Answer):
    """A recognized food."""

    food: DetectedFoodResponse


def detection(selection: Selection) -> dict[str, Any]:
    """Return a recognized food as a JSON-compatible object."""
    food, serving = selection.food, selection.serving
    selected = {"id": serving.id, "quantity": serving.quantity, "unit": serving.unit}
    if serving.weight_g is not None:
        selected["selected_quantity"] = selection.quantity
    return {
        "food": {
            "name": food.name,
            "id": food.id,
            "brandName": food.brand_name or "",
            "nutrients": nutrient_object(selection.nutrients),
            "servings": [selected],
        }
    }


def total_nutrients(detections: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the total nutrients of detections; omitted amounts count as zero."""
    totals: dict[str, dict[str, Any]] = {}
    for each in detections:
        for key, amount in each["food"]["nutrients"].items():
            total = totals.setdefault(key, {"value": 0.0, "unit": amount["unit"]})
            total["value"] = rounded(total["value"] + amount["value"], total["unit"])
    return {key: totals[key] for key in DETECTION_KEYS if key in totals}
