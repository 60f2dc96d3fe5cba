"""The displays "LO" and "HI" of a meter or sensor for glucose outside of its range."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LOWEST_MG_DL, _HIGHEST_MG_DL = 20.0, 600.0
"""Limits of the widest range of blood glucose meters. LO is below them, and HI is above them."""

_DEVICE = (
    r"(?:(?:blood )?sugars?|glucose|bg|meter|glucometer|sensor|cgm|reader|libre|dexcom|monitor"
    r"|finger ?(?:prick|stick))"
)
_STATES = (
    r"(?: (?:is|has|just|now|only|still|keeps?|screen|display))*"
    r"(?: (?:says|said|saying|shows|showed|showing|reads|reading|displays)(?: just| only)?|:) "
)
_QUOTE = "[\"'“”]?"
_SHOWN = re.compile(
    rf"\b(?:{_DEVICE}|it){_STATES}{_QUOTE}(?P<behind>lo|hi)\b"
    r"(?![ -](?:there|carb|fat|gi|cal|battery))"
    rf"|{_QUOTE}\b(?P<before>lo|hi){_QUOTE} on (?:the |my |his |her |our )?(?:\w+ )?{_DEVICE}\b"
)


class BeyondRange(NamedTuple):
    """A display "LO" or "HI": the limit of the range that glucose is beyond, and a description."""

    limit_mg_dl: float
    text: str


def beyond_range(text: str) -> Iterator[BeyondRange]:
    """Yield the displays "LO" and "HI" of meters that a plain text states.

    The words "low" and "high" do not count, because they can also describe other readings.
    """
    for match in _SHOWN.finditer(text):
        if (match["behind"] or match["before"]) == "lo":
            yield BeyondRange(_LOWEST_MG_DL, "LO (below the range of the meter)")
        else:
            yield BeyondRange(_HIGHEST_MG_DL, "HI (above the range of the meter)")
