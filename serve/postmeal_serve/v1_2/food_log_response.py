"""Food logs in v1.2 responses."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from postmeal_serve.resources.diary import FoodLog
from postmeal_serve.resources.logged_food import LoggedFood, foods_writer
from postmeal_serve.v1_2.nutrients import NutrientTable, nutrient_table
from postmeal_serve.wire.responses import json_bytes
from postmeal_serve.wire.times import utc_text

__all__ = ["FoodLogPage", "FoodLogResponse", "food_log"]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ConsumedServing(_Wire):
    """The amount that was eaten."""

    id: str = Field(description="ID of the serving.")
    quantity: float = Field(description="Amount in the serving's unit.")


class ServingDetails(_Wire):
    """The serving as it was when the food was logged."""

    id: str
    unit: str = Field(description="Unit of the serving, such as cup or g.")
    quantity: float = Field(description='Number of units in the serving, such as 1 for "1 cup".')
    weight_grams: float | None = Field(description="Weight in grams; null if unknown.")


class LoggedFoodResponse(_Wire):
    """A food as it was when it was logged."""

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    name: str
    brand_name: str | None = Field(description="Brand; null for generic foods.")
    image_url: str | None
    glycemic_index: float | None = Field(
        description="Glycemic index (glucose = 100); null if unknown."
    )
    glycemic_load: float | None = Field(
        description="Glycemic load of the amount eaten; null if unknown."
    )
    nutrients: NutrientTable = Field(description="Nutrients in the amount eaten.")
    consumed_serving: ConsumedServing
    serving_details: ServingDetails


class FoodLogResponse(_Wire):
    """A food log, which contains the foods that an end user ate at one time."""

    id: str = Field(description="ID of the food log.", json_schema_extra={"format": "uuid"})
    foods: list[LoggedFoodResponse] = Field(min_length=1)
    timestamp_utc: str = Field(
        description="When the meal was eaten, in UTC with milliseconds.",
        examples=["2026-01-05T13:00:00.000Z"],
        json_schema_extra={"format": "date-time"},
    )
    name: str | None = Field(description="Name of the meal; null if it has none.")


class FoodLogPage(_Wire):
    """Food logs, ordered by time and then by ID."""

    items: list[FoodLogResponse]
    next_cursor: str = Field(
        default_factory=str,
        description="`cursor` of the next page; present only with `limit` and if more logs follow.",
    )


def food_log(log: FoodLog) -> bytes:
    """Encode a food log as JSON."""
    return b'{"id":"%s","foods":%s,"timestamp_utc":"%s","name":%s}' % (
        log.id.encode(),
        _foods(log.stored_foods),
        utc_text(log.eaten_at).encode(),
        json_bytes(log.name),
    )


def _food(food: LoggedFood) -> dict[str, Any]:
    serving_id = str(food.serving_id)
    return {
        "id": str(food.food_id),
        "name": food.name,
        "brand_name": food.brand_name,
        "image_url": food.image_url,
        "glycemic_index": food.glycemic_index,
        "glycemic_load": food.glycemic_load,
        "nutrients": nutrient_table(food.nutrients),
        "consumed_serving": {"id": serving_id, "quantity": food.quantity},
        "serving_details": {
            "id": serving_id,
            "unit": food.unit,
            "quantity": food.serving_quantity,
            "weight_grams": food.weight_g,
        },
    }


_foods = foods_writer(_food)
