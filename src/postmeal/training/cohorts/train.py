"""Train a personal model for each user of a cohort, in chunks that workers process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

import joblib
import pyarrow as pa

from postmeal.errors import DataSetError, InputError, PostmealError, TooFewDays, UnusableHistory
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_personal
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile
from postmeal.training.cohorts.results import CohortResults, refused_row, user_table
from postmeal.training.cohorts.store import Chunk, CohortStore, UserRecord
from postmeal.training.cohorts.workers import Workers, check_workers, hired

__all__ = ["CHUNK_USERS", "train_cohort", "train_users"]

CHUNK_USERS = 500
"""Default number of users per chunk."""

Fit = Callable[..., PersonalModel]
Progress = Callable[[int, int, int], None]


def train_cohort(
    folder: str | Path,
    output: str | Path,
    *,
    predictor: Predictor | None = None,
    backend: str = "loky",
    n_workers: int | None = None,
    scheduler: str | None = None,
    chunk_users: int | None = None,
    restart: bool = False,
    fit: Fit = fit_personal,
    progress: Progress = lambda done, chunks, users: None,
) -> dict[str, Any]:
    """Train a personal model for each user of a cohort, or resume an interrupted run.

    Parameters
    ----------
    folder : str or Path
        Folder of the cohort, in the layout of `postmeal.training.cohorts.store`.
    output : str or Path
        Folder for the results, in the layout of `postmeal.training.cohorts.results`.
    predictor : Predictor, optional
        Population model to personalize. Defaults to the shipped model.
    backend, n_workers, scheduler
        The workers; see `postmeal.training.cohorts.workers.hired`. They can differ between runs and
        do not affect the models.
    chunk_users : int, optional
        Approximate number of users per chunk. Defaults to the number in the interrupted run if
        there is one, and to 500 otherwise.
    restart : bool, default=False
        Whether to delete existing results and train all users again.
    fit : callable, default=fit_personal
        Function that trains the model of one user.
    progress : callable, optional
        Called after each chunk with the number of completed chunks, the number of all chunks, and
        the number of users trained or rejected in this run.

    Returns
    -------
    dict
        Numbers of users: ``users`` (all), ``trained``, ``refused`` (by reason), ``helped`` (users
        with a more accurate personal model) and ``run_users`` (users in this run). ``run_s`` is the
        duration of this run in seconds.

    Raises
    ------
    InputError
        A number is below 1, or the backend is unknown or not installed.
    DataSetError
        The folder does not contain a cohort, its data changed during training, the scheduler does
        not respond, or another process uses the output folder. The error is also raised if results
        in the output folder are damaged or are from different data, a different model or different
        chunks.
    """
    check_workers(backend, n_workers, scheduler)
    if chunk_users is not None and chunk_users < 1:
        raise InputError("chunk_users", "must be 1 or more", chunk_users)
    predictor = Predictor.load() if predictor is None else predictor
    store, results = CohortStore(Path(folder).resolve()), CohortResults(Path(output))
    before = {} if restart else results.manifest or {}
    n = chunk_users or before.get("chunk_users", CHUNK_USERS)
    chunks = store.chunks(n)
    manifest = {
        "postmeal": version("postmeal"),
        "data": store.fingerprint(),
        "model": f"{predictor.version} {joblib.hash(asdict(predictor))}",
        "chunk_users": n,
        "chunks": len(chunks),
    }
    start, users = monotonic(), 0
    with results.claimed(manifest, restart=restart):
        if results.summary is not None:
            return results.summary
        done = results.done
        left = [chunk for chunk in chunks if chunk.number not in done]
        progress(len(done), len(chunks), users)
        if left:
            with hired(backend, n_workers, scheduler) as workers:
                for chunk, table in _trained(workers, store, predictor, fit, left):
                    results.write_chunk(chunk.number, table)
                    done.add(chunk.number)
                    users += len(table)
                    progress(len(done), len(chunks), users)
        if store.fingerprint() != manifest["data"]:
            raise DataSetError(
                f"{folder} was changed during training; use --restart to train again"
            )
        results.write_rest(store.users())
        return results.write_summary(run_users=users, run_s=round(monotonic() - start, 3))


def train_users(store: CohortStore, predictor: Predictor, fit: Fit, chunk: Chunk) -> pa.Table:
    """Train the personal models of the users in a chunk, in one thread.

    Parameters
    ----------
    store : CohortStore
        The cohort.
    predictor : Predictor
        Population model to personalize.
    fit : callable
        Function that trains the model of one user.
    chunk : Chunk
        The users whose models are trained.

    Returns
    -------
    Table
        The columns `USER_COLUMNS`, one row per user.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return user_table(_row(record, predictor, fit) for record in store.read(chunk))


def _trained(
    workers: Workers, store: CohortStore, predictor: Predictor, fit: Fit, chunks: list[Chunk]
) -> Iterator[tuple[Chunk, pa.Table]]:
    """Train chunks on free workers; chunks whose worker died are repeated after all others."""
    waiting, suspects = chunks[::-1], []
    under_way: dict[Future[Any], Chunk] = {}
    while waiting or under_way:
        try:
            while waiting and len(under_way) < 2 * workers.n_workers:
                call = workers.submit(train_users, store, predictor, fit, waiting[-1])
                under_way[call] = waiting.pop()
            finished, _ = wait(under_way, return_when=FIRST_COMPLETED)
            has_died = any(isinstance(call.exception(), workers.died) for call in finished)
        except workers.died:
            has_died = True
        if has_died:
            workers.replace_the_dead()
            finished = {call for call in under_way if call.done()}
        for call in finished:
            chunk = under_way.pop(call)
            if isinstance(call.exception(), workers.died):
                suspects.append(chunk)
            else:
                yield chunk, call.result()
    for chunk in suspects:
        yield chunk, pa.concat_tables(_alone(workers, store, predictor, fit, chunk))


def _alone(
    workers: Workers, store: CohortStore, predictor: Predictor, fit: Fit, chunk: Chunk
) -> Iterator[pa.Table]:
    """Train a chunk while no other chunk is running.

    If its workers die, the chunk is halved repeatedly, and a single user whose training still ends
    the worker is rejected.
    """
    table = _survived(workers, train_users, store, predictor, fit, chunk)
    if table is not None:
        yield table
        return
    users = sorted(chunk.users or _survived(workers, store.users_of, chunk) or ())
    if len(users) < 2:
        yield user_table(refused_row(user, "ended its worker") for user in users)
        return
    middle = len(users) // 2
    for half in (users[:middle], users[middle:]):
        yield from _alone(workers, store, predictor, fit, chunk.only(half))


def _survived(workers: Workers, call: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a call, or None if every worker that ran the call died."""
    for _ in range(workers.deaths):
        try:
            return workers.submit(call, *arguments).result()
        except workers.died:
            workers.replace_the_dead()
    return None


def _row(record: UserRecord, predictor: Predictor, fit: Fit) -> dict[str, Any]:
    """Train the model of one user and return the result; an error does not affect other users."""
    if record.unreadable:
        return refused_row(record.user, "unreadable part", record.unreadable)
    if len(record.profiles) != 1:
        return refused_row(record.user, "no profile" if not record.profiles else "two profiles")
    try:
        profile = Profile(**record.profiles[0])
        utc_s, offset_s, glucose_mg_dl = record.readings.T
        trace = CgmTrace.of(utc_s, offset_s, glucose_mg_dl, field="readings")
        utc_s, offset_s = record.meals[:, :2].T
        meals = MealHistory.of(utc_s, offset_s, record.meals[:, 2:], field="meals")
        model = fit(predictor, profile, trace, meals, sensor=record.sensor)
    except TooFewDays as error:
        return refused_row(record.user, "too few days") | {"n_days": error.valid}
    except UnusableHistory as error:
        return refused_row(record.user, "unusable history", _message_without_value(error))
    except InputError as error:
        return refused_row(record.user, "impossible value", _message_without_value(error))
    except Exception as error:
        kind = type(error).__name__
        known = isinstance(error, PostmealError)
        return refused_row(record.user, "failed", f"{kind}: {error}" if known else kind)
    state = model.to_bytes()
    return {
        "user": record.user,
        "status": "trained",
        "n_days": model.n_days,
        "n_meals": model.n_meals,
        "population_rmse_mg_dl": model.population_rmse_mg_dl,
        "personal_rmse_mg_dl": model.personal_rmse_mg_dl,
        "helps": model.is_better,
        "state": state,
        "sha256": _sha256(state),
        "base": model.base,
    }


def _message_without_value(error: InputError) -> str:
    """Return the message of an error without the invalid value."""
    return f"{error.field} {error.problem}" + ": " * bool(error.allowed) + ", ".join(error.allowed)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
