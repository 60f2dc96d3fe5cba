"""``postmeal train cohort``: a company's users become models."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

__all__ = ["add_to"]

_LINE_EVERY_S = 10.0


def add_to(commands: Any) -> None:
    """Add the command's options."""
    parser = commands.add_parser("cohort", help="train a model for each user of a cohort")
    parser.add_argument(
        "folder", type=Path, help="holds people.parquet, readings/bucket=…/ and meals/bucket=…/"
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="folder of the results; goes on where it was"
    )
    parser.add_argument("--backend", default="loky", help="loky, dask or serial; default loky")
    parser.add_argument("--workers", type=int, help="processes; default all processors")
    parser.add_argument("--scheduler", help="address of a Dask scheduler; default one of its own")
    parser.add_argument("--chunk-users", type=int, help="users in one piece; default 500")
    parser.add_argument("--restart", action="store_true", help="drop what is there, train again")
    parser.add_argument("--model", type=Path, help="folder of the population model to correct")
    parser.add_argument("--tracking", help="where MLflow records the run; default var/mlflow.db")
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
    print(f", {summary['helped']} of them better served by their own model")
    for reason, n in summary["refused"].items():
        print(f"    {n} refused: {reason}")
    record(options.output, options.tracking or DEFAULT_TRACKING)
    print(
        f"models in {options.output / 'users'}, refused users in {options.output / 'refused.csv'}"
    )


@contextmanager
def _progress() -> Iterator[Callable[[int, int, int], None]]:
    """A bar on a terminal; elsewhere a line at the start, every ten seconds and at the end."""
    from tqdm import tqdm

    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    with tqdm(unit="chunk", disable=not is_terminal, dynamic_ncols=True) as bar:
        start, told = monotonic(), float("-inf")

        def tell(done: int, chunks: int, users: int) -> None:
            nonlocal told
            bar.total, bar.n = chunks, done
            bar.set_postfix(users=users, refresh=False)
            bar.refresh()
            passed = monotonic() - start
            if not is_terminal and (done == chunks or passed - told >= _LINE_EVERY_S):
                told = passed
                print(
                    f"{done} of {chunks} chunks, {users} users in {passed:.0f} s", file=sys.stderr
                )

        yield tell
