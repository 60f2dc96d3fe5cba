"""Compute the share of a food that a person eats when they share it with others."""

from __future__ import annotations

from collections.abc import Sequence

from postmeal.scans.corrections.marks import Part

_MOST_PEOPLE = 20


def share_kept(parts: Sequence[Part], marks: str) -> float | None:
    """Return the share of a food that the person eats, according to a clause about sharing."""
    after = marks.index("S")
    before = [part.amount for part in parts[:after] if part.amount]
    if before and "g" in marks[:after]:
        count = before[0].count
        return 1 / count if count and 1 <= count <= _MOST_PEOPLE else None
    said = [part.value for part in parts[after:] if part.marks == "F"]
    if said:
        return said[0] if len(said) == 1 and 0 < said[0] < 1 else None
    people = sum(mark == "U" for mark in marks)
    tail = list(zip(marks[after:], parts[after:], strict=True))
    for (mark, part), (follows, _) in zip(tail, [*tail[1:], ("", None)], strict=True):
        if mark != "Q" or part.amount is None or not part.amount.count:
            continue
        count = part.amount.count
        if not count.is_integer() or not 1 <= count <= _MOST_PEOPLE:
            return None
        text = next((p.text for m, p in tail if m == "g"), "")
        is_all = "e" in marks or "t" in marks[after:] or text in ("of us", "ways", "way", "us")
        if follows != "g" and not is_all:
            return None
        return 1 / count if is_all else 1 / (count + 1 + people)
    return 1 / (people + 1) if people else None
