"""Barcodes in five formats, converted to 14-digit GTINs.

A product is identified by its 14-digit Global Trade Item Number (GTIN; GS1 General Specifications,
section 7). EAN-8, UPC-A and EAN-13 are the last 8, 12 and 13 digits of a GTIN whose other digits
are zeros. UPC-E is a UPC-A code without some of its zeros.
"""

from __future__ import annotations

import re

from postmeal.errors import InputError

__all__ = ["gtin14", "possible_gtins"]

_DIGITS = re.compile(r"[0-9]{6,14}")


def possible_gtins(code: str, field: str = "barcode") -> tuple[str, ...]:
    """Return the GTINs that a scanned code may represent, most likely first.

    Parameters
    ----------
    code : str
        6 to 14 digits: UPC-E with or without its number system and check digit, EAN-8, UPC-A,
        EAN-13 or GTIN-14. Leading zeros are ignored.
    field : str, default="barcode"
        Field name for error messages.

    Returns
    -------
    tuple of str
        14-digit GTINs; empty if the check digit is wrong. There are several GTINs if the code is
        valid in more than one format, such as 8 digits that are both an EAN-8 and a UPC-E.

    Raises
    ------
    InputError
        The code is not 6 to 14 digits.

    Examples
    --------
    >>> possible_gtins("049000006346")
    ('00049000006346',)
    >>> possible_gtins("04963406")
    ('00049000006346',)
    >>> possible_gtins("049000006347")
    ()
    """
    if not isinstance(code, str) or not _DIGITS.fullmatch(code):
        raise InputError(field, "must be 6 to 14 digits", code)
    candidates = [_checked(code)]
    if len(code) <= 8:
        candidates.append(_expanded(code))
    if len(code) == 7:
        candidates.append(_expanded(f"0{code}"))  # the number system digit is missing
    return tuple(dict.fromkeys(filter(None, candidates)))


def gtin14(code: str) -> str | None:
    """Convert a published product number to a 14-digit GTIN.

    Leading zeros may be missing. If the digits are not a valid GTIN, they are expanded as a UPC-E
    code with a check digit.

    Parameters
    ----------
    code : str
        The digits of the product number.

    Returns
    -------
    str or None
        14 digits; None if the code is not a GTIN or its check digit is wrong.

    Examples
    --------
    >>> gtin14("37600665605")
    '00037600665605'
    >>> gtin14("02179500")
    '00021000007950'
    """
    if not (code.isascii() and code.isdigit()):
        return None
    return _checked(code) or (_expanded(code.zfill(8)) if 7 <= len(code) <= 8 else None)


def _checked(code: str) -> str | None:
    """Return the code padded to 14 digits, or None if it is not a valid GTIN."""
    bare = code.lstrip("0")
    if not 4 < len(bare) <= 14:
        return None
    digits = [int(digit) for digit in bare.zfill(14)]
    if (3 * sum(digits[::2]) + sum(digits[1::2])) % 10:
        return None
    return bare.zfill(14)


def _expanded(code: str) -> str | None:
    """Expand a UPC-E code to a 14-digit GTIN, or return None if it is not valid."""
    from biip import ParseError
    from biip.upc import Upc

    try:
        return _checked(Upc.parse(code).as_upc_a())
    except ParseError:
        return None
