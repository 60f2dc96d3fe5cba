"""Reader for CSV files of meals, for use with the readings of a CGM export.

The columns are ``time,meal``, with meals in plain English, quoted or not::

    time,meal
    2026-05-01T08:00,"1 cup oatmeal, 1 banana"

Alternatively, the columns are ``time`` and amounts in grams. Amounts other than carbohydrate can be
omitted or empty::

    time,carbs_g,fiber_g,protein_g,fat_g
    2026-05-01T08:00,62,8,7,

Rows that cannot be read are skipped and reported, as in CGM exports.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from postmeal.arguments import path_of
from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import parse_meal
from postmeal.foods.language.countries import country_code
from postmeal.glucose.history.exports.dates import missing_date
from postmeal.glucose.history.exports.descriptions import describe_text
from postmeal.glucose.history.exports.export import SkippedRow
from postmeal.glucose.history.exports.other_apps import recognize_app
from postmeal.glucose.history.exports.rows import first_lines, number, rows, separator
from postmeal.glucose.history.exports.text import read_text
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.wall_clock import moment_of, zone_of
from postmeal.glucose.population.carbohydrate_kind import CARB_WEIGHTS
from postmeal.glucose.population.features import MACRONUTRIENTS, food_macronutrients

__all__ = ["MealFile", "read_meals"]

_HEADERS = ("time,meal", ",".join(("time", *MACRONUTRIENTS)))
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")

Grams = tuple[float, ...]


class MealFile(NamedTuple):
    """Content of a meal file.

    Attributes
    ----------
    meals : MealHistory
        The meals, one entry per row.
    has_offsets : bool
        Whether times are exact, because the file contains offsets or a zone was given.
    skipped : tuple of SkippedRow
        Rows that could not be read, in the order of the file.
    """

    meals: MealHistory
    has_offsets: bool
    skipped: tuple[SkippedRow, ...] = ()


def read_meals(
    path: str | Path,
    catalog: Catalog | None = None,
    zone: tzinfo | str | None = None,
    *,
    strict: bool = False,
    country: str | None = None,
) -> MealFile:
    """Read a CSV file of meals.

    Parameters
    ----------
    path : str or Path
        A CSV file with the header ``time,meal`` or ``time,carbs_g,fiber_g,protein_g,fat_g``.
    catalog : Catalog, optional
        The food catalog. Defaults to the shipped catalog.
    zone : tzinfo or str, optional
        Time zone of times without an offset, such as ``"Europe/Berlin"``. When omitted, they are
        treated as UTC, as in `postmeal.glucose.history.exports.read_export`.
    strict : bool, default=False
        Whether to raise an error for an unreadable row instead of skipping it.
    country : str, optional
        Country where the meals were eaten, as an ISO 3166-1 alpha-2 code such as ``"LA"``; see
        `postmeal.foods.language.parse_meal`.

    Returns
    -------
    MealFile
        The meals and the skipped rows.

    Raises
    ------
    InputError
        The header is not supported; the file does not contain a readable meal; a row cannot be
        read and `strict` is True; only some times have an offset and no zone is given; or the zone
        or the country is unknown.
    OSError
        The file cannot be opened.
    """
    zone = zone_of(zone)
    country_code(country)
    path = path_of("path", path)
    text = read_text(path, _HEADERS)
    if not text.strip():
        raise InputError(path.name, "must not be empty")
    delimiter = separator(first_lines(text, 1)[0])
    parsed = rows(text, delimiter)
    _, names = next(parsed, (1, None))
    gram_columns = _gram_columns(path.name, names, text, delimiter)

    @lru_cache
    def parsed_meal(text: str) -> Grams:
        foods = parse_meal(text, catalog or Catalog.open(), country=country)
        return tuple(food_macronutrients(foods, CARB_WEIGHTS).sum(axis=0).tolist())

    def entry(fields: list[str] | None, where: str) -> tuple[datetime, Grams]:
        if fields is None:
            raise InputError(where, "must not contain a quote that is not closed")
        time = _parse_time(fields[0], where)
        if gram_columns is not None:
            return time, _parse_grams(gram_columns, fields[1:], where)
        meal = f"{delimiter} ".join(fields[1:])  # unquoted meals can contain the delimiter
        try:
            return time, parsed_meal(meal)
        except InputError as error:
            raise error.within(where) from None

    entries: list[tuple[datetime, Grams]] = []
    skipped: list[SkippedRow] = []
    for line, fields in parsed:
        where = f"{path.name}, line {line}"
        try:
            entries.append(entry(fields, where))
        except InputError as error:
            if strict:
                raise
            skipped.append(SkippedRow(line, str(error).removeprefix(where).lstrip(":, ")))
    if not entries:
        raise _no_meal(path.name, skipped)
    if len({time.tzinfo is None for time, _ in entries}) == 2 and zone is None:
        raise InputError(
            "zone",
            "is required because some times have no UTC offset; pass the time zone of the meals",
        )
    moments = np.array([moment_of(time, zone) for time, _ in entries])
    meals = MealHistory.of(
        moments[:, 0], moments[:, 1], [content for _, content in entries], "meals"
    )
    if zone is not None:
        meals = meals.in_zone(zone)
    has_offsets = zone is not None or entries[0][0].tzinfo is not None
    return MealFile(meals, has_offsets, tuple(skipped))


def _no_meal(name: str, skipped: list[SkippedRow]) -> InputError:
    problem = "must contain a readable meal"
    if skipped:
        line, reason = skipped[0]
        problem += f"; all {len(skipped)} rows were skipped, for example line {line}: {reason}"
    return InputError(name, problem)


def _gram_columns(
    file_name: str, names: list[str] | None, text: str, delimiter: str
) -> list[str] | None:
    """Return the names of the columns with amounts, or None if the file contains meal texts.

    Raises
    ------
    InputError
        The header is not supported.
    """
    header = [name.lower() for name in names or ()]
    if header == ["time", "meal"]:
        return None
    is_supported = header[:2] == ["time", MACRONUTRIENTS[0]] and {*header[1:]} <= {*MACRONUTRIENTS}
    if is_supported and len({*header}) == len(header):
        return header[1:]
    place, accepted = f"{file_name}, line 1", "must list one of these sets of columns"
    problem = accepted
    if app := recognize_app(text):
        problem = f"is from an export of {app}, which is not supported; it {accepted}"
    elif text.lstrip()[:1] in "[{<" and text.strip():
        problem = f"is from {describe_text(text)}; it {accepted}"
    raise InputError(place, problem, delimiter.join(names or header), allowed=_HEADERS)


def _parse_time(text: str, where: str) -> datetime:
    try:
        if not _TIME.fullmatch(text):
            raise ValueError(text)
        return datetime.fromisoformat(text)
    except ValueError:
        field, problem = f"{where}, time", "must be in a format such as 2026-05-01T08:00"
        if order := missing_date(text):
            problem = f"has a date that does not exist in the calendar (read as {order})"
        raise InputError(field, problem, text) from None


def _parse_grams(names: list[str], fields: list[str], where: str) -> Grams:
    """Return the amounts of `MACRONUTRIENTS` in grams, NaN for empty and missing fields."""
    if len(fields) > len(names):
        raise InputError(where, f"must have {len(names) + 1} fields", len(fields) + 1)
    row = dict(zip(names, fields, strict=False))
    amounts = []
    for name in MACRONUTRIENTS:
        text = row.get(name, "")
        grams = number(text) if text else math.nan
        if grams is None:
            raise InputError(f"{where}, {name}", "must be a number of grams without a unit", text)
        if grams < 0:
            raise InputError(f"{where}, {name}", "must be 0 g or more", text)
        amounts.append(grams)
    return tuple(amounts)
