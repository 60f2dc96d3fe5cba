"""Workers that train the chunks of a cohort: this process, local processes or a Dask cluster."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from importlib.util import find_spec
from time import sleep
from typing import Any, Protocol

from postmeal.errors import DataSetError, InputError

BACKENDS = ("loky", "dask", "serial")
"""Names of the supported backends."""

_WATCH_S = 0.5


class Workers(Protocol):
    """Processes that run function calls."""

    n_workers: int
    deaths: int
    died: tuple[type[BaseException], ...]

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Run a call in one of the processes."""

    def replace_the_dead(self) -> None:
        """Start new workers in place of those that died."""


def check_workers(backend: str, n_workers: int | None, scheduler: str | None) -> None:
    """Check the arguments of `hired`."""
    if backend not in BACKENDS:
        raise InputError("backend", "must be one of", backend, allowed=BACKENDS)
    if backend == "dask" and find_spec("distributed") is None:
        raise InputError("backend", "dask is not installed; run `pip install postmeal[cluster]`")
    if n_workers is not None and n_workers < 1:
        raise InputError("workers", "must be 1 or more", n_workers)
    if scheduler is not None and backend != "dask":
        raise InputError(
            "scheduler", f"must be omitted for the backend {backend}; only dask uses it"
        )


@contextmanager
def hired(
    backend: str, n_workers: int | None = None, scheduler: str | None = None
) -> Iterator[Workers]:
    """Start workers, yield them, and stop them at the end."""
    check_workers(backend, n_workers, scheduler)
    if backend == "serial":
        yield _Serial()
    elif backend == "loky":
        loky = _Loky(n_workers or os.cpu_count() or 1)
        try:
            yield loky
        finally:
            loky.end()
    else:
        with _cluster(n_workers or os.cpu_count() or 1, scheduler) as dask:
            yield dask


class _Serial:
    """Backend that runs all calls in the current process."""

    n_workers = 1
    deaths = 0
    died: tuple[type[BaseException], ...] = ()

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(call(*arguments))
        return future

    def replace_the_dead(self) -> None:
        pass


class _Loky:
    """Worker processes of joblib's loky backend, all of which end if one of them dies."""

    deaths = 2
    died: tuple[type[BaseException], ...] = (BrokenExecutor,)

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._executor = self._started()

    def _started(self) -> Executor:
        from joblib.externals.loky import ProcessPoolExecutor

        executor: Executor = ProcessPoolExecutor(
            self.n_workers, initializer=_end_with, initargs=(os.getpid(),)
        )
        return executor

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._executor.submit(call, *arguments)

    def replace_the_dead(self) -> None:
        self.end()
        self._executor = self._started()

    def end(self) -> None:
        self._executor.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]


def _end_with(parent: int) -> None:
    """End this process soon after its parent process ends, even if the parent is killed."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_WATCH_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
_LIGHT = {
    "distributed.worker.profile.enabled": False,
    # Dask's default for MALLOC_TRIM_THRESHOLD_ is omitted. With it, the memory of each array would
    # be requested from the system. Together with the profiler, this takes half of the CPU time.
    "distributed.nanny.pre-spawn-environ": _ONE_THREAD,
}
"""Dask settings for a cluster of local processes."""


class _Dask:
    """A Dask cluster, which replaces dead workers and repeats their calls three times by itself."""

    deaths = 1

    def __init__(self, client: Any) -> None:
        from distributed import KilledWorker

        self.died: tuple[type[BaseException], ...] = (KilledWorker,)
        self.n_workers = max(1, sum(client.nthreads().values()))
        self._executor = client.get_executor(pure=False)

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(call, *arguments)
        return future

    def replace_the_dead(self) -> None:
        pass


@contextmanager
def _cluster(n_workers: int, scheduler: str | None) -> Iterator[_Dask]:
    import dask
    from distributed import Client, LocalCluster

    if scheduler is None:
        with (
            dask.config.set(_LIGHT),
            LocalCluster(
                n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):
            yield _Dask(client)
        return
    try:
        client = Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise DataSetError(
            f"no Dask scheduler responds at {scheduler}; check the address, or start the scheduler"
        ) from error
    with client:
        try:
            yield _Dask(client)
        except CancelledError as error:
            raise DataSetError(
                f"the Dask scheduler at {scheduler} stopped responding; run the same command again"
                " to resume"
            ) from error
