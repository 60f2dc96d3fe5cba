"""The header that says which of a partner's users a call is about."""

from serve.identity import PersonHeader

__all__ = ["PARTNER_USER_ID"]

PARTNER_USER_ID = PersonHeader(
    name="x-partner-user-id",
    place="header",
    required=True,
    longest=128,
    about="The partner's id of the user: stable, opaque and free of personal data. The UUID of a"
    " registered user names the same person.",
)
