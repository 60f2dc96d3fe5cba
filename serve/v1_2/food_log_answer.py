"""A food log on the wire."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from serve.resources.diary import FoodLog
from serve.resources.logged_food import LoggedFood, foods_writer
from serve.v1_2.nutrients import NutrientTable, nutrient_table
from serve.wire.responses import json_bytes
from serve.wire.times import utc_text

__all__ = ["FoodLogAnswer", "FoodLogPage", "food_log"]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ConsumedServing(_Wire):
    """What was eaten."""

    id: str = Field(description="The serving's id.")
    quantity: float = Field(description="How many of the serving's unit.")


class ServingDetails(_Wire):
    """The serving that was chosen."""

    id: str
    unit: str
    quantity: float = Field(description='How many of the unit: 1 for "1 cup".')
    weight_grams: float | None


class LoggedFoodAnswer(_Wire):
    """A food as it was known when it was logged."""

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    name: str
    brand_name: str | None
    image_url: str | None
    glycemic_index: float | None = Field(description="Glucose = 100.")
    glycemic_load: float | None = Field(description="Of what was eaten.")
    nutrients: NutrientTable = Field(description="Of what was eaten.")
    consumed_serving: ConsumedServing
    serving_details: ServingDetails


class FoodLogAnswer(_Wire):
    """What an end user ate at one time."""

    id: str = Field(description="UUID.", json_schema_extra={"format": "uuid"})
    foods: list[LoggedFoodAnswer] = Field(min_length=1)
    timestamp_utc: str = Field(
        description="When it was eaten, in UTC, to the millisecond.",
        examples=["2026-01-05T13:00:00.000Z"],
        json_schema_extra={"format": "date-time"},
    )
    name: str | None


class FoodLogPage(_Wire):
    """Food logs, by time and then by id."""

    items: list[FoodLogAnswer]
    next_cursor: str = Field(
        default_factory=str,
        description="`cursor` of the next page. Only with a `limit`, and where more logs follow.",
    )


def food_log(log: FoodLog) -> bytes:
    """Write a log as JSON."""
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
