"""Measure run times independently of other load on the machine."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType

__all__ = ["Stopwatch"]

_THREADS = Path("/proc/self/task")


class Stopwatch:
    """Measures the time of a ``with`` block.

    Attributes
    ----------
    cpu_s : float
        CPU time of all threads of this process, in seconds.
    elapsed_s : float
        Elapsed time without the time for which threads waited for a free core, in seconds. This
        waiting time is only available on Linux.
    """

    def __enter__(self) -> Stopwatch:
        self._waited_s = _waited_s()
        self._cpu_s, self._begun_s = time.process_time(), time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        passed_s = time.monotonic() - self._begun_s
        self.cpu_s = time.process_time() - self._cpu_s
        waited = _waited_s().items()
        self.elapsed_s = passed_s - sum(
            total_s - self._waited_s.get(thread, 0.0) for thread, total_s in waited
        )


def _waited_s() -> dict[str, float]:
    """Return the seconds for which each thread was ready to run but waited for a core."""
    found = {}
    for thread in _THREADS.glob("*"):
        try:
            _, waited_ns, _ = (thread / "schedstat").read_text().split()
        except OSError:  # the thread has ended
            continue
        found[thread.name] = int(waited_ns) / 1e9
    return found
