"""How version 1.2 treats credentials, media types and errors."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers

from serve.wire.errors import Refusal

__all__ = ["V1_2", "Error"]

_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.IGNORECASE)
_TOKENS = {
    "token_invalid": "token is not known",
    "token_expired": "token has expired: mint another",
    "token_revoked": "token was revoked",
}
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json", re.IGNORECASE | re.ASCII)


class Error(BaseModel):
    """Why a request was refused."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(description="Machine-readable reason.", examples=["invalid_request"])
    message: str = Field(description="What is wrong; it names the field and what it accepts.")


class _Version:
    """The current version."""

    name = "v1.2"
    deprecated = False
    headers: tuple[tuple[bytes, bytes], ...] = ()
    error_model: type[BaseModel] = Error
    strict_names = True

    def status(self, refusal: Refusal) -> int:
        """Answer the HTTP status."""
        return refusal.status

    def error_body(self, refusal: Refusal) -> dict[str, Any]:
        """Answer ``{code, message}``."""
        return {"code": refusal.code, "message": refusal.message}

    def credential(self, authorization: list[str]) -> str:
        """Read ``Bearer sk-…`` or ``ct-…``; the scheme's case does not count (RFC 9110, 11.1)."""
        match = _BEARER.fullmatch(authorization[0].strip()) if len(authorization) == 1 else None
        if match is None or not match[1].startswith(("sk-", "ct-")):
            message = "send your API key in the header: Authorization: Bearer sk-..."
            raise _unauthorized("unauthorized", message, "Bearer")
        return match[1]

    def not_admitted(self, secret: str, state: str) -> Refusal:
        """Answer the refusal of a credential that does not serve (RFC 6750, 3.1)."""
        if not secret.startswith("ct-"):
            message = "this API key is not known"
            return _unauthorized("unauthorized", message, 'Bearer error="invalid_token"')
        code = "token_invalid" if state == "unknown" else state
        message, description = f"this client {_TOKENS[code]}", code.replace("_", " ")
        challenge = f'Bearer error="invalid_token", error_description="{description}"'
        return _unauthorized(code, message, challenge)

    def check_accept(self, headers: Headers) -> None:
        """Accept every caller: all answers are JSON."""

    def check_media_type(self, headers: Headers) -> None:
        """Accept JSON, and a body that does not say what it is."""
        media_type = headers.get("content-type", "application/json").partition(";")[0].strip()
        if not _JSON.fullmatch(media_type):
            message = "Content-Type must be application/json"
            raise Refusal("unsupported_media_type", message, field="Content-Type")


def _unauthorized(code: str, message: str, challenge: str) -> Refusal:
    return Refusal(code, message, headers={"WWW-Authenticate": challenge})


V1_2 = _Version()
