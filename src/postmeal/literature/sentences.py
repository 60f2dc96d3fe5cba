"""Split scientific English into sentences."""

from __future__ import annotations

import re

_SHORTENED = """
vs viz cf etc approx ca al fig figs no nos ref refs eq resp dr mr mrs ms prof st jr sr inc ltd
dept univ ed eds vol vols pp p spp sp subsp var wt ext min max avg est jan feb mar apr jun jul aug
sep sept oct nov dec u.s u.k e.g i.e a.m p.m ph.d m.d
"""
_ABBREVIATIONS = frozenset(_SHORTENED.split())
_LOOK_BACK = 40  # characters before a period in which an abbreviation is looked for
_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9α-ωΑ-Ω<>≥≤~])")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘]*$")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; a period after an abbreviation does not end one."""
    found = []
    start = 0
    for end in _END.finditer(text):
        if text[end.start()] == "." and _is_abbreviation(
            text[max(start, end.start() - _LOOK_BACK) : end.start()]
        ):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _is_abbreviation(before: str) -> bool:
    match = _LAST_WORD.search(before)
    word = match.group() if match else ""
    is_initial = len(word) == 1 and word.isalpha() and word.isupper() and word not in "IABCD"
    return is_initial or word.lower() in _ABBREVIATIONS
