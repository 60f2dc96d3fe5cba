"""PostgreSQL: how its connections are set up, so that none of them waits for ever.

The server ends a statement that waits for a lock or takes too long, and a transaction whose client
stands still. What the server does not end, because it stands still itself, is cut from this side:
the kernel of a stopped server still acknowledges what it receives, so that neither keepalives nor
``tcp_user_timeout`` notice.
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

from serve.storage.transaction import CUT

__all__ = ["connect_args", "lift_limits", "set_up"]

_LOCK = 0.3  # of the deadline: three that follow each other in a queue fail within it
_STATEMENT = 0.8  # of the deadline: the server ends it, and the connection stays
_CONNECT = 0.5
_ANSWER = 0.2  # of the deadline, for a sign of life
_WITHOUT_S = 10.0  # for connecting, where there is no deadline
_RESTED_S = 2.0
_SOCKET = "socket"
_RESTING_SINCE = "resting_since_s"


def connect_args(within_s: float | None) -> dict[str, Any]:
    """Return the parameters of a connection.

    Parameters
    ----------
    within_s : float or None
        Deadline of a transaction. With None, for the work of an administrator, statements and
        locks have no limit.

    Examples
    --------
    >>> connect_args(10.0)["options"].split(" -c ")[1:]
    ['lock_timeout=3000', 'statement_timeout=8000', 'idle_in_transaction_session_timeout=10000']
    """
    whole_s = within_s or _WITHOUT_S
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
    """Let each connection be cut from any thread, and check one that has rested before its use."""
    event.listen(engine, "connect", _share_socket)
    event.listen(engine, "close", _close_socket)
    event.listen(engine, "checkin", _note_rest)
    answer_s = _ANSWER * (within_s or _WITHOUT_S)
    event.listen(engine, "checkout", partial(_check_after_rest, answer_s))


def lift_limits(connection: Connection, *, locks: bool = True) -> None:
    """Let the statements of this transaction take as long as they need.

    Parameters
    ----------
    connection : Connection
        On PostgreSQL, in a transaction.
    locks : bool, default=True
        Whether they may also wait for locks without limit.
    """
    names = ["statement_timeout", "idle_in_transaction_session_timeout"]
    names += ["lock_timeout"] if locks else []
    connection.exec_driver_sql("; ".join(f"SET LOCAL {name} = 0" for name in names))


def _share_socket(connection: Any, record: ConnectionPoolEntry) -> None:
    """Keep a descriptor of the same socket, which stays valid whatever libpq does with its own."""
    shared = socket.socket(fileno=os.dup(connection.fileno()))
    record.info[_SOCKET] = shared
    record.info[CUT] = partial(shared.shutdown, socket.SHUT_RDWR)


def _close_socket(connection: Any, record: ConnectionPoolEntry) -> None:
    if shared := record.info.pop(_SOCKET, None):
        shared.close()


def _note_rest(connection: Any, record: ConnectionPoolEntry) -> None:
    record.info[_RESTING_SINCE] = time.monotonic()


def _check_after_rest(
    answer_s: float, connection: Any, record: ConnectionPoolEntry, proxy: object
) -> None:
    """Check that a connection is alive, but not at every use: that would be a trip more."""
    since_s = record.info.get(_RESTING_SINCE)
    if since_s is None or time.monotonic() - since_s < _RESTED_S:
        return
    try:
        alive = _answers(connection.pgconn, answer_s)
    except Exception as error:
        raise DisconnectionError from error  # the pool tries another
    if not alive:  # and others that have rested will not be, either
        raise InvalidatePoolError


def _answers(connection: Any, within_s: float) -> bool:
    """Send an empty query, which begins no transaction; return whether it is answered in time."""
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
