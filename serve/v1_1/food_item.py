"""FoodItem: a food, one of its servings and a quantity, as version 1.1 chooses them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from postmeal.foods.food import MAX_FOODS, MAX_QUANTITY
from serve.resources.food_choices import FoodChoice
from serve.wire.request_body import Accepts, Wire

__all__ = ["FOOD_ACCEPTS", "FoodItem"]

Id = Annotated[int, Field(ge=1, le=9_999_999_999)]


class ServingItem(Wire):
    """A serving of the food, and how many of its unit."""

    id: Id
    quantity: float = Field(gt=0, le=MAX_QUANTITY)


class FoodItem(Wire):
    """A food and one of its servings."""

    id: Id
    serving: ServingItem

    def choice(self) -> FoodChoice:
        """Answer the choice."""
        return FoodChoice(self.id, self.serving.id, self.serving.quantity)


FOOD_ACCEPTS: Accepts = {
    "foods": f"must be an array of 1 to {MAX_FOODS} objects {{id, serving: {{id, quantity}}}}",
    "id": "must be a whole number of 1 to 10 digits, not quoted",
    "serving": "must be an object {id, quantity}",
    "quantity": f"must be a number above 0 and at most {MAX_QUANTITY:g}",
}
"""What the fields of an array of them accept."""
