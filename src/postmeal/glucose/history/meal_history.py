"""Meals of a person, and the CGM readings after them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.arguments import check_type
from postmeal.errors import InputError
from postmeal.foods.food import Meal, Selection
from postmeal.glucose.history.cgm_trace import CgmTrace, time_columns
from postmeal.glucose.history.wall_clock import moment_of, zone_of, zone_offset_s
from postmeal.glucose.population.carbohydrate_kind import CARB_WEIGHTS
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import MACRONUTRIENTS, fill_unknown, food_macronutrients
from postmeal.glucose.population.meal_limits import MAX_CARBS_G, check_meal

__all__ = ["MealHistory", "Responses", "credible_entries", "isolated", "meal_numbers", "responses"]

Array = NDArray[np.float64]

_SAME_MEAL_S = 15 * 60
_ISOLATED_S = 2 * 3600
_NEXT_MEAL_MARGIN_MIN = 5.0
_MIN_KCAL = 5.0
_KCAL_PER_G = np.array([4.0, 0.0, 4.0, 9.0])


@dataclass(frozen=True, eq=False)
class MealHistory:
    """Meals and foods that a person has eaten, with their times.

    Attributes
    ----------
    utc_s : ndarray of shape (n_entries,)
        Seconds since 1970-01-01T00:00Z, in any order.
    utc_offset_s : ndarray of shape (n_entries,)
        UTC offset of the person's local time at each entry, in seconds; NaN if the local time is
        unknown. The entry then belongs to its day in UTC, and its hour is not used.
    macronutrients : ndarray of shape (n_entries, 4)
        Amounts of `postmeal.glucose.population.features.MACRONUTRIENTS` in grams, NaN if unknown.
        If the foods are known, their carbohydrate is weighted by its kind. Entries with unknown
        carbohydrate are not used for training; other unknown amounts are replaced by
        `postmeal.glucose.population.features.fill_unknown`.
    is_credible : ndarray of bool of shape (n_entries,)
        False for entries that belong to an implausibly large meal; see
        `postmeal.glucose.population.meal_limits`. These entries are not used for training and are
        not counted as food on a training day.
    """

    utc_s: Array
    utc_offset_s: Array
    macronutrients: Array
    is_credible: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        utc_s: ArrayLike,
        utc_offset_s: ArrayLike,
        macronutrients: ArrayLike,
        field: str = "meals",
        *,
        is_credible: ArrayLike = True,
    ) -> MealHistory:
        """Create a history from columns.

        Parameters
        ----------
        utc_s : array_like of shape (n_entries,)
            Seconds since 1970-01-01T00:00Z, in any order.
        utc_offset_s : array_like of shape (n_entries,) or ()
            UTC offsets of the person's local time in seconds, NaN if unknown. A scalar applies to
            all entries.
        macronutrients : array_like of shape (n_entries, 4)
            Amounts of `MACRONUTRIENTS` in grams, NaN if unknown.
        field : str, default="meals"
            Field name for error messages.
        is_credible : array_like of bool of shape (n_entries,) or (), default=True
            False for entries that belong to an implausibly large meal. Entries with more than
            1,000 g of carbohydrate are never credible.

        Returns
        -------
        MealHistory
            The history.

        Raises
        ------
        InputError
            A time, an offset or an amount is out of range, or the lengths of the columns differ.
        """
        time, offset = time_columns(utc_s, utc_offset_s, field, allows_unknown=True)
        try:
            content = np.array(macronutrients, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                field, f"must be rows of numbers, all of the same length: {str(error)[:100]}"
            ) from None
        if content.size == 0 and not len(time):
            content = content.reshape(0, 4)
        if content.shape != (len(time), 4):
            columns = ", ".join(MACRONUTRIENTS)
            problem = f"must have the shape {(len(time), 4)} with the columns {columns}"
            raise InputError(field, problem, content.shape)
        invalid = np.argwhere((content < 0) | np.isinf(content))
        if len(invalid):
            row, column = invalid[0].tolist()
            path = f"{field}[{row}].{MACRONUTRIENTS[column]}"
            raise InputError(path, "must be 0 g or more", float(content[row, column]))
        credible = np.asarray(is_credible, dtype=np.bool_) & ~(content[:, 0] > MAX_CARBS_G)
        return cls(time.copy(), offset.copy(), content, credible)

    @classmethod
    def from_meals(cls, meals: Iterable[Meal], *, zone: tzinfo | str | None = None) -> MealHistory:
        """Create a history from meals, with one entry per meal.

        Parameters
        ----------
        meals : iterable of Meal
            The meals, in any order.
        zone : tzinfo or str, optional
            Time zone of the person, such as ``"Europe/Berlin"``. It applies to times without an
            offset and replaces existing offsets. When omitted, times keep their offsets, and times
            without an offset are in UTC.

        Returns
        -------
        MealHistory
            The history. Unknown amounts of each food are replaced by assumed amounts.

        Raises
        ------
        InputError
            The time of a meal is a date without an hour, or the zone is unknown.
        """
        zone = zone_of(zone)
        check_type("meals", meals, Iterable, "must be a list of Meal")
        meal_list, moments = list(meals), []
        for row, meal in enumerate(meal_list):
            check_type(f"meals[{row}]", meal, Meal, "must be a Meal")
            if not isinstance(meal.time, datetime):
                raise InputError(f"meals[{row}].time", "must be a datetime", meal.time)
            utc_s, offset_s = moment_of(meal.time, zone)
            moments.append((utc_s, offset_s if meal.hour_is_known else np.nan))
        content = [
            food_macronutrients(meal.selections, CARB_WEIGHTS).sum(axis=0) for meal in meal_list
        ]
        columns = np.array(moments, dtype=np.float64).reshape(-1, 2)
        credible = credible_entries(columns[:, 0], [meal.selections for meal in meal_list])
        history = cls.of(columns[:, 0], columns[:, 1], np.array(content), is_credible=credible)
        return history if zone is None else history.in_zone(zone)

    def in_zone(self, zone: tzinfo) -> MealHistory:
        """Return the same entries with the UTC offsets of a time zone."""
        return replace(self, utc_offset_s=zone_offset_s(self.utc_s, zone))

    def only(self, rows: NDArray[np.bool_]) -> MealHistory:
        """Return the entries for which the mask `rows` is true."""
        return MealHistory(
            self.utc_s[rows],
            self.utc_offset_s[rows],
            self.macronutrients[rows],
            self.is_credible[rows],
        )

    def hours_since_meal(self, moment_s: float) -> float | None:
        """Return the hours from the start of the previous meal to a meal at the given time.

        None if there was no previous meal.

        Examples
        --------
        >>> meals = MealHistory.of([0, 600, 7000], 0, [[30, 2, 5, 5]] * 3)
        >>> meals.hours_since_meal(7200)  # the entry at 7000 s belongs to the same meal
        2.0
        >>> meals.hours_since_meal(300) is None
        True
        """
        time = self.utc_s[_order_of_food(self)]
        time = np.append(time[time < moment_s], moment_s)
        number = meal_numbers(time)
        before = number[-1] - 1
        return None if before < 0 else float(moment_s - time[number == before][0]) / 3600

    def __len__(self) -> int:
        return len(self.utc_s)


class Responses(NamedTuple):
    """Meals, and the readings after each of them until the next meal, for at most two hours.

    Attributes
    ----------
    utc_s : ndarray of shape (n_meals,)
        Start of each meal in seconds since 1970-01-01T00:00Z, in ascending order.
    local_s : ndarray of shape (n_meals,)
        Start of each meal in local time, in seconds since 1970-01-01T00:00; NaN if unknown.
    since_meal_h : ndarray of shape (n_meals,)
        Hours since the start of the previous meal, infinite for the first meal.
    macronutrients : ndarray of shape (n_meals, 4)
        Amounts of `MACRONUTRIENTS` in grams; unknown amounts are replaced by assumed amounts.
    glucose_mg_dl : ndarray of shape (n_meals, 9)
        Readings on the standard grid in mg/dL. The first is always known; others are NaN after the
        start of the next meal and in gaps between readings.
    """

    utc_s: Array
    local_s: Array
    since_meal_h: Array
    macronutrients: Array
    glucose_mg_dl: Array

    @property
    def hour(self) -> Array:
        """Local hour of the start, from 0 to below 24, NaN if unknown, of shape (n_meals,)."""
        return np.asarray(self.local_s % 86400 / 3600)

    @property
    def day(self) -> Array:
        """Date on which the meal starts, in days since 1970-01-01, of shape (n_meals,).

        The date is local, or in UTC if the local time is unknown.
        """
        return np.where(np.isnan(self.local_s), self.utc_s, self.local_s) // 86400

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether all nine readings are known, of shape (n_meals,)."""
        return np.asarray(~np.isnan(self.glucose_mg_dl).any(axis=1))

    def only(self, rows: NDArray[np.bool_]) -> Responses:
        """Return the meals for which the mask `rows` is true."""
        return Responses(*(column[rows] for column in self))


def responses(trace: CgmTrace, meals: MealHistory) -> Responses:
    """Find the meals for training, and the readings after them.

    Entries within 15 minutes of the previous entry belong to the same meal, which starts at the
    time of its first entry. Entries below 5 kcal, such as water and black coffee, are ignored.
    Meals that have unknown carbohydrate or are implausibly large are excluded. Nevertheless, the
    readings after the previous meal end at the start of such a meal.

    Parameters
    ----------
    trace : CgmTrace
        The CGM readings.
    meals : MealHistory
        The meals.

    Returns
    -------
    Responses
        The meals that have a reading at their start, sorted by time.
    """
    order = _order_of_food(meals)
    time = meals.utc_s[order]
    if not len(time):
        empty = np.empty(0)
        return Responses(empty, empty, empty, np.empty((0, 4)), np.empty((0, len(GRID_MIN))))
    first = np.flatnonzero(np.diff(meal_numbers(time), prepend=-1))
    usable = ~np.isnan(meals.macronutrients[order, 0]) & meals.is_credible[order]
    is_usable = np.logical_and.reduceat(usable, first)
    content = np.add.reduceat(fill_unknown(meals.macronutrients[order]), first, axis=0)
    start = time[first]
    local = start + meals.utc_offset_s[order][first]
    curves = trace.curves(start)
    next_meal_min = np.diff(start, append=np.inf)[:, None] / 60
    curves[np.array(GRID_MIN) > next_meal_min + _NEXT_MEAL_MARGIN_MIN] = np.nan
    rows = is_usable & ~np.isnan(curves[:, 0])
    since_h = np.diff(start, prepend=-np.inf) / 3600
    return Responses(start[rows], local[rows], since_h[rows], content[rows], curves[rows])


def _order_of_food(meals: MealHistory) -> NDArray[np.intp]:
    """Return the positions of entries with food, sorted by time."""
    kcal = fill_unknown(meals.macronutrients) @ _KCAL_PER_G
    is_food = np.isnan(meals.macronutrients[:, 0]) | (kcal >= _MIN_KCAL)
    rows = np.flatnonzero(is_food)
    keys = (meals.utc_offset_s[rows], *meals.macronutrients[rows].T, meals.utc_s[rows])
    # Sort by all columns, so that sums do not depend on the input order.
    return rows[np.lexsort(keys)]


def meal_numbers(time_s: Array) -> NDArray[np.intp]:
    """Number the meals from 0, and return the number of the meal that each entry belongs to.

    The entries must be sorted by time.

    Examples
    --------
    >>> meal_numbers(np.array([0.0, 600.0, 1500.0, 9000.0]))
    array([0, 0, 0, 1])
    """
    return np.cumsum(np.diff(time_s, prepend=time_s[:1]) > _SAME_MEAL_S)


def credible_entries(time_s: Array, selections: Sequence[Sequence[Selection]]) -> NDArray[np.bool_]:
    """Return a mask of the entries that belong to plausible meals.

    The limits are those of `postmeal.glucose.population.meal_limits`.

    Parameters
    ----------
    time_s : ndarray of shape (n_entries,)
        Time of each entry in seconds, in any order.
    selections : sequence of sequence of Selection
        The foods of each entry.

    Returns
    -------
    ndarray of bool of shape (n_entries,)
        False for entries that belong to an implausibly large meal. Entries within 15 minutes of
        the previous entry belong to the same meal.
    """
    credible = np.ones(len(time_s), dtype=np.bool_)
    order = np.argsort(time_s, kind="stable")
    number = meal_numbers(time_s[order])
    for entries in np.split(order, np.flatnonzero(np.diff(number)) + 1):
        foods = [food for entry in entries.tolist() for food in selections[entry]]
        carbs_g = food_macronutrients(foods)[:, 0].sum() if foods else 0.0
        try:
            check_meal(foods, float(carbs_g))
        except InputError:
            credible[entries] = False
    return credible


def isolated(start_s: Array) -> NDArray[np.bool_]:
    """Return a mask of the meals that are not followed by another meal within two hours.

    Parameters
    ----------
    start_s : ndarray of shape (n_meals,)
        Start times in seconds, in ascending order.

    Returns
    -------
    ndarray of bool of shape (n_meals,)
        True for isolated meals.
    """
    return np.diff(start_s, append=np.inf) >= _ISOLATED_S
