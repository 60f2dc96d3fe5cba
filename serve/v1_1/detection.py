"""Detections as version 1.1 writes them: foods with the nutrients of what was eaten, and totals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from postmeal.foods.food import Selection
from serve.v1_1.nutrients import DETECTION_KEYS, DetectedNutrients, nutrient_object

__all__ = ["DetectionAnswer", "detection", "total_nutrients"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DetectedServingAnswer(_Answer):
    """The serving in which the amount is told."""

    id: int
    quantity: float = Field(description='How many of the unit: 1 for "1 cup".')
    unit: str
    selected_quantity: float | SkipJsonSchema[None] = Field(
        None,
        gt=0,
        description="How many of the unit were eaten; left out where the serving has no weight.",
    )


class DetectedFoodAnswer(_Answer):
    """A food, and its nutrients in what was eaten of it."""

    name: str
    id: int
    brandName: str = Field(description="Empty for a food without a brand.")
    nutrients: DetectedNutrients
    servings: list[DetectedServingAnswer] = Field(min_length=1)


class DetectionAnswer(_Answer):
    """A food that was found."""

    food: DetectedFoodAnswer


def detection(selection: Selection) -> dict[str, Any]:
    """Write what was found, with the serving that was meant."""
    food, serving = selection.food, selection.serving
    chosen = {"id": serving.id, "quantity": serving.quantity, "unit": serving.unit}
    if serving.weight_g is not None:
        chosen["selected_quantity"] = selection.quantity
    return {
        "food": {
            "name": food.name,
            "id": food.id,
            "brandName": food.brand_name or "",
            "nutrients": nutrient_object(selection.nutrients),
            "servings": [chosen],
        }
    }


def total_nutrients(detections: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Add up the nutrients of detections; one that some of them leave out is the others' sum.

    Examples
    --------
    >>> egg = {"food": {"nutrients": {"totalFat": {"value": 5.0, "unit": "g"}}}}
    >>> total_nutrients([egg, {"food": {"nutrients": {}}}, egg])
    {'totalFat': {'value': 10.0, 'unit': 'g'}}
    """
    totals: dict[str, dict[str, Any]] = {}
    for each in detections:
        for key, amount in each["food"]["nutrients"].items():
            total = totals.setdefault(key, {"value": 0.0, "unit": amount["unit"]})
            total["value"] += amount["value"]
    return {key: totals[key] for key in DETECTION_KEYS if key in totals}
