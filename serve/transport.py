"""Transport: what holds for every request and answer, whatever they are about."""

from __future__ import annotations

import logging
import re
import secrets
import traceback
from collections.abc import Iterable, Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serve.answers import error_response
from serve.errors import Refusal
from serve.version import Version

__all__ = ["Transport", "version_of"]

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._~:+/=-]{1,128}")
_HEALTH = ("/healthz", "/readyz")
_SAFE: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
_DEFAULTS: tuple[tuple[bytes, bytes], ...] = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
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
    """The outermost ASGI application: request id, safe headers, HTTPS only, a plain 500.

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
    """

    def __init__(
        self,
        app: ASGIApp,
        versions: tuple[Version, ...],
        shortcuts: Mapping[tuple[str, str], ASGIApp],
        require_https: bool,
    ) -> None:
        self.app = app
        self.versions = versions
        self.shortcuts = shortcuts
        self.require_https = require_https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        version = version_of(scope["path"], self.versions, self.versions[-1])
        request_id = _request_id(scope)
        secure = scope["scheme"] == "https"
        started = False

        async def send_marked(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = message["headers"]
                present = {name for name, _ in headers}
                headers.extend(default for default in _DEFAULTS if default[0] not in present)
                headers.extend(_SAFE)
                headers.append((b"x-request-id", request_id))
                if secure:
                    headers.append(_HSTS)
                if scope["path"].startswith(f"/{version.name}/"):
                    headers.extend(version.headers)
            await send(message)

        try:
            if self.require_https and not secure and scope["path"] not in _HEALTH:
                refusal = Refusal("forbidden", "use HTTPS: this service is not for plain HTTP")
                await error_response(version, refusal)(scope, receive, send_marked)
                return
            app = self.shortcuts.get((scope["method"], scope["path"]), self.app)
            await app(scope, receive, send_marked)
        except Exception as error:
            frames = "".join(traceback.format_tb(error.__traceback__))
            kind = type(error).__name__  # not its message, which may hold what was sent
            _log.error("request %s failed with %s\n%s", request_id.decode(), kind, frames)
            if started:
                raise
            refusal = Refusal("internal_error", "the service failed to answer; it is our fault")
            await error_response(version, refusal)(scope, receive, send_marked)


def _request_id(scope: Scope) -> bytes:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return bytes(value)
    return secrets.token_hex(16).encode()
