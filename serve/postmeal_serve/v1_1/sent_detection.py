"""Detections that clients send back in v1.1 request bodies."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field, create_model

from postmeal.rounding import rounded
from postmeal.scans import Confidence
from postmeal_serve.resources.scans import LONGEST_FOOD_NAME, GivenFood, concise
from postmeal_serve.v1_1.food_item import Id, Quantity
from postmeal_serve.v1_1.nutrients import DETECTION_KEYS
from postmeal_serve.wire.request_body import MOST_VALUES, NO_NUL, NOT_BLANK, Accepts, RequestModel

__all__ = ["DETECTION_ACCEPTS", "SentDetection"]

_MAX_AMOUNT = 1e6
Value = Annotated[float, Field(ge=0, le=_MAX_AMOUNT)]


class SentEnergy(RequestModel):
    """Energy in kcal. Earlier responses used the unit `kcal` instead of `calories`."""

    value: Value
    unit: Literal["calories", "kcal"]


class SentGrams(RequestModel):
    """An amount in grams."""

    value: Value
    unit: Literal["g", "grams"]


class SentMilligrams(RequestModel):
    """An amount in milligrams."""

    value: Value
    unit: Literal["mg", "milligrams"]


_MODELS = {"calories": SentEnergy, "sodium": SentMilligrams}
_UNITS = {"calories": "calories", "sodium": "mg"}

SentNutrients = create_model(
    "SentNutrients",
    __base__=RequestModel,
    __module__=__name__,
    __doc__="All ten nutrients of the amount that was eaten. They may be omitted only if a scan of"
    " this user returned exactly the same food.",
    **{  # type: ignore[call-overload]
        name: (_MODELS.get(name, SentGrams) | None, None) for name in DETECTION_KEYS
    },
    carbs=(
        SentGrams | None,
        Field(None, description="Alias of `carbohydrates`, as in earlier responses."),
    ),
)


class SentServing(RequestModel):
    """The amount that was eaten, in the unit of a serving."""

    id: Id
    quantity: Quantity
    unit: str = Field(max_length=LONGEST_FOOD_NAME, pattern=NO_NUL)
    selected_quantity: Quantity | None = Field(
        None,
        description="Amount that was eaten, if the detection is from the plain-English search. It"
        " then replaces `quantity`.",
    )

    @property
    def eaten(self) -> float:
        """The amount that was eaten, in the unit of the serving."""
        return self.quantity if self.selected_quantity is None else self.selected_quantity


class SentFood(RequestModel):
    """A food as a scan returned it."""

    id: Id
    name: str = Field(min_length=1, max_length=LONGEST_FOOD_NAME, pattern=NOT_BLANK)
    brandName: str | None = Field(None, max_length=LONGEST_FOOD_NAME, pattern=NO_NUL)
    nutrients: SentNutrients  # type: ignore[valid-type]
    servings: list[SentServing] = Field(
        min_length=1,
        max_length=MOST_VALUES,
        description="The amount that was eaten; servings after the first are ignored.",
    )


class SentDetection(RequestModel):
    """A detection as a scan returned it."""

    food: SentFood
    confidenceScore: Confidence | None = None

    def given(self) -> GivenFood:
        """Return the detection as a food that can be corrected."""
        food, serving = self.food, self.food.servings[0]
        confidence = self.confidenceScore or "low"
        return GivenFood(food.id, food.name, serving.id, serving.eaten, serving.unit, confidence)

    @property
    def is_complete(self) -> bool:
        """Whether all ten nutrients were sent."""
        return _amounts(self.food.nutrients).keys() == set(DETECTION_KEYS)

    def response(self, factor: float, confidence: Confidence) -> dict[str, Any]:
        """Return the detection, with its amount multiplied by `factor`, as JSON-compatible data."""
        food, serving = self.food, self.food.servings[0]
        quantity = serving.eaten if factor == 1 else concise(serving.eaten * factor)
        return {
            "food": {
                "name": food.name,
                "id": food.id,
                "brandName": food.brandName or "",
                "nutrients": _nutrients(_amounts(food.nutrients), factor),
                "servings": [{"id": serving.id, "quantity": quantity, "unit": serving.unit}],
            },
            "confidenceScore": confidence,
        }


def _amounts(nutrients: BaseModel) -> dict[str, float]:
    """Return the amounts that were sent, by their current names."""
    sent = {name: getattr(nutrients, name) for name in DETECTION_KEYS}
    sent["carbohydrates"] = sent["carbohydrates"] or getattr(nutrients, "carbs", None)
    return {name: amount.value for name, amount in sent.items() if amount is not None}


def _nutrients(amounts: dict[str, float], factor: float) -> dict[str, dict[str, Any]]:
    """Multiply amounts by a factor; return them in the form of a response, which omits zeros."""
    result = {}
    for name, value in amounts.items():
        unit = _UNITS.get(name, "g")
        scaled = value if factor == 1 else rounded(value * factor, unit)
        if scaled:
            result[name] = {"value": scaled, "unit": unit}
    return result


DETECTION_ACCEPTS: Accepts = {
    "food": "must be the food as a scan returned it",
    "name": f"must be a string of 1 to {LONGEST_FOOD_NAME} characters, not blank and without NUL",
    "nutrients": "must be an object with the nutrients as a scan returned them",
    "servings": "must be an array of at least one object {id, quantity, unit}",
    "confidenceScore": get_args(Confidence),
    "value": f"must be a number from 0 to {_MAX_AMOUNT:,.0f}",
}
"""Accepted values of each field of a detection, for error messages."""
