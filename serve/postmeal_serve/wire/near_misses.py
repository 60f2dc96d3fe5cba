"""Near misses, which are unknown names of fields and parameters that are probably misspelled."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.field_names import Shape

__all__ = ["MOST_IGNORED", "NearMiss", "ignored_fields", "near_misses", "noticed"]

MOST_IGNORED = 20
"""Maximum number of near misses in the ``X-Ignored-Fields`` header of v1.1."""

_LONGEST_NAME = 64  # Longer names are not near misses of any known name.
_MOST_UNKNOWN = 1000  # An object with more unknown names is data, not a misspelled request.
_FEWEST_LETTERS = 5  # Shorter names are too easily confused with others.
_LONGEST_HEADER = 1000
_UNSAFE = re.compile(r"[^\w.\[\]-]", re.ASCII)


class NearMiss(NamedTuple):
    """An unknown name that resembles a known one."""

    name: str
    path: str
    meant: tuple[str, ...]

    def refusal(self, kind: str) -> Refusal:
        """Return an error that suggests the correct name of a field or parameter."""
        meant = " or ".join(f"'{name}'" for name in self.meant)
        message = f"unknown {kind} {self.path!r}; did you mean {meant}?"
        return Refusal("invalid_request", message, field=self.path)


def near_misses(shape: Shape, sent: object, at: str = "") -> Iterator[NearMiss]:
    """Find the near misses in an object, or in each object of an array.

    An unknown name is a near miss of a known name if the known name is missing from the object and
    the two names differ only in case and underscores, are the names of the same field in different
    API versions, or are one edit apart (an insertion, deletion, substitution or transposition). An
    edit counts only if the known name has at least five letters.
    """
    if isinstance(sent, list):
        for index, item in enumerate(sent):
            yield from near_misses(shape, item, f"{at}[{index}]")
    if not isinstance(sent, dict):
        return
    unknown = [name for name in sent if name not in shape.fields]
    if unknown:
        present = {field for name, field in shape.fields.items() if name in sent}
        for name in unknown[:_MOST_UNKNOWN]:
            candidates = _candidates(shape, name) if len(name) <= _LONGEST_NAME else ()
            meant = [known for known in candidates if shape.fields[known] not in present]
            if meant:
                yield NearMiss(name, f"{at}.{name}".strip("."), tuple(meant))
    for name, inner in shape.inner.items():
        if name in sent:
            yield from near_misses(inner, sent[name], f"{at}.{name}".strip("."))


def noticed(
    misses: Iterable[NearMiss], kind: str, *, strict: bool, answered: Container[str]
) -> tuple[str, ...]:
    """Return the paths of near misses, or refuse the request if `strict` is true."""
    if not strict:
        return tuple(miss.path for miss in islice(misses, MOST_IGNORED))
    for miss in misses:
        if miss.name not in answered:
            raise miss.refusal(kind)
    return ()


def ignored_fields(paths: Iterable[str]) -> str:
    """Format paths as a header value with a limited length and no unsafe characters."""
    text = ", ".join(_UNSAFE.sub("?", path) for path in dict.fromkeys(paths))
    return text if len(text) <= _LONGEST_HEADER else text[:_LONGEST_HEADER].rpartition(",")[0]


@lru_cache(maxsize=4096)  # Objects of an array share names. The cache takes at most 2 MB.
def _candidates(shape: Shape, name: str) -> tuple[str, ...]:
    """Return the known names that an unknown name may stand for, even if they were also sent."""
    normalized = _normalize(name)
    same = [known for known in shape.fields if _normalize(known) == normalized]
    same = same or [
        known for other, known in shape.other_names.items() if _normalize(other) == normalized
    ]
    return tuple(same or (known for known in shape.fields if _is_typing_error(name, known)))


def _normalize(name: str) -> str:
    return name.replace("_", "").casefold()


def _is_typing_error(name: str, known: str) -> bool:
    """Return whether a name is one edit away from a known name of sufficient length."""
    if sum(map(str.isalpha, known)) < _FEWEST_LETTERS or abs(len(name) - len(known)) > 1:
        return False
    long, short = (name, known) if len(name) >= len(known) else (known, name)
    pairs = zip(long, short, strict=False)
    first = next((i for i, (left, right) in enumerate(pairs) if left != right), len(short))
    if len(long) > len(short):
        return long[first + 1 :] == short[first:]
    swapped = long[:first] + long[first + 1 : first + 2] + long[first : first + 1]
    return long[first + 1 :] == short[first + 1 :] or swapped + long[first + 2 :] == short
