"""Read the data of a cohort: people, CGM readings and meals in Parquet files.

::

    people.parquet                        one row per user
    readings/bucket=0017/part-0.parquet   one row per CGM reading
    meals/bucket=0017/part-0.parquet      one row per food log entry

A bucket can have any name. It contains all data of a few hundred users, so that the data of a
million users is in a few thousand files. Folders ``user=…`` with a single user are also supported.
Folders with the same name in ``readings`` and ``meals`` form a partition. Each user must be in only
one partition.

The columns of people are ``user``, ``age``, ``sex``, ``height_cm``, ``weight_kg`` and, optionally,
``activity_level``, ``health_conditions`` and ``sensor``. The columns of readings are ``user``,
``utc_s``, ``utc_offset_s`` and ``glucose_mg_dl``. The columns of meals are ``user``, ``utc_s``,
``utc_offset_s`` and the `MACRONUTRIENTS`, which are null if unknown. A column ``time`` of
timestamps with a time zone can replace ``utc_s``. If it is the zone of the user, the column can
also replace ``utc_offset_s``.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from postmeal.errors import DataSetError
from postmeal.glucose.population.features import MACRONUTRIENTS

__all__ = ["Chunk", "CohortStore", "UserRecord"]

Array = NDArray[np.float64]

_MOMENT = ("utc_s", "utc_offset_s")
_READINGS = (*_MOMENT, "glucose_mg_dl")
_MEALS = (*_MOMENT, *MACRONUTRIENTS)
_PROFILE = ("age", "sex", "height_cm", "weight_kg", "activity_level", "health_conditions")


@dataclass(frozen=True)
class Chunk:
    """All users of some partitions, or some users of one partition, who are trained in one call."""

    number: int
    partitions: tuple[str, ...]
    share: int = 0  # the hashed IDs of the users, modulo `of`
    of: int = 1
    users: frozenset[str] | None = None

    def only(self, users: Iterable[str]) -> Chunk:
        """Return a copy of the chunk that is limited to the given users."""
        return replace(self, users=frozenset(users))

    def holds(self, user: str) -> bool:
        """Return whether a user of these partitions belongs to the chunk."""
        return (self.of == 1 or crc32(user.encode()) % self.of == self.share) and (
            self.users is None or user in self.users
        )


@dataclass(frozen=True, eq=False)
class UserRecord:
    """The stored data of a user, not yet validated."""

    user: str
    profiles: tuple[dict[str, Any], ...]
    sensor: str | None
    readings: Array  # utc_s, utc_offset_s, glucose_mg_dl
    meals: Array  # utc_s, utc_offset_s, `MACRONUTRIENTS`; sorted by time
    unreadable: str | None


@dataclass(frozen=True)
class CohortStore:
    """The folder of a cohort, with ``people.parquet``, ``readings`` and ``meals``."""

    folder: Path

    def fingerprint(self) -> str:
        """Return a hash of the names, sizes and modification times of all files of the cohort."""
        digest = hashlib.sha256()
        files = _files(self.folder / "people.parquet")
        for table in ("readings", "meals"):
            files += sorted((self.folder / table).glob("*/*.parquet"))
        for file in files:
            status = file.stat()
            name = file.relative_to(self.folder).as_posix()
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
        return digest.hexdigest()

    def users(self) -> list[str]:
        """Return the users in ``people.parquet``."""
        listed: list[str] = self._people().column("user").to_pylist()
        return listed

    def _people(self) -> Any:
        path = self.folder / "people.parquet"
        state = tuple((file, file.stat().st_mtime_ns) for file in _files(path))
        return _people(path, state)

    def chunks(self, n_users: int) -> list[Chunk]:
        """Divide the cohort into chunks, by combining or splitting partitions."""
        names: set[str] = set()
        for table in ("readings", "meals"):
            if (self.folder / table).is_dir():
                names |= {each.name for each in (self.folder / table).iterdir() if each.is_dir()}
        partitions = sorted(name for name in names if "=" in name)
        if not partitions:
            raise DataSetError(
                f"{self.folder} is not a cohort because it has no folder such as readings/bucket=0;"
                " a cohort contains people.parquet, readings/bucket=…/ and meals/bucket=…/"
            )
        in_one = max(1, math.ceil(len(self.users()) / len(partitions)))
        if shares := math.ceil(in_one / n_users) - 1:
            divided = [(name, share) for name in partitions for share in range(shares + 1)]
            return [Chunk(i, (name,), share, shares + 1) for i, (name, share) in enumerate(divided)]
        step = n_users // in_one
        starts = range(0, len(partitions), step)
        return [Chunk(i, tuple(partitions[at : at + step])) for i, at in enumerate(starts)]

    def users_of(self, chunk: Chunk) -> list[str]:
        """Return the users of a chunk, sorted within each partition."""
        return [record.user for record in self.read(chunk)]

    def read(self, chunk: Chunk) -> Iterator[UserRecord]:
        """Yield the records of a chunk, sorted by user within each partition."""
        for partition in chunk.partitions:
            readings, bad_readings = _by_user(self.folder, "readings", partition, _READINGS)
            meals, bad_meals = _by_user(self.folder, "meals", partition, _MEALS)
            users = sorted(filter(chunk.holds, readings.keys() | meals.keys()))
            profiles = _profiles(self._people(), users)
            for user in users:
                rows = profiles.get(user, [])
                eaten = meals.get(user, np.empty((0, len(_MEALS))))
                yield UserRecord(
                    user=user,
                    profiles=tuple(
                        {key: row[key] for key in row if key in _PROFILE} for row in rows
                    ),
                    sensor=rows[0].get("sensor") if rows else None,
                    readings=readings.get(user, np.empty((0, len(_READINGS)))),
                    meals=eaten[np.lexsort(eaten.T[::-1])],
                    unreadable=bad_readings or bad_meals,
                )


@lru_cache(maxsize=1)
def _people(path: Path, state: tuple[tuple[Path, int], ...]) -> Any:
    """Return all rows of ``people.parquet``, reading the file again if it has changed."""
    try:
        people = pa.concat_tables([_read(file) for file, _ in state], promote_options="default")
        user = people.column("user").cast(pa.string()).fill_null("")
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        reason = _first_line(error) if state else "it does not exist"
        raise DataSetError(f"{path} cannot be read: {reason}") from error
    return people.set_column(people.column_names.index("user"), "user", user)


def _profiles(people: Any, users: list[str]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    chosen = people.filter(pc.is_in(people.column("user"), value_set=pa.array(users, pa.string())))
    for row in chosen.to_pylist():
        optional = ("activity_level", "health_conditions", "sensor")
        known = {key: one for key, one in row.items() if one is not None or key not in optional}
        found.setdefault(known.pop("user"), []).append(known)
    return found


def _by_user(
    folder: Path, table: str, partition: str, columns: tuple[str, ...]
) -> tuple[dict[str, Array], str | None]:
    """Return the rows of each user in a partition, and the problem if a file cannot be read."""
    key, _, name = partition.partition("=")
    parts, problem = [], None
    for file in _files(folder / table / partition):
        try:
            content = _read(file, {"user", "time", *columns})
            parts.append(_part(content, columns, unquote(name) if key == "user" else None))
        except Exception as error:  # damaged files can cause any exception
            problem = f"{file.relative_to(folder).as_posix()}: {_first_line(error)}"
    if not parts:
        return {}, problem
    users = pa.chunked_array([user for user, _ in parts]).combine_chunks().dictionary_encode()
    codes = users.indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    rows = np.concatenate([row for _, row in parts])[order]
    first = np.flatnonzero(np.diff(codes[order], prepend=-1))
    names = users.dictionary.to_pylist()
    split = np.split(rows, first[1:])
    return dict(zip((names[code] for code in codes[order][first]), split, strict=True)), problem


def _part(table: Any, columns: tuple[str, ...], user: str | None) -> tuple[Any, Array]:
    """Return the user of each row of a file, and an array with the numbers in `columns`."""
    if user is None:
        if "user" not in table.column_names:
            raise ValueError("the column 'user', which names the user of each row, is missing")
        users = table.column("user").cast(pa.string()).combine_chunks().fill_null("")
    else:
        users = pa.array([user]).take(pa.array(np.zeros(len(table), np.int64)))
    moments = _moments(table)
    rows = np.empty((len(table), len(columns)))
    for at, column in enumerate(columns):
        if column in moments:
            rows[:, at] = moments[column]
        elif column in table.column_names:
            try:
                rows[:, at] = table.column(column).cast(pa.float64()).to_numpy()
            except pa.ArrowException as error:  # the message of this error contains a user's value
                raise ValueError(f"the column {column!r} must contain numbers") from error
        else:
            raise ValueError(f"the column {column!r} is missing")
    return users, rows


def _moments(table: Any) -> dict[str, Array]:
    """Convert a column ``time``, if there is one, to times and UTC offsets in seconds."""
    if "time" not in table.column_names:
        return {}
    time = table.column("time")
    if not pa.types.is_timestamp(time.type) or time.type.tz is None:
        raise ValueError("the column 'time' must contain timestamps with a time zone")
    utc_s = _seconds(time)
    if "utc_offset_s" in table.column_names:
        return {"utc_s": utc_s}
    return {"utc_s": utc_s, "utc_offset_s": _seconds(pc.local_timestamp(time)) - utc_s}


def _seconds(time: Any) -> Array:
    microseconds = time.cast(pa.timestamp("us", time.type.tz), safe=False).cast(pa.int64())
    return np.asarray(microseconds.cast(pa.float64()).to_numpy() / 1e6)


def _read(file: Path, columns: set[str] | None = None) -> Any:
    with pq.ParquetFile(file, page_checksum_verification=True) as parquet:
        names = parquet.schema_arrow.names
        wanted = [name for name in names if columns is None or name in columns]
        return parquet.read(wanted, use_threads=False)


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("*.parquet")) if path.is_dir() else [path] if path.exists() else []


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:120] if str(error) else type(error).__name__
