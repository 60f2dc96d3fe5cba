"""The end user that a call is about: a client token's own, or the one that a header names."""

from __future__ import annotations

from serve.http.call import Call
from serve.wire.errors import Refusal
from serve.wire.person_header import PersonHeader

__all__ = ["END_USER_ID", "end_user"]

END_USER_ID = PersonHeader(
    name="Service-End-User-ID",
    place="header",
    longest=64,
    about="The end user that a request with an API key is about; required with one, and ignored"
    " with a client token, which is bound to its end user.",
)


def end_user(call: Call) -> str:
    """Answer the end user.

    Raises
    ------
    Refusal
        The call was made with an API key and names no end user.
    InputError
        The header cannot be an id.
    """
    end_user_id = call.caller.end_user_id or END_USER_ID.read(call.headers)
    if end_user_id is None:
        message = f"name the end user in the header {END_USER_ID.name}"
        raise Refusal("end_user_id_required", message, field=END_USER_ID.name)
    return end_user_id
