"""Train personal models on people's first valid days, and predict their later meals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.cases import Cases
from postmeal.glucose.composition import course
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import Responses
from postmeal.glucose.history.sensor_changes import sensor_changes
from postmeal.glucose.personal.level_age import MAX_LEVEL_AGE_DAYS
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_to_meals
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.training.fit.person_history import PersonHistory

__all__ = [
    "LaterMeals",
    "cases_of",
    "later_meals",
    "predicted_curves",
    "refitted_every_day",
    "split_in_time",
    "start_readings",
    "while_level_is_used",
    "without_meal_log",
]

Array = NDArray[np.float64]


class LaterMeals(NamedTuple):
    """The later complete meals of one person, with observed and predicted sensor readings.

    Attributes
    ----------
    history : PersonHistory
        The person.
    personal : PersonalModel or None
        The model fitted to the first days; None if there are no training days.
    known : Responses
        The meals of the first days.
    meals : Responses
        The later meals.
    population_mg_dl, personal_mg_dl : ndarray of shape (n_meals, 9)
        Curves predicted by the population model and by the personal model as fitted.
    """

    history: PersonHistory
    personal: PersonalModel | None
    known: Responses
    meals: Responses
    population_mg_dl: Array
    personal_mg_dl: Array

    @property
    def is_personal(self) -> bool:
        """Whether the personal model was more accurate on held-out days, and is therefore used."""
        return self.personal is not None and self.personal.is_better

    @property
    def is_used(self) -> NDArray[np.bool_]:
        """Whether each meal is predicted by the personal model, of shape (n_meals,)."""
        own = self.personal
        days = self.meals.day.tolist()
        return np.array([own is not None and own.is_used_on(day) for day in days], dtype=np.bool_)

    @property
    def age_days(self) -> Array:
        """Days from the last training day to each meal, of shape (n_meals,)."""
        last = np.nan if self.personal is None else self.personal.last_day
        return self.meals.day - last

    @property
    def served_mg_dl(self) -> Array:
        """The curve of the model that is used for each meal, of shape (n_meals, 9)."""
        return np.where(self.is_used[:, None], self.personal_mg_dl, self.population_mg_dl)

    def only(self, rows: NDArray[np.bool_]) -> LaterMeals:
        """Return the selected later meals."""
        return self._replace(
            meals=self.meals.only(rows),
            population_mg_dl=self.population_mg_dl[rows],
            personal_mg_dl=self.personal_mg_dl[rows],
        )


def split_in_time(
    history: PersonHistory, n_days: int, from_day: int | None = None
) -> tuple[Responses, Responses] | None:
    """Split a person's meals into those on the first valid days and later complete meals.

    Parameters
    ----------
    history : PersonHistory
        The person.
    n_days : int
        Number of valid training days.
    from_day : int, optional
        Number of valid days after which meals are predicted. Defaults to `n_days`.

    Returns
    -------
    tuple of Responses or None
        Meals on the first valid days, and complete meals after them. None if there are too few
        days or no later meals.
    """
    days = history.valid_days()
    start = n_days if from_day is None else from_day
    if len(days) < start:
        return None
    meals = history.meals()
    end = days[start - 1] if start else -np.inf
    later = meals.only((meals.day > end) & meals.is_complete)
    known = meals.only(np.isin(meals.day, days[:n_days]))
    return (known, later) if len(later.utc_s) else None


def later_meals(
    predictor: Predictor,
    people: Iterable[PersonHistory],
    n_days: int = 5,
    from_day: int | None = None,
    least_meals: int = 5,
) -> list[LaterMeals]:
    """Train a model on each person's first valid days, and predict the later meals.

    Parameters
    ----------
    predictor : Predictor
        The population model and its prior.
    people : iterable of PersonHistory
        The people.
    n_days : int, default=5
        Number of valid training days. If 0, the curves are those of the population model.
    from_day : int, optional
        Number of valid days after which meals are predicted. Defaults to `n_days`.
    least_meals : int, default=5
        Minimum number of complete training meals. People with fewer are excluded.

    Returns
    -------
    list of LaterMeals
        One element for each person with later meals.
    """
    result = []
    for history in people:
        split = split_in_time(history, n_days, from_day)
        if split is None or (n_days and split[0].is_complete.sum() < least_meals):
            continue
        known, later = split
        result.append(_fit_and_predict(predictor, history, known, later, n_days))
    return result


def refitted_every_day(
    predictor: Predictor, people: Iterable[PersonHistory], n_days: int = 5
) -> list[LaterMeals]:
    """Refit each person's model before every later day, on all valid days before that day.

    Parameters
    ----------
    predictor : Predictor
        The population model and its prior.
    people : iterable of PersonHistory
        The people.
    n_days : int, default=5
        Number of valid days before the first day that is predicted.

    Returns
    -------
    list of LaterMeals
        One element for each person and later day. Together, they contain the same meals as the
        result of `later_meals`.
    """
    result = []
    for history in people:
        split = split_in_time(history, n_days)
        if split is None:
            continue
        valid, meals = np.array(history.valid_days()), history.meals()
        for day in np.unique(split[1].day):
            learned = valid[valid < day]
            known = meals.only(np.isin(meals.day, learned))
            later = split[1].only(split[1].day == day)
            result.append(_fit_and_predict(predictor, history, known, later, len(learned)))
    return result


def _fit_and_predict(
    predictor: Predictor, history: PersonHistory, known: Responses, later: Responses, n_days: int
) -> LaterMeals:
    """Fit a personal model if there are training days, and predict the later meals."""
    own = None
    if n_days:
        changes = _sensor_changes(history.trace, known)
        own = fit_to_meals(predictor, known, history.state, history.sensor, n_days, changes)
    curves = predicted_curves(predictor, history, own, later)
    return LaterMeals(history, own, known, later, *curves)


def _sensor_changes(trace: CgmTrace, known: Responses) -> Array:
    """Find the sensor changes between the first and the last day of the known meals."""
    day = (trace.utc_s + trace.utc_offset_s) // 86400
    rows = (day >= known.day[0]) & (day <= known.day[-1])
    columns = trace.utc_s, trace.utc_offset_s, trace.glucose_mg_dl
    return sensor_changes(CgmTrace(*(column[rows] for column in columns)))


def while_level_is_used(people: Iterable[LaterMeals]) -> list[LaterMeals]:
    """Select the meals for which the learned level is used, and people who have such meals.

    For other meals, the level and the band are those of the population model.
    """
    kept = [one.only(one.age_days <= MAX_LEVEL_AGE_DAYS) for one in people]
    return [one for one in kept if len(one.meals.utc_s)]


def start_readings(one: LaterMeals) -> Array:
    """Return the last reading in the 15 minutes before each meal, NaN if there is none."""
    found = [one.history.trace.last_before(float(moment)) for moment in one.meals.utc_s]
    return np.array([np.nan if reading is None else reading for reading in found])


def without_meal_log(predictor: Predictor, one: LaterMeals) -> LaterMeals:
    """Predict glucose after the same meals, as if the times of previous meals were unknown."""
    unknown = one.meals._replace(since_meal_h=np.full(len(one.meals.utc_s), np.nan))
    population, personal = predicted_curves(predictor, one.history, one.personal, unknown)
    return one._replace(meals=unknown, population_mg_dl=population, personal_mg_dl=personal)


def predicted_curves(
    predictor: Predictor, history: PersonHistory, own: PersonalModel | None, later: Responses
) -> tuple[Array, Array]:
    """Predict a person's meals with the population model and with the personal model.

    Parameters
    ----------
    predictor : Predictor
        The population model and its prior.
    history : PersonHistory
        The person, for the state and the sensor.
    own : PersonalModel or None
        The personal model. If None, both curves are those of the population model.
    later : Responses
        The meals. Their readings are not used.

    Returns
    -------
    population_mg_dl, personal_mg_dl : ndarray of shape (n_meals, 9)
        Curves of sensor readings, which are not limited to 40 to 400 mg/dL.
    """
    population = course(predictor, cases_of(predictor, history, None, later)).curve_mg_dl
    if own is None:
        return population, population.copy()
    return population, course(predictor, cases_of(predictor, history, own, later)).curve_mg_dl


def cases_of(
    predictor: Predictor,
    history: PersonHistory,
    own: PersonalModel | None,
    meals: Responses,
    start_mg_dl: ArrayLike = np.nan,
    is_own: ArrayLike = True,
) -> Cases:
    """Build the cases to predict for a person's meals.

    Parameters
    ----------
    predictor : Predictor
        The released model, for its sensors.
    history : PersonHistory
        The person, for the state and the sensor.
    own : PersonalModel or None
        The personal model. It is used even if it was less accurate on held-out days.
    meals : Responses
        The meals. Their readings are not used.
    start_mg_dl : array_like of shape (n_meals,) or (), optional
        Readings at the start of the meals, NaN where there are none.
    is_own : array_like of bool of shape (n_meals,) or (), default=True
        Whether the personal model is used for each meal.

    Returns
    -------
    Cases
        One case for each meal.
    """
    offset, gain = sensor_constant(history.sensor, predictor.sensors)
    state = np.full(len(meals.utc_s), STATES.index(history.state))
    return Cases.of(
        Meals(meals.macronutrients, meals.hour, state, meals.since_meal_h),
        day=meals.day,
        offset_mg_dl=offset,
        gain=gain,
        start_mg_dl=start_mg_dl,
        own=-1 if own is None else np.where(is_own, 0, -1),
        models=() if own is None else (own,),
    )
