"""Header parameter with the partner's ID for a user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers

from postmeal.errors import InputError
from postmeal_serve.wire.parameters import Parameter

__all__ = ["PersonHeader"]


@dataclass(frozen=True, kw_only=True)
class PersonHeader(Parameter):
    """A header with the partner's ID for a user: 1 to `longest` printable characters in UTF-8."""

    longest: int

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameter's values."""
        shown, edge = r"[^\u0000-\u001f\u007f]", r"[^\s\u0000-\u001f\u007f]"
        pattern = f"^{edge}({shown}*{edge})?$"  # HTTP strips white space around header values.
        return {"type": "string", "minLength": 1, "maxLength": self.longest, "pattern": pattern}

    @property
    def accepts(self) -> str:
        """The part of an error message that follows the name, such as ``must be a date``."""
        return f"must be 1 to {self.longest} printable characters, not blank"

    def read(self, headers: Headers) -> str | None:
        """Return the ID, or None if the header was not sent."""
        value = self.present(headers)
        if value is None:
            return None
        try:
            user_id = value.encode("latin-1").decode().strip(" \t")
        except UnicodeError:
            raise InputError(self.name, f"{self.accepts}; the header must be in UTF-8") from None
        if not (0 < len(user_id) <= self.longest and user_id.isprintable()):
            raise InputError(self.name, self.accepts, user_id[:60])
        return user_id
