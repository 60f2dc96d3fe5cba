"""Benchmark of training a cohort in one process, on two loky workers and on two Dask workers."""

from __future__ import annotations

import argparse
import logging
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.comparison import Comparison
from postmeal.training.cohorts.train import train_cohort
from postmeal.training.synthetic.company import write_synthetic_cohort

__all__ = ["compare"]

_USERS, _DAYS, _ROUNDS, _WORKERS = 10_000, 14, 1, 2
_BACKENDS = {
    "serial": "one process",
    "loky": f"loky, {_WORKERS} workers",
    "dask": f"Dask, {_WORKERS} workers",
}


def compare(n_users: int = _USERS, n_rounds: int = _ROUNDS) -> Comparison:
    """Time the training of models for synthetic users on each backend, including worker startup."""
    rates: dict[str, list[float]] = {backend: [] for backend in _BACKENDS}
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        company = Path(folder) / "company"
        write_synthetic_cohort(company, n_users, n_days=_DAYS)
        for turn in range(n_rounds):
            for backend, measured in rates.items():
                output = Path(folder) / f"{backend} {turn}"
                done = train_cohort(company, output, backend=backend, n_workers=_WORKERS)
                measured.append(done["run_users"] / done["run_s"])
                refused += done["users"] - done["trained"]
    serial_rate = median(rates["serial"])
    return Comparison(
        f"training {n_users:,} synthetic users with {_DAYS} days each, median of {n_rounds} runs",
        ("users/s", "relative"),
        [
            (_BACKENDS[backend], f"{median(rate):,.0f}", f"{median(rate) / serial_rate:.2f}")
            for backend, rate in rates.items()
        ],
        [("every user has a model", not refused)],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cohort", description=__doc__)
    parser.add_argument(
        "--users", type=int, default=_USERS, help="number of users to train (default: %(default)s)"
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=_ROUNDS,
        help="number of runs on each backend (default: %(default)s)",
    )
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    print(compare(options.users, options.rounds))
