"""Transport: what holds for every request and answer, whatever they are about."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serve.http.compression import VARY, compressing
from serve.runtime.logs import Log, frames
from serve.wire.api_version import Version
from serve.wire.errors import Refusal
from serve.wire.responses import error_response

__all__ = ["FAULT", "SAFE_HEADERS", "Transport", "version_of"]

_NO_SECRET = rb"(?!sk-|ct-)(?!.*(?:sk-v|ct-[\w-]{43}))"  # for it is logged
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
"""Headers of every answer, unless a page has its own."""

FAULT = Refusal("internal_error", "the service failed to answer; it is our fault")
"""The answer to what nobody expected."""

_HSTS = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")

_log = logging.getLogger(__name__)


def version_of(path: str, versions: Iterable[Version], default: Version) -> Version:
    """Answer the API version that a path belongs to, `default` where it belongs to none."""
    for version in versions:
        if path.startswith(version.name, 1):
            rest = path[len(version.name) + 1 :]
            if not rest or rest[0] == "/":
                return version
    return default


class Transport:
    """The outermost ASGI application: request id, safe headers, HTTPS only, a plain 500, the log.

    Parameters
    ----------
    app : ASGI application
        What answers.
    versions : tuple of Version
        The API versions; the last one's errors are used outside all of them.
    shortcuts : mapping of (str, str) to ASGI application
        What answers a method and path that have no parameters: found in one look-up, where the
        router would try path after path.
    require_https : bool
        Whether plain HTTP is refused, health checks excepted.
    log : Log
        What each request is logged with: a line without anything that the caller wrote but a
        request id.
    """

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
        """Answer one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        path = scope["path"]
        version = version_of(path, self.versions, self.versions[-1])
        belongs = path.startswith(f"/{version.name}/")
        request_id = _request_id(scope)
        secure = scope["scheme"] == "https"
        status: int | None = None
        ended = False
        deliver = compressing(scope, send)

        async def send_marked(message: Message) -> None:
            nonlocal status, ended
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message["headers"]
                present = {name for name, _ in headers}
                headers.extend(default for default in _DEFAULTS if default[0] not in present)
                headers.extend(_SAFE)
                headers.append((b"x-request-id", request_id))
                if secure:
                    headers.append(_HSTS)
                if belongs:
                    headers.extend(version.headers)
            else:
                ended = not message.get("more_body")
            await deliver(message)

        shortcut = self.shortcuts.get((scope["method"], path))
        try:
            if self.require_https and not secure and path not in _HEALTH:
                refusal = Refusal("forbidden", "use HTTPS: this service is not for plain HTTP")
                await error_response(version, refusal)(scope, receive, send_marked)
                return
            await (shortcut or self.app)(scope, receive, send_marked)
        except Exception as error:
            kind = type(error).__name__  # not its message, which may hold what was sent
            _log.error("request %s failed with %s\n%s", request_id.decode(), kind, frames(error))
            if status is None:
                await error_response(version, FAULT)(scope, receive, send_marked)
            elif not ended:
                raise
        except asyncio.CancelledError:
            if status is not None:
                raise
            refusal = Refusal("service_unavailable", "the service stopped before it could answer")
            await error_response(version, refusal)(scope, receive, send_marked)
        finally:
            # The template and not the path, which may name a person.
            route = path if shortcut else getattr(scope.get("endpoint"), "path", "unknown")
            partner_id, key_id = scope.get("postmeal.partner", (None, None))
            done: dict[str, Any] = {
                "request_id": request_id.decode(),
                "version": version.name if belongs else None,
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round((time.perf_counter() - begun) * 1000, 3),
                "partner_id": partner_id,
                "key_id": key_id,
            }
            scope["postmeal.done"] = done
            self.log.info("request", **done)


def _request_id(scope: Scope) -> bytes:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return bytes(value)
    return secrets.token_hex(16).encode()
