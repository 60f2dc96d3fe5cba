"""PersonHeader: a header that names a person by the partner's own id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers

from postmeal.errors import InputError
from serve.wire.parameters import Parameter

__all__ = ["PersonHeader"]


@dataclass(frozen=True, kw_only=True)
class PersonHeader(Parameter):
    """A header that names a person by the partner's own id: 1 to `longest` printable characters.

    Characters beyond ASCII are read as UTF-8, as they are in JSON.
    """

    longest: int

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        shown, edge = r"[^\u0000-\u001f\u007f]", r"[^\s\u0000-\u001f\u007f]"
        pattern = f"^{edge}({shown}*{edge})?$"  # a header's value has no space around it
        return {"type": "string", "minLength": 1, "maxLength": self.longest, "pattern": pattern}

    @property
    def accepts(self) -> str:
        """What it may be, as the rest of a sentence that starts with its name."""
        return f"must be 1 to {self.longest} printable characters, not blank"

    def read(self, headers: Headers) -> str | None:
        """Answer the id, None when the header is not sent.

        Raises
        ------
        InputError
            It is required and missing, sent twice, blank, too long or not printable.

        Examples
        --------
        >>> header = PersonHeader(name="x-user", place="header", longest=128, about="Who eats.")
        >>> header.read(Headers({"x-user": "u-1"}))
        'u-1'
        """
        sent = self.present(headers)
        if sent is None:
            return None
        try:
            given = sent.encode("latin-1").decode().strip(" \t")
        except UnicodeError:
            raise InputError(self.name, f"{self.accepts}, in UTF-8") from None
        if not (0 < len(given) <= self.longest and given.isprintable()):
            raise InputError(self.name, self.accepts, given[:60])
        return given
