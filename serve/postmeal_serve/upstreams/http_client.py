"""HTTP client for an external service, with limits on time, size and rate."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from postmeal_serve.runtime.offload import LARGEST_ON_LOOP
from postmeal_serve.upstreams.token_bucket import TokenBucket
from postmeal_serve.upstreams.turns import Turns
from postmeal_serve.wire.errors import Refusal

if TYPE_CHECKING:
    import httpx2

__all__ = [
    "MAX_RESPONSE_BYTES",
    "TOO_SLOW",
    "Count",
    "ResponseModel",
    "ServiceClient",
    "UpstreamError",
    "new_client",
]

MAX_RESPONSE_BYTES = 1 << 19
"""Default maximum size of a response in bytes; larger responses are not read to the end."""

TOO_SLOW: Final = "too slow"
"""The `UpstreamError.reason` of a request that timed out."""

_WAIT_S = 60.0  # pause after a 429 response; the services' limits are per minute

Count = Callable[[str, str], None]
"""Function that counts a request, given the name of the service and the outcome."""


class ResponseModel(BaseModel):
    """Base model of JSON responses: declared fields are validated, and other fields are ignored."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, frozen=True)


Response = TypeVar("Response", bound=ResponseModel)
Content = TypeVar("Content")


class UpstreamError(Exception):
    """A request to an external service failed, or its response cannot be used."""

    def __init__(
        self, reason: Literal["failed", "too slow", "busy"], retry_after_s: float = 0.0
    ) -> None:
        self.reason = reason
        self.retry_after_s = retry_after_s
        super().__init__(reason)

    def refusal(self, lookup: str, source: str) -> Refusal:
        """Return the error for a request that cannot be answered without the service."""
        if self.reason == "busy":
            message = f"the rate limit of the {lookup} is reached; try again later"
            headers = {"Retry-After": str(max(1, math.ceil(self.retry_after_s)))}
            return Refusal("service_unavailable", message, headers=headers)
        if self.reason == TOO_SLOW:
            return Refusal("upstream_timeout", f"the {lookup} timed out; try again later")
        message = f"a {source} could not be reached or returned an invalid response"
        return Refusal("upstream_error", f"{message}; try again later")


def new_client(contact: str = "") -> httpx2.AsyncClient:
    """Create the HTTP client of a process.

    Proxies, certificates and passwords in the environment are ignored, and redirects are not
    followed. The HTTP library is imported here, because most installations do not need it.
    """
    import httpx2

    for name in ("httpx2", "httpcore2"):  # At INFO, they log every URL, which contains the barcode.
        logging.getLogger(name).setLevel(logging.WARNING)
    agent = f"postmeal/{version('postmeal')}" + (f" ({contact})" if contact else "")
    # Responses must be uncompressed: a few compressed bytes could expand to gigabytes.
    headers = {"User-Agent": agent, "Accept": "application/json", "Accept-Encoding": "identity"}
    limits = httpx2.Limits(max_connections=None)  # Each `ServiceClient` limits its connections.
    return httpx2.AsyncClient(headers=headers, limits=limits, timeout=None, trust_env=False)


class ServiceClient:
    """Client of one external service."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        count: Count,
        name: str,
        address: str,
        *,
        in_flight: int,
        headers: Mapping[str, str] | None = None,
        rate_limit: TokenBucket | None = None,
        turns: Turns | None = None,
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self.name = name
        self._client = client
        self._address = address
        self._count = count
        self._slots = asyncio.Semaphore(in_flight)
        self._headers = dict(headers or {})
        self._rate_limit = rate_limit
        self._turns = turns
        self._max_bytes = max_bytes

    def count(self, outcome: str) -> None:
        """Count the outcome of a request. A valid but unusable response is counted twice."""
        self._count(self.name, outcome)

    async def request(
        self,
        path: str,
        model: type[Response],
        timeout_s: float,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
    ) -> Response:
        """Send a request, and return the validated JSON response."""
        parse = partial(_validated, model)
        return await self.fetch(path, parse, timeout_s, query=query, body=body)

    async def fetch(
        self,
        path: str,
        parse: Callable[[bytes], Content | None],
        timeout_s: float,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
    ) -> Content:
        """Send a request, and return what `parse` reads from the response."""
        outcome = "failed"  # Also counted if the request is canceled.
        try:
            async with asyncio.timeout(timeout_s):
                content = await self._content(path, query, body)
                if len(content) > LARGEST_ON_LOOP:
                    parsed = await asyncio.to_thread(parse, content)
                else:
                    parsed = parse(content)
            del content
            if parsed is None:
                raise UpstreamError("failed")
            outcome = "answered"
            return parsed
        except TimeoutError:
            outcome = TOO_SLOW
            raise UpstreamError(TOO_SLOW) from None
        except UpstreamError as error:
            outcome = error.reason
            raise
        finally:
            self.count(outcome)

    async def _content(self, path: str, query: Mapping[str, str] | None, body: object) -> bytes:
        import httpx2

        options: dict[str, Any] = {"headers": self._headers, "params": query}
        if body is not None:
            options["json"] = body
        method = "GET" if body is None else "POST"
        async with self._slots:
            if self._rate_limit and (wait_s := self._rate_limit.consume()):
                raise UpstreamError("busy", wait_s)
            if self._turns and (wait_s := await self._turns.wait()):
                raise UpstreamError("busy", wait_s)
            try:
                url = self._address + path
                async with self._client.stream(method, url, **options) as response:
                    if response.status_code == 429:
                        raise UpstreamError("busy", _WAIT_S)
                    encoding = response.headers.get("content-encoding", "identity")
                    if encoding != "identity" or response.status_code not in (200, 404):
                        raise UpstreamError("failed")
                    content = bytearray()
                    async for chunk in response.aiter_raw():
                        content += chunk
                        if len(content) > self._max_bytes:
                            content.clear()  # The traceback would keep the content in memory.
                            raise UpstreamError("failed")
                    return bytes(content)
            except (httpx2.HTTPError, httpx2.StreamError, OSError, ValueError):
                raise UpstreamError("failed") from None


def _validated(model: type[Response], content: bytes) -> Response | None:
    try:
        return model.model_validate_json(content)
    except ValidationError:  # Do not re-raise the original error, since it quotes the response.
        return None
