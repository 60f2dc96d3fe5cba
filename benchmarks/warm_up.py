"""Wait until every worker process of a service has built the caches of its catalog."""

from __future__ import annotations

from http.client import HTTPConnection
from json import loads
from time import monotonic, sleep

__all__ = ["wait_until_warm"]

_READY_IN_A_ROW = 60
_WITHIN_S = 120.0


def wait_until_warm(port: int) -> None:
    """Return when /readyz has reported no warming process on many new connections in a row.

    The processes share a port, so a single response does not show that all are ready: with four of
    them, 60 responses miss a given process once in 30 million tries.
    """
    end, ready = monotonic() + _WITHIN_S, 0
    while ready < _READY_IN_A_ROW:
        if monotonic() > end:
            raise RuntimeError(f"port {port}: not every process was ready within {_WITHIN_S:g} s")
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", "/readyz")
            parts = loads(connection.getresponse().read())["parts"]
            is_ready = parts["catalogue"] == "ok"
        except OSError:
            is_ready = False
        finally:
            connection.close()
        ready = ready + 1 if is_ready else 0
        sleep(0.01 if is_ready else 0.2)
