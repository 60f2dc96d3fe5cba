"""Replies to the question of the chat for the unit of a reading."""

from __future__ import annotations

from collections.abc import Sequence

from postmeal.chat.danger import current_readings
from postmeal.chat.glucose_unit import GlucoseUnit, unit_of, unit_reply
from postmeal.chat.readings import Reading

__all__ = ["unclear_reading", "with_replies"]


def unclear_reading(text: str, unit: GlucoseUnit | None) -> Reading | None:
    """Return the reading in a plain text that could be in both units, or None.

    Examples
    --------
    >>> unclear_reading("my sugar is 7", None).text
    '7'
    >>> unclear_reading("my sugar is 7", "mmol/L") is None
    True
    """
    measured = current_readings(text, unit)
    return next((reading for reading in measured if reading.unit is None), None)


def with_replies(texts: Sequence[str], system: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the user's texts as if a unit had been stated before the reading that needs it.

    A text that is only a unit changes places with the text before, if that has a reading without
    one. So the question is answered again, now with the unit.

    Parameters
    ----------
    texts : sequence of str
        The user's plain texts, the last one last.
    system : sequence of str, optional
        System messages, which can state a unit, too.

    Examples
    --------
    >>> with_replies(["my sugar is 7", "mmol/l"])
    ('mmol/l', 'my sugar is 7')
    """
    ordered: list[str] = []
    for text in texts:
        is_reply = bool(ordered) and unit_reply(text) is not None
        if is_reply and unclear_reading(ordered[-1], unit_of([*system, *ordered])):
            ordered.insert(len(ordered) - 1, text)
        else:
            ordered.append(text)
    return tuple(ordered)
