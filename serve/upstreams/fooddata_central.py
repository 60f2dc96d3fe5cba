"""FoodData Central: the branded foods of the United States, asked over their API.

https://fdc.nal.usda.gov/api-guide: a key is wanted, and 1,000 questions an hour are
allowed. The data are in the public domain (CC0).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from postmeal.foods.barcodes import gtin14
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.fooddata_central.branded import branded_food
from postmeal.foods.sources.fooddata_central.nutrient_numbers import amounts_of
from postmeal.foods.table import TableFood
from serve.upstreams.http_client import Answer, Line
from serve.upstreams.sanitize import cleaned

__all__ = ["FoodDataCentral"]

_HITS = "10"
_PRINTED = (8, 12, 13, 14)  # digits: publishers fill up with zeros, or leave them out

Text = Annotated[str, Field(max_length=20_000)]


class _Nutrient(Answer):
    nutrientId: int
    value: float | None = None


class _Branded(Answer):
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


class _Found(Answer):
    foods: list[_Branded]


class FoodDataCentral:
    """The collection.

    Parameters
    ----------
    line : Line
        To the API; its headers carry the key.
    """

    def __init__(self, line: Line) -> None:
        self._line = line

    async def product(self, gtin: str, within_s: float) -> TableFood | None:
        """Answer the product with a GTIN of 14 digits; of several, the one published last.

        Raises
        ------
        UpstreamError
            It gave no answer, none in time, or one that cannot be used.
        """
        bare = gtin.lstrip("0")
        printed = [bare.zfill(digits) for digits in _PRINTED if digits > len(bare)]
        query = {"query": " ".join([bare, *printed]), "dataType": "Branded", "pageSize": _HITS}
        answer = await self._line.ask("/v1/foods/search", _Found, within_s, query=query)
        same = [food for food in answer.foods if gtin14(food.gtinUpc) == gtin]
        if not same:
            return None
        return cleaned(_table_food(max(same, key=lambda food: food.fdcId)), gtin)


def _table_food(found: _Branded) -> TableFood:
    """Read a food of the API as the importer reads a row of the download."""
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
    told = {column: text or "" for column, text in label.items()}
    report = ImportReport("FoodData Central")
    return branded_food(told, found.description, amounts_of(by_id), report).food
