"""Near misses: unknown names that are almost certainly meant as a known one."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from serve.wire.errors import Refusal
from serve.wire.field_names import Shape

__all__ = ["MOST_IGNORED", "NearMiss", "ignored_fields", "near_misses", "noticed"]

MOST_IGNORED = 20
"""Near misses that the header of version 1.1 names at most."""

_LONGEST_NAME = 64  # longer than any known name by more than an edit
_MOST_UNKNOWN = 1000  # names of an object that are compared; with more it is a table
_FEWEST_LETTERS = 5  # of a name that is recognized with a typing error
_LONGEST_HEADER = 1000
_UNSAFE = re.compile(r"[^\w.\[\]-]", re.ASCII)


class NearMiss(NamedTuple):
    """An unknown name.

    Attributes
    ----------
    name : str
        The name as it was sent.
    path : str
        The name with the objects around it: ``user_profile.healthConditions``.
    meant : tuple of str
        The known names that it may stand for. None of them is given.
    """

    name: str
    path: str
    meant: tuple[str, ...]

    def refusal(self, kind: str) -> Refusal:
        """Return the error that names a field or parameter and what to write instead."""
        meant = " or ".join(f"'{name}'" for name in self.meant)
        message = f"unknown {kind} {self.path!r}; did you mean {meant}?"
        return Refusal("invalid_request", message, field=self.path)


def near_misses(shape: Shape, sent: object, at: str = "") -> Iterator[NearMiss]:
    """Find the near misses in an object, or in each object of an array.

    A name is a near miss if it differs from a field only in case and underscores, is the
    field's name in another API version, or is one edit (insertion, deletion, substitution,
    transposition) away from a field of five or more letters, and the field itself is absent.

    Parameters
    ----------
    shape : Shape
        The names that are known.
    sent : object
        Parsed JSON; only objects and arrays contain names.
    at : str, optional
        The path of `sent`.

    Yields
    ------
    NearMiss
        In the order of the names; those of an object before those of the objects inside it.

    Examples
    --------
    >>> shape = Shape({"start_time": "start_time"}, {})
    >>> [miss.meant for miss in near_misses(shape, {"startTime": "now", "color": "red"})]
    [('start_time',)]
    """
    if isinstance(sent, list):
        for place, each in enumerate(sent):
            yield from near_misses(shape, each, f"{at}[{place}]")
    if not isinstance(sent, dict):
        return
    unknown = [name for name in sent if name not in shape.fields]
    if unknown:
        given = {field for name, field in shape.fields.items() if name in sent}
        for name in unknown[:_MOST_UNKNOWN]:
            possible = _meant(shape, name) if len(name) <= _LONGEST_NAME else ()
            meant = [each for each in possible if shape.fields[each] not in given]
            if meant:
                yield NearMiss(name, f"{at}.{name}".strip("."), tuple(meant))
    for name, inner in shape.inner.items():
        if name in sent:
            yield from near_misses(inner, sent[name], f"{at}.{name}".strip("."))


def noticed(
    misses: Iterable[NearMiss], kind: str, *, strict: bool, answered: Container[str]
) -> tuple[str, ...]:
    """Return the paths of near misses to list, or refuse the first where names are strict.

    Parameters
    ----------
    misses : iterable of NearMiss
        The near misses.
    kind : str
        What they are: ``"field"`` or ``"parameter"``.
    strict : bool
        Whether they are refused.
    answered : container of str
        Names that are not refused: an answer may be sent back as it is.

    Raises
    ------
    Refusal
        Names are strict, and there is one.
    """
    if not strict:
        return tuple(miss.path for miss in islice(misses, MOST_IGNORED))
    for miss in misses:
        if miss.name not in answered:
            raise miss.refusal(kind)
    return ()


def ignored_fields(paths: Iterable[str]) -> str:
    """Write paths as the value of a header: safe characters, bounded length.

    Examples
    --------
    >>> ignored_fields(["userProfile.activity_level", "fo\\nods"])
    'userProfile.activity_level, fo?ods'
    """
    text = ", ".join(_UNSAFE.sub("?", path) for path in dict.fromkeys(paths))
    return text if len(text) <= _LONGEST_HEADER else text[:_LONGEST_HEADER].rpartition(",")[0]


@lru_cache(maxsize=4096)  # the objects of an array have the same names; at most 2 MB
def _meant(shape: Shape, name: str) -> tuple[str, ...]:
    """Return the known names that an unknown one may stand for, given or not."""
    plain = _plain(name)
    same = [known for known in shape.fields if _plain(known) == plain]
    same = same or [known for other, known in shape.other_names.items() if _plain(other) == plain]
    return tuple(same or (known for known in shape.fields if _is_typing_error(name, known)))


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def _is_typing_error(name: str, known: str) -> bool:
    """Return whether a name is one edit from a known name that is long enough."""
    if sum(map(str.isalpha, known)) < _FEWEST_LETTERS or abs(len(name) - len(known)) > 1:
        return False
    long, short = (name, known) if len(name) >= len(known) else (known, name)
    pairs = zip(long, short, strict=False)
    first = next((place for place, (one, other) in enumerate(pairs) if one != other), len(short))
    if len(long) > len(short):
        return long[first + 1 :] == short[first:]
    swapped = long[:first] + long[first + 1 : first + 2] + long[first : first + 1]
    return long[first + 1 :] == short[first + 1 :] or swapped + long[first + 2 :] == short
