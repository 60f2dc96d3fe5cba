"""Foods and servings in v1.2 responses."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from postmeal.foods.food import Food, FoodKind, Serving
from postmeal_serve.v1_2.nutrients import NutrientTable, nutrient_table

__all__ = ["FoodResponse", "ServingResponse", "food_response", "serving_answer"]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ServingResponse(_Wire):
    """A serving of a food."""

    id: str
    quantity: float = Field(description='Number of units in the serving, such as 1 for "1 cup".')
    unit: str = Field(description="Unit of the serving, such as cup or g.")
    scaling_factor: float = Field(
        description="Nutrients of this serving relative to those of the default serving."
    )
    weight_grams: float | None = Field(description="Weight in grams; null if unknown.")
    is_primary: bool = Field(description="Whether this is the default serving.")


class FoodResponse(_Wire):
    """A food with the nutrients of its default serving."""

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    type: FoodKind
    name: str = Field(description="Short everyday name of the food.")
    description: str = Field(description="Full name of the food as published, for display.")
    brand_name: str | None = Field(description="Brand; null for generic foods.")
    nutrients: NutrientTable = Field(description="Nutrients in the default serving.")
    glycemic_index: float | None = Field(
        description="Glycemic index (glucose = 100); null if unknown."
    )
    glycemic_load: float | None = Field(
        description="Glycemic load of the default serving; null if unknown."
    )
    image_url: str | None
    barcode: str | None = Field(
        description="Barcode as published, for display. It may differ from the scanned digits in"
        " leading zeros."
    )
    servings: list[ServingResponse] = Field(min_length=1)


def food_response(food: Food, servings: tuple[Serving, ...] | None = None) -> dict[str, Any]:
    """Return a food as a JSON-compatible object, by default with only its default serving."""
    chosen = (food.default_serving,) if servings is None else servings
    return {
        "id": str(food.id),
        "type": food.kind,
        "name": food.name,
        "description": food.description,
        "brand_name": food.brand_name,
        "nutrients": nutrient_table(food.nutrients),
        "glycemic_index": food.glycemic_index,
        "glycemic_load": food.glycemic_load,
        "image_url": food.image_url,
        "barcode": food.barcode,
        "servings": [serving_answer(serving) for serving in chosen],
    }


def serving_answer(serving: Serving) -> dict[str, Any]:
    """Return a serving as a JSON-compatible object."""
    return {
        "id": str(serving.id),
        "quantity": serving.quantity,
        "unit": serving.unit,
        "scaling_factor": serving.scaling_factor,
        "weight_grams": serving.weight_g,
        "is_primary": serving.is_default,
    }
