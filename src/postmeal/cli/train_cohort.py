"""``postmeal train cohort``: train a personal model for every user of a cohort."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from postmeal.cli.arguments import whole_number

_LOG_INTERVAL_S = 10.0


def add_to(commands: Any) -> None:
    """Add ``postmeal train cohort`` to the commands of ``postmeal train``."""
    parser = commands.add_parser("cohort", help="train a personal model for each user of a cohort")
    parser.add_argument(
        "folder",
        type=Path,
        help="folder of the cohort, with people.parquet, readings/bucket=…/ and meals/bucket=…/",
    )
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        help="folder for the results; rerun with the same folder to resume an interrupted run",
    )
    parser.add_argument(
        "--backend", default="loky", help="parallel backend: loky, dask or serial (default: loky)"
    )
    parser.add_argument(
        "--workers",
        type=whole_number(least=1),
        help="number of worker processes (default: one per CPU)",
    )
    parser.add_argument(
        "--scheduler", help="address of a Dask scheduler (default: start a local cluster)"
    )
    parser.add_argument(
        "--chunk-users", type=whole_number(least=1), help="number of users per chunk (default: 500)"
    )
    parser.add_argument(
        "--restart", action="store_true", help="delete existing results and start again"
    )
    parser.add_argument(
        "--model",
        type=Path,
        help="folder of the population model to personalize (default: the shipped model)",
    )
    parser.add_argument("--tracking", help="MLflow tracking URI (default: sqlite:///var/mlflow.db)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from postmeal.glucose.predictor import Predictor
    from postmeal.training.cohorts.report import record
    from postmeal.training.cohorts.train import train_cohort
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING

    with _progress() as progress:
        summary = train_cohort(
            options.folder,
            options.output,
            predictor=Predictor.load(options.model),
            backend=options.backend,
            n_workers=options.workers,
            scheduler=options.scheduler,
            chunk_users=options.chunk_users,
            restart=options.restart,
            progress=progress,
        )
    print(f"{summary['users']} users: {summary['trained']} trained", end="")
    print(f"; the personal model is more accurate for {summary['helped']} of them")
    for reason, n in summary["refused"].items():
        print(f"    {n} rejected: {reason}")
    record(options.output, options.tracking or DEFAULT_TRACKING)
    print(
        f"wrote models to {options.output / 'users'}"
        f" and rejected users to {options.output / 'refused.csv'}"
    )


@contextmanager
def _progress() -> Iterator[Callable[[int, int, int], None]]:
    """Yield a function that shows progress: a bar on a terminal, or a line every ten seconds."""
    from tqdm import tqdm

    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    with tqdm(unit="chunk", disable=not is_terminal, dynamic_ncols=True) as bar:
        start, last_printed = monotonic(), float("-inf")

        def update(done: int, chunks: int, users: int) -> None:
            nonlocal last_printed
            bar.total, bar.n = chunks, done
            bar.set_postfix(users=users, refresh=False)
            bar.refresh()
            elapsed = monotonic() - start
            is_due = done == chunks or elapsed - last_printed >= _LOG_INTERVAL_S
            if not is_terminal and is_due:
                last_printed = elapsed
                print(
                    f"{done} of {chunks} chunks, {users} users in {elapsed:.0f} s", file=sys.stderr
                )

        yield update
