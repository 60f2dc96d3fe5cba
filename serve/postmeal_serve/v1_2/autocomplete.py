"""Autocomplete for food names."""

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
from postmeal.rounding import rounded
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.food_choices import Foods
from postmeal_serve.v1_2.nutrients import Amount
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.parameters import Choice, Integer, Text
from postmeal_serve.wire.responses import json_response

__all__ = ["AUTOCOMPLETE"]

_QUERY = Text(
    name="query",
    required=True,
    longest=64,
    may_be_blank=True,
    about="Text typed so far. With fewer than two letters or digits, nothing is suggested.",
)
_TYPE = Choice(
    name="type",
    values=("generic", "branded"),
    about="Type of food; if omitted, both types are suggested, generic foods first.",
)
_LIMIT = Integer(name="limit", default=8, least=1, most=20, about="Maximum number of suggestions.")

_log = logging.getLogger(__name__)
_reported: WeakSet[Catalog] = WeakSet()


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EnergyTable(_Wire):
    """Energy of the default serving; empty if unknown."""

    calories: Amount | SkipJsonSchema[None] = None


class SuggestionResponse(_Wire):
    """A suggested food."""

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    type: Literal["generic", "branded"]
    name: str
    brand_name: str | None = Field(description="Brand; null for generic foods.")
    image_url: str | None
    nutrients: EnergyTable


class SuggestionPage(_Wire):
    """Suggestions: generic foods before branded foods, best match first within each type."""

    items: list[SuggestionResponse]


async def autocomplete_foods(call: Call) -> Response:
    """Suggest foods while the user types.

    The last word may be incomplete. The list is empty if `query` has fewer than two letters or
    digits, if nothing matches, or if the search index is damaged.
    """
    text = cast(str, _QUERY.read(call.given))
    kind = cast(Literal["generic", "branded"] | None, _TYPE.read(call.given))
    limit = _LIMIT.read(call.given)
    try:
        foods = call.service.foods
    except Refusal as refusal:
        raise Refusal("upstream_error", refusal.message) from None
    suggestions = await _suggest(foods, text, kind, limit)
    return json_response({"items": [_suggestion(each) for each in suggestions]})


async def _suggest(
    foods: Foods, text: str, kind: Literal["generic", "branded"] | None, limit: int
) -> list[Suggestion]:
    """Return suggestions; if the index is damaged, log this once and return an empty list."""
    try:
        return await foods.suggest(text, kind, limit)
    except CatalogError as error:
        if error.reason != "damaged":
            raise
    if foods.catalog not in _reported:
        _reported.add(foods.catalog)
        _log.error("catalog is damaged; autocomplete returns no suggestions")
    return []


def _suggestion(suggestion: Suggestion) -> dict[str, Any]:
    energy_kcal = rounded(suggestion.energy_kcal, "kcal")
    energy = {"calories": {"value": energy_kcal, "unit": "kcal"}}
    return {
        "id": str(suggestion.id),
        "type": suggestion.kind,
        "name": suggestion.name,
        "brand_name": suggestion.brand_name,
        "image_url": suggestion.image_url,
        "nutrients": {} if math.isnan(energy_kcal) else energy,
    }


AUTOCOMPLETE = Operation(
    "GET",
    "/foods/autocomplete",
    autocomplete_foods,
    version=V1_2,
    scope="foods:read",
    response_model=SuggestionPage,
    parameters=(_QUERY, _TYPE, _LIMIT),
    refusals=(502, 504),
)
