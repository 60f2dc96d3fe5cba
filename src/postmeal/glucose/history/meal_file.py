"""Reader for CSV files of meals, for use with the readings of a CGM export.

The columns are ``time,meal``, with meals in plain English, quoted or not::

    time,meal
    2026-05-01T08:00,"1 cup oatmeal, 1 banana"

Alternatively, the columns are ``time`` and amounts in grams. Amounts other than carbohydrate can be
omitted or empty::

    time,carbs_g,fiber_g,protein_g,fat_g
    2026-05-01T08:00,62,8,7,

Rows that cannot be read are skipped and reported, as in CGM exports. Rows with amounts that are
assumed or words that are not understood are read and reported.
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
from postmeal.foods.language import MealReading, parse_meal, read_meal
from postmeal.foods.language.countries import country_code
from postmeal.glucose.history.exports.dates import missing_date
from postmeal.glucose.history.exports.descriptions import describe_text
from postmeal.glucose.history.exports.other_apps import recognize_app
from postmeal.glucose.history.exports.rows import first_lines, number, rows, separator
from postmeal.glucose.history.exports.text import read_text
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.repeated_rows import SkippedRow, raise_if_asked, repeated_foods
from postmeal.glucose.history.wall_clock import moments_of, zone_of
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
        Rows that could not be read or are not certain, in the order of the file.
    assumed : tuple of SkippedRow
        Rows that were read, but with amounts that are assumed or words that are not understood,
        in the order of the file. The reason names them.
    """

    meals: MealHistory
    has_offsets: bool
    skipped: tuple[SkippedRow, ...] = ()
    assumed: tuple[SkippedRow, ...] = ()


def read_meals(
    path: str | Path,
    catalog: Catalog | None = None,
    zone: tzinfo | str | None = None,
    *,
    errors: str = "report",
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
    errors : {"report", "raise"}, default="report"
        Whether rows that cannot be read or are not certain are listed in `MealFile.skipped`, or
        raise an error. A row that repeats the time and the amounts of an earlier row is not
        certain, and neither is a time that clocks skip when they are set forward. With
        ``"raise"``, a meal in plain English must also be read without a guess; see
        `postmeal.foods.language.parse_meal`.
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
        The header is not supported; the file does not contain a readable meal; a row is skipped
        and `errors` is ``"raise"``; only some times have an offset and no zone is given; or the
        zone or the country is unknown.
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
    def parsed_meal(text: str) -> tuple[Grams, str]:
        return _read(text, catalog or Catalog.open(), country, is_strict=errors == "raise")

    def entry(fields: list[str] | None, where: str) -> tuple[datetime, Grams, str]:
        if fields is None:
            raise InputError(where, "must not contain a quote that is not closed")
        time = _parse_time(fields[0], where)
        if gram_columns is not None:
            return time, _parse_grams(gram_columns, fields[1:], where), ""
        meal = f"{delimiter} ".join(fields[1:])  # unquoted meals can contain the delimiter
        try:
            return time, *parsed_meal(meal)
        except InputError as error:
            raise error.within(where) from None

    lines: list[int] = []
    entries: list[tuple[datetime, Grams]] = []
    skipped: list[SkippedRow] = []
    assumed: list[SkippedRow] = []
    for line, fields in parsed:
        where = f"{path.name}, line {line}"
        try:
            time, grams, told = entry(fields, where)
            entries.append((time, grams))
            lines.append(line)
            assumed += [SkippedRow(line, told)] if told else []
        except InputError as error:
            if errors == "raise":
                raise
            skipped.append(SkippedRow(line, str(error).removeprefix(where).lstrip(":, ")))
    if not entries:
        raise _no_meal(path.name, skipped)
    meals, not_certain = _certain_meals(path.name, entries, lines, zone)
    skipped = sorted(skipped + not_certain)
    raise_if_asked(errors, skipped, lambda line: f"{path.name}, line {line}")
    if not len(meals):
        raise _no_meal(path.name, skipped)
    has_offsets = zone is not None or entries[0][0].tzinfo is not None
    return MealFile(meals, has_offsets, tuple(skipped), tuple(assumed))


def _read(
    text: str, catalog: Catalog, country: str | None, *, is_strict: bool
) -> tuple[Grams, str]:
    """Return the amounts of a meal in plain English, and what was assumed."""
    reading = read_meal(text, catalog, country=country)
    if is_strict or not reading.detections:
        parse_meal(text, catalog, country=country)
    foods = [detection.selection for detection in reading.detections]
    grams = food_macronutrients(foods, CARB_WEIGHTS).sum(axis=0).tolist()
    return tuple(grams), _assumed(reading)


def _assumed(reading: MealReading) -> str:
    """Return what was assumed for a meal, or an empty string."""
    told = [
        f"{one.selection.weight_g or 0:.0f} g of {one.selection.food.name} assumed"
        for one in reading.detections
        if not one.amount_said
    ]
    told += [f"{said!r} not understood" for said in reading.unread]
    return ", ".join(told)


def _certain_meals(
    name: str, entries: list[tuple[datetime, Grams]], lines: list[int], zone: tzinfo | None
) -> tuple[MealHistory, list[SkippedRow]]:
    """Return the meals, and the rows that are repeated or have a time that does not exist."""
    times, amounts = zip(*entries, strict=True)
    if len({time.tzinfo is None for time in times}) == 2 and zone is None:
        raise InputError(
            "zone",
            "is required because some times have no UTC offset; pass the time zone of the meals",
        )
    utc_s, utc_offset_s = moments_of(times, zone, name)
    content = np.array(amounts)
    repeated = repeated_foods(utc_s, content, lines)
    keep = np.setdiff1d(np.arange(len(entries)), [*repeated])
    meals = MealHistory.of(utc_s[keep], utc_offset_s[keep], content[keep])
    skipped = [SkippedRow(lines[row], reason) for row, (reason, _) in repeated.items()]
    return meals if zone is None else meals.in_zone(zone), skipped


def _no_meal(name: str, skipped: list[SkippedRow]) -> InputError:
    problem = "must contain a readable meal"
    if skipped:
        line, reason = skipped[0]
        problem += f"; all {len(skipped)} rows were skipped, for example line {line}: {reason}"
    return InputError(name, problem)


def _gram_columns(
    file_name: str, names: list[str] | None, text: str, delimiter: str
) -> list[str] | None:
    """Return the names of the columns with amounts, or None if the file contains meal texts."""
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
