"""Replies in which the user states the unit of a reading, because the chat asked for it."""

from __future__ import annotations

from collections.abc import Sequence

from postmeal.chat.danger import current_readings
from postmeal.chat.glucose_readings import Reading
from postmeal.chat.glucose_unit import GlucoseUnit, unit_of, unit_reply


def unclear_reading(text: str, unit: GlucoseUnit | None) -> Reading | None:
    """Return the first reading in a plain text whose unit is unknown, or None."""
    measured = current_readings(text, unit)
    return next((reading for reading in measured if reading.unit is None), None)


def with_replies(texts: Sequence[str], system: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the user's texts, with each reply that states a unit moved before the reading.

    If a text only states a unit, and the previous text contains a reading without a unit, the two
    texts are swapped. The question with the reading is then answered again, now with the unit.
    """
    ordered: list[str] = []
    for text in texts:
        is_reply = bool(ordered) and unit_reply(text) is not None
        if is_reply and unclear_reading(ordered[-1], unit_of([*system, *ordered])):
            ordered.insert(len(ordered) - 1, text)
        else:
            ordered.append(text)
    return tuple(ordered)
