"""A company with users to train: its files, ways to damage them, and the results of a run."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_personal
from postmeal.training.cohorts.results import CohortResults
from postmeal.training.synthetic.company import write_synthetic_cohort

DEADLY_AGE = 99.0
Row = dict[str, Any]


@dataclass(frozen=True)
class Company:
    """The folder of a cohort."""

    folder: Path

    @classmethod
    def founded(cls, folder: Path, n_users: int = 40, n_days: int = 6) -> Company:
        """Create a company with four users per bucket."""
        write_synthetic_cohort(folder, n_users, n_days=n_days, users_per_bucket=4)
        return cls(folder)

    def copied(self, folder: Path) -> Company:
        return Company(Path(shutil.copytree(self.folder, folder)))

    def part(self, table: str, bucket: int) -> Path:
        return self.folder / table / f"bucket={bucket:04d}" / "part-0.parquet"

    def change(self, path: Path, change: Callable[[list[Row]], list[Row]]) -> None:
        """Rewrite the rows of a Parquet file and keep its columns."""
        table = pq.read_table(path, partitioning=None)
        rows = change(table.to_pylist())
        pq.write_table(pa.Table.from_pylist(rows, table.schema), path)

    def change_user(self, path: Path, user: str, **values: Any) -> None:
        """Replace values in all rows of a user."""
        self.change(
            path, lambda rows: [{**r, **(values if r["user"] == user else {})} for r in rows]
        )

    @property
    def people(self) -> Path:
        return self.folder / "people.parquet"


def models(output: Path) -> dict[str, tuple[Any, ...]]:
    """Return the result of each user; fail if a user has two rows."""
    table = pq.read_table(output / "users", partitioning=None)
    rows = list(zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True))
    found = {row[0]: row[1:] for row in rows}
    assert len(found) == len(rows)
    return found


def reasons(output: Path) -> dict[str, str]:
    """Return the reason for each rejected user."""
    results = CohortResults(output)
    told = zip(results.column("user"), results.column("reason"), strict=True)
    return {user: reason for user, reason in told if reason is not None}


def fit_or_die(*arguments: Any, **options: Any) -> PersonalModel:
    """Train a model, but kill the process if the person has a specific age."""
    if arguments[1].age == DEADLY_AGE:
        os.kill(os.getpid(), signal.SIGKILL)
    return fit_personal(*arguments, **options)


@dataclass(frozen=True)
class FitAndDieOnce:
    """Trains models, but kills the first process that trains a person with a specific age."""

    mark: Path

    def __call__(self, *arguments: Any, **options: Any) -> PersonalModel:
        if arguments[1].age == DEADLY_AGE:
            try:
                self.mark.touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return fit_personal(*arguments, **options)
