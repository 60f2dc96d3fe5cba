"""A minimal HTTP/1.1 client that uses little CPU time compared with the server under load."""

from __future__ import annotations

import asyncio
import json
from types import TracebackType
from typing import Any, NamedTuple

from api_client import assert_error


class Answer(NamedTuple):
    """The status and the JSON body of a response; the body is None if it is empty."""

    status: int
    body: Any

    @property
    def outcome(self) -> str:
        """The status, followed by the error code in version 1.2."""
        error = self.body if isinstance(self.body, dict) else {}
        code = error.get("error", error).get("code") if self.status >= 400 else None
        return f"{self.status} {code}" if isinstance(code, str) else str(self.status)


class RawClient:
    """A persistent connection with one credential; the format of every error is checked.

    A `ConnectionError` means that the server is gone and may or may not have processed the request.
    """

    def __init__(self, port: int, secret: str) -> None:
        self.port = port
        self.secret = secret

    async def __aenter__(self) -> RawClient:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.writer.close()

    @property
    def local_port(self) -> int:
        port: int = self.writer.get_extra_info("sockname")[1]
        return port

    async def ask(
        self, method: str, path: str, body: Any = None, secret: str | None = None, **headers: str
    ) -> Answer:
        """Send a request and read the response."""
        self.send(method, path, body, secret, **headers)
        head = (await self._read_head()).lower()
        assert b"\r\nx-request-id: " in head
        length = 0
        if b"\r\ncontent-length: " in head:
            length = int(head.partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0])
        content = await self._read(length)
        answer = Answer(int(head[9:12]), json.loads(content) if content else None)
        if answer.status >= 400:
            assert_error(answer.body, answer.status, path)
        return answer

    def send(
        self, method: str, path: str, body: Any = None, secret: str | None = None, **headers: str
    ) -> None:
        """Send a request without waiting for the response."""
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: x",
            f"Authorization: Bearer {secret or self.secret}",
        ]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        content = b""
        if body is not None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + content)

    async def _read_head(self) -> bytes:
        try:
            return await self.reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            raise ConnectionError from error

    async def _read(self, length: int) -> bytes:
        try:
            return await self.reader.readexactly(length)
        except asyncio.IncompleteReadError as error:
            raise ConnectionError from error
