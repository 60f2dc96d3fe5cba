"""CohortResults: what became of each user, a Parquet file a chunk, safe from kills.

::

    manifest.json                what was trained, with which model, in how many chunks
    users/chunk-000017.parquet   one row a user: what became of them, and their model
    users/rest.parquet           users who belong to no chunk, or to two
    refused.csv, summary.json    once all is done

A file is there whole or not at all, so the files that are there are the chunks that are done.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from postmeal.errors import DataSetError
from postmeal.training.registry.atomic_file import write_whole

__all__ = ["USER_COLUMNS", "CohortResults", "refused_row", "user_table"]

USER_COLUMNS = pa.schema(
    [
        ("user", pa.string()),
        ("status", pa.string()),  # trained or refused
        ("reason", pa.string()),  # why refused, in few words; the same for all of one kind
        ("detail", pa.string()),  # the field at fault and what it accepts, no value
        ("n_days", pa.int32()),
        ("n_meals", pa.int32()),
        ("population_rmse_mg_dl", pa.float64()),  # on training days left out in turn
        ("personal_rmse_mg_dl", pa.float64()),
        ("helps", pa.bool_()),  # whether the latter is smaller: if not, it is not served
        ("state", pa.binary()),  # PersonalModel.to_bytes
        ("sha256", pa.string()),  # of the state
        ("base", pa.string()),  # the population model that it corrects
    ]
)
"""One row a user."""

_REST = "rest"


def user_table(rows: Iterable[dict[str, Any]]) -> pa.Table:
    """Make a table of `USER_COLUMNS`; what a row lacks is null."""
    return pa.Table.from_pylist(list(rows), USER_COLUMNS)


def refused_row(user: str, reason: str, detail: str = "") -> dict[str, Any]:
    """Make the row of a user who has no model."""
    return {"user": user, "status": "refused", "reason": reason, "detail": detail}


@dataclass(frozen=True)
class CohortResults:
    """The folder of results.

    Attributes
    ----------
    folder : path
        Where they are.
    """

    folder: Path

    @contextmanager
    def claimed(self, manifest: dict[str, Any], *, restart: bool = False) -> Iterator[None]:
        """Hold the folder, for this manifest and against every other process.

        Parameters
        ----------
        manifest : dict
            What is trained; what is there already must be of the same.
        restart : bool, default=False
            Remove what is there, whatever it is of.

        Raises
        ------
        DataSetError
            Another process holds the folder, or what is there is of other data, of another model
            or in other chunks.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / ".lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DataSetError(f"another process is training into {self.folder}") from None
            if restart:
                for name in ("manifest.json", "summary.json", "refused.csv"):
                    (self.folder / name).unlink(missing_ok=True)
                shutil.rmtree(self._users, ignore_errors=True)
            self._check(manifest)
            yield

    @property
    def manifest(self) -> dict[str, Any] | None:
        """What is trained, None in an empty folder."""
        return self._json("manifest.json")

    @property
    def summary(self) -> dict[str, Any] | None:
        """Counts of the whole cohort, None until all is done."""
        return self._json("summary.json")

    @property
    def done(self) -> set[int]:
        """Numbers of the chunks that are done."""
        return {int(file.stem[6:]) for file in self._users.glob("chunk-*.parquet")}

    def write_chunk(self, number: int, table: pa.Table) -> None:
        """Write what became of the users of a chunk."""
        self._write_table(self._users / f"chunk-{number:06d}.parquet", table)

    def write_rest(self, expected: Iterable[str]) -> None:
        """Refuse the users of whom nothing was found, and those that were found twice.

        Parameters
        ----------
        expected : iterable of str
            All users of ``people.parquet``.
        """
        rest = self._users / f"{_REST}.parquet"
        if not rest.exists():
            found = Counter(self.column("user"))
            twice = [user for user, n in found.items() if n > 1]
            rows = [refused_row(user, "no data") for user in sorted({*expected} - found.keys())]
            rows += [refused_row(user, "in two partitions") for user in sorted(twice)]
            self._write_table(rest, user_table(rows))
        users = self._table(rest, "user").column("user")
        for file in sorted(self._users.glob("chunk-*.parquet")):
            table = self._table(file)
            repeated = pc.is_in(table.column("user"), value_set=users.combine_chunks())
            if pc.any(repeated).as_py():
                self._write_table(file, table.filter(pc.invert(repeated)))

    def column(self, name: str) -> list[Any]:
        """Read one column of all users who are done."""
        return [value for (value,) in self._rows(name)]

    def write_summary(self, **more: Any) -> dict[str, Any]:
        """Count what became of all users, list the refused ones, and keep both.

        Parameters
        ----------
        **more
            Further entries of the summary.

        Returns
        -------
        dict
            ``users``, ``trained``, ``refused`` by reason, ``helped``, and the further entries.
        """
        refused, trained, helped = Counter[str](), 0, 0
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(("user", "reason", "detail"))
        for user, status, reason, detail, helps in self._rows(
            "user", "status", "reason", "detail", "helps"
        ):
            if status == "trained":
                trained, helped = trained + 1, helped + bool(helps)
            else:
                refused[reason] += 1
                lines.writerow((user, reason, detail))
        write_whole(self.folder / "refused.csv", text.getvalue().encode())
        users = trained + refused.total()
        by_reason = dict(sorted(refused.items()))
        summary = {"users": users, "trained": trained, "refused": by_reason, "helped": helped}
        summary |= more
        write_whole(self.folder / "summary.json", _json(summary))
        return summary

    @property
    def _users(self) -> Path:
        return self.folder / "users"

    def _rows(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        for file in sorted(self._users.glob("*.parquet")):
            table = self._table(file, *columns)
            yield from zip(*(table.column(name).to_pylist() for name in columns), strict=True)

    def _check(self, manifest: dict[str, Any]) -> None:
        before = self.manifest
        if before is None:
            self._users.mkdir(exist_ok=True)
            if any(self._users.iterdir()):
                raise DataSetError(f"{self._users} holds files but there is no manifest")
            write_whole(self.folder / "manifest.json", _json(manifest))
        elif changed := sorted(key for key in manifest if manifest[key] != before.get(key)):
            raise DataSetError(
                f"{self.folder} holds results of another run: {', '.join(changed)} changed "
                "since; give another folder, or restart to train everybody again"
            )
        for left in [*self.folder.glob("*.part"), *self._users.glob("*.part")]:
            left.unlink()

    def _json(self, name: str) -> dict[str, Any] | None:
        path = self.folder / name
        try:
            return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        except ValueError as error:
            raise DataSetError(f"{path} is damaged: restart to train everybody again") from error

    def _table(self, path: Path, *columns: str) -> pa.Table:
        try:
            return pq.read_table(
                path, columns=[*columns] or None, partitioning=None, page_checksum_verification=True
            )
        except (pa.ArrowException, OSError) as error:
            problem = "is damaged: remove it, and summary.json, to train its users again"
            raise DataSetError(f"{path} {problem}") from error

    def _write_table(self, path: Path, table: pa.Table) -> None:
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
        write_whole(path, sink.getvalue())


def _json(values: dict[str, Any]) -> bytes:
    return (json.dumps(values, indent=1) + "\n").encode()
