"""Compact encoding of the fields of a food that are not columns of a collection."""

from __future__ import annotations

import json
import zlib
from typing import Any

from postmeal.foods.nutrients import NUTRIENTS
from postmeal.foods.table import Portion, TableFood

_COMMON = (
    b'"label:organic""label:no-gluten""traces:nuts""traces:milk""contains:gluten""contains:eggs"'
    b'"contains:soybeans""contains:milk""analysis:vegetarian""analysis:non-vegan""analysis:vegan"'
    b" CONTAINS 2% OR LESS OF, PALM OIL, LEAVENING, HIGH FRUCTOSE CORN SYRUP, XANTHAN GUM, SOYBEAN "
    b"OIL, MODIFIED CORN STARCH, CITRIC ACID, SOY LECITHIN, NATURAL FLAVORS, ENRICHED FLOUR (WHEAT "
    b"FLOUR, NIACIN, REDUCED IRON, THIAMIN MONONITRATE, RIBOFLAVIN, FOLIC ACID), SUGAR, WATER, SALT"
    b'https://images.openfoodfacts.org/images/products/000/front_en.3.400.jpg",["'
    b',1,"serving",[[1,100,"g",100],[2,1,"cup",240]]'
)
"""Text that occurs in many foods, used as a preset dictionary for compression (RFC 1950). Changing
this text makes existing collections unreadable."""


def pack(food: TableFood) -> bytes:
    """Encode a food as bytes; the same food always produces the same bytes.

    The ID, source, key, name, kind and popularity are not included; they have their own columns.
    """
    known = {at: food.per_100_g[key] for at, key in enumerate(NUTRIENTS) if key in food.per_100_g}
    fields: list[Any] = [
        [_short(portion) for portion in food.portions],
        known,
        food.category,
        food.brand_name,
        food.barcode,
        food.also_called,
        food.glycemic_index,
        food.gi_source,
        food.image_url,
        list(food.declared),
        food.ingredients,
        food.description,
        food.gi_sd,
        food.gi_in_model,
        food.added_sugars_estimated,
    ]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    packer = zlib.compressobj(6, zlib.DEFLATED, -15, zdict=_COMMON)
    return packer.compress(text.encode()) + packer.flush()


def unpack(content: bytes, **columns: Any) -> TableFood:
    """Decode a food encoded by `pack`; `columns` are the fields that `pack` does not include."""
    unpacker = zlib.decompressobj(-15, zdict=_COMMON)
    fields = json.loads(unpacker.decompress(content) + unpacker.flush())
    portions, known, category, brand, barcode, also, index, gi_source, image, *rest = fields
    declared, ingredients, description, *uncertainty = rest
    gi_sd, gi_in_model, estimated = uncertainty or (
        None,
        True,
        False,
    )  # the field is missing in older versions
    return TableFood(
        portions=tuple(Portion(*portion) for portion in portions),
        per_100_g={NUTRIENTS[int(at)]: amount for at, amount in known.items()},
        category=category,
        brand_name=brand,
        barcode=barcode,
        also_called=also,
        glycemic_index=index,
        gi_source=gi_source,
        gi_sd=gi_sd,
        gi_in_model=gi_in_model,
        added_sugars_estimated=estimated,
        image_url=image,
        declared=tuple(declared),
        ingredients=ingredients,
        description=description,
        **columns,
    )


def _short(portion: Portion) -> list[Any]:
    return [portion.id, _whole(portion.quantity), portion.unit, _whole(portion.weight_g)]


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number
