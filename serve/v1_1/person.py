"""The header that says which of a partner's users a call is about."""

from __future__ import annotations

from dataclasses import replace

from serve.http.call import Call
from serve.wire.person_header import PersonHeader

__all__ = ["OPTIONAL_USER_ID", "PARTNER_USER_ID", "user_of"]

PARTNER_USER_ID = PersonHeader(
    name="x-partner-user-id",
    place="header",
    required=True,
    longest=128,
    about="The partner's id of the user: stable, opaque and free of personal data. The UUID of a"
    " registered user names the same person.",
)

OPTIONAL_USER_ID = replace(PARTNER_USER_ID, required=False)


def user_of(call: Call) -> str:
    """Answer the id that a call names its user by.

    Raises
    ------
    InputError
        The header is missing, or cannot be an id.
    """
    given = PARTNER_USER_ID.read(call.headers)
    assert given is not None  # it is required
    return given
