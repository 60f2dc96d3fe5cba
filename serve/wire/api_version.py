"""Version: what the API versions do differently at the door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import BaseModel
from starlette.datastructures import Headers

from serve.wire.errors import Refusal

__all__ = ["Version"]


class Version(Protocol):
    """One API version's errors, challenges and media types.

    Attributes
    ----------
    name : str
        The first segment of its paths: ``v1.2``.
    deprecated : bool
        Whether new callers are sent elsewhere.
    headers : tuple of (bytes, bytes)
        Headers of every answer.
    error_model : type of BaseModel
        The shape of `error_body`.
    strict_names : bool
        Whether a near miss of a name is refused, and so is a key that is given twice. Otherwise
        near misses are listed in the header ``X-Ignored-Fields``.
    """

    name: str
    deprecated: bool
    headers: tuple[tuple[bytes, bytes], ...]
    error_model: type[BaseModel]
    strict_names: bool

    def status(self, refusal: Refusal) -> int:
        """Answer the HTTP status of an error."""

    def error_body(self, refusal: Refusal) -> Mapping[str, Any]:
        """Answer the body of an error."""

    def credential(self, authorization: list[str]) -> str:
        """Answer the secret in the values of ``Authorization``; raise `Refusal` if none."""

    def not_admitted(self, secret: str, state: str) -> Refusal:
        """Answer the refusal of a credential that does not serve, and why."""

    def check_accept(self, headers: Headers) -> None:
        """Raise `Refusal` if the caller cannot take JSON."""

    def check_media_type(self, headers: Headers) -> None:
        """Raise `Refusal` if the body is not declared as JSON."""
