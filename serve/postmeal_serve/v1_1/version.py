"""Authentication, media types and error format of version 1.1."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers

from postmeal_serve.wire.api_version import Version
from postmeal_serve.wire.errors import Refusal

__all__ = ["V1_1", "ErrorResponse"]

_DEPRECATED_SINCE = 1767225600  # 2026-01-01T00:00:00Z as a Unix time (RFC 9745)


class ErrorDetails(BaseModel):
    """The invalid field and the values it accepts."""

    model_config = ConfigDict(extra="forbid")

    field: str = Field(description="Name of the invalid parameter, header or field.")
    allowed: list[str] = Field(description="Accepted values; empty if they cannot be listed.")


class ErrorContent(BaseModel):
    """The status, message and details of an error."""

    model_config = ConfigDict(extra="forbid")

    code: int = Field(description="HTTP status.")
    message: str = Field(description="What is wrong.")
    details: ErrorDetails | None = Field(
        description="The invalid field; null if no single field is invalid."
    )


class ErrorResponse(BaseModel):
    """The body of every error."""

    model_config = ConfigDict(extra="forbid")

    error: ErrorContent


class _Version:
    """API version 1.1, which is deprecated."""

    name = "v1.1"
    deprecated = True
    headers: tuple[tuple[bytes, bytes], ...] = (
        (b"deprecation", b"@%d" % _DEPRECATED_SINCE),
        (b"link", b'</v1.2/openapi.json>; rel="successor-version"'),
    )
    error_model: type[BaseModel] = ErrorResponse
    strict_names = False

    def at(self, path: str) -> Version:
        """Return this version, because all its paths have the same rules."""
        return self

    def status(self, refusal: Refusal) -> int:
        """Return the HTTP status of an error; 502 and 504 do not exist in v1.1 and become 503."""
        return 503 if refusal.status in (502, 504) else refusal.status

    def error_body(self, refusal: Refusal) -> dict[str, Any]:
        """Return the error as ``{error: {code, message, details}}``."""
        details = None
        if refusal.field is not None:
            details = {"field": refusal.field, "allowed": list(refusal.allowed)}
        content = {"code": self.status(refusal), "message": refusal.message, "details": details}
        return {"error": content}

    def credential(self, authorization: list[str]) -> str:
        """Return the API key that follows ``Bearer`` and one space; ``bearer`` is not accepted."""
        scheme, _, key = authorization[0].partition(" ") if len(authorization) == 1 else ("",) * 3
        if scheme != "Bearer" or not key.startswith("sk-"):
            raise self.credential_error(key)
        return key

    def credential_error(self, secret: str, state: str = "unknown") -> Refusal:
        """Return the error for a missing or invalid API key, the only use of 401 in v1.1."""
        message = "the API key is missing or invalid; send Authorization: Bearer <key>"
        return Refusal("unauthorized", message, headers={"WWW-Authenticate": "Bearer"})

    def check_accept(self, headers: Headers) -> None:
        """Raise an error if the ``Accept`` header excludes JSON."""
        if not _accepts_json(",".join(headers.getlist("accept"))):
            message = "this endpoint returns application/json; your Accept header excludes it"
            raise Refusal("not_acceptable", message, field="Accept", allowed=["application/json"])

    def check_media_type(self, headers: Headers) -> None:
        """Raise an error unless the content type is JSON."""
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            message = f"Content-Type must be application/json, got {media_type[:60]!r}"
            if not media_type:
                message = "Content-Type is a required header; it must be application/json"
            raise Refusal(
                "invalid_request", message, field="Content-Type", allowed=["application/json"]
            )


def _accepts_json(accept: str) -> bool:
    """Return whether an ``Accept`` header allows JSON.

    The result depends on the most specific media range that matches JSON (RFC 9110, section
    12.5.1).
    """
    if not accept.strip():
        return True
    quality: dict[str, str] = {}
    for item in accept.lower().split(","):
        media_range, *parameters = (part.strip() for part in item.split(";"))
        weights = [part[2:] for part in parameters if part.startswith("q=")]
        quality[media_range] = weights[0] if weights else "1"
    for media_range in ("application/json", "application/*", "*/*"):
        if media_range in quality:
            return quality[media_range].strip("0.") != ""
    return False


V1_1 = _Version()
