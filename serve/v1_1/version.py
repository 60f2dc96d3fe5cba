"""How version 1.1 treats credentials, media types and errors."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers

from serve.wire.errors import Refusal

__all__ = ["V1_1", "ErrorAnswer"]

_DEPRECATED_SINCE = 1767225600  # 2026-01-01T00:00:00Z, as a structured date (RFC 9745)


class ErrorDetails(BaseModel):
    """The field at fault and what it accepts."""

    model_config = ConfigDict(extra="forbid")

    field: str
    allowed: list[str]


class ErrorContent(BaseModel):
    """Why a request was refused."""

    model_config = ConfigDict(extra="forbid")

    code: int = Field(description="The HTTP status.")
    message: str
    details: ErrorDetails | None


class ErrorAnswer(BaseModel):
    """The body of every error."""

    model_config = ConfigDict(extra="forbid")

    error: ErrorContent


class _Version:
    """The deprecated version."""

    name = "v1.1"
    deprecated = True
    headers: tuple[tuple[bytes, bytes], ...] = (
        (b"deprecation", b"@%d" % _DEPRECATED_SINCE),
        (b"link", b'</v1.2/openapi.json>; rel="successor-version"'),
    )
    error_model: type[BaseModel] = ErrorAnswer
    strict_names = False

    def status(self, refusal: Refusal) -> int:
        """Answer the HTTP status: this version knows no gateway's, 503 is whatever is missing."""
        return 503 if refusal.status in (502, 504) else refusal.status

    def error_body(self, refusal: Refusal) -> dict[str, Any]:
        """Answer ``{error: {code, message, details}}``."""
        details = None
        if refusal.field is not None:
            details = {"field": refusal.field, "allowed": list(refusal.allowed)}
        content = {"code": self.status(refusal), "message": refusal.message, "details": details}
        return {"error": content}

    def credential(self, authorization: list[str]) -> str:
        """Read ``Bearer``, one space and the key exactly as it was issued."""
        scheme, _, key = authorization[0].partition(" ") if len(authorization) == 1 else ("",) * 3
        if scheme != "Bearer" or not key.startswith("sk-"):
            raise self.not_admitted(key)
        return key

    def not_admitted(self, secret: str, state: str = "unknown") -> Refusal:
        """Answer the refusal of a key that is missing or not known; 401 means only that."""
        message = "the API key is missing or not valid: send Authorization: Bearer <key>"
        return Refusal("unauthorized", message, headers={"WWW-Authenticate": "Bearer"})

    def check_accept(self, headers: Headers) -> None:
        """Refuse a caller whose ``Accept`` leaves out JSON."""
        if not _accepts_json(",".join(headers.getlist("accept"))):
            message = "the answer is application/json, which your Accept header leaves out"
            raise Refusal("not_acceptable", message, field="Accept", allowed=["application/json"])

    def check_media_type(self, headers: Headers) -> None:
        """Refuse a body that is not declared as JSON: the header is required."""
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            message = "the header Content-Type is required and must be application/json"
            raise Refusal(
                "invalid_request", message, field="Content-Type", allowed=["application/json"]
            )


def _accepts_json(accept: str) -> bool:
    """Judge by the most specific media range that covers JSON (RFC 9110, 12.5.1)."""
    if not accept.strip():
        return True
    quality: dict[str, str] = {}
    for one in accept.lower().split(","):
        media_range, *parameters = (part.strip() for part in one.split(";"))
        weights = [part[2:] for part in parameters if part.startswith("q=")]
        quality[media_range] = weights[0] if weights else "1"
    for media_range in ("application/json", "application/*", "*/*"):
        if media_range in quality:
            return quality[media_range].strip("0.") != ""
    return False


V1_1 = _Version()
