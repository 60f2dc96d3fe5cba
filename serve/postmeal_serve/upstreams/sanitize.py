"""Sanitization of products from external sources, which may contain text written by anyone.

The importer has already validated the amounts. Texts are shown to other users without a review, so
this module removes markup and untrusted URLs from them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from urllib.parse import urlsplit

from postmeal.foods.table import TableFood
from postmeal.literature.sources.plain_text import raised

__all__ = ["plain_text", "sanitize", "visible_text"]

_MARKUP = re.compile(r"<[^<>]*>|[<>]")
_ELEMENT = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>")
_SUPERSCRIPT = re.compile(r"<sup>\s*([^<>]*?)\s*</sup>", re.IGNORECASE)
_TAG = re.compile(r"(?:contains|traces|label|analysis):[\w:.-]{1,80}")
_MAX_TAGS = 200
_PICTURE_HOST = "images.openfoodfacts.org"
_MAX_URL = 300
_INVISIBLE = ("Cc", "Cf", "Co", "Cn")  # Unicode categories


def sanitize(food: TableFood, gtin: str) -> TableFood:
    """Remove markup, control characters and untrusted URLs from a product."""
    return replace(
        food,
        id=0,
        key=gtin,
        barcode=gtin,
        name=plain_text(food.name) or f"Product {gtin.lstrip('0')}",
        brand_name=plain_text(food.brand_name),
        category=plain_text(food.category),
        description="",
        also_called="",
        portions=tuple(replace(p, unit=plain_text(p.unit) or "serving") for p in food.portions),
        ingredients=plain_text(food.ingredients or "") or None,
        declared=tuple(tag for tag in food.declared[:_MAX_TAGS] if _TAG.fullmatch(tag)),
        image_url=food.image_url if _is_picture(food.image_url) else "",
    )


def plain_text(text: str) -> str:
    """Remove tags and invisible characters, such as control and text direction characters."""
    return _without_invisible(_MARKUP.sub(" ", text))


def visible_text(text: str) -> str:
    """Remove HTML tags and invisible characters, but keep signs such as "<" before a number."""
    text = _SUPERSCRIPT.sub(lambda found: raised(found[1]), text)
    while (cleaned := _ELEMENT.sub("", text)) != text:  # the rest may form new elements
        text = cleaned
    return _without_invisible(text)


def _without_invisible(text: str) -> str:
    text = "".join(" " if char in "\n\t\r" else char for char in text)
    visible = (char for char in text if unicodedata.category(char) not in _INVISIBLE)
    return " ".join("".join(visible).split())


def _is_picture(url: str) -> bool:
    if len(url) > _MAX_URL or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "https" and parts.netloc == _PICTURE_HOST
