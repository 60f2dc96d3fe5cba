"""Interface of the API versions: their authentication, media types and error format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import BaseModel
from starlette.datastructures import Headers

from postmeal_serve.wire.errors import Refusal

__all__ = ["Version"]


class Version(Protocol):
    """Rules of an API version for authentication, media types and errors."""

    name: str
    deprecated: bool
    headers: tuple[tuple[bytes, bytes], ...]
    error_model: type[BaseModel]
    strict_names: bool

    def at(self, path: str) -> Version:
        """Return the rules for a path of this version; some paths have their own error format."""

    def status(self, refusal: Refusal) -> int:
        """Return the HTTP status of an error."""

    def error_body(self, refusal: Refusal) -> Mapping[str, Any]:
        """Return the body of an error response."""

    def credential(self, authorization: list[str]) -> str:
        """Return the API key or client token in the ``Authorization`` headers."""

    def credential_error(self, secret: str, state: str) -> Refusal:
        """Return the error (401) for an invalid credential."""

    def check_accept(self, headers: Headers) -> None:
        """Raise `Refusal` if the client does not accept JSON."""

    def check_media_type(self, headers: Headers) -> None:
        """Raise `Refusal` if the body is not declared as JSON."""
