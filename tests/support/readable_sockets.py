"""Sockets that can be read, whatever the numbers of their file descriptors."""

import select
import socket
from collections.abc import Iterable


def readable_of(sockets: Iterable[socket.socket]) -> list[socket.socket]:
    """Return the sockets with unread bytes or an end; `select.select` stops at descriptor 1024."""
    by_descriptor = {each.fileno(): each for each in sockets}
    waiting = select.poll()
    for descriptor in by_descriptor:
        waiting.register(descriptor, select.POLLIN)
    return [by_descriptor[descriptor] for descriptor, _ in waiting.poll(0)]
