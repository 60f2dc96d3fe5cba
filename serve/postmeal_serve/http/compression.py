"""Gzip compression of responses for clients that accept it."""

from __future__ import annotations

import re

from starlette.middleware.gzip import GZipResponder
from starlette.types import Message, Scope, Send

__all__ = ["VARY", "compressing", "keep_uncompressed"]

VARY = (b"vary", b"accept-encoding")
"""Header of every response, compressed or not."""

_SMALLEST = 1024
_LEVEL = 3  # This level saves 80% of what level 9 saves, in a sixth of the time.
_INLINE = 32 * 1024  # Larger bodies take over 0.2 ms and are compressed in a thread.
_UNCOMPRESSED = "postmeal.uncompressed"
_WEIGHTED = re.compile(r"\s*([\w*-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?", re.ASCII)


def keep_uncompressed(scope: Scope) -> None:
    """Disable compression for a response that contains a secret.

    The length of a compressed response reveals repeated text. An attacker who can place text next
    to the secret could therefore guess the secret piece by piece (BREACH).
    """
    scope[_UNCOMPRESSED] = True


def compressing(scope: Scope, send: Send) -> Send:
    """Return a `send` that compresses the response if the client accepts gzip.

    Bodies below 1 KB are not compressed, bodies of 32 KB or more are compressed in a thread, and
    streams are compressed chunk by chunk. Clients that accept gzip always get a weak ``ETag``, even
    in 304 responses, because the bytes of the response depend on the compression. ``If-None-Match``
    ignores the difference between weak and strong tags.
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
        self.send = self._send_with_headers
        self._send = send

    async def send_compressed(self, message: Message) -> None:
        if _UNCOMPRESSED in self.scope:
            await self.send(message)
        else:
            await self.send_with_compression(message)

    async def _send_with_headers(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [header for header in message["headers"] if header[0] != b"vary"]
            message["headers"] = [*map(_weak, headers), VARY]
        await self._send(message)


def _weak(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    name, value = header
    return (name, b"W/" + value) if name == b"etag" and value[:2] != b"W/" else header


async def _unused(*args: object) -> None:
    """Do nothing. Starlette's responder requires an application, but this one is never called."""


def _accepts_gzip(value: bytes) -> bool:
    """Return whether gzip is accepted and preferred at least as much as identity.

    The rules are those of RFC 9110, section 12.5.3.
    """
    weights = {}
    for part in value.decode("latin-1").lower().split(","):
        if match := _WEIGHTED.fullmatch(part):
            weights[match[1]] = float(match[2] or 1)
    gzip = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    return gzip > 0 and gzip >= weights.get("identity", 0.0)
