"""Barcode lookups in Open Food Facts.

The API (https://openfoodfacts.github.io/openfoodfacts-server/api/) does not need a key, requires a
User-Agent that identifies the caller, and allows 100 product requests per minute. The data is under
the Open Database License.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from postmeal.foods.barcodes import gtin14
from postmeal.foods.catalog.row import printed_barcode
from postmeal.foods.sources.open_food_facts.csv_export import product_food
from postmeal.foods.table import TableFood
from postmeal_serve.upstreams.http_client import ResponseModel, ServiceClient, UpstreamError
from postmeal_serve.upstreams.sanitize import sanitize

__all__ = ["OpenFoodFacts"]

_FIELDS = (
    "code,product_name,product_name_en,generic_name,abbreviated_product_name,brands,brand_owner,"
    "categories_tags,labels_tags,allergens_tags,traces_tags,ingredients_text,ingredients_text_en,"
    "ingredients_analysis_tags,serving_size,serving_quantity,quantity,no_nutrition_data,"
    "unique_scans_n,image_url,countries_tags,nutriments"
)

Text = Annotated[str, Field(max_length=20_000)]
Value = float | Text | None


class _Found(ResponseModel):
    status: int
    product: dict[str, Value | list[Value] | dict[str, Value]] | None = None


class OpenFoodFacts:
    """Client of Open Food Facts."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def product(self, gtin: str, timeout_s: float) -> TableFood | None:
        """Return the product with the given 14-digit GTIN, or None if it is not found."""
        path = f"/api/v2/product/{printed_barcode(int(gtin))}"
        response = await self._client.request(path, _Found, timeout_s, query={"fields": _FIELDS})
        if response.status == 0:
            return None
        product = response.product or {}
        code = product.get("code")
        food = product_food(product) if isinstance(code, str) and gtin14(code) == gtin else None
        if food is None:
            self._client.count("unusable")
            raise UpstreamError("failed")
        return sanitize(food, gtin)
