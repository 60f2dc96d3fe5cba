"""Client tokens: minted and revoked by a partner's backend, used by its app."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection
from starlette.responses import Response

from postmeal.errors import InputError
from serve.http.call import Call
from serve.http.compression import keep_uncompressed
from serve.http.operation import Operation
from serve.partners.tokens import (
    LONGEST_S,
    SCOPES,
    SHORTEST_S,
    USUAL_S,
    Scope,
    Token,
    mint,
    revoke_live,
)
from serve.resources.users import one_person
from serve.v1_2.person import END_USER_ID
from serve.v1_2.version import V1_2
from serve.wire.errors import Refusal
from serve.wire.request_body import MOST_VALUES, Accepts, Wire
from serve.wire.responses import json_response
from serve.wire.times import utc_text

__all__ = ["CLIENT_TOKEN_OPERATIONS"]


EndUserId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=END_USER_ID.longest,
        pattern=END_USER_ID.schema["pattern"],
        description="The end user, by the partner's own id.",
    ),
]


class ClientTokenRequest(Wire):
    """For whom, how long and for what."""

    end_user_id: EndUserId
    ttl_seconds: int = Field(
        USUAL_S, ge=SHORTEST_S, le=LONGEST_S, description="How long the token is valid."
    )
    scopes: list[Scope] = Field(
        list(SCOPES),
        min_length=1,
        max_length=MOST_VALUES,
        description="What it may do; everything when omitted.",
    )


class ClientTokenAnswer(BaseModel):
    """A client token; it is shown this once."""

    model_config = ConfigDict(extra="forbid")

    token: str = Field(pattern="^ct-")
    expires_in: int = Field(description="Seconds.")
    expires_at: str = Field(json_schema_extra={"format": "date-time"})
    end_user_id: str
    scopes: list[Scope]


class RevocationRequest(Wire):
    """Whose tokens."""

    end_user_id: EndUserId


class RevocationAnswer(BaseModel):
    """How many tokens were stopped."""

    model_config = ConfigDict(extra="forbid")

    revoked_count: int = Field(ge=0, description="Tokens that were live until this call.")


_ACCEPTS: Accepts = {
    "end_user_id": f"must be text of 1 to {END_USER_ID.longest} printable characters, with no space"
    " around them",
    "ttl_seconds": f"must be a whole number of seconds, {SHORTEST_S} to {LONGEST_S}",
    "scopes": SCOPES,
}


def _configured(call: Call) -> None:
    if not call.service.settings.client_tokens:
        message = "client tokens are not configured in this environment"
        raise Refusal("service_unavailable", message)


def _may_mint(call: Call) -> None:
    _configured(call)
    if not call.caller.organization.may_mint:
        raise Refusal("forbidden", "client tokens are switched off for this account")


async def mint_client_token(call: Call) -> Response:
    """Mint a client token for one end user.

    The token is shown this once. A backend mints one for each of its users' sessions, and the app
    uses it until it expires. Every call mints another one.
    """
    body = await call.parse(ClientTokenRequest, _ACCEPTS)
    given = _printable(body.end_user_id)
    scopes = tuple(dict.fromkeys(body.scopes))
    owner, clock = call.caller.organization.id, call.service.clock
    now, steady = clock.now(), clock.steady()
    pepper = call.service.settings.pepper

    def minted(connection: Connection) -> Token:
        person = one_person(connection, owner, given)
        call.service.allow_writing(connection, call.caller, person, steady)
        ttl_s, actor = body.ttl_seconds, call.caller.name
        return mint(connection, now, owner, person, scopes, ttl_s, actor, pepper, steady)

    keep_uncompressed(call.scope)
    token = await call.service.database.write(minted)
    return json_response(
        {
            "token": token.secret,
            "expires_in": body.ttl_seconds,
            "expires_at": utc_text(token.expires_at),
            "end_user_id": given,
            "scopes": scopes,
        },
        201,
    )


async def revoke_client_tokens(call: Call) -> Response:
    """Revoke the live client tokens of one end user, at most 500 of them.

    A token is refused by every process within 60 seconds. Repeat the call until `revoked_count`
    is 0.
    """
    body = await call.parse(RevocationRequest, _ACCEPTS)
    given = _printable(body.end_user_id)
    owner, service = call.caller.organization.id, call.service
    person = await service.database.read(one_person, owner, given)
    actor, pepper = call.caller.name, service.settings.pepper
    done = await revoke_live(service.database, service.clock, owner, person, actor, pepper)
    service.credentials.forget(owner, person)
    if done.failed:
        message = (
            f"{done.revoked} tokens were revoked, {done.failed} could not be; repeat the call,"
            " which handles the remainder"
        )
        raise Refusal("client_token_revocation_incomplete", message)
    return json_response({"revoked_count": done.revoked})


def _printable(end_user_id: str) -> str:
    if not end_user_id.isprintable():
        raise InputError("end_user_id", str(_ACCEPTS["end_user_id"]))
    return end_user_id


_EXAMPLE: dict[str, Any] = {
    "end_user_id": "user-1",
    "ttl_seconds": 1800,
    "scopes": ["foods:read", "food_logs:write"],
}

CLIENT_TOKEN_OPERATIONS = (
    Operation(
        "POST",
        "/auth/client-tokens",
        mint_client_token,
        version=V1_2,
        answer=ClientTokenAnswer,
        status_code=201,
        body=ClientTokenRequest,
        example=_EXAMPLE,
        refusals=(413, 415, 504),
        counted=False,
        gate=_may_mint,
    ),
    Operation(
        "POST",
        "/auth/client-token-revocations",
        revoke_client_tokens,
        version=V1_2,
        answer=RevocationAnswer,
        body=RevocationRequest,
        example={"end_user_id": "user-1"},
        refusals=(413, 415, 504),
        counted=False,
        gate=_configured,
    ),
)
