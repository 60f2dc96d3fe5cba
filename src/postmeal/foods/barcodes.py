"""Barcodes: the five forms of one number, and which product each may mean.

A product's key is its GTIN of 14 digits (GS1 General Specifications, section 7). UPC-A and EAN-13
are the same number without leading zeros, UPC-E leaves zeros of a UPC-A out.
"""

from __future__ import annotations

import re

from postmeal.errors import InputError

__all__ = ["gtin14", "possible_gtins"]

_DIGITS = re.compile(r"[0-9]{6,14}")


def possible_gtins(code: str, field: str = "barcode") -> tuple[str, ...]:
    """List the products that scanned digits may mean, the likeliest first.

    Parameters
    ----------
    code : str
        6 to 14 digits: UPC-E with or without its number system and check digit, EAN-8, UPC-A,
        EAN-13 or GTIN-14. Leading zeros do not count.
    field : str, default="barcode"
        The name to blame in the error.

    Returns
    -------
    tuple of str
        GTINs of 14 digits: 8 digits may be both EAN-8 and UPC-E; none when a check digit is wrong.

    Raises
    ------
    InputError
        It is not 6 to 14 digits.

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
    readings = [_checked(code)]
    if len(code) <= 8:
        readings.append(_expanded(code))
    if len(code) == 7:
        readings.append(_expanded(f"0{code}"))  # without its number system
    return tuple(dict.fromkeys(filter(None, readings)))


def gtin14(code: str) -> str | None:
    """Write the number that a publisher prints as a GTIN of 14 digits.

    Leading zeros may be missing. UPC-E with its check digit is expanded where the digits are no
    GTIN as they stand.

    Parameters
    ----------
    code : str
        Digits.

    Returns
    -------
    str or None
        14 digits; None when it is no GTIN or its check digit is wrong.

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
    """The digits as they stand, filled up with zeros."""
    bare = code.lstrip("0")
    if not 4 < len(bare) <= 14:
        return None
    digits = [int(digit) for digit in bare.zfill(14)]
    if (3 * sum(digits[::2]) + sum(digits[1::2])) % 10:
        return None
    return bare.zfill(14)


def _expanded(code: str) -> str | None:
    """The digits as UPC-E, with the zeros that it leaves out."""
    from biip import ParseError
    from biip.upc import Upc

    try:
        return _checked(Upc.parse(code).as_upc_a())
    except ParseError:
        return None
