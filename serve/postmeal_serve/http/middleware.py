"""Outermost middleware: request IDs, security headers, HTTPS, 500 errors and the request log."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections.abc import Iterable, Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from postmeal_serve.http.compression import VARY, compressing
from postmeal_serve.runtime.logs import Log, frames
from postmeal_serve.wire.api_version import Version
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.responses import error_response

__all__ = ["FAULT", "SAFE_HEADERS", "Transport", "new_request_id", "version_of"]

# Request IDs are logged, so they must not contain credentials.
_NO_SECRET = rb"(?!sk-|ct-)(?!.*(?:sk-v|ct-[\w-]{43}))"
_REQUEST_ID = re.compile(_NO_SECRET + rb"[A-Za-z0-9._~:+/=-]{1,128}")
_HEALTH = ("/healthz", "/readyz")
_SAFE: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    VARY,
)
_DEFAULTS: tuple[tuple[bytes, bytes], ...] = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
SAFE_HEADERS = _DEFAULTS + _SAFE
"""Security headers of every response; HTML pages replace some of them with their own."""

FAULT = Refusal(
    "internal_error",
    "internal server error; to report it, include the X-Request-ID header of this response",
)
"""Response to an unexpected error."""

_HSTS = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")

_log = logging.getLogger(__name__)


def version_of(path: str, versions: Iterable[Version], default: Version) -> Version:
    """Return the rules of the API version that a path belongs to, or `default`."""
    for version in versions:
        if path.startswith(version.name, 1):
            rest = path[len(version.name) + 1 :]
            if not rest or rest[0] == "/":
                return version.at(path)
    return default


class Transport:
    """ASGI middleware that applies to every request and response."""

    def __init__(
        self,
        app: ASGIApp,
        versions: tuple[Version, ...],
        shortcuts: Mapping[tuple[str, str], ASGIApp],
        require_https: bool,
        log: Log,
    ) -> None:
        self.app = app
        self.versions = versions
        self.shortcuts = shortcuts
        self.require_https = require_https
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started_s = time.perf_counter()
        path = scope["path"]
        version = version_of(path, self.versions, self.versions[-1])
        is_versioned = path.startswith(f"/{version.name}/")
        request_id = _request_id(scope)
        is_secure = scope["scheme"] == "https"
        added = [*_SAFE, (b"x-request-id", request_id), *([_HSTS] if is_secure else [])]
        added += version.headers if is_versioned else ()
        status: int | None = None
        is_complete = False
        send_compressed = compressing(scope, send)

        async def send_with_headers(message: Message) -> None:
            nonlocal status, is_complete
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message["headers"]
                present = {name for name, _ in headers}
                headers.extend(default for default in _DEFAULTS if default[0] not in present)
                headers.extend(added)
            else:
                is_complete = not message.get("more_body")
            await send_compressed(message)

        shortcut = self.shortcuts.get((scope["method"], path))
        try:
            if self.require_https and not is_secure and path not in _HEALTH:
                refusal = Refusal("forbidden", "plain HTTP is not allowed; use HTTPS")
                await error_response(version, refusal)(scope, receive, send_with_headers)
                return
            await (shortcut or self.app)(scope, receive, send_with_headers)
        except Exception as error:
            _log_fault(request_id, error)
            if status is None:
                await error_response(version, FAULT)(scope, receive, send_with_headers)
            elif not is_complete:
                raise
        except asyncio.CancelledError:
            if status is not None:
                raise
            refusal = Refusal(
                "service_unavailable", "the service is shutting down; try again in a few seconds"
            )
            await error_response(version, refusal)(scope, receive, send_with_headers)
        finally:
            # Log the route template: the path itself may contain an end user's ID.
            route = path if shortcut else getattr(scope.get("endpoint"), "path", "unknown")
            partner_id, key_id = scope.get("postmeal.partner", (None, None))
            scope["postmeal.done"] = {
                "request_id": request_id.decode(),
                "version": version.name if is_versioned else None,
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round((time.perf_counter() - started_s) * 1000, 3),
                "partner_id": partner_id,
                "key_id": key_id,
            }
            self.log.write(logging.INFO, "request", scope["postmeal.done"])


def _log_fault(request_id: bytes, error: Exception) -> None:
    """Log the type and traceback of an error without its message, which may contain client data."""
    fault = type(error).__name__, frames(error)
    _log.error("request %s failed with %s\n%s", request_id.decode(), *fault)


def _request_id(scope: Scope) -> bytes:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return bytes(value)
    return new_request_id()


def new_request_id() -> bytes:
    """Return a random ID of 128 bits in hexadecimal.

    IDs are drawn 256 at a time, because each call to the system takes a microsecond.
    """
    if not _random_ids:
        digits = os.urandom(256 * 16).hex().encode()
        _random_ids.extend(digits[start : start + 32] for start in range(0, len(digits), 32))
    return _random_ids.pop()


_random_ids: list[bytes] = []
os.register_at_fork(after_in_child=_random_ids.clear)  # A worker must not repeat the IDs of others.
