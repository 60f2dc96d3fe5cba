"""Photos for requests: drawn barcodes and pictures, as files and as data URIs."""

from __future__ import annotations

import base64

import numpy as np
import zxingcpp
from hostile_pictures import encoded
from PIL import Image

__all__ = ["barcode_photo", "base64_of", "data_uri"]


def barcode_photo(code: str, kind: str = "JPEG") -> bytes:
    """Return a picture of a UPC-A barcode with white around it."""
    bars = zxingcpp.create_barcode(code, zxingcpp.BarcodeFormat.UPCA).to_image(scale=3)
    page = np.pad(np.array(bars, np.uint8), 60, constant_values=255)
    return encoded(Image.fromarray(page).convert("RGB"), kind)


def base64_of(data: bytes) -> str:
    """Return bytes in base64."""
    return base64.b64encode(data).decode()


def data_uri(data: bytes, kind: str = "jpeg") -> str:
    """Return a picture as a data URI."""
    return f"data:image/{kind};base64,{base64_of(data)}"
