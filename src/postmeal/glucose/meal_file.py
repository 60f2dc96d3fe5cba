"""A file of meals, as people keep it beside a CGM export: a time and what was eaten.

``time,meal`` in plain English, quoted or not::

    time,meal
    2026-05-01T08:00,"1 cup oatmeal, 1 banana"

or ``time`` with grams, of which all but carbohydrate may be left out or empty::

    time,carbs_g,fiber_g,protein_g,fat_g
    2026-05-01T08:00,62,8,7,
"""

from __future__ import annotations

import math
import re
from datetime import datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import parse_meal
from postmeal.glucose.clock import moment_of, zone_of
from postmeal.glucose.eaten import Eaten
from postmeal.glucose.exports.text import first_lines, number, read_text, rows, separator
from postmeal.glucose.features import MACRONUTRIENTS, food_macronutrients

__all__ = ["MealFile", "read_meals"]

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")

Grams = tuple[float, ...]


class MealFile(NamedTuple):
    """What a file of meals holds.

    Attributes
    ----------
    eaten : Eaten
        The meals, one entry a row.
    has_offsets : bool
        Whether moments are exact: the times carry offsets, or a zone was given.
    """

    eaten: Eaten
    has_offsets: bool


def read_meals(
    path: str | Path, catalog: Catalog | None = None, zone: tzinfo | str | None = None
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
        Without it such a clock is taken for UTC, as `postmeal.glucose.exports.read_export` does.

    Returns
    -------
    MealFile
        The meals.

    Raises
    ------
    InputError
        A row cannot be read; the error names its line. Or some times carry an offset and some
        do not, and no zone is given; or there is no such zone.
    OSError
        The file cannot be opened.
    """
    zone = zone_of(zone)
    text = read_text(Path(path))
    if not text.strip():
        raise InputError("meals", "must not be empty")
    by = separator(first_lines(text, 1)[0])
    parsed = rows(text, by)
    _, names = next(parsed, (1, None))
    header = [name.lower() for name in names or ()]
    grams = header[:2] == ["time", MACRONUTRIENTS[0]] and {*header[1:]} <= {*MACRONUTRIENTS}
    grams = grams and len({*header}) == len(header)
    if not grams and header != ["time", "meal"]:
        allowed = ("time,meal", ",".join(("time", *MACRONUTRIENTS)))
        raise InputError("meals, line 1", "must be one of", by.join(header), allowed=allowed)

    @lru_cache
    def parsed_meal(text: str) -> Grams:
        foods = parse_meal(text, catalog or Catalog.open())
        return tuple(food_macronutrients(foods).sum(axis=0).tolist())

    moments, content, offsets = [], [], set()
    for line, fields in parsed:
        where = f"meals, line {line}"
        if fields is None:
            raise InputError(where, "must close its quotes")
        time = _time(fields[0], where)
        offsets.add(time.tzinfo is not None)
        moments.append(moment_of(time, zone))
        if grams:
            content.append(_grams(header[1:], fields[1:], where))
            continue
        meal = f"{by} ".join(fields[1:])  # a meal of several foods may stand without quotes
        try:
            content.append(parsed_meal(meal))
        except InputError as error:
            problem = f"{error.field} {error.problem}"
            raise InputError(f"{where}:", problem, meal, allowed=error.allowed) from None
    if len(offsets) == 2 and zone is None:
        raise InputError("zone", "must be given: some meals have a time without an offset")
    utc_s = [utc_s for utc_s, _ in moments]
    eaten = Eaten.of(utc_s, [offset_s for _, offset_s in moments], content, "meals")
    if zone is not None:
        eaten = eaten.in_zone(zone)
    return MealFile(eaten, has_offsets=zone is not None or True in offsets)


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
