"""The way from a client to a service, on which requests and responses are lost at random."""

from __future__ import annotations

import random

import httpx2
from api_client import Api, VirtualClock

FAULTS = ("refused", "lost request", "lost response", "slow", "no upstream", "late", "long pause")
TOKEN_LIFETIME_S = 300
_IN_A_ROW = 4


class FaultyNetwork(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """A transport to the service of an `Api`; a seed decides which faults happen, and when.

    `processed` lists the requests that reached the service, with the codes of its responses, and
    `delivered` the codes that reached the client. Tokens expire during a long pause, but not again
    before one was used.
    """

    def __init__(self, api: Api, clock: VirtualClock, draw: random.Random, share: float) -> None:
        self._api, self._clock, self._draw, self._share = api, clock, draw, share
        self._faults = 0
        self._paused = False
        self.processed: list[tuple[str, str | int]] = []
        self.delivered: list[str | int] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        fault = self._next_fault()
        if fault == "refused":
            raise httpx2.ConnectError("connection refused")
        if fault == "lost request":
            raise httpx2.ReadError("connection reset")
        if fault == "no upstream":
            return httpx2.Response(503, headers={"Retry-After": "2"}, text="<h1>Unavailable</h1>")
        if fault == "long pause":
            self._clock.advance(TOKEN_LIFETIME_S + 1)
        response = self._response(request)
        if fault == "lost response":
            raise httpx2.RemoteProtocolError("server disconnected without sending a response")
        if fault == "slow":
            self._clock.advance(60)
            raise httpx2.ReadTimeout("timed out")
        if fault == "late":
            return httpx2.Response(504, text="<h1>Gateway timeout</h1>")
        self.delivered.append(self.processed[-1][1])
        return response

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return self.handle_request(request)

    def _next_fault(self) -> str:
        if self._faults == _IN_A_ROW or self._draw.random() >= self._share:
            self._faults = 0
            return ""
        self._faults += 1
        fault = self._draw.choice(FAULTS)
        if fault == "long pause" and self._paused:
            return "refused"
        self._paused = self._paused or fault == "long pause"
        return fault

    def _response(self, request: httpx2.Request) -> httpx2.Response:
        answer = self._api.client.send(request)
        status = answer.status_code
        code = answer.json().get("code", status) if status >= 400 else status
        self.processed.append((f"{request.method} {request.url.path}", code))
        if code in (200, "token_expired"):
            self._paused = code != 200
        headers = {
            name: value
            for name, value in answer.headers.items()
            if name not in ("content-encoding", "content-length", "transfer-encoding")
        }
        return httpx2.Response(status, headers=headers, content=answer.content)
