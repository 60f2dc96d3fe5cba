"""Check digits and short forms of barcodes."""

from __future__ import annotations


def with_check_digit(body: str) -> str:
    """Append the check digit that GS1 defines, computed differently than in the package."""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body[::-1], 1))
    return body + str(-total % 10)


def upc_e(upc_a: str) -> str | None:
    """Return the UPC-E of a UPC-A by the four rules of GS1, or None if it does not have one."""
    system, maker, item, check = upc_a[0], upc_a[1:6], upc_a[6:11], upc_a[11]
    if system not in "01":
        return None
    if maker[2:] in ("000", "100", "200") and item[:2] == "00":
        return system + maker[:2] + item[2:] + maker[2] + check
    if maker[3:] == "00" and item[:3] == "000":
        return system + maker[:3] + item[3:] + "3" + check
    if maker[4:] == "0" and item[:4] == "0000":
        return system + maker[:4] + item[4] + "4" + check
    if item[:4] == "0000" and item[4] in "56789":
        return system + maker + item[4] + check
    return None
