"""Pagination cursors: opaque strings that mark where the next page of a list begins."""

from __future__ import annotations

import base64
import hashlib
import uuid
from datetime import UTC, datetime, timedelta

from postmeal.errors import InputError
from postmeal_serve.resources.diary import Position
from postmeal_serve.wire.parameters import Text

__all__ = ["CURSOR", "cursor_at", "position_of"]

_VERSION = b"\x01"
_DIGEST_BYTES = 8
_EPOCH = datetime(1, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_ACCEPTS = "the next_cursor of a response for the same user, dates and time zone"

CURSOR = Text(
    name="cursor",
    about="`next_cursor` of the previous page for the same user, dates and time zone.",
    pattern="[A-Za-z0-9_-]{44}",
    form=_ACCEPTS,
)
"""Query parameter with the cursor of the requested page."""


def cursor_at(position: Position, request: tuple[str, ...]) -> str:
    """Encode a position as a cursor.

    A digest binds the cursor to the request, so that a cursor from another list is rejected. The
    cursor is not secret and grants no access: every page is read with the caller's credential.
    """
    ms = (position.eaten_at - _EPOCH) // _MS
    encoded = _VERSION + ms.to_bytes(8, "big") + uuid.UUID(position.id).bytes
    return base64.urlsafe_b64encode(encoded + _digest(encoded, request)).decode()


def position_of(cursor: str, request: tuple[str, ...]) -> Position:
    """Decode a cursor into a position."""
    content = base64.urlsafe_b64decode(cursor)
    encoded, digest = content[:-_DIGEST_BYTES], content[-_DIGEST_BYTES:]
    try:
        if digest != _digest(encoded, request) or encoded[:1] != _VERSION:
            raise ValueError(cursor)
        eaten_at = _EPOCH + int.from_bytes(encoded[1:9], "big") * _MS
    except (OverflowError, ValueError):
        raise InputError("cursor", f"must be {_ACCEPTS}", cursor[:60]) from None
    return Position(eaten_at, str(uuid.UUID(bytes=encoded[9:])))


def _digest(encoded: bytes, request: tuple[str, ...]) -> bytes:
    text = "\0".join(request).encode(errors="surrogatepass")
    return hashlib.sha256(encoded + text).digest()[:_DIGEST_BYTES]
