"""Foods eaten during a CGM history, in v1.1 request bodies."""

from __future__ import annotations

from pydantic import Field

from postmeal_serve.resources.cgm_history import MOST_CONSUMED_FOODS
from postmeal_serve.resources.food_choices import FoodChoice
from postmeal_serve.v1_1.food_item import FoodItem
from postmeal_serve.wire.request_body import Accepts

__all__ = ["CONSUMED_ACCEPTS", "ConsumedFood"]

_ARRAY_ACCEPTS = (
    f"must be an array of at most {MOST_CONSUMED_FOODS} objects"
    " {timestamp, id, serving: {id, quantity}}"
)


class ConsumedFood(FoodItem):
    """A food, one of its servings, a quantity and the time at which the food was eaten."""

    # The schema has no pattern: without CGM data, the foods and their times are not read.
    timestamp: str = Field(description="When the food was eaten, in ISO 8601 format.")

    def timed_choice(self) -> tuple[str, FoodChoice]:
        """Return the time and the food with its serving and quantity."""
        return self.timestamp, self.choice()


CONSUMED_ACCEPTS: Accepts = {
    "consumedFoods": _ARRAY_ACCEPTS,
    "consumed_foods": _ARRAY_ACCEPTS,
    "timestamp": "must be an ISO 8601 date and time, such as 2026-01-05T08:00:00-05:00",
}
"""Accepted values of each field, for error messages."""
