"""Cleaned: a product that came over the network, with nothing in it but text and amounts.

Amounts and the texts of labels were read by the importer of the collection; what is added here is
for texts that anyone may write and that are shown to others at once.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from urllib.parse import urlsplit

from postmeal.foods.table import TableFood

__all__ = ["cleaned"]

_MARKUP = re.compile(r"<[^<>]*>|[<>]")
_TAG = re.compile(r"(?:contains|traces|label|analysis):[\w:.-]{1,80}")
_MOST_TAGS = 200
_PICTURES = "images.openfoodfacts.org"
_LONGEST_ADDRESS = 300


def cleaned(food: TableFood, gtin: str) -> TableFood:
    """Take markup, control signs and foreign addresses out of a product.

    Parameters
    ----------
    food : TableFood
        As the importer read it.
    gtin : str
        The GTIN of 14 digits that was asked for: no number of the answer is taken in its place.

    Examples
    --------
    >>> food = TableFood("off", "1", "branded", "", "<b>Rye</b> crackers", (), {})
    >>> cleaned(food, "09521234543213").name
    'Rye crackers'
    """
    return replace(
        food,
        id=0,
        key=gtin,
        barcode=gtin,
        name=_plain(food.name) or f"Product {gtin.lstrip('0')}",
        brand_name=_plain(food.brand_name),
        category=_plain(food.category),
        description="",
        also_called="",
        portions=tuple(replace(p, unit=_plain(p.unit) or "serving") for p in food.portions),
        ingredients=_plain(food.ingredients or "") or None,
        declared=tuple(tag for tag in food.declared[:_MOST_TAGS] if _TAG.fullmatch(tag)),
        image_url=food.image_url if _is_picture(food.image_url) else "",
    )


def _plain(text: str) -> str:
    """Leave out tags, and signs that are not seen: controls, and those that turn the line."""
    text = _MARKUP.sub(" ", text)
    seen = (sign for sign in text if unicodedata.category(sign) not in ("Cc", "Cf", "Co", "Cn"))
    return " ".join("".join(seen).split())


def _is_picture(address: str) -> bool:
    if len(address) > _LONGEST_ADDRESS or not address.isprintable() or " " in address:
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme == "https" and parts.netloc == _PICTURES
