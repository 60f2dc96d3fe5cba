"""Read the barcodes of products in a picture."""

from __future__ import annotations

from postmeal.errors import InputError, PostmealError, UnknownBarcode
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.scans.picture import Picture

__all__ = ["product", "read_barcodes"]


def read_barcodes(picture: Picture) -> tuple[str, ...]:
    """Return the digits of the retail barcodes in a picture.

    QR codes and other formats are ignored, because they do not identify a product.

    Parameters
    ----------
    picture : Picture
        The picture.

    Returns
    -------
    tuple of str
        The digits of each distinct EAN-13, EAN-8, UPC-A and UPC-E barcode.

    Raises
    ------
    PostmealError
        zxing-cpp is not installed.
    """
    try:
        import zxingcpp
    except ImportError as error:
        raise PostmealError(
            f"barcodes cannot be read: a package is missing ({error}); install postmeal[photos]"
        ) from None
    retail = zxingcpp.barcode_formats_from_str("EAN13,EAN8,UPCA,UPCE")
    plain = zxingcpp.TextMode.Plain  # digits without spaces
    found = zxingcpp.read_barcodes(picture.pixels, formats=retail, text_mode=plain)
    return tuple(dict.fromkeys(each.text for each in found if each.valid))


def product(barcodes: tuple[str, ...], catalog: Catalog) -> Food | None:
    """Return the product of the first barcode that the catalog contains, or None."""
    for code in barcodes:
        try:
            return catalog.barcode(code)
        except (UnknownBarcode, InputError):
            continue
    return None
