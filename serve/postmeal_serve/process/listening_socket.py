"""Listening socket that can be closed without dropping clients."""

from __future__ import annotations

import ctypes
import socket
import struct
import sys
from contextlib import suppress

__all__ = ["RECEIVE_BUFFER", "accept_pending", "bind_listener", "drop_new_connections"]

RECEIVE_BUFFER = 128 * 1024
"""Requested size of the kernel's receive buffer of each connection, in bytes; Linux doubles it."""

_SO_ATTACH_FILTER = 26
# A Berkeley packet filter on TCP segments: drop those with the SYN flag, pass all others.
_NO_SYN = b"".join(
    struct.pack("=HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load the byte with the flags
        (0x45, 0, 1, 0x02),  # is SYN set?
        (0x06, 0, 0, 0),  # drop
        (0x06, 0, 0, 0xFFFFFFFF),  # pass
    )
)


def bind_listener(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to a host and port but does not listen yet.

    Its connections have receive buffers of a fixed size. Otherwise, the kernel enlarges the buffer
    of each upload to the size of the upload or more. A few hundred uploads that the service does
    not read would then use up the memory that the kernel reserves for TCP, and the kernel would
    drop data of all connections.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        reason = (error.strerror or str(error)).lower()
        change = "choose another with make run PORT=…, demo --port or POSTMEAL_PORT"
        message = f"cannot listen on {host}:{port}: {reason}; {change}"
        raise OSError(message) from None
    return listener


def drop_new_connections(listener: socket.socket) -> None:
    """Drop new connection requests, so that `accept_pending` can empty the queue of the socket.

    The kernel drops new SYN packets. Clients send them again within a second. By then, they are
    refused or reach the next process. This requires Linux; on other systems, clients that connect
    shortly before the socket is closed may lose their connection.
    """
    if sys.platform != "linux":
        return
    program = ctypes.create_string_buffer(_NO_SYN)
    length = len(_NO_SYN) // 8
    with suppress(OSError):
        listener.setsockopt(
            socket.SOL_SOCKET,
            _SO_ATTACH_FILTER,
            struct.pack("@HP", length, ctypes.addressof(program)),
        )


def accept_pending(listener: socket.socket) -> list[socket.socket]:
    """Accept and return all connections that are waiting in the queue."""
    accepted = []
    with suppress(BlockingIOError):
        while True:
            accepted.append(listener.accept()[0])
    return accepted
