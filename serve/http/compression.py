"""Compression: answers in gzip for callers who accept it."""

from __future__ import annotations

import re

from starlette.middleware.gzip import GZipResponder
from starlette.types import Message, Scope, Send

__all__ = ["VARY", "compressing", "keep_uncompressed"]

VARY = (b"vary", b"accept-encoding")
"""Header of every answer, compressed or not."""

_SMALLEST = 1024
_LEVEL = 3  # four fifths of what level 9 saves, for a sixth of its time
_INLINE = 32 * 1024  # bytes from which a thread compresses: 0.2 ms of the event loop
_UNCOMPRESSED = "postmeal.uncompressed"
_WEIGHTED = re.compile(r"\s*([\w*-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?", re.ASCII)


def keep_uncompressed(scope: Scope) -> None:
    """Never compress the answer to a request, for it holds a secret.

    The length of a compressed text tells how much of it repeats, so that a secret beside text that
    somebody else chooses can be guessed piece by piece (BREACH).
    """
    scope[_UNCOMPRESSED] = True


def compressing(scope: Scope, send: Send) -> Send:
    """Return what sends an answer, compressed where the caller accepts gzip.

    Bodies below 1 KB are sent as they are, those from 32 KB on are compressed on a thread, streams
    piece by piece. The ``ETag`` is weak in every answer to a caller who accepts gzip, 304 included:
    the same bytes are not promised, and ``If-None-Match`` compares weakly in any case.

    Parameters
    ----------
    scope : Scope
        The request.
    send : callable
        Sends an answer as it is.

    Returns
    -------
    callable
        `send` itself for a caller who does not accept gzip.
    """
    accepted = [value for name, value in scope["headers"] if name == b"accept-encoding"]
    if not accepted or scope["method"] == "HEAD" or not _accepts_gzip(b",".join(accepted)):
        return send
    return _Gzip(scope, send).send_compressed


class _Gzip(GZipResponder):
    def __init__(self, scope: Scope, send: Send) -> None:
        super().__init__(
            _unused, _SMALLEST, _LEVEL, thread_minimum_size=_INLINE, exclude_content_types=()
        )
        self.scope = scope
        self.send = self._send_marked
        self._send = send

    async def send_compressed(self, message: Message) -> None:
        if _UNCOMPRESSED in self.scope:
            await self.send(message)
        else:
            await self.send_with_compression(message)

    async def _send_marked(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [header for header in message["headers"] if header[0] != b"vary"]
            message["headers"] = [*map(_weak, headers), VARY]
        await self._send(message)


def _weak(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    name, value = header
    return (name, b"W/" + value) if name == b"etag" and value[:2] != b"W/" else header


async def _unused(*args: object) -> None:
    """Stand for the application that a responder of starlette calls; here it is the caller."""


def _accepts_gzip(value: bytes) -> bool:
    """Return whether gzip is acceptable (RFC 9110, 12.5.3), and identity not preferred to it.

    Examples
    --------
    >>> _accepts_gzip(b"br;q=1.0, gzip;q=0.8, *;q=0.1")
    True
    >>> _accepts_gzip(b"gzip;q=0, *")
    False
    """
    weights = {}
    for part in value.decode("latin-1").lower().split(","):
        if match := _WEIGHTED.fullmatch(part):
            weights[match[1]] = float(match[2] or 1)
    gzip = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    return gzip > 0 and gzip >= weights.get("identity", 0.0)
