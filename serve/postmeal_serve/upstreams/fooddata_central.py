"""Barcode lookups in FoodData Central, which covers branded foods sold in the United States.

The API (https://fdc.nal.usda.gov/api-guide) requires a key and allows 1,000 requests per hour. The
data is in the public domain (CC0).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from postmeal.foods.barcodes import gtin14
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.fooddata_central.branded import branded_food
from postmeal.foods.sources.fooddata_central.nutrient_amounts import amounts_of
from postmeal.foods.table import TableFood
from postmeal_serve.upstreams.http_client import ResponseModel, ServiceClient
from postmeal_serve.upstreams.sanitize import sanitize

__all__ = ["FoodDataCentral"]

_PAGE_SIZE = "10"
_PRINTED = (8, 12, 13, 14)  # lengths in digits to which publishers pad barcodes with zeros

Text = Annotated[str, Field(max_length=20_000)]


class _Nutrient(ResponseModel):
    nutrientId: int
    value: float | None = None


class _Branded(ResponseModel):
    fdcId: int
    gtinUpc: Text = ""
    description: Text = ""
    brandOwner: Text | None = None
    brandName: Text | None = None
    subbrandName: Text | None = None
    shortDescription: Text | None = None
    ingredients: Text | None = None
    foodCategory: Text | None = None
    servingSize: float | None = None
    servingSizeUnit: Text | None = None
    householdServingFullText: Text | None = None
    foodNutrients: tuple[_Nutrient, ...] = ()


class _Found(ResponseModel):
    foods: list[_Branded]


class FoodDataCentral:
    """Client of FoodData Central."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def product(self, gtin: str, timeout_s: float) -> TableFood | None:
        """Return the latest version of the product with the given GTIN, or None if not found."""
        bare = gtin.lstrip("0")
        printed = [bare.zfill(digits) for digits in _PRINTED if digits > len(bare)]
        query = {"query": " ".join([bare, *printed]), "dataType": "Branded", "pageSize": _PAGE_SIZE}
        response = await self._client.request("/v1/foods/search", _Found, timeout_s, query=query)
        matches = [food for food in response.foods if gtin14(food.gtinUpc) == gtin]
        if not matches:
            return None
        return sanitize(_table_food(max(matches, key=lambda food: food.fdcId)), gtin)


def _table_food(found: _Branded) -> TableFood:
    """Convert a food from the API in the same way as the importer converts a row of a file."""
    label = {
        "fdc_id": str(found.fdcId),
        "gtin_upc": found.gtinUpc,
        "brand_owner": found.brandOwner,
        "brand_name": found.brandName,
        "subbrand_name": found.subbrandName,
        "short_description": found.shortDescription,
        "ingredients": found.ingredients,
        "serving_size": None if found.servingSize is None else str(found.servingSize),
        "serving_size_unit": found.servingSizeUnit,
        "household_serving_fulltext": found.householdServingFullText,
        "branded_food_category": found.foodCategory,
    }
    by_id = {
        nutrient.nutrientId: nutrient.value
        for nutrient in found.foodNutrients
        if nutrient.value is not None
    }
    row = {column: text or "" for column, text in label.items()}
    report = ImportReport("FoodData Central")
    return branded_food(row, found.description, amounts_of(by_id), report).food
