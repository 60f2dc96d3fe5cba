"""Operations on client tokens, which a partner's backend calls."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal_serve.http.call import Call
from postmeal_serve.http.compression import keep_uncompressed
from postmeal_serve.http.operation import Operation
from postmeal_serve.partners.tokens import (
    DEFAULT_S,
    LONGEST_S,
    SCOPES,
    SHORTEST_S,
    Scope,
    Token,
    mint,
    revoke_live,
)
from postmeal_serve.resources.users import stored_user_id
from postmeal_serve.v1_2.person import END_USER_ID
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.request_body import MOST_VALUES, Accepts, RequestModel
from postmeal_serve.wire.responses import json_response
from postmeal_serve.wire.times import utc_text

__all__ = ["CLIENT_TOKEN_OPERATIONS"]


EndUserId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=END_USER_ID.longest,
        pattern=END_USER_ID.schema["pattern"],
        description="Your ID for the end user.",
    ),
]


class ClientTokenRequest(RequestModel):
    """The end user, lifetime and scopes of a new client token."""

    end_user_id: EndUserId
    ttl_seconds: int = Field(
        DEFAULT_S, ge=SHORTEST_S, le=LONGEST_S, description="Lifetime of the token in seconds."
    )
    scopes: list[Scope] = Field(
        list(SCOPES),
        min_length=1,
        max_length=MOST_VALUES,
        description="Scopes to grant.",
    )


class ClientTokenResponse(BaseModel):
    """A client token."""

    model_config = ConfigDict(extra="forbid")

    token: str = Field(pattern="^ct-", description="The token; it cannot be retrieved again.")
    expires_in: int = Field(description="Lifetime in seconds.")
    expires_at: str = Field(
        description="When the token expires.", json_schema_extra={"format": "date-time"}
    )
    end_user_id: str = Field(description="The end user the token is bound to.")
    scopes: list[Scope] = Field(description="The scopes that were granted.")


class RevocationRequest(RequestModel):
    """The end user whose client tokens are revoked."""

    end_user_id: EndUserId


class RevocationResponse(BaseModel):
    """The number of tokens that were revoked."""

    model_config = ConfigDict(extra="forbid")

    revoked_count: int = Field(
        ge=0,
        description="Number of active tokens that this call revoked. Expired and previously revoked"
        " tokens are not counted.",
    )


_ACCEPTS: Accepts = {
    "end_user_id": f"must be a string of 1 to {END_USER_ID.longest} printable characters without"
    " leading or trailing spaces",
    "ttl_seconds": f"must be an integer from {SHORTEST_S} to {LONGEST_S}",
    "scopes": SCOPES,
}


def _require_configured(call: Call) -> None:
    if not call.service.settings.client_tokens:
        message = "client tokens are not enabled on this server; contact the operator"
        raise Refusal("service_unavailable", message)


def _require_minting(call: Call) -> None:
    _require_configured(call)
    if not call.caller.organization.may_mint:
        raise Refusal(
            "forbidden", "client tokens are disabled for this account; contact the operator"
        )


async def mint_client_token(call: Call) -> Response:
    """Mint a client token.

    The token is bound to one end user and lets an app call the operations in its scopes directly.
    Mint one token per user session and reuse it until it expires; every call creates a new token.
    The token is returned only once.
    """
    body = await call.parse(ClientTokenRequest, _ACCEPTS)
    end_user_id = _printable(body.end_user_id)
    scopes = tuple(dict.fromkeys(body.scopes))
    owner, clock = call.caller.organization.id, call.service.clock
    now, steady = clock.now(), clock.steady()
    pepper = call.service.settings.pepper

    def mint_token(connection: Connection) -> Token:
        person = stored_user_id(connection, owner, end_user_id)
        call.service.allow_writing(connection, call.caller, person, steady)
        ttl_s, actor = body.ttl_seconds, call.caller.name
        return mint(connection, now, owner, person, scopes, ttl_s, actor, pepper, steady)

    keep_uncompressed(call.scope)
    token = await call.service.database.write(mint_token)
    return json_response(
        {
            "token": token.secret,
            "expires_in": body.ttl_seconds,
            "expires_at": utc_text(token.expires_at),
            "end_user_id": end_user_id,
            "scopes": scopes,
        },
        201,
    )


async def revoke_client_tokens(call: Call) -> Response:
    """Revoke the client tokens of an end user.

    Each call revokes at most 500 active tokens; repeat it until `revoked_count` is 0. Revoked
    tokens are rejected within 60 seconds.
    """
    body = await call.parse(RevocationRequest, _ACCEPTS)
    end_user_id = _printable(body.end_user_id)
    owner, service = call.caller.organization.id, call.service
    person = await service.database.read(stored_user_id, owner, end_user_id)
    actor, pepper = call.caller.name, service.settings.pepper
    result = await revoke_live(service.database, service.clock, owner, person, actor, pepper)
    service.credentials.evict(owner, person)
    if result.failed:
        message = (
            f"{result.revoked} tokens were revoked and {result.failed} could not be revoked; repeat"
            " the request to revoke the rest"
        )
        raise Refusal("client_token_revocation_incomplete", message)
    return json_response({"revoked_count": result.revoked})


def _printable(end_user_id: str) -> str:
    if not end_user_id.isprintable():
        raise InputError("end_user_id", str(_ACCEPTS["end_user_id"]), end_user_id)
    return end_user_id


_EXAMPLE: dict[str, Any] = {
    "end_user_id": "user-1",
    "ttl_seconds": DEFAULT_S,
    "scopes": ["foods:read", "food_logs:write"],
}

CLIENT_TOKEN_OPERATIONS = (
    Operation(
        "POST",
        "/auth/client-tokens",
        mint_client_token,
        version=V1_2,
        stores=True,
        response_model=ClientTokenResponse,
        status_code=201,
        body=ClientTokenRequest,
        example=_EXAMPLE,
        refusals=(413, 415, 504),
        counted=False,
        gate=_require_minting,
    ),
    Operation(
        "POST",
        "/auth/client-token-revocations",
        revoke_client_tokens,
        version=V1_2,
        response_model=RevocationResponse,
        body=RevocationRequest,
        example={"end_user_id": "user-1"},
        refusals=(413, 415, 504),
        counted=False,
        gate=_require_configured,
    ),
)
