"""Request bodies with everything needed to parse them, possibly in another process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from serve.wire.near_misses import NearMiss, noticed
from serve.wire.request_body import Accepts, parse_body

__all__ = ["RequestBody"]

Body = TypeVar("Body", bound=BaseModel)


@dataclass(slots=True)
class RequestBody:
    """The body of a request; it can be pickled.

    Attributes
    ----------
    content : bytes
        The body as sent.
    strict_names : bool
        Whether near misses of names and duplicate keys are refused.
    checks_names : bool
        Whether to look for near misses.
    answered : frozenset of str
        Names that are never refused.
    ignored : tuple of str
        Paths of the near misses that were found and not refused.
    """

    content: bytes
    strict_names: bool
    checks_names: bool
    answered: frozenset[str] = frozenset()
    ignored: tuple[str, ...] = ()

    def parse(self, model: type[Body], accepts: Accepts) -> Body:
        """Parse the body.

        Raises
        ------
        InputError
            See `serve.wire.request_body.parse_body`.
        Refusal
            A field name is a near miss, and names are strict.
        """
        notice = self._notice if self.checks_names else None
        return parse_body(self.content, model, accepts, notice, once=self.strict_names)

    def _notice(self, misses: Iterator[NearMiss]) -> None:
        self.ignored = noticed(misses, "field", strict=self.strict_names, answered=self.answered)
