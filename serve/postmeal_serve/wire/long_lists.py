"""Detection of lists with too many items in JSON, before objects are built."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from postmeal_serve.wire.json_scan import Scan, without_escapes

__all__ = ["long_list"]

_MOST_MATCHES = 16  # The validator checks any other fields with the same name.
_COMMA = ord(",")


def long_list(body: bytes, limits: Mapping[str, int]) -> str | None:
    """Find a list with too many items among the top-level fields of a JSON object."""
    commas = body.count(b",")
    reachable = [name for name, most in limits.items() if most <= commas]
    if not reachable:
        return None
    plain = without_escapes(body)
    names = "|".join(map(re.escape, reachable)).encode()
    scan = Scan(plain)
    for index, match in enumerate(re.finditer(rb'"(%b)"\s*:\s*\[' % names, plain)):
        if index == _MOST_MATCHES:
            break
        for _ in scan.pieces(match.start()):
            pass
        name, is_top_level = match[1].decode(), scan.depth == 1 and not scan.within
        if is_top_level and _has_commas(Scan(plain, match.end(), depth=2), limits[name]):
            return name
    return None


def _has_commas(scan: Scan, enough: int) -> bool:
    """Return whether the list in which a scan starts has at least `enough` commas between items."""
    commas, depth = 0, scan.depth
    for signs, depths in scan.pieces():
        ends = np.flatnonzero(depths < depth)
        if len(ends):
            signs, depths = signs[: ends[0]], depths[: ends[0]]
        commas += int(np.count_nonzero((signs == _COMMA) & (depths == depth)))
        if len(ends) or commas >= enough:
            break
    return commas >= enough
