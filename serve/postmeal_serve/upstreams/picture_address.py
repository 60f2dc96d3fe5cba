"""Download of pictures from URLs that clients send.

Such a URL must not make the service send requests to its own network (server-side request forgery,
OWASP API7:2023). A host name is resolved once, all its IP addresses must be global, and the
connection goes to one of these addresses. Every redirect is checked in the same way.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit
from weakref import WeakValueDictionary

from postmeal_serve.upstreams.global_address import is_global
from postmeal_serve.upstreams.http_client import Count
from postmeal_serve.wire.errors import Refusal

if TYPE_CHECKING:
    import httpcore2

__all__ = ["MAX_BYTES", "PictureAddress"]

MAX_BYTES = 10 * 1024 * 1024
"""Maximum size of a picture in bytes."""

_WITHIN_S = 10.0
_RESOLVED_WITHIN_S = 2.0
_REDIRECTS = 3
_MAX_LETTERS = 2048
_LINE = 16
_SHARE = 8
_RETRY_AFTER_S = 5
_PORTS = {"http": 80, "https": 443}
_MOVED = (301, 302, 303, 307, 308)
_RESOLVING = ThreadPoolExecutor(64, "picture-address")  # A silent name server blocks a thread.

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Function that returns the IP addresses of a host name, given the name and the port."""


class _Target(NamedTuple):
    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The value of the ``Host`` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


class PictureAddress:
    """Client that downloads pictures from URLs."""

    def __init__(
        self,
        count: Count,
        resolve: Resolve | None = None,
        is_allowed: Callable[[str], bool] = is_global,
        ports: Collection[int] = tuple(_PORTS.values()),
    ) -> None:
        self._count = count
        self._resolve = resolve or _resolve
        self._is_allowed = is_allowed
        self._ports = ports
        self._fetching: Counter[str] = Counter()
        self._resolving: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._tls: ssl.SSLContext | None = None

    async def fetch(self, credential: str, url: str, *, field: str = "image") -> bytes:
        """Return the bytes at a URL."""
        if self._fetching.total() >= _LINE or self._fetching[credential] >= _SHARE:
            message = "too many pictures are being fetched; try again later"
            headers = {"Retry-After": str(_RETRY_AFTER_S)}
            raise Refusal("service_unavailable", message, headers=headers)
        self._fetching[credential] += 1
        outcome = "failed"  # Also counted if the request is canceled.
        try:
            async with asyncio.timeout(_WITHIN_S):
                content = await self._follow(credential, url)
            outcome = "failed" if content is None else "answered"
        except TimeoutError:
            content, outcome = None, "too slow"
        finally:
            self._count("picture_address", outcome)
            self._fetching[credential] -= 1
            if not self._fetching[credential]:
                del self._fetching[credential]
        if content is None:
            raise Refusal(
                "image_unreachable",
                f"{field} must be the https:// or http:// URL of a picture of at most 10 MiB that"
                " anyone can fetch within 10 s; otherwise, send the picture as a data URI",
                field=field,
            )
        return content

    async def _follow(self, credential: str, url: str) -> bytes | None:
        """Return the content at a URL, after all redirects; None if it cannot be fetched."""
        for _ in range(1 + _REDIRECTS):
            target = _parsed(url)
            if target is None or target.port not in self._ports:
                return None
            found = await self._get(credential, target)
            if not isinstance(found, str):
                return found
            try:
                url = urljoin(url, found)
            except ValueError:  # such as http://[::1
                return None
        return None

    async def _get(self, credential: str, target: _Target) -> bytes | str | None:
        """Return the content at a URL or the URL that it redirects to; None if it fails."""
        import httpcore2

        try:
            addresses = await self._addresses(credential, target)
            if not addresses or not all(map(self._is_allowed, addresses)):
                return None
            self._tls = self._tls or ssl.create_default_context()
            async with httpcore2.AsyncConnectionPool(self._tls) as pool:
                for address in dict.fromkeys(addresses):
                    try:
                        return await _exchange(pool, target, address)
                    except httpcore2.ConnectError:
                        continue
        except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError, ValueError):
            return None
        return None

    async def _addresses(self, credential: str, target: _Target) -> list[str]:
        """Return the IP addresses of a host; raise `TimeoutError` after 2 s.

        The names of one credential are resolved one at a time. A lookup that takes too long keeps
        its thread, and the turn of its credential, until the resolver of the system gives up.
        """
        turn = self._resolving.get(credential)
        if turn is None:
            turn = self._resolving[credential] = asyncio.Lock()
        async with asyncio.timeout(_RESOLVED_WITHIN_S):
            await turn.acquire()
            lookup = asyncio.ensure_future(self._resolve(target.host, target.port))
            lookup.add_done_callback(partial(_end_turn, turn))
            return await asyncio.shield(lookup)


def _end_turn(turn: asyncio.Lock, lookup: asyncio.Future[list[str]]) -> None:
    turn.release()
    if not lookup.cancelled():
        lookup.exception()  # Nobody may be waiting for it any more.


async def _exchange(
    pool: httpcore2.AsyncConnectionPool, target: _Target, address: str
) -> bytes | str | None:
    """Send a request to an IP address of the target; TLS still checks the host name."""
    import httpcore2

    headers: dict[bytes | str, bytes | str] = {
        "Host": target.authority,
        "User-Agent": f"postmeal/{version('postmeal')}",
        "Accept": "image/jpeg, image/png, image/webp, image/gif",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    url = httpcore2.URL(
        scheme=target.scheme.encode(),
        host=address.encode(),
        port=target.port,
        target=target.path.encode(),
    )
    named = {"sni_hostname": target.host}
    async with pool.stream("GET", url, headers=headers, extensions=named) as response:
        received = {name.lower(): value for name, value in response.headers}
        if response.status in _MOVED:
            return received.get(b"location", b"").decode("ascii")
        if response.status != 200 or received.get(b"content-encoding", b"identity") != b"identity":
            return None
        content = bytearray()
        async for chunk in response.aiter_stream():
            content += chunk
            if len(content) > MAX_BYTES:
                return None
        return bytes(content)


def _parsed(url: str) -> _Target | None:
    """Return the parts of a URL; None if it is not a simple http or https URL."""
    if len(url) > _MAX_LETTERS or not url.isascii() or not url.isprintable():
        return None
    if " " in url or "\\" in url:  # Parsers disagree on the end of the host.
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme, host = parts.scheme, parts.hostname
    if scheme not in _PORTS or not host or "@" in parts.netloc or "%" in parts.netloc:
        return None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return _Target(scheme, host, _PORTS[scheme] if port is None else port, path)


async def _resolve(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host. A slow resolver blocks only threads of this module."""

    def resolve() -> list[str]:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
        return [str(address[4][0]) for address in found]

    return await asyncio.get_running_loop().run_in_executor(_RESOLVING, resolve)
