"""Listener: the port at which the service is reached, and how it is left with nobody cut off."""

from __future__ import annotations

import ctypes
import socket
import struct
import sys
from contextlib import suppress

__all__ = ["listener_at", "turn_away", "waiting_at"]

_SO_ATTACH_FILTER = 26
# Berkeley packet filter over a TCP segment: drop what has the flag SYN, pass everything else.
_NO_SYN = b"".join(
    struct.pack("=HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load the byte of flags
        (0x45, 0, 1, 0x02),  # is SYN among them?
        (0x06, 0, 0, 0),  # drop
        (0x06, 0, 0, 0xFFFFFFFF),  # pass
    )
)


def listener_at(host: str, port: int) -> socket.socket:
    """Take a port, without listening yet.

    Raises
    ------
    OSError
        The port or the address cannot be had.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        reason = (error.strerror or str(error)).lower()
        raise OSError(f"the service cannot listen on {host}:{port}: {reason}") from None
    return listener


def turn_away(listener: socket.socket) -> None:
    """Let nobody else in, so that the queue is empty once who waits there has been taken.

    A caller who knocks now is not heard, knocks again within a second and meets a closed door, or
    the next service. Only Linux can do this; elsewhere who comes at the last moment is cut off.
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


def waiting_at(listener: socket.socket) -> list[socket.socket]:
    """Take who has connected already."""
    taken = []
    with suppress(BlockingIOError):
        while True:
            taken.append(listener.accept()[0])
    return taken
