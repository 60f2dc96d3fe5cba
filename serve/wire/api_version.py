"""Authentication, media types and error format of each API version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import BaseModel
from starlette.datastructures import Headers

from serve.wire.errors import Refusal

__all__ = ["Version"]


class Version(Protocol):
    """Errors, authentication challenges and media types of an API version.

    Attributes
    ----------
    name : str
        First segment of the version's paths: ``v1.2``.
    deprecated : bool
        Whether the version is deprecated.
    headers : tuple of (bytes, bytes)
        Headers of every response.
    error_model : type of BaseModel
        Model of `error_body`.
    strict_names : bool
        Whether near misses of names and duplicate keys are refused. Otherwise near misses are
        listed in the ``X-Ignored-Fields`` header.
    """

    name: str
    deprecated: bool
    headers: tuple[tuple[bytes, bytes], ...]
    error_model: type[BaseModel]
    strict_names: bool

    def status(self, refusal: Refusal) -> int:
        """Return the HTTP status of an error."""

    def error_body(self, refusal: Refusal) -> Mapping[str, Any]:
        """Return the body of an error response."""

    def credential(self, authorization: list[str]) -> str:
        """Return the secret in the ``Authorization`` headers; raise `Refusal` if there is none."""

    def credential_error(self, secret: str, state: str) -> Refusal:
        """Return the refusal of a credential in an invalid state."""

    def check_accept(self, headers: Headers) -> None:
        """Raise `Refusal` if the client does not accept JSON."""

    def check_media_type(self, headers: Headers) -> None:
        """Raise `Refusal` if the body is not declared as JSON."""
