"""A file of meals, as people keep it beside a CGM export: a time and what was eaten.

``time,meal`` in plain English, quoted or not::

    time,meal
    2026-05-01T08:00,"1 cup oatmeal, 1 banana"

or ``time`` with grams, of which all but carbohydrate may be left out or empty::

    time,carbs_g,fiber_g,protein_g,fat_g
    2026-05-01T08:00,62,8,7,

Rows that are not understood are skipped and reported, as those of exports are.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import parse_meal
from postmeal.glucose.history.exports.export import SkippedRow
from postmeal.glucose.history.exports.looks import look_of
from postmeal.glucose.history.exports.other_apps import app_of
from postmeal.glucose.history.exports.rows import first_lines, number, rows, separator
from postmeal.glucose.history.exports.text import read_text
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.wall_clock import moment_of, zone_of
from postmeal.glucose.population.features import MACRONUTRIENTS, food_macronutrients

__all__ = ["MealFile", "read_meals"]

_HEADERS = ("time,meal", ",".join(("time", *MACRONUTRIENTS)))
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")

Grams = tuple[float, ...]


class MealFile(NamedTuple):
    """What a file of meals holds.

    Attributes
    ----------
    eaten : MealHistory
        The meals, one entry a row.
    has_offsets : bool
        Whether moments are exact: the times carry offsets, or a zone was given.
    skipped : tuple of SkippedRow
        Rows that are not understood, in the order of the file.
    """

    eaten: MealHistory
    has_offsets: bool
    skipped: tuple[SkippedRow, ...] = ()


def read_meals(
    path: str | Path,
    catalog: Catalog | None = None,
    zone: tzinfo | str | None = None,
    *,
    strict: bool = False,
) -> MealFile:
    """Read a file of meals.

    Parameters
    ----------
    path : str or Path
        A CSV file with a header ``time,meal`` or ``time,carbs_g,fiber_g,protein_g,fat_g``.
    catalog : Catalog, optional
        The foods that may be named; the shipped ones when omitted.
    zone : tzinfo or str, optional
        The eater's zone, such as ``"Europe/Berlin"``, in which times without an offset are read.
        Without it such a clock is taken for UTC, as in
        `postmeal.glucose.history.exports.read_export`.
    strict : bool, default=False
        Whether a row that is not understood refuses the file, instead of being skipped.

    Returns
    -------
    MealFile
        The meals, and the rows that were skipped.

    Raises
    ------
    InputError
        The file is not such a file, or holds no meal that can be read. With `strict`, a row
        cannot be read; the error names its line. Or some times carry an offset and some do not,
        and no zone is given; or there is no such zone.
    OSError
        The file cannot be opened.
    """
    zone = zone_of(zone)
    text = read_text(Path(path), _HEADERS)
    if not text.strip():
        raise InputError("meals", "must not be empty")
    by = separator(first_lines(text, 1)[0])
    parsed = rows(text, by)
    _, names = next(parsed, (1, None))
    grams = _grams_of(names, text, by)

    @lru_cache
    def parsed_meal(text: str) -> Grams:
        foods = parse_meal(text, catalog or Catalog.open())
        return tuple(food_macronutrients(foods).sum(axis=0).tolist())

    def entry(fields: list[str] | None, where: str) -> tuple[datetime, Grams]:
        if fields is None:
            raise InputError(where, "must close its quotes")
        time = _time(fields[0], where)
        if grams is not None:
            return time, _grams(grams, fields[1:], where)
        meal = f"{by} ".join(fields[1:])  # a meal of several foods may stand without quotes
        try:
            return time, parsed_meal(meal)
        except InputError as error:
            problem = f"{error.field} {error.problem}"
            raise InputError(f"{where}:", problem, meal, allowed=error.allowed) from None

    entries: list[tuple[datetime, Grams]] = []
    skipped: list[SkippedRow] = []
    for line, fields in parsed:
        where = f"meals, line {line}"
        try:
            entries.append(entry(fields, where))
        except InputError as error:
            if strict:
                raise
            skipped.append(SkippedRow(line, str(error).removeprefix(where).lstrip(":, ")))
    if not entries:
        problem = "must hold a meal that can be read"
        if skipped:
            problem += f": {len(skipped)} skipped, line {skipped[0].line}: {skipped[0].reason}"
        raise InputError("meals", problem)
    if len({time.tzinfo is None for time, _ in entries}) == 2 and zone is None:
        raise InputError("zone", "must be given: some meals have a time without an offset")
    moments = np.array([moment_of(time, zone) for time, _ in entries])
    eaten = MealHistory.of(
        moments[:, 0], moments[:, 1], [content for _, content in entries], "meals"
    )
    if zone is not None:
        eaten = eaten.in_zone(zone)
    has_offsets = zone is not None or entries[0][0].tzinfo is not None
    return MealFile(eaten, has_offsets, tuple(skipped))


def _grams_of(names: list[str] | None, text: str, by: str) -> list[str] | None:
    """Find the columns of grams, None where meals are told in English.

    Raises
    ------
    InputError
        The header is none of the accepted ones.
    """
    header = [name.lower() for name in names or ()]
    if header == ["time", "meal"]:
        return None
    is_known = header[:2] == ["time", MACRONUTRIENTS[0]] and {*header[1:]} <= {*MACRONUTRIENTS}
    if is_known and len({*header}) == len(header):
        return header[1:]
    problem = "must be one of"
    if app := app_of(text):
        problem = f"is an export of {app}, which is not supported; it must be one of"
    elif text.lstrip()[:1] in "[{<" and text.strip():
        problem = f"is {look_of(text)}; it must be one of"
    raise InputError("meals, line 1", problem, by.join(names or header), allowed=_HEADERS)


def _time(text: str, where: str) -> datetime:
    try:
        if not _TIME.fullmatch(text):
            raise ValueError(text)
        return datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{where}, time", "must be as 2026-05-01T08:00", text) from None


def _grams(names: list[str], fields: list[str], where: str) -> Grams:
    """Grams in the order of `MACRONUTRIENTS`, NaN where the field is empty or absent."""
    if len(fields) > len(names):
        raise InputError(where, f"must have {len(names) + 1} fields", len(fields) + 1)
    given = dict(zip(names, fields, strict=False))
    found = []
    for name in MACRONUTRIENTS:
        text = given.get(name, "")
        grams = number(text) if text else math.nan
        if grams is None or grams < 0:
            raise InputError(f"{where}, {name}", "must be grams from 0", text)
        found.append(grams)
    return tuple(found)
