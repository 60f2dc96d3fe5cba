"""Results of a cohort, with one Parquet file per chunk.

::

    manifest.json                the data, the population model and the number of chunks
    users/chunk-000017.parquet   one row per user: the result, and the personal model
    users/rest.parquet           users who are in no chunk or in two chunks
    refused.csv, summary.json    written when all users are done

Files are written atomically, so that all files are valid and belong to completed chunks, even if
the process is killed.
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

USER_COLUMNS = pa.schema(
    [
        ("user", pa.string()),
        ("status", pa.string()),  # trained or refused
        ("reason", pa.string()),  # category of the reason for the rejection
        (
            "detail",
            pa.string(),
        ),  # the invalid field and its accepted values, without the invalid value
        ("n_days", pa.int32()),
        ("n_meals", pa.int32()),
        ("population_rmse_mg_dl", pa.float64()),  # errors with each training day held out in turn
        ("personal_rmse_mg_dl", pa.float64()),
        ("helps", pa.bool_()),  # whether the personal model is more accurate and therefore used
        ("state", pa.binary()),  # PersonalModel.to_bytes
        ("sha256", pa.string()),  # hash of the column state
        ("base", pa.string()),  # version of the population model that the personal model corrects
    ]
)
"""Columns of the results, with one row per user."""

_REST = "rest"


def user_table(rows: Iterable[dict[str, Any]]) -> pa.Table:
    """Create a table with the columns `USER_COLUMNS`; values that a row lacks are null."""
    return pa.Table.from_pylist(list(rows), USER_COLUMNS)


def refused_row(user: str, reason: str, detail: str = "") -> dict[str, Any]:
    """Create the row of a rejected user, who does not get a model."""
    return {"user": user, "status": "refused", "reason": reason, "detail": detail}


@dataclass(frozen=True)
class CohortResults:
    """The folder with the results of a cohort."""

    folder: Path

    @contextmanager
    def claimed(self, manifest: dict[str, Any], *, restart: bool = False) -> Iterator[None]:
        """Lock the folder for this process, and check that its results match the manifest."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / ".lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DataSetError(
                    f"another process is writing to {self.folder}; wait until it ends, or choose"
                    " another folder"
                ) from None
            if restart:
                for name in ("manifest.json", "summary.json", "refused.csv"):
                    (self.folder / name).unlink(missing_ok=True)
                shutil.rmtree(self._users, ignore_errors=True)
            self._check(manifest)
            yield

    @property
    def manifest(self) -> dict[str, Any] | None:
        """Description of the data, model and chunks of the results; None in an empty folder."""
        return self._json("manifest.json")

    @property
    def summary(self) -> dict[str, Any] | None:
        """Counts of the whole cohort; None until all users are done."""
        return self._json("summary.json")

    @property
    def done(self) -> set[int]:
        """Numbers of the completed chunks."""
        return {int(file.stem[6:]) for file in self._users.glob("chunk-*.parquet")}

    def write_chunk(self, number: int, table: pa.Table) -> None:
        """Write the results of the users in a chunk."""
        self._write_table(self._users / f"chunk-{number:06d}.parquet", table)

    def write_rest(self, expected: Iterable[str]) -> None:
        """Write the results of users; reject those without data or in two partitions."""
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
        """Return a column of the results for all users processed so far."""
        return [value for (value,) in self._rows(name)]

    def write_summary(self, **more: Any) -> dict[str, Any]:
        """Count the results of all users, and write ``summary.json`` and ``refused.csv``."""
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
                raise DataSetError(
                    f"{self._users} contains files, but {self.folder} has no manifest.json; choose"
                    " another folder"
                )
            write_whole(self.folder / "manifest.json", _json(manifest))
        elif changed := sorted(key for key in manifest if manifest[key] != before.get(key)):
            raise DataSetError(
                f"{self.folder} contains the results of an earlier run, and these inputs have"
                f" changed since: {', '.join(changed)}; choose another folder, or use --restart to"
                " train all users again"
            )
        for left in [*self.folder.glob("*.part"), *self._users.glob("*.part")]:
            left.unlink()

    def _json(self, name: str) -> dict[str, Any] | None:
        path = self.folder / name
        try:
            return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        except ValueError as error:
            raise DataSetError(
                f"{path} is damaged; use --restart to train all users again"
            ) from error

    def _table(self, path: Path, *columns: str) -> pa.Table:
        try:
            return pq.read_table(
                path, columns=[*columns] or None, partitioning=None, page_checksum_verification=True
            )
        except (pa.ArrowException, OSError) as error:
            raise DataSetError(
                f"{path} is damaged; delete it and summary.json to train its users again"
            ) from error

    def _write_table(self, path: Path, table: pa.Table) -> None:
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
        write_whole(path, sink.getvalue())


def _json(values: dict[str, Any]) -> bytes:
    return (json.dumps(values, indent=1) + "\n").encode()
