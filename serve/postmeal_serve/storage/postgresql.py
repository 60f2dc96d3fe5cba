"""PostgreSQL connections with timeouts, so that no operation waits forever.

The server aborts statements that take too long or wait too long for a lock, and transactions of
idle clients. If the server process itself hangs, the client shuts down the socket. Keepalives and
``tcp_user_timeout`` have no effect in this case, because the server's kernel still acknowledges
packets.
"""

from __future__ import annotations

import math
import os
import selectors
import socket
import time
from functools import partial
from typing import Any

from psycopg.pq import ExecStatus
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DisconnectionError, InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from postmeal_serve.storage.transaction import CUT

__all__ = ["connect_args", "lift_limits", "set_up"]

# As shares of the deadline.
_LOCK = 0.3  # Three queued transactions can time out one after another within the deadline.
_STATEMENT = 0.8  # Less than 1, so that the server aborts first and the connection survives.
_CONNECT = 0.5
_LIVENESS = 0.2
_DEFAULT_S = 10.0  # Used if there is no deadline.
_IDLE_S = 2.0
_SOCKET = "socket"
_IDLE_SINCE = "idle_since_s"


def connect_args(within_s: float | None) -> dict[str, Any]:
    """Return the parameters with which psycopg opens a connection."""
    whole_s = within_s or _DEFAULT_S
    limits = {
        "lock_timeout": _LOCK * whole_s,
        "statement_timeout": _STATEMENT * whole_s,
        "idle_in_transaction_session_timeout": whole_s,
    }
    options = ["timezone=UTC"]
    if within_s is not None:
        options += [f"{name}={math.ceil(limit_s * 1000)}" for name, limit_s in limits.items()]
    return {
        "options": " ".join(f"-c {option}" for option in options),
        "connect_timeout": max(2, math.ceil(_CONNECT * whole_s)),
        "keepalives": 1,
        "keepalives_idle": math.ceil(whole_s),
        "keepalives_interval": math.ceil(whole_s / 3),
        "keepalives_count": 3,
        "tcp_user_timeout": math.ceil(whole_s * 1000),
    }


def set_up(engine: Engine, within_s: float | None) -> None:
    """Make connections interruptible from any thread, and check idle connections before use."""
    event.listen(engine, "connect", _share_socket)
    event.listen(engine, "close", _close_socket)
    event.listen(engine, "checkin", _mark_idle)
    check_within_s = _LIVENESS * (within_s or _DEFAULT_S)
    event.listen(engine, "checkout", partial(_check_if_idle, check_within_s))


def lift_limits(connection: Connection, *, locks: bool = True) -> None:
    """Remove the time limits on the statements of the current transaction."""
    names = ["statement_timeout", "idle_in_transaction_session_timeout"]
    names += ["lock_timeout"] if locks else []
    connection.exec_driver_sql("; ".join(f"SET LOCAL {name} = 0" for name in names))


def _share_socket(connection: Any, record: ConnectionPoolEntry) -> None:
    """Duplicate the socket's descriptor; the copy stays valid even if libpq closes the original."""
    shared = socket.socket(fileno=os.dup(connection.fileno()))
    record.info[_SOCKET] = shared
    record.info[CUT] = partial(shared.shutdown, socket.SHUT_RDWR)


def _close_socket(connection: Any, record: ConnectionPoolEntry) -> None:
    if shared := record.info.pop(_SOCKET, None):
        shared.close()


def _mark_idle(connection: Any, record: ConnectionPoolEntry) -> None:
    record.info[_IDLE_SINCE] = time.monotonic()


def _check_if_idle(
    within_s: float, connection: Any, record: ConnectionPoolEntry, proxy: object
) -> None:
    """Check a connection that was idle for 2 s; checking it at every use would add a round trip."""
    since_s = record.info.get(_IDLE_SINCE)
    if since_s is None or time.monotonic() - since_s < _IDLE_S:
        return
    try:
        is_alive = _responds(connection.pgconn, within_s)
    except Exception as error:
        raise DisconnectionError from error  # The pool tries another connection.
    if not is_alive:  # Other idle connections are probably dead as well.
        raise InvalidatePoolError


def _responds(connection: Any, within_s: float) -> bool:
    """Return whether an empty query, which starts no transaction, completes in time."""
    connection.send_query(b"")
    ends_s = time.monotonic() + within_s
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, selectors.EVENT_READ)
        while connection.flush() or connection.is_busy():
            if not selector.select(ends_s - time.monotonic()):
                return False
            connection.consume_input()
    result = connection.get_result()
    return result.status == ExecStatus.EMPTY_QUERY and connection.get_result() is None
