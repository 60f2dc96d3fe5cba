"""Request bodies with the information needed to parse them, possibly in another process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from postmeal_serve.wire.near_misses import NearMiss, noticed
from postmeal_serve.wire.request_body import Accepts, parse_body

__all__ = ["RequestBody"]

Body = TypeVar("Body", bound=BaseModel)


@dataclass(slots=True)
class RequestBody:
    """The body of a request that has not been parsed; it can be pickled."""

    content: bytes
    strict_names: bool
    checks_names: bool
    answered: frozenset[str] = frozenset()
    ignored: tuple[str, ...] = ()

    def parse(self, model: type[Body], accepts: Accepts) -> Body:
        """Parse and validate the body."""
        notice = self._notice if self.checks_names else None
        return parse_body(self.content, model, accepts, notice, once=self.strict_names)

    def _notice(self, misses: Iterator[NearMiss]) -> None:
        self.ignored = noticed(misses, "field", strict=self.strict_names, answered=self.answered)
