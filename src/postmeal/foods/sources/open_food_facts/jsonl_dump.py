"""Convert products in the Open Food Facts dump to the fields of the CSV export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_PLAIN = (
    "code", "generic_name", "abbreviated_product_name", "brands", "brand_owner",
    "serving_size", "serving_quantity", "quantity", "no_nutrition_data", "unique_scans_n",
    "image_url", "last_modified_t",
)  # fmt: skip
_TAGS = {
    "categories_tags": "categories_tags",
    "countries_tags": "countries_tags",
    "labels_tags": "labels_tags",
    "allergens_tags": "allergens",
    "traces_tags": "traces_tags",
    "ingredients_analysis_tags": "ingredients_analysis_tags",
}
_IN_LANGUAGES = ("product_name", "ingredients_text")
_TO_STANDARD = {"kcal": 1.0, "kJ": 1.0, "g": 1.0, "mg": 1e-3, "µg": 1e-6, "mcg": 1e-6}


def flat_product(product: Mapping[str, Any], languages: Sequence[str]) -> dict[str, str]:
    """Convert a product of the dump to a row of the CSV export; missing fields are omitted."""
    flat = {field: _text(product.get(field)) for field in _PLAIN}
    for field in _IN_LANGUAGES:
        named = (_text(product.get(f"{field}_{language}")) for language in languages)
        flat[field] = next(filter(str.strip, named), _text(product.get(field)))
    for field, column in _TAGS.items():
        tags = product.get(field)
        flat[column] = ",".join(map(_text, tags)) if isinstance(tags, list) else _text(tags)
    nutriments = product.get("nutriments")
    if isinstance(nutriments, Mapping):
        flat |= {
            name: _text(amount) for name, amount in nutriments.items() if name.endswith("_100g")
        }
    elif isinstance(nutrition := product.get("nutrition"), Mapping):
        flat |= _of_newer_dump(nutrition)
    return {field: text for field, text in flat.items() if text}


def _of_newer_dump(nutrition: Mapping[str, Any]) -> dict[str, str]:
    """Return the nutrient amounts from the aggregated data of a product in a newer dump."""
    aggregated = nutrition.get("aggregated_set")
    if not isinstance(aggregated, Mapping) or aggregated.get("per") not in ("100g", "100ml"):
        return {}
    nutrients = aggregated.get("nutrients")
    found = {}
    for name, amount in nutrients.items() if isinstance(nutrients, Mapping) else ():
        if isinstance(amount, Mapping) and amount.get("unit") in _TO_STANDARD:
            value = amount.get("value", amount.get("value_computed"))
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                found[f"{name}_100g"] = str(value * _TO_STANDARD[amount["unit"]])
    return found


def _text(value: Any) -> str:
    if isinstance(value, str):  # JSON may contain lone surrogates
        return value if value.isascii() else value.encode(errors="replace").decode()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return ""
