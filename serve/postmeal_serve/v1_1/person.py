"""Header that identifies the user of a request."""

from __future__ import annotations

from dataclasses import replace

from postmeal_serve.http.call import Call
from postmeal_serve.wire.person_header import PersonHeader

__all__ = ["OPTIONAL_USER_ID", "PARTNER_USER_ID", "user_of"]

PARTNER_USER_ID = PersonHeader(
    name="x-partner-user-id",
    place="header",
    required=True,
    longest=128,
    about="Your ID for the user: stable, opaque and free of personal data. For a registered user,"
    " the UUID is accepted too.",
)

OPTIONAL_USER_ID = replace(PARTNER_USER_ID, required=False)


def user_of(call: Call) -> str:
    """Return the user ID in the header of a request."""
    user_id = PARTNER_USER_ID.read(call.headers)
    assert user_id is not None  # The header is required.
    return user_id
