"""Foods in v1.1 request bodies: a food, a serving and a quantity."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from postmeal.foods.food import MAX_FOODS, MAX_QUANTITY
from postmeal_serve.resources.food_choices import FoodChoice
from postmeal_serve.wire.request_body import Accepts, RequestModel

__all__ = ["FOOD_ACCEPTS", "FoodItem", "Id", "Quantity"]

Id = Annotated[int, Field(ge=1, le=9_999_999_999)]
Quantity = Annotated[float, Field(gt=0, le=MAX_QUANTITY)]


class ServingItem(RequestModel):
    """A serving of the food and the quantity."""

    id: Id = Field(description="ID of the serving.")
    quantity: Quantity = Field(
        description="Amount in the serving's unit: 150 means 150 g if the unit is g."
    )


class FoodItem(RequestModel):
    """A food, one of its servings and a quantity."""

    id: Id = Field(description="ID of the food.")
    serving: ServingItem

    def choice(self) -> FoodChoice:
        """Return the food with its serving and quantity."""
        return FoodChoice(self.id, self.serving.id, self.serving.quantity)


FOOD_ACCEPTS: Accepts = {
    "foods": f"must be an array of 1 to {MAX_FOODS} objects {{id, serving: {{id, quantity}}}}",
    "id": "must be an integer of 1 to 10 digits, not a string",
    "serving": "must be an object {id, quantity}",
    "quantity": f"must be a number greater than 0 and at most {MAX_QUANTITY:g}",
}
"""Accepted values of each field, for error messages."""
