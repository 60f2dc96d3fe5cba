"""Train personal models on people's first valid days, and predict their later meals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.cases import Cases
from postmeal.glucose.composition import course
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import Responses
from postmeal.glucose.history.sensor_changes import sensor_changes
from postmeal.glucose.person.prior import MEAN_PERSON, PersonPrior
from postmeal.glucose.personal.level_age import MAX_LEVEL_AGE_DAYS
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal.prior import FULL_DAYS
from postmeal.glucose.personal_fit import fit_to_meals, prior_of_trace
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.training.fit.person_history import PersonHistory

Array = NDArray[np.float64]


class LaterMeals(NamedTuple):
    """The later complete meals of one person, with observed and predicted sensor readings.

    `without_meals_mg_dl` are the curves from the readings of the known days, without their meals.
    """

    history: PersonHistory
    personal: PersonalModel | None
    known: Responses
    meals: Responses
    population_mg_dl: Array
    without_meals_mg_dl: Array
    personal_mg_dl: Array
    own_share: Array

    @property
    def is_personal(self) -> bool:
        """Whether the personal model was more accurate on held-out days, and is therefore used."""
        return self.personal is not None and self.personal.is_better

    @property
    def is_used(self) -> NDArray[np.bool_]:
        """Whether each meal is predicted by the personal model, of shape (n_meals,)."""
        return self.own_share > 0

    @property
    def age_days(self) -> Array:
        """Days from the last training day to each meal, of shape (n_meals,)."""
        last = np.nan if self.personal is None else self.personal.last_day
        return self.meals.day - last

    @property
    def served_mg_dl(self) -> Array:
        """The curve that is used for each meal, of shape (n_meals, 9)."""
        share = self.own_share[:, None]
        return share * self.personal_mg_dl + (1 - share) * self.without_meals_mg_dl

    def only(self, rows: NDArray[np.bool_]) -> LaterMeals:
        """Return the selected later meals."""
        return self._replace(
            meals=self.meals.only(rows),
            population_mg_dl=self.population_mg_dl[rows],
            without_meals_mg_dl=self.without_meals_mg_dl[rows],
            personal_mg_dl=self.personal_mg_dl[rows],
            own_share=self.own_share[rows],
        )


def split_in_time(
    history: PersonHistory, n_days: int, from_day: int | None = None
) -> tuple[Responses, Responses] | None:
    """Split a person's meals into those on the first valid days and later complete meals."""
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
    least_meals: int | None = None,
    laboratory: tuple[bool, bool] = (False, False),
) -> list[LaterMeals]:
    """Train a model on each person's first valid days, and predict the later meals."""
    result = []
    if least_meals is None:
        least_meals = 5 if n_days >= FULL_DAYS else 3
    for history in people:
        split = split_in_time(history, n_days, from_day)
        if split is None or (n_days and split[0].is_complete.sum() < least_meals):
            continue
        known, later = split
        result.append(_fit_and_predict(predictor, history, known, later, n_days, laboratory))
    return result


def refitted_every_day(
    predictor: Predictor,
    people: Iterable[PersonHistory],
    n_days: int = 5,
    laboratory: tuple[bool, bool] = (False, False),
) -> list[LaterMeals]:
    """Refit each person's model before every later day, on all valid days before that day."""
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
            n_learned = len(learned)
            result.append(_fit_and_predict(predictor, history, known, later, n_learned, laboratory))
    return result


def _fit_and_predict(
    predictor: Predictor,
    history: PersonHistory,
    known: Responses,
    later: Responses,
    n_days: int,
    laboratory: tuple[bool, bool],
) -> LaterMeals:
    """Fit a personal model if there are training days, and predict the later meals."""
    own, prior = None, MEAN_PERSON
    if n_days:
        changes = _sensor_changes(history.trace, known)
        trace, values = known_days(history.trace, known), history.laboratory(*laboratory)
        prior = prior_of_trace(predictor, history.state, history.sensor, trace, *values)
        own = fit_to_meals(predictor, known, history.state, history.sensor, n_days, changes, prior)
    population, personal = predicted_curves(predictor, history, own, later)
    without = population
    if prior != MEAN_PERSON:
        cases = cases_of(predictor, history, None, later, priors=[prior])
        without = course(predictor, cases).curve_mg_dl
    days, share = later.day.tolist(), np.zeros(len(later.utc_s))
    if own is not None:
        share = np.array([own.share_on(day, predictor.personal_prior) for day in days])
    return LaterMeals(history, own, known, later, population, without, personal, share)


def known_days(trace: CgmTrace, known: Responses) -> CgmTrace:
    """Return the readings until the end of the last day of the known meals."""
    return trace.until(float(known.day[-1] + 1) * 86400)


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
    return last_readings(one.history.trace, one.meals.utc_s)


def last_readings(trace: CgmTrace, moments_s: Array) -> Array:
    """Return the last reading in the 15 minutes before each moment, NaN if there is none."""
    found = [trace.last_before(moment) for moment in moments_s.tolist()]
    return np.array(found, dtype=np.float64)  # None becomes NaN


def without_meal_log(predictor: Predictor, one: LaterMeals) -> LaterMeals:
    """Predict glucose after the same meals, as if the times of previous meals were unknown."""
    unknown = one.meals._replace(since_meal_h=np.full(len(one.meals.utc_s), np.nan))
    population, personal = predicted_curves(predictor, one.history, one.personal, unknown)
    return one._replace(meals=unknown, population_mg_dl=population, personal_mg_dl=personal)


def predicted_curves(
    predictor: Predictor, history: PersonHistory, own: PersonalModel | None, later: Responses
) -> tuple[Array, Array]:
    """Predict a person's meals with the population model and with the personal model."""
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
    own_share: ArrayLike = 1.0,
    priors: Sequence[PersonPrior] = (MEAN_PERSON,),
) -> Cases:
    """Build the cases to predict for a person's meals, with one prior for each meal or for all."""
    offset, gain = sensor_constant(history.sensor, predictor.sensors)
    state = np.full(len(meals.utc_s), STATES.index(history.state))
    share = np.broadcast_to(0.0 if own is None else own_share, len(meals.utc_s))
    known: Any = PersonPrior(*zip(*priors, strict=True))  # type: ignore[arg-type]  # columns
    columns: Any = (np.broadcast_to(column, len(meals.utc_s)) for column in known)
    known = PersonPrior(*columns)
    log_gain = known.log_gain
    if own is not None:
        log_gain = share * own.prior_log_gain + (1 - share) * log_gain
    start = np.broadcast_to(start_mg_dl, len(meals.utc_s))
    return Cases.of(
        Meals(meals.macronutrients, meals.hour, state, meals.since_meal_h, log_gain),
        day=meals.day,
        offset_mg_dl=offset,
        gain=gain,
        start_mg_dl=start,
        own=np.where(share > 0, 0, -1),
        own_share=share,
        level_change_mg_dl=known.level_mg_dl,
        band=known.band,
        band_with_reading=known.band_with_reading,
        known_level=known.known_level,
        own_low_mg_dl=known.low_mg_dl,
        own_high_mg_dl=known.high_mg_dl,
        range_weight=known.range_weight,
        models=() if own is None else (own,),
    )
