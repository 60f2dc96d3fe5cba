"""Cohorts whose coordinators and workers are killed at any moment, on loky and on Dask."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cohort_company import DEADLY_AGE, Company, fit_or_die, models, reasons

from postmeal.errors import DataSetError
from postmeal.training.cohorts.train import train_cohort

N_USERS, CHUNK_USERS, KILLS = 200, 8, 4

pytestmark = [pytest.mark.reliability, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Company:
    return Company.founded(tmp_path_factory.mktemp("company"), N_USERS, n_days=9)


@pytest.fixture(scope="module")
def expected(company: Company, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    output = tmp_path_factory.mktemp("expected")
    train_cohort(company.folder, output, backend="serial")
    return models(output)


def command(company: Company, output: Path, *more: str) -> list[str]:
    words = [sys.executable, "-m", "postmeal", "train", "cohort", str(company.folder)]
    words += ["--output", str(output), "--chunk-users", str(CHUNK_USERS), "--workers", "2"]
    return [*words, "--tracking", f"sqlite:///{output.parent}/mlflow.db", *more]


def descendants(process: int) -> list[int]:
    """Processes that a process started, and those that these did."""
    children: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(file.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
        children.setdefault(parent, []).append(int(file.parent.name))
    found, new = [], [process]
    while new:
        new = [child for one in new for child in children.get(one, [])]
        found += new
    return found


def is_worker(process: int) -> bool:
    """Whether it is a worker, and no tracker of resources."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return False
    return bool(re.search(r"popen_loky_posix|spawn_main", words))


def n_done(output: Path) -> int:
    """How many chunks are there."""
    return len(list((output / "users").glob("chunk-*.parquet")))


def has_ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_killed_coordinators_and_workers_lose_and_repeat_no_user(
    company: Company, expected: dict[str, Any], tmp_path: Path, backend: str
) -> None:
    """Killed at random moments, some of which lie within writes; no worker is left behind."""
    chance, output = random.Random(backend), tmp_path / "out"
    started: list[int] = []
    for kill in range(KILLS):
        process = subprocess.Popen(
            command(company, output, "--backend", backend), stderr=subprocess.DEVNULL
        )
        until = n_done(output) + chance.randint(1, 4)
        while n_done(output) < until:
            assert process.poll() is None
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.05))
        workers = [one for one in descendants(process.pid) if is_worker(one)]
        started += workers
        if kill % 2 and workers:
            os.kill(chance.choice(workers), signal.SIGKILL)
            time.sleep(chance.uniform(0, 0.2))
        process.kill()
        process.wait()
    done = subprocess.run(
        command(company, output, "--backend", backend), capture_output=True, text=True, check=True
    )
    assert f"{N_USERS} users: {N_USERS} trained" in done.stdout
    assert models(output) == expected
    assert not list(output.rglob("*.part"))
    end = time.monotonic() + 20
    while not all(map(has_ended, started)) and time.monotonic() < end:
        time.sleep(0.2)
    assert all(map(has_ended, started))


def test_a_user_who_ends_every_worker_of_a_dask_cluster_is_found(
    company: Company, expected: dict[str, Any], tmp_path: Path
) -> None:
    spoiled = company.copied(tmp_path / "spoiled")
    spoiled.change_user(spoiled.people, "u0000017", age=DEADLY_AGE)
    train_cohort(
        spoiled.folder, tmp_path / "out", backend="dask", n_workers=2, chunk_users=2, fit=fit_or_die
    )
    assert reasons(tmp_path / "out") == {"u0000017": "ended its worker"}
    trained = models(tmp_path / "out")
    assert trained.pop("u0000017")[0] == "refused"
    assert trained == {user: row for user, row in expected.items() if user != "u0000017"}


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A real scheduler with two real workers, processes of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    python = [sys.executable, "-m"]
    own = ["--no-dashboard"]
    words = [
        [*python, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)],
        *2 * [[*python, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]],
    ]
    processes = [
        subprocess.Popen([*one, *own], stderr=subprocess.DEVNULL, cwd=tmp_path) for one in words
    ]
    yield address, processes
    for process in processes:
        process.kill()
        process.wait()


def test_a_cluster_that_loses_a_worker_and_then_its_scheduler_loses_no_user(
    company: Company,
    expected: dict[str, Any],
    tmp_path: Path,
    scheduler: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    address, (leader, worker, _) = scheduler
    chunks = -(-N_USERS // CHUNK_USERS)

    def disturb(done: int, _chunks: int, _users: int) -> None:
        if done == chunks // 4:
            worker.kill()
        if done == chunks // 2:
            leader.kill()

    output = tmp_path / "out"
    with pytest.raises(DataSetError, match="stopped responding; run the same command again"):
        train_cohort(
            company.folder,
            output,
            backend="dask",
            scheduler=address,
            chunk_users=CHUNK_USERS,
            progress=disturb,
        )
    assert train_cohort(company.folder, output, backend="serial")["trained"] == N_USERS
    assert models(output) == expected
