"""A food as version 1.2 writes it, with all of its servings or the default one alone."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from postmeal.foods.food import Food, FoodKind, Serving
from serve.v1_2.nutrients import NutrientTable, nutrient_table

__all__ = ["FoodAnswer", "ServingAnswer", "food_answer", "serving_answer"]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ServingAnswer(_Wire):
    """One way to measure a food."""

    id: str
    quantity: float = Field(description='How many of the unit: 1 for "1 cup".')
    unit: str
    scaling_factor: float = Field(description="Its nutrients relative to the default serving's.")
    weight_grams: float | None
    is_primary: bool = Field(description="Whether the nutrients are given for this serving.")


class FoodAnswer(_Wire):
    """A food; its nutrients are those of its default serving."""

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    type: FoodKind
    name: str
    brand_name: str | None
    nutrients: NutrientTable
    glycemic_index: float | None = Field(description="Glucose = 100.")
    glycemic_load: float | None
    image_url: str | None
    barcode: str | None = Field(
        description="As the publisher prints it: it may differ from the scanned digits in leading"
        " zeros."
    )
    servings: list[ServingAnswer] = Field(min_length=1)


def food_answer(food: Food, servings: tuple[Serving, ...] | None = None) -> dict[str, Any]:
    """Write a food with these servings, the default one alone when omitted."""
    chosen = (food.default_serving,) if servings is None else servings
    return {
        "id": str(food.id),
        "type": food.kind,
        "name": food.name,
        "brand_name": food.brand_name,
        "nutrients": nutrient_table(food.nutrients),
        "glycemic_index": food.glycemic_index,
        "glycemic_load": food.glycemic_load,
        "image_url": food.image_url,
        "barcode": food.barcode,
        "servings": [serving_answer(serving) for serving in chosen],
    }


def serving_answer(serving: Serving) -> dict[str, Any]:
    """Write a serving."""
    return {
        "id": str(serving.id),
        "quantity": serving.quantity,
        "unit": serving.unit,
        "scaling_factor": serving.scaling_factor,
        "weight_grams": serving.weight_g,
        "is_primary": serving.is_default,
    }
