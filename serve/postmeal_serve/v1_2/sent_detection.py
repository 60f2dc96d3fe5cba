"""Detections that clients send back in v1.2 request bodies."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field, create_model

from postmeal.rounding import rounded
from postmeal.scans import Confidence
from postmeal_serve.resources.scans import LONGEST_FOOD_NAME, GivenFood, concise
from postmeal_serve.v1_2.food_item import Id, Quantity
from postmeal_serve.v1_2.nutrients import NUTRIENT_UNITS
from postmeal_serve.wire.request_body import MOST_VALUES, NO_NUL, NOT_BLANK, Accepts, RequestModel

__all__ = ["DETECTION_ACCEPTS", "SentDetection"]

_NEVER_OMITTED = {
    "calories", "protein", "carbohydrates", "net_carbohydrates", "total_fat", "saturated_fat",
    "fiber", "total_sugars", "added_sugars", "sodium",
}  # fmt: skip
_MAX_AMOUNT = 1e6
Value = Annotated[float, Field(ge=0, le=_MAX_AMOUNT)]


class SentEnergy(RequestModel):
    """Energy in kcal."""

    value: Value
    unit: Literal["kcal"]


class SentGrams(RequestModel):
    """An amount in g."""

    value: Value
    unit: Literal["g"]


class SentMilligrams(RequestModel):
    """An amount in mg."""

    value: Value
    unit: Literal["mg"]


class SentUnits(RequestModel):
    """An amount in IU."""

    value: Value
    unit: Literal["IU"]


_BY_UNIT = {"kcal": SentEnergy, "g": SentGrams, "mg": SentMilligrams, "IU": SentUnits}

SentNutrients = create_model(
    "SentNutrients",
    __base__=RequestModel,
    __module__=__name__,
    __doc__="Nutrients in the amount that was eaten. If one of the ten nutrients of v1.1 is"
    " omitted, it counts as zero.",
    **{  # type: ignore[call-overload]
        name: (_BY_UNIT[unit] | None, None) for name, unit in NUTRIENT_UNITS.items()
    },
)


class SentServing(RequestModel):
    """The amount that was eaten, in the unit of a serving."""

    id: Id
    quantity: Quantity
    unit: str = Field(max_length=LONGEST_FOOD_NAME, pattern=NO_NUL)
    scaling_factor: float | None = Field(None, gt=0, le=_MAX_AMOUNT)
    weight_grams: float | None = Field(None, gt=0, le=_MAX_AMOUNT)
    is_primary: bool | None = None


class SentFood(RequestModel):
    """A food as a scan returned it."""

    id: Id
    name: str = Field(min_length=1, max_length=LONGEST_FOOD_NAME, pattern=NOT_BLANK)
    brand_name: str | None = Field(None, max_length=LONGEST_FOOD_NAME, pattern=NO_NUL)
    nutrients: SentNutrients = Field(default_factory=SentNutrients)  # type: ignore[valid-type]
    servings: list[SentServing] = Field(
        min_length=1,
        max_length=MOST_VALUES,
        description="The amount that was eaten; servings after the first are ignored.",
    )


class SentDetection(RequestModel):
    """A detection as a scan returned it."""

    confidence_score: Confidence | None = None
    food: SentFood

    def given(self) -> GivenFood:
        """Return the detection as a food that can be corrected."""
        food, serving = self.food, self.food.servings[0]
        return GivenFood(
            food.id,
            food.name,
            serving.id,
            serving.quantity,
            serving.unit,
            self.confidence_score or "low",
            serving.weight_grams,
        )

    def scaled(self, factor: float, confidence: Confidence) -> dict[str, Any]:
        """Return the detection, with its amount multiplied by `factor`, as JSON-compatible data."""
        food, serving = self.food, self.food.servings[0]
        return {
            "confidence_score": confidence,
            "food": {
                "id": str(food.id),
                "name": food.name,
                "brand_name": food.brand_name,
                "nutrients": _scaled_nutrients(food.nutrients, factor),
                "servings": [
                    {
                        "id": str(serving.id),
                        "quantity": _scaled(serving.quantity, factor),
                        "unit": serving.unit,
                        "scaling_factor": _scaled(serving.scaling_factor, factor),
                        "weight_grams": _scaled(serving.weight_grams, factor),
                        "is_primary": serving.is_primary is not False,
                    }
                ],
            },
        }


def _scaled(amount: float | None, factor: float) -> float | None:
    return amount if amount is None or factor == 1 else concise(amount * factor)


def _scaled_nutrients(nutrients: BaseModel, factor: float) -> dict[str, dict[str, Any]]:
    """Multiply nutrients by a factor; the ten nutrients of v1.1 count as zero if omitted."""
    scaled = {}
    for name, unit in NUTRIENT_UNITS.items():
        amount = getattr(nutrients, name)
        if amount is not None:
            value = amount.value if factor == 1 else rounded(amount.value * factor, unit)
            scaled[name] = {"value": value, "unit": unit}
        elif name in _NEVER_OMITTED:
            scaled[name] = {"value": 0.0, "unit": unit}
    return scaled


DETECTION_ACCEPTS: Accepts = {
    "food": "must be the food as a scan returned it",
    "name": f"must be a string of 1 to {LONGEST_FOOD_NAME} characters, not blank and without NUL",
    "confidence_score": get_args(Confidence),
    "servings": "must be an array of at least one object {id, quantity, unit}",
    "value": f"must be a number from 0 to {_MAX_AMOUNT:,.0f}",
}
"""Accepted values of each field of a detection, for error messages."""
