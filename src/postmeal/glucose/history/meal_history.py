"""What one person has eaten, as columns: the meals that a CGM trace is read against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.errors import InputError
from postmeal.foods.food import Meal, Selection
from postmeal.glucose.history.cgm_trace import CgmTrace, time_columns
from postmeal.glucose.history.wall_clock import moment_of, zone_of, zone_offset_s
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import MACRONUTRIENTS, fill_unknown, food_macronutrients
from postmeal.glucose.population.meal_limits import MAX_CARBS_G, check_meal

__all__ = ["MealHistory", "Responses", "credible_entries", "isolated", "meal_numbers", "responses"]

Array = NDArray[np.float64]

_SAME_MEAL_S = 15 * 60
_ALONE_S = 2 * 3600
_FIRST_BITES_MIN = 5.0
_LEAST_KCAL = 5.0
_KCAL_PER_G = np.array([4.0, 0.0, 4.0, 9.0])


@dataclass(frozen=True, eq=False)
class MealHistory:
    """Foods of one person with the times at which they were eaten, one row an entry.

    Attributes
    ----------
    utc_s : ndarray of shape (n_entries,)
        Seconds since 1970-01-01T00:00Z, in any order.
    utc_offset_s : ndarray of shape (n_entries,)
        Seconds by which the eater's clock was ahead of UTC.
    macronutrients : ndarray of shape (n_entries, 4)
        Grams of `postmeal.glucose.population.features.MACRONUTRIENTS`, NaN where unknown. An entry
        of unknown carbohydrate is a meal that cannot be learned from; other unknown amounts are
        filled by `postmeal.glucose.population.features.fill_unknown`.
    is_credible : ndarray of bool of shape (n_entries,)
        False for an entry of a meal that is larger than people eat, see
        `postmeal.glucose.population.meal_limits`: nothing is learned from it, and it makes no day
        complete.
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
        field: str = "eaten",
        *,
        is_credible: ArrayLike = True,
    ) -> MealHistory:
        """Make it of columns.

        Parameters
        ----------
        utc_s : array_like of shape (n_entries,)
            Seconds since 1970-01-01T00:00Z, in any order.
        utc_offset_s : array_like of shape (n_entries,) or ()
            Seconds by which the eater's clock was ahead of UTC; one may stand for all.
        macronutrients : array_like of shape (n_entries, 4)
            Grams of `MACRONUTRIENTS`, NaN where unknown.
        field : str, default="eaten"
            Field name for error messages.
        is_credible : array_like of bool of shape (n_entries,) or (), default=True
            False for entries of a meal that is larger than people eat. An entry of more than
            1,000 g of carbohydrate is never credible.

        Returns
        -------
        MealHistory
            What was eaten.

        Raises
        ------
        InputError
            A time, an offset or an amount is impossible, or the columns differ in length.
        """
        time, offset = time_columns(utc_s, utc_offset_s, field)
        problem = f"must be {len(time)} rows of {', '.join(MACRONUTRIENTS)}"
        try:
            content = np.array(macronutrients, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(field, problem) from None
        if content.size == 0 and not len(time):
            content = content.reshape(0, 4)
        if content.shape != (len(time), 4):
            raise InputError(field, problem, content.shape)
        wrong = np.argwhere((content < 0) | np.isinf(content))
        if len(wrong):
            row, column = wrong[0].tolist()
            path = f"{field}[{row}].{MACRONUTRIENTS[column]}"
            raise InputError(path, "must be grams from 0", float(content[row, column]))
        credible = np.asarray(is_credible, dtype=np.bool_) & ~(content[:, 0] > MAX_CARBS_G)
        return cls(time.copy(), offset.copy(), content, credible)

    @classmethod
    def from_meals(cls, meals: Iterable[Meal], *, zone: tzinfo | str | None = None) -> MealHistory:
        """Make it of meals, one entry each.

        Parameters
        ----------
        meals : iterable of Meal
            The meals, in any order.
        zone : tzinfo or str, optional
            The eater's zone, such as ``"Europe/Berlin"``: it replaces the offsets of the times,
            and times without one are read in it. Without it each time keeps its own offset, and
            one without is UTC.

        Returns
        -------
        MealHistory
            What was eaten, nothing unknown: it is filled food by food.
        """
        zone = zone_of(zone)
        listed = list(meals)
        moments = [moment_of(meal.time, zone) for meal in listed]
        content = [food_macronutrients(meal.selections).sum(axis=0) for meal in listed]
        columns = np.array(moments, dtype=np.float64).reshape(-1, 2)
        credible = credible_entries(columns[:, 0], [meal.selections for meal in listed])
        eaten = cls.of(columns[:, 0], columns[:, 1], np.array(content), is_credible=credible)
        return eaten if zone is None else eaten.in_zone(zone)

    def in_zone(self, zone: tzinfo) -> MealHistory:
        """Give the same entries on the clock of a zone."""
        return replace(self, utc_offset_s=zone_offset_s(self.utc_s, zone))

    def hours_since_meal(self, moment_s: float) -> float | None:
        """Tell the hours since the start of the meal of the meal before one that begins at a moment.

        Examples
        --------
        >>> eaten = MealHistory.of([0, 600, 7000], 0, [[30, 2, 5, 5]] * 3)
        >>> eaten.hours_since_meal(7200)  # what was eaten at 7000 s belongs to the same meal
        2.0
        >>> eaten.hours_since_meal(300) is None
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
    """Meals, and what glucose did after them until the next one, for at most two hours.

    Attributes
    ----------
    utc_s : ndarray of shape (n_meals,)
        Moment of the start of the meal, ascending.
    local_s : ndarray of shape (n_meals,)
        The same on the eater's clock.
    since_meal_h : ndarray of shape (n_meals,)
        Hours since the start of the meal of the meal before, infinite for the first.
    macronutrients : ndarray of shape (n_meals, 4)
        Grams of `MACRONUTRIENTS`, nothing unknown.
    glucose_mg_dl : ndarray of shape (n_meals, 9)
        Readings on the standard grid, mg/dL; the first is known, and others are NaN after the
        next meal or where the sensor did not read.
    """

    utc_s: Array
    local_s: Array
    since_meal_h: Array
    macronutrients: Array
    glucose_mg_dl: Array

    @property
    def hour(self) -> Array:
        """Local hour of the start of the meal, 0 up to 24, of shape (n_meals,)."""
        return np.asarray(self.local_s % 86400 / 3600)

    @property
    def day(self) -> Array:
        """Local day of the start of the meal, days since 1970-01-01, of shape (n_meals,)."""
        return np.asarray(self.local_s // 86400)

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether all nine readings are known: eaten alone, of shape (n_meals,)."""
        return np.asarray(~np.isnan(self.glucose_mg_dl).any(axis=1))

    def only(self, rows: NDArray[np.bool_]) -> Responses:
        """Keep some of the meals."""
        return Responses(*(column[rows] for column in self))


def responses(trace: CgmTrace, eaten: MealHistory) -> Responses:
    """Find the meals to learn from, and what was read after them.

    Entries within 15 minutes of the one before belong to the same meal, whose time is that of its
    first entry. Entries below 5 kcal (water, black coffee) are no food. A meal of unknown
    carbohydrate, or larger than people eat, is left out, but still ends the two hours of the meal
    before it.

    Parameters
    ----------
    trace : CgmTrace
        What the sensor read.
    eaten : MealHistory
        What was eaten.

    Returns
    -------
    Responses
        The meals with a reading at the start of the meal, in the order of time.
    """
    order = _order_of_food(eaten)
    time = eaten.utc_s[order]
    if not len(time):
        none = np.empty(0)
        return Responses(none, none, none, np.empty((0, 4)), np.empty((0, len(GRID_MIN))))
    first = np.flatnonzero(np.diff(meal_numbers(time), prepend=-1))
    usable = ~np.isnan(eaten.macronutrients[order, 0]) & eaten.is_credible[order]
    known = np.logical_and.reduceat(usable, first)
    content = np.add.reduceat(fill_unknown(eaten.macronutrients[order]), first, axis=0)
    start = time[first]
    local = start + eaten.utc_offset_s[order][first]
    curves = trace.curves(start)
    alone_min = np.diff(start, append=np.inf)[:, None] / 60
    curves[np.array(GRID_MIN) > alone_min + _FIRST_BITES_MIN] = np.nan
    kept = known & ~np.isnan(curves[:, 0])
    since_h = np.diff(start, prepend=-np.inf) / 3600
    return Responses(start[kept], local[kept], since_h[kept], content[kept], curves[kept])


def _order_of_food(eaten: MealHistory) -> NDArray[np.intp]:
    """Positions of the entries that are food, ascending in time."""
    kcal = fill_unknown(eaten.macronutrients) @ _KCAL_PER_G
    is_food = np.isnan(eaten.macronutrients[:, 0]) | (kcal >= _LEAST_KCAL)
    rows = np.flatnonzero(is_food)
    keys = (eaten.utc_offset_s[rows], *eaten.macronutrients[rows].T, eaten.utc_s[rows])
    return rows[np.lexsort(keys)]  # equal sums for any order in


def meal_numbers(time_s: Array) -> NDArray[np.intp]:
    """Number the meals that entries, ascending in time, belong to, from 0.

    Examples
    --------
    >>> meal_numbers(np.array([0.0, 600.0, 1500.0, 9000.0]))
    array([0, 0, 0, 1])
    """
    return np.cumsum(np.diff(time_s, prepend=time_s[:1]) > _SAME_MEAL_S)


def credible_entries(time_s: Array, selections: Sequence[Sequence[Selection]]) -> NDArray[np.bool_]:
    """Find the entries of meals that people can eat; see `postmeal.glucose.population.meal_limits`.

    Parameters
    ----------
    time_s : ndarray of shape (n_entries,)
        Moment of each entry, in any order.
    selections : sequence of sequence of Selection
        The foods of each entry.

    Returns
    -------
    ndarray of bool of shape (n_entries,)
        False for every entry of a meal that is too large. Entries within 15 minutes of the one
        before belong to the same meal.
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
    """Tell which meals, ascending in time, are followed by none for two hours."""
    return np.diff(start_s, append=np.inf) >= _ALONE_S
