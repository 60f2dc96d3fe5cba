"""Connections to the API, blocking and asynchronous."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel, ValidationError

from postmeal_client.errors import ClientError, ConnectionLost, UnexpectedResponse, error_of
from postmeal_client.retries import Attempts, Retries

__all__ = ["AsyncConnection", "Connection", "Request", "path_of"]

Model = TypeVar("Model", bound=BaseModel)
_TIMEOUT = httpx2.Timeout(60.0, connect=10.0)
_NOT_LOST = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError)
"""Transport errors that a wrong URL or header causes, and that another attempt would meet again."""

try:
    _VERSION = version("postmeal-client")
except PackageNotFoundError:  # The code runs from a checkout.
    _VERSION = "0"


@dataclass(frozen=True)
class Request:
    """A request without its credential; parameters and headers that are None are not sent."""

    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: BaseModel | None = None
    stores: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether a second run of the request stores nothing twice."""
        return not self.stores or self.headers.get("Idempotency-Key") is not None

    def to_http(
        self, http: httpx2.Client | httpx2.AsyncClient, base_url: str, credential: str
    ) -> httpx2.Request:
        """Return the request as the HTTP client sends it."""
        headers = {name: value for name, value in self.headers.items() if value is not None}
        headers["Authorization"] = f"Bearer {credential}"
        headers["Accept"] = "application/json"
        headers["User-Agent"] = f"postmeal-client/{_VERSION}"
        content = None
        if self.body is not None:
            headers["Content-Type"] = "application/json"
            sent = self.body.model_dump(mode="json", exclude_unset=True)
            content = json.dumps(sent, allow_nan=False).encode()
        query = {name: str(value) for name, value in self.query.items() if value is not None}
        url = base_url.rstrip("/") + self.path
        return http.build_request(self.method, url, params=query, headers=headers, content=content)


def path_of(template: str, **ids: str) -> str:
    """Return a path with IDs in it; raise ValueError for an ID that would change the path."""
    for name, value in ids.items():
        if value in ("", ".", ".."):
            raise ValueError(f"{name} must be the ID of one item, got {value!r}")
    return template.format_map({name: quote(value, safe="") for name, value in ids.items()})


def _read(response: httpx2.Response, model: type[Model]) -> Model:
    try:
        return model.model_validate_json(response.content)
    except ValidationError as error:
        raise UnexpectedResponse(response, str(error)) from error


class Connection:
    """A blocking connection.

    Parameters
    ----------
    base_url : str
        Address of the service, such as ``https://api.example.com``.
    credential : str or callable
        API key or client token, or a function that returns a client token. The function is called
        for the first request, and again when the token has expired.
    retries : Retries, optional
        Limits of retries.
    http : httpx2.Client, optional
        HTTP client, for example with a proxy. It is not closed.
    sleep : callable, optional
        Function that waits for the given number of seconds.
    """

    def __init__(
        self,
        base_url: str,
        credential: str | Callable[[], str],
        *,
        retries: Retries = Retries(),
        http: httpx2.Client | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._base_url = base_url
        self._mint = None if isinstance(credential, str) else credential
        self._credential = credential if isinstance(credential, str) else None
        self._minting = threading.Lock()
        self._retries = retries
        self._closes_http = http is None
        self._http = http or httpx2.Client(timeout=_TIMEOUT)
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the service."""
        if self._closes_http:
            self._http.close()

    def _call(self, request: Request, model: type[Model]) -> Model:
        return _read(self._send(request), model)

    def _send(self, request: Request) -> httpx2.Response:
        attempts = Attempts(self._retries, request.repeatable)
        expired = None
        while True:
            credential = self._valid_credential(expired)
            error: ClientError
            try:
                response = self._http.send(request.to_http(self._http, self._base_url, credential))
            except _NOT_LOST:
                raise
            except httpx2.TransportError as lost:
                error = ConnectionLost(lost)
                error.__cause__ = lost
            else:
                if response.is_success:
                    return response
                error = error_of(response)
            if self._mint is not None and attempts.renews(error):
                expired = credential
            else:
                self._sleep(attempts.wait_s(error))

    def _valid_credential(self, expired: str | None) -> str:
        """Return the credential; mint a token if there is none, or only the expired one."""
        with self._minting:
            if self._mint is not None and self._credential in (None, expired):
                self._credential = self._mint()
            assert self._credential is not None
            return self._credential


class AsyncConnection:
    """An asynchronous connection.

    Parameters
    ----------
    base_url : str
        Address of the service, such as ``https://api.example.com``.
    credential : str or callable
        API key or client token, or an asynchronous function that returns a client token. The
        function is called for the first request, and again when the token has expired.
    retries : Retries, optional
        Limits of retries.
    http : httpx2.AsyncClient, optional
        HTTP client, for example with a proxy. It is not closed.
    sleep : callable, optional
        Asynchronous function that waits for the given number of seconds.
    """

    def __init__(
        self,
        base_url: str,
        credential: str | Callable[[], Awaitable[str]],
        *,
        retries: Retries = Retries(),
        http: httpx2.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._base_url = base_url
        self._mint = None if isinstance(credential, str) else credential
        self._credential = credential if isinstance(credential, str) else None
        self._minting = asyncio.Lock()
        self._retries = retries
        self._closes_http = http is None
        self._http = http or httpx2.AsyncClient(timeout=_TIMEOUT)
        self._sleep = sleep

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections to the service."""
        if self._closes_http:
            await self._http.aclose()

    async def _call(self, request: Request, model: type[Model]) -> Model:
        return _read(await self._send(request), model)

    async def _send(self, request: Request) -> httpx2.Response:
        attempts = Attempts(self._retries, request.repeatable)
        expired = None
        while True:
            credential = await self._valid_credential(expired)
            error: ClientError
            try:
                response = await self._http.send(
                    request.to_http(self._http, self._base_url, credential)
                )
            except _NOT_LOST:
                raise
            except httpx2.TransportError as lost:
                error = ConnectionLost(lost)
                error.__cause__ = lost
            else:
                if response.is_success:
                    return response
                error = error_of(response)
            if self._mint is not None and attempts.renews(error):
                expired = credential
            else:
                await self._sleep(attempts.wait_s(error))

    async def _valid_credential(self, expired: str | None) -> str:
        """Return the credential; mint a token if there is none, or only the expired one."""
        async with self._minting:
            if self._mint is not None and self._credential in (None, expired):
                self._credential = await self._mint()
            assert self._credential is not None
            return self._credential
