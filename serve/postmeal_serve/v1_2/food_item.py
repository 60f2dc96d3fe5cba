"""Foods in v1.2 request bodies: a food, a serving and a quantity."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS, MAX_QUANTITY
from postmeal_serve.resources.food_choices import FoodChoice
from postmeal_serve.wire.request_body import Accepts, RequestModel

__all__ = ["FOOD_ACCEPTS", "FoodItem", "Id", "Quantity"]

_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)


def _id(value: object) -> object:
    """Convert an ID, which may be a string or a JSON integer, to an integer."""
    if isinstance(value, str) and _ID.fullmatch(value):
        return int(value)
    if type(value) is int and 0 < value < 10**10:
        return value
    raise ValueError("must be 1 to 10 digits without a leading zero")


_ID_SCHEMA = {
    "anyOf": [
        {"type": "string", "pattern": "^[1-9][0-9]{0,9}$"},
        {"type": "integer", "minimum": 1, "maximum": 9_999_999_999},
    ],
    "examples": ["1"],
}
Id = Annotated[int, BeforeValidator(_id), WithJsonSchema(_ID_SCHEMA)]
Quantity = Annotated[float, Field(gt=0, le=MAX_QUANTITY)]
_QUANTITY_FORM = f"must be a number greater than 0 and at most {MAX_QUANTITY:g}"
_QUANTITY = "Amount in the serving's unit: 150 means 150 g if the unit is g."


class ServingChoice(RequestModel):
    """A serving of the food and, optionally, the quantity."""

    id: Id = Field(description="ID of the serving.")
    quantity: Quantity | None = Field(None, description=_QUANTITY)


class FoodItem(RequestModel):
    """A food, one of its servings and a quantity.

    Three forms are accepted: `{id, serving: {id}, quantity}`, `{id, serving: {id, quantity}}` and
    `{food_id, serving_id, quantity}`.
    """

    id: Id | None = Field(None, description="ID of the food.")
    food_id: Id | None = Field(None, description="Alias of `id`.")
    serving: ServingChoice | None = None
    serving_id: Id | None = Field(None, description="Alias of `serving.id`.")
    quantity: Quantity | None = Field(None, description=_QUANTITY)

    @model_validator(mode="after")
    def _require_each_part_once(self) -> FoodItem:
        nested = self.serving
        if self.id is None and self.food_id is None:
            raise InputError("id", "is required; it must be the ID of a food")
        if None not in (self.id, self.food_id) and self.id != self.food_id:
            raise InputError("food_id", "must not differ from id")
        if nested is None and self.serving_id is None:
            problem = "is required; it must be the ID of a serving of the food"
            raise InputError("serving.id", problem)
        if nested is not None and self.serving_id not in (None, nested.id):
            raise InputError("serving_id", "must not differ from serving.id")
        inner = nested.quantity if nested else None
        if self.quantity is None and inner is None:
            raise InputError("quantity", f"is required; it {_QUANTITY_FORM}")
        if None not in (self.quantity, inner) and self.quantity != inner:
            raise InputError("quantity", "must not differ from serving.quantity")
        return self

    def choice(self) -> FoodChoice:
        """Return the food with its serving and quantity, from any of the three forms."""
        nested = self.serving
        food_id = self.food_id if self.id is None else self.id
        serving_id = nested.id if nested else self.serving_id
        quantity = self.quantity if nested is None or nested.quantity is None else nested.quantity
        # _require_each_part_once has checked these fields.
        assert food_id is not None
        assert serving_id is not None
        assert quantity is not None
        return FoodChoice(food_id, serving_id, quantity)


FOOD_ACCEPTS: Accepts = {
    "foods": f"must be an array of 1 to {MAX_FOODS} objects {{id, serving: {{id}}, quantity}}",
    "serving": "must be an object {id, quantity}",
    "quantity": _QUANTITY_FORM,
}
"""Accepted values of each field of a food, for error messages."""
