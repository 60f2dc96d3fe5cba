"""Inputs of a prediction: the meal, the person, the sensor and the state before the meal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.person.prior import MEAN_PERSON, PersonPrior
from postmeal.glucose.personal.level_age import level_kept
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.population.features import MACRONUTRIENTS, Meals
from postmeal.glucose.population.meal_hours import MEAL_HOURS
from postmeal.glucose.population.sensors import SensorConstant

Array = NDArray[np.float64]

_N_LEVELS, _N_EFFECTS, _N_SHARES = 4, 36, 16


class PersonalArrays(NamedTuple):
    """Personal models as arrays; see `PersonalModel` for the meaning of the attributes."""

    effects: Array
    shares: Array
    mean_level_mg_dl: Array
    prior_level_mg_dl: Array
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
    """A meal and the person who eats it; `Cases` contains many of them as arrays."""

    macronutrients: tuple[float, float, float, float]
    hour: float
    state: int
    day: int
    is_trained: bool
    sensor: SensorConstant
    start_mg_dl: float | None
    since_meal_h: float | None
    own: PersonalModel | None
    own_share: float = 0.0
    prior: PersonPrior = MEAN_PERSON
    start_share: float = 1.0


class Cases(NamedTuple):
    """Meals and people to predict for, as arrays.

    Use `of` to create an object with defaults.
    """

    meals: Meals
    day: Array
    is_trained: NDArray[np.bool_]
    offset_mg_dl: Array
    gain: Array
    start_mg_dl: Array
    own: NDArray[np.intp]
    models: PersonalArrays
    own_share: Array
    level_change_mg_dl: Array
    band: Array
    band_with_reading: Array
    known_level: Array
    start_share: Array
    own_low_mg_dl: Array
    own_high_mg_dl: Array
    range_weight: Array

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
        own_share: ArrayLike = 1.0,
        level_change_mg_dl: ArrayLike = 0.0,
        band: ArrayLike = 1.0,
        band_with_reading: ArrayLike = 1.0,
        known_level: ArrayLike = 0.0,
        start_share: ArrayLike = 1.0,
        own_low_mg_dl: ArrayLike = 0.0,
        own_high_mg_dl: ArrayLike = 0.0,
        range_weight: ArrayLike = 0.0,
    ) -> Cases:
        """Create cases from columns; scalars are repeated for all rows."""

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
            column(own_share),
            column(level_change_mg_dl),
            column(band),
            column(band_with_reading),
            column(known_level),
            column(start_share),
            column(own_low_mg_dl),
            column(own_high_mg_dl),
            column(range_weight),
        )

    @classmethod
    def stack(cls, cases: Sequence[Case]) -> Cases:
        """Combine single cases into arrays."""
        models = {id(case.own): case.own for case in cases if case.own is not None}
        positions = {key: position for position, key in enumerate(models)}
        grams, hour, state, day, is_trained, sensors, start, since, own, shares, priors, starts = (
            zip(*cases, strict=True) if cases else ((),) * 12
        )
        return cls.of(
            Meals(
                np.array(grams, dtype=np.float64).reshape(-1, len(MACRONUTRIENTS)),
                np.array(hour, dtype=np.float64),
                np.array(state, dtype=np.intp),
                np.array(since, dtype=np.float64),  # None becomes NaN
                np.array([prior.log_gain for prior in priors], dtype=np.float64),
            ),
            day=day,
            is_trained=is_trained,
            offset_mg_dl=[sensor.offset_mg_dl for sensor in sensors],
            gain=[sensor.gain for sensor in sensors],
            start_mg_dl=np.array(start, dtype=np.float64),  # None becomes NaN
            own=[positions.get(id(model), -1) for model in own],
            models=list(models.values()),
            own_share=shares,
            level_change_mg_dl=[prior.level_mg_dl for prior in priors],
            band=[prior.band for prior in priors],
            band_with_reading=[prior.band_with_reading for prior in priors],
            known_level=[prior.known_level for prior in priors],
            start_share=starts,
            own_low_mg_dl=[prior.low_mg_dl for prior in priors],
            own_high_mg_dl=[prior.high_mg_dl for prior in priors],
            range_weight=[prior.range_weight for prior in priors],
        )

    @property
    def has_own(self) -> NDArray[np.bool_]:
        """Mask of the cases with a personal model, of shape (n_cases,)."""
        return self.own >= 0

    @property
    def own_weight(self) -> Array:
        """Weight of each case's personal model, 0 without one, of shape (n_cases,)."""
        return np.where(self.has_own, self.own_share, 0.0)

    def own_band_weight(self, fading_days: float) -> Array:
        """Return the weight of the band of each case's personal model, of shape (n_cases,).

        Without a reading at the start, it fades together with the level of the model.
        """
        if not len(self.models.last_day):
            return self.own_weight
        kept = level_kept(self.day - self.models.last_day[self.own], fading_days)
        return self.own_weight * np.where(self.has_start, 1.0, kept)

    @property
    def has_start(self) -> NDArray[np.bool_]:
        """Mask of the cases with a reading at the start of the meal, of shape (n_cases,)."""
        return ~np.isnan(self.start_mg_dl)

    def at_meal_hours(self) -> tuple[Cases, NDArray[np.intp]]:
        """Replace each case without an hour by one case for each of `MEAL_HOURS`."""
        is_unknown = np.isnan(self.meals.hour)
        n_hours = np.where(is_unknown, len(MEAL_HOURS), 1)
        cases = self.only(np.repeat(np.arange(len(n_hours)), n_hours))
        hour = cases.meals.hour.copy()
        hour[np.isnan(hour)] = np.tile(MEAL_HOURS, np.count_nonzero(is_unknown))
        return cases._replace(meals=cases.meals._replace(hour=hour)), n_hours

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
            self.own_share[rows],
            self.level_change_mg_dl[rows],
            self.band[rows],
            self.band_with_reading[rows],
            self.known_level[rows],
            self.start_share[rows],
            self.own_low_mg_dl[rows],
            self.own_high_mg_dl[rows],
            self.range_weight[rows],
        )
