"""Long lists: a list with too many items is found in JSON before anything is built of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from serve.wire.json_scan import Scan, without_escapes

__all__ = ["long_list"]

_MOST_PLACES = 16  # where the name of a list is looked at; the validator sees the others
_COMMA = ord(",")


def long_list(body: bytes, limits: Mapping[str, int]) -> str | None:
    """Find a list with too many items among the fields of a JSON object.

    Parameters
    ----------
    body : bytes
        The object. It is read up to the first item too many.
    limits : mapping of str to int
        Names of fields, and how many items their lists may have.

    Returns
    -------
    str or None
        The name of the field. None if there is none, but also if the body is not JSON or writes the
        name in another way, such as with an escape. The validator counts the items again.

    Examples
    --------
    >>> long_list(b'{"foods": [1, [2, 3]]}', {"foods": 2}) is None
    True
    >>> long_list(b'{"x": [1, 2, 3], "foods": [1, 2, 3', {"foods": 2})
    'foods'
    """
    if not limits or body.count(b",") < min(limits.values()):
        return None
    plain = without_escapes(body)
    names = "|".join(map(re.escape, limits)).encode()
    scan = Scan(plain)
    for place, found in enumerate(re.finditer(rb'"(%b)"\s*:\s*\[' % names, plain)):
        if place == _MOST_PLACES:
            break
        for _ in scan.pieces(found.start()):
            pass
        name, of_object = found[1].decode(), scan.depth == 1 and not scan.within
        if of_object and _has_commas(Scan(plain, found.end(), depth=2), limits[name]):
            return name
    return None


def _has_commas(scan: Scan, enough: int) -> bool:
    """Return whether the list in which a scan begins has so many commas of its own."""
    commas, depth = 0, scan.depth
    for signs, depths in scan.pieces():
        ends = np.flatnonzero(depths < depth)
        if len(ends):
            signs, depths = signs[: ends[0]], depths[: ends[0]]
        commas += int(np.count_nonzero((signs == _COMMA) & (depths == depth)))
        if len(ends) or commas >= enough:
            break
    return commas >= enough
