"""The listening socket, and connections whose last response is being read."""

import asyncio
import socket
import sys
from contextlib import suppress
from typing import ClassVar

import pytest

from postmeal_serve.process.connection_limits import _MOST_LINGER, _Lingering
from postmeal_serve.process.listening_socket import RECEIVE_BUFFER, bind_listener

MEGABYTE = 10**6


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not double the size")
def test_an_upload_that_is_not_read_uses_little_memory_of_the_kernel():
    """300 of them must not use up the memory that the kernel reserves for TCP."""
    with bind_listener("127.0.0.1", 0) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            accepted, _ = listener.accept()
            with accepted:
                assert (
                    accepted.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == 2 * RECEIVE_BUFFER
                )
                client.settimeout(0.5)
                sent = 0
                with suppress(TimeoutError):
                    while sent < 10 * MEGABYTE:
                        sent += client.send(b" " * 4096)
    assert sent < MEGABYTE


class Refusing(asyncio.Protocol):
    """A protocol that ends each connection at once and then discards what the client sends."""

    ended: ClassVar["list[Refusing]"] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.lingering = _Lingering(transport, asyncio.get_running_loop())
        self.lingering.close()
        self.ended.append(self)

    def data_received(self, data: bytes) -> None:
        self.lingering.discard(len(data))


def test_only_the_latest_connections_linger():
    """The connections that have lingered longest are closed, even if the client keeps sending."""
    more = 10

    async def run() -> tuple[list[bool], int]:
        server = await asyncio.get_running_loop().create_server(Refusing, "127.0.0.1", 0)
        address = server.sockets[0].getsockname()
        clients = [await asyncio.open_connection(*address) for _ in range(_MOST_LINGER + more)]
        for _, writer in clients:
            writer.write(b"more")
        while len(Refusing.ended) < len(clients):
            await asyncio.sleep(0.01)
        closed = [each.transport.is_closing() for each in Refusing.ended]
        lingering = len(_Lingering.lingering)
        for each in list(_Lingering.lingering):
            each._end()
        for _, writer in clients:
            writer.close()
        server.close()
        return closed, lingering

    closed, lingering = asyncio.run(run())
    assert lingering == _MOST_LINGER
    assert closed == [True] * more + [False] * _MOST_LINGER
