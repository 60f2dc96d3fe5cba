"""Autocomplete: foods whose names begin with what is being typed."""

from __future__ import annotations

import logging
import math
from typing import Any, Literal, cast
from weakref import WeakSet

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from postmeal.errors import CatalogError
from postmeal.foods.catalog import Catalog, Suggestion
from serve.http.call import Call
from serve.http.operation import Operation
from serve.resources.food_choices import Foods
from serve.v1_2.nutrients import Amount
from serve.v1_2.version import V1_2
from serve.wire.errors import Refusal
from serve.wire.parameters import Choice, Integer, Text
from serve.wire.responses import json_response

__all__ = ["AUTOCOMPLETE"]

_QUERY = Text(
    name="query",
    required=True,
    longest=64,
    may_be_blank=True,
    about="What was typed so far; fewer than two letters or digits suggest nothing.",
)
_TYPE = Choice(
    name="type",
    values=("generic", "branded"),
    about="Only foods of this type; both, the generic ones first, when omitted.",
)
_LIMIT = Integer(name="limit", default=8, least=1, most=20, about="At most this many suggestions.")

_log = logging.getLogger(__name__)
_known_as_damaged: WeakSet[Catalog] = WeakSet()


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EnergyTable(_Wire):
    """The energy of the default serving; left out when it is not known."""

    calories: Amount | SkipJsonSchema[None] = None


class SuggestionAnswer(_Wire):
    """What to show of a food while someone types."""

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    type: Literal["generic", "branded"]
    name: str
    brand_name: str | None
    image_url: str | None
    nutrients: EnergyTable


class SuggestionPage(_Wire):
    """Suggestions: the generic ones first, of each type the best match first."""

    items: list[SuggestionAnswer]


async def autocomplete_foods(call: Call) -> Response:
    """Complete the name of a food.

    The last word may be the beginning of a longer one. Nothing is suggested while fewer than two
    letters or digits are typed, when nothing matches, or when the index has an error.
    """
    text = cast(str, _QUERY.read(call.given))
    kind = cast(Literal["generic", "branded"] | None, _TYPE.read(call.given))
    limit = _LIMIT.read(call.given)
    try:
        foods = call.service.foods
    except Refusal as refusal:
        raise Refusal("upstream_error", refusal.message) from None
    found = await _found(foods, text, kind, limit)
    return json_response({"items": [_suggestion(each) for each in found]})


async def _found(
    foods: Foods, text: str, kind: Literal["generic", "branded"] | None, limit: int
) -> list[Suggestion]:
    """Suggest, and suggest nothing where the index is damaged: typing goes on without it."""
    try:
        return await foods.suggest(text, kind, limit)
    except CatalogError as error:
        if error.reason != "damaged":
            raise
    if foods.catalog not in _known_as_damaged:
        _known_as_damaged.add(foods.catalog)
        _log.error("foods cannot be suggested: the catalogue is damaged")
    return []


def _suggestion(found: Suggestion) -> dict[str, Any]:
    energy = {"calories": {"value": found.energy_kcal, "unit": "kcal"}}
    return {
        "id": str(found.id),
        "type": found.kind,
        "name": found.name,
        "brand_name": found.brand_name,
        "image_url": found.image_url,
        "nutrients": {} if math.isnan(found.energy_kcal) else energy,
    }


AUTOCOMPLETE = Operation(
    "GET",
    "/foods/autocomplete",
    autocomplete_foods,
    version=V1_2,
    scope="foods:read",
    answer=SuggestionPage,
    parameters=(_QUERY, _TYPE, _LIMIT),
    refusals=(502, 504),
)
