"""Open Food Facts: products of the world, asked over their API.

https://openfoodfacts.github.io/openfoodfacts-server/api/: no key, a User-Agent that names the
caller, and at most 100 products a minute. The data are under the Open Database License.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from postmeal.foods.barcodes import gtin14
from postmeal.foods.catalog.row import printed_barcode
from postmeal.foods.sources.open_food_facts.csv_export import product_food
from postmeal.foods.table import TableFood
from serve.upstreams.http_client import Answer, Line, UpstreamError
from serve.upstreams.sanitize import cleaned

__all__ = ["OpenFoodFacts"]

_FIELDS = (
    "code,product_name,product_name_en,generic_name,abbreviated_product_name,brands,brand_owner,"
    "categories_tags,labels_tags,allergens_tags,traces_tags,ingredients_text,ingredients_text_en,"
    "ingredients_analysis_tags,serving_size,serving_quantity,quantity,no_nutrition_data,"
    "unique_scans_n,image_url,countries_tags,nutriments"
)

Text = Annotated[str, Field(max_length=20_000)]
Value = float | Text | None


class _Found(Answer):
    status: int
    product: dict[str, Value | list[Value] | dict[str, Value]] | None = None


class OpenFoodFacts:
    """The collection.

    Parameters
    ----------
    line : Line
        To the API.
    """

    def __init__(self, line: Line) -> None:
        self._line = line

    async def product(self, gtin: str, within_s: float) -> TableFood | None:
        """Answer the product with a GTIN of 14 digits, None if it has none.

        Raises
        ------
        UpstreamError
            It gave no answer, none in time, or one that cannot be used, such as another product.
        """
        path = f"/api/v2/product/{printed_barcode(int(gtin))}"
        answer = await self._line.ask(path, _Found, within_s, query={"fields": _FIELDS})
        if answer.status == 0:
            return None
        told = answer.product or {}
        code = told.get("code")
        food = product_food(told) if isinstance(code, str) and gtin14(code) == gtin else None
        if food is None:
            self._line.count("unusable")
            raise UpstreamError("failed")
        return cleaned(food, gtin)
