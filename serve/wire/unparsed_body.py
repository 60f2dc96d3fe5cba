"""Request bodies with the information needed to parse them, possibly in another process."""

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
    """The body of a request that has not been parsed; it can be pickled.

    Attributes
    ----------
    content : bytes
        The body as sent.
    strict_names : bool
        Whether to refuse duplicate keys and near misses of field names (see
        `serve.wire.near_misses`).
    checks_names : bool
        Whether to look for near misses.
    answered : frozenset of str
        Field names that occur in responses. They are never refused, because clients may send a
        response back.
    ignored : tuple of str
        Paths of the near misses that `parse` found and did not refuse.
    """

    content: bytes
    strict_names: bool
    checks_names: bool
    answered: frozenset[str] = frozenset()
    ignored: tuple[str, ...] = ()

    def parse(self, model: type[Body], accepts: Accepts) -> Body:
        """Parse and validate the body.

        Raises
        ------
        InputError
            See `serve.wire.request_body.parse_body`.
        Refusal
            `strict_names` is true, and a field name is a near miss.
        """
        notice = self._notice if self.checks_names else None
        return parse_body(self.content, model, accepts, notice, once=self.strict_names)

    def _notice(self, misses: Iterator[NearMiss]) -> None:
        self.ignored = noticed(misses, "field", strict=self.strict_names, answered=self.answered)
