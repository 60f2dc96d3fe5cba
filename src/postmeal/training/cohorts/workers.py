"""Workers: who trains the chunks of a cohort; this process, others here, or a Dask cluster."""

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

__all__ = ["BACKENDS", "Workers", "check_workers", "hired"]

BACKENDS = ("loky", "dask", "serial")
"""Names of the kinds of workers."""

_WATCH_S = 0.5


class Workers(Protocol):
    """Processes that carry out calls.

    Attributes
    ----------
    n_workers : int
        How many there are.
    deaths : int
        How often a call is tried again, all else being quiet, after its worker died.
    died : tuple of type
        Exceptions of a call whose worker died.
    """

    n_workers: int
    deaths: int
    died: tuple[type[BaseException], ...]

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a call carried out."""

    def replace_the_dead(self) -> None:
        """Make sure that there are workers after one died."""


def check_workers(backend: str, n_workers: int | None, scheduler: str | None) -> None:
    """Refuse workers that cannot be hired; see `hired`.

    Raises
    ------
    InputError
        There is no such kind, it is not installed, the number is below 1, or a scheduler is
        given to others than Dask.
    """
    if backend not in BACKENDS:
        raise InputError("backend", "must be one of", backend, allowed=BACKENDS)
    if backend == "dask" and find_spec("distributed") is None:
        raise InputError("backend", "dask needs the extra postmeal[cluster]")
    if n_workers is not None and n_workers < 1:
        raise InputError("workers", "must be 1 or more", n_workers)
    if scheduler is not None and backend != "dask":
        raise InputError("scheduler", f"belongs to the backend dask, not to {backend}")


@contextmanager
def hired(
    backend: str, n_workers: int | None = None, scheduler: str | None = None
) -> Iterator[Workers]:
    """Start workers, and end them at the end.

    Parameters
    ----------
    backend : {"loky", "dask", "serial"}
        Which kind.
    n_workers : int, optional
        How many processes; as many as there are processors when omitted.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers see the same files under the same paths; a
        cluster of processes of this machine is started when omitted.

    Raises
    ------
    InputError
        As `check_workers` does.
    DataSetError
        No scheduler answers.
    """
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
    """The process that asks."""

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
    """Processes of joblib's loky; all of them end when one dies."""

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
    """End this process soon after its parent, which may be killed."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_WATCH_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
_LIGHT = {
    "distributed.worker.profile.enabled": False,
    # Without Dask's own MALLOC_TRIM_THRESHOLD_, with which every array of a fit is memory newly
    # asked of the system: that and the profiler took half of the processor time.
    "distributed.nanny.pre-spawn-environ": _ONE_THREAD,
}
"""Settings of a cluster of our own."""


class _Dask:
    """A Dask cluster, which replaces the dead and tries their calls again three times itself."""

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
        raise DataSetError(f"no Dask scheduler answers at {scheduler}") from error
    with client:
        try:
            yield _Dask(client)
        except CancelledError as error:
            problem = "stopped answering; the same command goes on where this run is"
            raise DataSetError(f"the Dask scheduler at {scheduler} {problem}") from error
