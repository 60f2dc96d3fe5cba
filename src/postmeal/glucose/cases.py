"""Inputs of a prediction: the meal, the person, the sensor and the state before the meal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.personal.level_age import MAX_LEVEL_AGE_DAYS
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.population.features import MACRONUTRIENTS, Meals
from postmeal.glucose.population.sensors import SensorConstant

__all__ = ["Case", "Cases", "PersonalArrays"]

Array = NDArray[np.float64]

_N_LEVELS, _N_EFFECTS, _N_SHARES = 4, 36, 16


class PersonalArrays(NamedTuple):
    """Personal models as arrays; see `PersonalModel` for the meaning of the attributes.

    Attributes
    ----------
    effects : ndarray of shape (n_models, 4, 36)
        Effects on the rise along each shape, and on the level.
    shares : ndarray of shape (n_models, 16)
        Factors that scale the meal-dependent effects, by time of day.
    mean_level_mg_dl, drift_mg_dl, last_day, scale_mg_dl : ndarray of shape (n_models,)
        Parameters of the level, and the size of the errors.
    low_mg_dl, high_mg_dl : ndarray of shape (n_models,)
        Glucose range of the person after meals.
    """

    effects: Array
    shares: Array
    mean_level_mg_dl: Array
    drift_mg_dl: Array
    last_day: Array
    scale_mg_dl: Array
    low_mg_dl: Array
    high_mg_dl: Array

    @classmethod
    def of(cls, models: Sequence[PersonalModel]) -> PersonalArrays:
        """Stack personal models into arrays."""
        effects = np.array([model.effects for model in models], dtype=np.float64)
        shares = np.array([model.shares for model in models], dtype=np.float64)
        names = cls._fields[2:]
        scalars = [[getattr(model, name) for name in names] for model in models]
        columns = np.array(scalars, dtype=np.float64).reshape(-1, len(names)).T
        return cls(
            effects.reshape(-1, _N_LEVELS, _N_EFFECTS), shares.reshape(-1, _N_SHARES), *columns
        )


class Case(NamedTuple):
    """A meal and the person who eats it, for a prediction; `Cases` contains many of them as arrays.

    Attributes
    ----------
    macronutrients : tuple of float of length 4
        Amounts of `postmeal.glucose.population.features.MACRONUTRIENTS` in grams; unknown amounts
        are replaced by assumed amounts.
    hour : float
        Local hour of the start of the meal, from 0 to below 24.
    state : int
        Position in `postmeal.glucose.population.states.STATES`.
    day : int
        Local date on which the meal starts, in days since 1970-01-01.
    is_trained : bool
        False if there was no training data for the person's health conditions.
    sensor : SensorConstant
        Offset and gain of the sensor.
    start_mg_dl : float or None
        Reading at the start of the meal, None if unknown.
    since_meal_h : float or None
        Hours since the previous meal, None if unknown.
    own : PersonalModel or None
        Personal model; None to use the population model.
    """

    macronutrients: tuple[float, float, float, float]
    hour: float
    state: int
    day: int
    is_trained: bool
    sensor: SensorConstant
    start_mg_dl: float | None
    since_meal_h: float | None
    own: PersonalModel | None


class Cases(NamedTuple):
    """Meals and people to predict for, as arrays.

    Use `of` to create an object with defaults.

    Attributes
    ----------
    meals : Meals
        The meals, their times and the state of glucose regulation of each person.
    day : ndarray of shape (n_cases,)
        Local date on which the meal starts, in days since 1970-01-01.
    is_trained : ndarray of bool of shape (n_cases,)
        False if there was no training data for the person's health conditions.
    offset_mg_dl, gain : ndarray of shape (n_cases,)
        The sensor reads ``offset_mg_dl + gain × blood glucose``.
    start_mg_dl : ndarray of shape (n_cases,)
        Reading at the start of the meal, NaN if unknown.
    own : ndarray of int of shape (n_cases,)
        Position of the personal model in `models`, -1 for the population model.
    models : PersonalArrays
        The personal models.
    """

    meals: Meals
    day: Array
    is_trained: NDArray[np.bool_]
    offset_mg_dl: Array
    gain: Array
    start_mg_dl: Array
    own: NDArray[np.intp]
    models: PersonalArrays

    @classmethod
    def of(
        cls,
        meals: Meals,
        *,
        day: ArrayLike = np.nan,
        is_trained: ArrayLike = True,
        offset_mg_dl: ArrayLike = 0.0,
        gain: ArrayLike = 1.0,
        start_mg_dl: ArrayLike = np.nan,
        own: ArrayLike = -1,
        models: Sequence[PersonalModel] = (),
    ) -> Cases:
        """Create cases from columns; scalars are repeated for all rows.

        Parameters
        ----------
        meals : Meals
            The meals.
        day, is_trained, offset_mg_dl, gain, start_mg_dl, own : array_like
            See the attributes; of shape (n_cases,) or (). Only personal models require `day`.
        models : sequence of PersonalModel
            The personal models that `own` refers to.

        Returns
        -------
        Cases
            The cases.
        """

        def column(values: ArrayLike) -> Array:
            return np.broadcast_to(np.asarray(values, dtype=np.float64), meals.hour.shape)

        return cls(
            meals,
            column(day),
            np.broadcast_to(np.asarray(is_trained, dtype=np.bool_), meals.hour.shape),
            column(offset_mg_dl),
            column(gain),
            column(start_mg_dl),
            np.broadcast_to(np.asarray(own, dtype=np.intp), meals.hour.shape),
            PersonalArrays.of(models),
        )

    @classmethod
    def stack(cls, cases: Sequence[Case]) -> Cases:
        """Combine single cases into arrays."""
        models = {id(case.own): case.own for case in cases if case.own is not None}
        positions = {key: position for position, key in enumerate(models)}
        grams, hour, state, day, is_trained, sensors, start, since, own = (
            zip(*cases, strict=True) if cases else ((),) * 9
        )
        return cls.of(
            Meals(
                np.array(grams, dtype=np.float64).reshape(-1, len(MACRONUTRIENTS)),
                np.array(hour, dtype=np.float64),
                np.array(state, dtype=np.intp),
                np.array(since, dtype=np.float64),  # None becomes NaN
            ),
            day=day,
            is_trained=is_trained,
            offset_mg_dl=[sensor.offset_mg_dl for sensor in sensors],
            gain=[sensor.gain for sensor in sensors],
            start_mg_dl=np.array(start, dtype=np.float64),  # None becomes NaN
            own=[positions.get(id(model), -1) for model in own],
            models=list(models.values()),
        )

    @property
    def has_own(self) -> NDArray[np.bool_]:
        """Mask of the cases with a personal model, of shape (n_cases,)."""
        return self.own >= 0

    @property
    def keeps_level(self) -> NDArray[np.bool_]:
        """Mask of the cases that use the level of a personal model, of shape (n_cases,).

        If a personal model was trained on an old history, its level is not used. The level and the
        band are then those of the population model.
        """
        if not len(self.models.last_day):
            return self.has_own
        return self.has_own & ~(self.day - self.models.last_day[self.own] > MAX_LEVEL_AGE_DAYS)

    @property
    def has_start(self) -> NDArray[np.bool_]:
        """Mask of the cases with a reading at the start of the meal, of shape (n_cases,)."""
        return ~np.isnan(self.start_mg_dl)

    def only(self, rows: slice | NDArray[np.intp]) -> Cases:
        """Return the selected cases."""
        return Cases(
            self.meals.only(rows),
            self.day[rows],
            self.is_trained[rows],
            self.offset_mg_dl[rows],
            self.gain[rows],
            self.start_mg_dl[rows],
            self.own[rows],
            self.models,
        )
