"""Wait until every worker process of a service has built its catalog caches."""

from __future__ import annotations

from http.client import HTTPConnection
from json import loads
from time import monotonic, sleep

__all__ = ["wait_until_warm"]

_READY_IN_A_ROW = 60
_WITHIN_S = 120.0


def wait_until_warm(port: int) -> None:
    """Wait until /readyz has reported a warm catalog on 60 new connections in a row.

    The processes share a port, so a single response does not show that all of them are ready. With
    four processes, the probability that 60 responses miss a given process is 1 in 30 million.

    Raises
    ------
    RuntimeError
        The service is not ready within two minutes.
    """
    end, ready = monotonic() + _WITHIN_S, 0
    while ready < _READY_IN_A_ROW:
        if monotonic() > end:
            raise RuntimeError(
                f"some processes on port {port} were not ready within {_WITHIN_S:g} s"
            )
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
