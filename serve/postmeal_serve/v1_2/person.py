"""End user of a request, who is identified by the client token or by a header."""

from __future__ import annotations

from postmeal_serve.http.call import Call
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.person_header import PersonHeader

__all__ = ["END_USER_ID", "end_user"]

END_USER_ID = PersonHeader(
    name="Service-End-User-ID",
    place="header",
    longest=64,
    about="Your ID for the end user. Required with an API key; ignored with a client token, which"
    " is bound to its end user.",
)


def end_user(call: Call) -> str:
    """Return the ID of the end user whose data a request reads or writes."""
    end_user_id = call.caller.end_user_id or END_USER_ID.read(call.headers)
    if end_user_id is None:
        message = (
            f"the {END_USER_ID.name} header is required with an API key; send your ID for the end"
            " user"
        )
        raise Refusal("end_user_id_required", message, field=END_USER_ID.name)
    return end_user_id
