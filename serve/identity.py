"""Identity: which person a call is about."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select
from starlette.datastructures import Headers

from postmeal.errors import InputError
from serve.parameters import Parameter
from serve.storage.tables import end_user

__all__ = ["PersonHeader", "one_person"]


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


def one_person(connection: Connection, organization_id: int, given: str) -> str:
    """Answer the id under which a person's data is kept, whichever of two ids was given.

    A registered person has a UUID of ours and may have an id of the partner's: what is stored
    under the one must be found under the other.

    Parameters
    ----------
    connection : Connection
        Of the transaction that reads or writes the person's data.
    organization_id : int
        The partner.
    given : str
        The id as the call gives it; it need not be registered.

    Returns
    -------
    str
        Of a registered person's UUID the partner's id, or the UUID where there is none; `given`
        otherwise.
    """
    try:
        known = str(uuid.UUID(given))
    except ValueError:
        return given
    if known != given.lower():
        return given
    of_partner = select(end_user.c.partner_user_id).where(
        end_user.c.organization_id == organization_id, end_user.c.id == known
    )
    row = connection.execute(of_partner).one_or_none()
    return given if row is None else row.partner_user_id or known
