"""Authentication, media types and error format of version 1.2."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers

from postmeal_serve.wire.api_version import Version
from postmeal_serve.wire.errors import Refusal

__all__ = ["V1_2", "V1_2_CHAT", "ChatError", "Error"]

_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.IGNORECASE)
_TOKEN_MESSAGES = {
    "token_invalid": "this client token is unknown; check how it is stored and sent",
    "token_expired": "this client token has expired; mint a new one",
    "token_revoked": "this client token was revoked; the end user must sign in again",
}
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json", re.IGNORECASE | re.ASCII)

_CHAT_PATHS = "/v1.2/chat/"

ErrorType = Literal[
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "rate_limit_error",
    "api_error",
]
_ERROR_TYPES: dict[int, ErrorType] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
_NO_FIELDS = ("body", "Content-Type")


class Error(BaseModel):
    """The body of an error response."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(description="Machine-readable error code.", examples=["invalid_request"])
    message: str = Field(
        description="What is wrong. For an invalid parameter or field, its name and what it"
        " accepts."
    )


class ChatErrorDetail(BaseModel):
    """The details of an error in a chat request."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(description="What is wrong, and what is accepted.")
    type: ErrorType = Field(description="Type of the error, which depends on the status.")
    param: str | None = Field(
        description="Path of the invalid field, such as `messages[0].role`; null if there is none."
    )
    code: str = Field(description="Machine-readable error code.", examples=["invalid_request"])


class ChatError(BaseModel):
    """An error in the format of OpenAI's API."""

    model_config = ConfigDict(extra="forbid")

    error: ChatErrorDetail


class _Version:
    """API version 1.2, which is current."""

    name = "v1.2"
    deprecated = False
    headers: tuple[tuple[bytes, bytes], ...] = ()
    error_model: type[BaseModel] = Error
    strict_names = True

    def at(self, path: str) -> Version:
        """Return `V1_2_CHAT` for the paths of the chat, and this version for all others."""
        return V1_2_CHAT if path.startswith(_CHAT_PATHS) else self

    def status(self, refusal: Refusal) -> int:
        """Return the HTTP status of an error."""
        return refusal.status

    def error_body(self, refusal: Refusal) -> dict[str, Any]:
        """Return the error as ``{code, message}``."""
        return {"code": refusal.code, "message": refusal.message}

    def credential(self, authorization: list[str]) -> str:
        """Return the credential that follows ``Bearer`` in any case (RFC 9110, section 11.1)."""
        match = _BEARER.fullmatch(authorization[0].strip()) if len(authorization) == 1 else None
        if match is None or not match[1].startswith(("sk-", "ct-")):
            message = (
                "the credential is missing or malformed; send your API key as Authorization:"
                " Bearer sk-..."
            )
            raise _unauthorized("unauthorized", message, "Bearer")
        return match[1]

    def credential_error(self, secret: str, state: str) -> Refusal:
        """Return the error for an invalid credential (RFC 6750, section 3.1)."""
        if not secret.startswith("ct-"):
            message = "this API key is unknown or disabled; check the key"
            return _unauthorized("unauthorized", message, 'Bearer error="invalid_token"')
        code = "token_invalid" if state == "unknown" else state
        description = code.replace("_", " ")
        challenge = f'Bearer error="invalid_token", error_description="{description}"'
        return _unauthorized(code, _TOKEN_MESSAGES[code], challenge)

    def check_accept(self, headers: Headers) -> None:
        """Do nothing, because version 1.2 always returns JSON and ignores ``Accept``."""

    def check_media_type(self, headers: Headers) -> None:
        """Raise an error unless the content type is JSON or missing."""
        media_type = headers.get("content-type", "application/json").partition(";")[0].strip()
        if media_type != "application/json" and not _JSON.fullmatch(media_type):
            message = f"Content-Type must be application/json, got {media_type[:60]!r}"
            raise Refusal("unsupported_media_type", message, field="Content-Type")


def _unauthorized(code: str, message: str, challenge: str) -> Refusal:
    return Refusal(code, message, headers={"WWW-Authenticate": challenge})


class _ChatVersion(_Version):
    """API version 1.2 with errors in the format of OpenAI's API, which chat clients parse."""

    error_model: type[BaseModel] = ChatError

    def error_body(self, refusal: Refusal) -> dict[str, Any]:
        """Return the error as ``{error: {message, type, param, code}}``."""
        default: ErrorType = "api_error" if refusal.status >= 500 else "invalid_request_error"
        error = {
            "message": refusal.message,
            "type": _ERROR_TYPES.get(refusal.status, default),
            "param": None if refusal.field in _NO_FIELDS else refusal.field,
            "code": refusal.code,
        }
        return {"error": error}


V1_2 = _Version()
V1_2_CHAT = _ChatVersion()
