"""ConsumedFood: a food that was eaten while a sensor was worn, as version 1.1 tells of it."""

from __future__ import annotations

from pydantic import Field

from serve.resources.cgm_history import MOST_EATEN
from serve.resources.food_choices import FoodChoice
from serve.v1_1.food_item import FoodItem
from serve.wire.request_body import Accepts

__all__ = ["CONSUMED_ACCEPTS", "ConsumedFood"]

_IS_ARRAY = (
    f"must be an array of at most {MOST_EATEN} objects {{timestamp, id, serving: {{id, quantity}}}}"
)


class ConsumedFood(FoodItem):
    """A food, one of its servings, and when it was eaten."""

    # Without a pattern in the schema: the time is not read where the foods are not used.
    timestamp: str = Field(description="ISO 8601 time of the first bite.")

    def eaten(self) -> tuple[str, FoodChoice]:
        """Answer the time and the choice."""
        return self.timestamp, self.choice()


CONSUMED_ACCEPTS: Accepts = {
    "consumedFoods": _IS_ARRAY,
    "consumed_foods": _IS_ARRAY,
    "timestamp": "must be an ISO 8601 date and time, such as 2026-01-05T08:00:00-05:00",
}
"""What the fields of an array of them accept."""
