"""Predictor: a person and a meal in, the two-hour glucose curve out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError, ModelError
from postmeal.foods.food import Meal
from postmeal.glucose.bounds import MAX_MG_DL, MIN_MG_DL, GlucoseRange
from postmeal.glucose.cgm import READABLE_MG_DL
from postmeal.glucose.contributions import Contributions, shapley_values
from postmeal.glucose.curve import GRID_MIN
from postmeal.glucose.features import (
    MACRONUTRIENTS,
    Meals,
    food_macronutrients,
    meal_macronutrients,
)
from postmeal.glucose.impact import ImpactScale
from postmeal.glucose.intervals import Band
from postmeal.glucose.personal import PersonalModel
from postmeal.glucose.personal_prior import KnownStart, PersonalPrior
from postmeal.glucose.population import PopulationModel
from postmeal.glucose.prediction import Prediction
from postmeal.glucose.sensors import SensorConstant, sensor_constant
from postmeal.glucose.states import CONDITION_TO_STATE, STATES, state_of
from postmeal.glucose.weights import read_weights
from postmeal.people import Profile

__all__ = ["Predictor", "predict"]

Array = NDArray[np.float64]

_GRID = np.array(GRID_MIN)
_EPOCH = date(1970, 1, 1).toordinal()
_NOTHING = [0.0] * len(GRID_MIN)
_MAX_MINUTE = 240.0


@dataclass(frozen=True)
class Predictor:
    """The released model, ready to predict. Safe to share between threads.

    Attributes
    ----------
    version : str
        Name and version of the model.
    population : PopulationModel
        Mean rise.
    level_mg_dl : dict of str to float
        Blood glucose at the first bite, by state of regulation.
    band : Band
        The 90 % band.
    impact_scale : ImpactScale
        The impact score.
    ranges : dict of str to GlucoseRange
        The glucose range, by state of regulation.
    sensors : dict of str to SensorConstant
        What sensors read, by family.
    start : KnownStart
        What changes with a reading at the first bite.
    personal_prior : PersonalPrior
        How people differ.
    """

    version: str
    population: PopulationModel
    level_mg_dl: dict[str, float]
    band: Band
    impact_scale: ImpactScale
    ranges: dict[str, GlucoseRange]
    sensors: dict[str, SensorConstant]
    start: KnownStart
    personal_prior: PersonalPrior

    @classmethod
    def load(cls, folder: str | Path | None = None) -> Predictor:
        """Load a released model.

        Parameters
        ----------
        folder : path, optional
            Folder of the model; the default model that ships with postmeal when omitted.

        Returns
        -------
        Predictor
            The model.

        Raises
        ------
        ModelError
            The model is missing, altered or of another version.
        """
        return cls.from_weights(read_weights(folder))

    @classmethod
    def from_weights(cls, weights: dict[str, Any]) -> Predictor:
        """Make a predictor from the content of ``weights.json``."""
        return cls(
            version=f"{weights['name']}-{weights['version']}",
            population=PopulationModel.from_dict(weights["population"]),
            level_mg_dl=weights["level_mg_dl"],
            band=Band.from_dict(weights["band"]),
            impact_scale=ImpactScale(**weights["impact_scale"]),
            ranges={state: GlucoseRange(**values) for state, values in weights["ranges"].items()},
            sensors={name: SensorConstant(**one) for name, one in weights["sensors"].items()},
            start=KnownStart.from_dict(weights["start"]),
            personal_prior=PersonalPrior.from_dict(weights["personal"]),
        )

    def predict(
        self,
        profile: Profile,
        meal: Meal,
        *,
        minutes: Sequence[float] | None = None,
        sensor: str | None = None,
        personal: PersonalModel | None = None,
        start_mg_dl: float | None = None,
        since_meal_h: float | None = None,
    ) -> Prediction:
        """Predict the two hours after a meal.

        Parameters
        ----------
        profile : Profile
            Who eats.
        meal : Meal
            What is eaten, and the local time of the first bite.
        minutes : sequence of float, optional
            Minutes after the first bite, 0 to 240, ascending; 0, 15, … 120 when omitted. The
            model was trained on the first 120.
        sensor : str, optional
            A sensor, such as ``"Dexcom G6"`` or ``"Libre"``, whose readings are to be predicted;
            blood glucose when omitted. A personal model predicts the sensor it was trained on.
        personal : PersonalModel, optional
            The person's own model; see `postmeal.glucose.personal_fit.fit_personal`. Where it was
            no better than the population on days left out, the population's curve is given, and
            a note says so.
        start_mg_dl : float, optional
            Glucose at the first bite, 20 to 600 mg/dL, where a sensor has just read it: the curve
            starts there.
        since_meal_h : float, optional
            Hours since the meal before, for a personal model; unknown when omitted.

        Returns
        -------
        Prediction
            Curve, band, impact and range.

        Raises
        ------
        InputError
            The minutes are out of range or not ascending, the sensor is not known, or the start
            or the hours since the meal before are impossible.
        ModelError
            The personal model corrects another population model.
        """
        state, is_trained = state_of(profile.health_conditions)
        if personal is not None:
            if personal.base != self.version:
                raise ModelError(f"the personal model corrects {personal.base}, not {self.version}")
            sensor = personal.sensor
        own = personal if personal is not None and personal.helps else None
        if own is not None:
            state = own.state
        index = STATES.index(state)
        offset, gain = constant = sensor_constant(sensor, self.sensors)
        at = GRID_MIN if minutes is None else _checked(minutes)
        _check_known(start_mg_dl, since_meal_h)
        macronutrients, assumed = meal_macronutrients(meal.selections)
        start = offset + gain * self.level_mg_dl[state]
        rise = self.population.rise_after_one(macronutrients, meal.hour, index, GRID_MIN)
        read_rise = [gain * one for one in rise]
        added, scale = _NOTHING, 1.0
        calibrated: Predictor | PersonalPrior = self
        if own is not None:
            calibrated = prior = self.personal_prior
            scale = own.scale_mg_dl
            day = meal.time.toordinal() - _EPOCH
            more = own.correction(prior, macronutrients, meal.hour, rise, day, since_meal_h)
            start += gain * more.start
            added = [gain * one for one in prior.along(more.shapes)]
        if start_mg_dl is not None:
            reading = float(start_mg_dl)
            off, slopes = reading - start, calibrated.start.slope
            added = [one + off * slope for one, slope in zip(added, slopes, strict=True)]
            start = reading
        if added is not _NOTHING:
            read_rise = [one + more for one, more in zip(read_rise, added, strict=True)]
        peak_rise = max(read_rise)
        if at is not GRID_MIN:
            rise = self.population.rise_after_one(macronutrients, meal.hour, index, at)
            between = np.interp(at, GRID_MIN, added).tolist()
            read_rise = [gain * one + more for one, more in zip(rise, between, strict=True)]
        readings = [start + one for one in read_rise]
        band = calibrated.band if start_mg_dl is None else calibrated.start.band
        below, above = band.distances(index, read_rise, at, scale=scale, is_trained=is_trained)
        curve = _within_limits(readings)
        if own is None:
            bounds = self.ranges[state].bounds(curve, sensor=constant, is_trained=is_trained)
        else:
            bounds = GlucoseRange(own.low_mg_dl, own.high_mg_dl).bounds(curve)
        return Prediction(
            meal=meal,
            minutes=at,
            glucose_mg_dl=curve,
            lower_mg_dl=_within_limits([r - d for r, d in zip(readings, below, strict=True)]),
            upper_mg_dl=_within_limits([r + d for r, d in zip(readings, above, strict=True)]),
            impact=calibrated.impact_scale.label(peak_rise),
            impact_probabilities=calibrated.impact_scale.probabilities(peak_rise),
            cgp_min=bounds[0],
            cgp_max=bounds[1],
            model_version=self.version + ("" if own is None else " personal"),
            is_personal=own is not None,
            notes=_notes(profile, state, is_trained, assumed, personal is not own),
        )

    def contributions(self, profile: Profile, meal: Meal) -> Contributions:
        """Split the predicted peak among the foods, and among the nutrients of the meal.

        The parts are Shapley values (see `shapley_values`): the mean, over every order in which
        the meal could be put together, of what a part adds to the peak.

        Parameters
        ----------
        profile : Profile
            Who eats.
        meal : Meal
            What is eaten.

        Returns
        -------
        Contributions
            Parts that add up to the predicted peak of blood glucose.
        """
        state, _ = state_of(profile.health_conditions)
        foods = food_macronutrients(meal.selections)

        def peaks(macronutrients: Array) -> Array:
            n = len(macronutrients)
            hours = np.full(n, meal.hour)
            meals = Meals(macronutrients, hours, np.full(n, STATES.index(state)))
            blood = self.level_mg_dl[state] + self.population.rise(meals, _GRID)
            return np.asarray(np.clip(blood, MIN_MG_DL, MAX_MG_DL).max(axis=1))

        total = foods.sum(axis=0)
        by_food = shapley_values(lambda subsets: peaks(subsets.astype(float) @ foods), len(foods))
        by_nutrient = shapley_values(lambda subsets: peaks(subsets * total), len(MACRONUTRIENTS))
        return Contributions(
            start_mg_dl=float(peaks(np.zeros((1, len(MACRONUTRIENTS))))[0]),
            foods_mg_dl=tuple(by_food.tolist()),
            nutrients_mg_dl=dict(zip(MACRONUTRIENTS, by_nutrient.tolist(), strict=True)),
            peak_mg_dl=float(peaks(total[None])[0]),
        )


def predict(
    profile: Profile,
    meal: Meal,
    *,
    minutes: Sequence[float] | None = None,
    sensor: str | None = None,
    personal: PersonalModel | None = None,
    start_mg_dl: float | None = None,
    since_meal_h: float | None = None,
) -> Prediction:
    """Predict with the default model; see `Predictor.predict`.

    Examples
    --------
    >>> from datetime import datetime
    >>> from postmeal import Catalog, Meal, Profile, parse_meal
    >>> someone = Profile.imperial(age=45, sex="female", height_in=66, weight_lb=150)
    >>> breakfast = parse_meal("1 cup oatmeal, 1 banana", Catalog.open())
    >>> prediction = predict(someone, Meal(tuple(breakfast), datetime(2026, 5, 1, 8, 0)))
    >>> len(prediction.glucose_mg_dl), prediction.impact in ("low", "medium", "high")
    (9, True)
    """
    return _default().predict(
        profile,
        meal,
        minutes=minutes,
        sensor=sensor,
        personal=personal,
        start_mg_dl=start_mg_dl,
        since_meal_h=since_meal_h,
    )


@cache
def _default() -> Predictor:
    return Predictor.load()


def _within_limits(glucose_mg_dl: list[float]) -> tuple[float, ...]:
    return tuple(
        [
            MIN_MG_DL if one < MIN_MG_DL else MAX_MG_DL if one > MAX_MG_DL else one
            for one in glucose_mg_dl
        ]
    )


def _checked(minutes: Sequence[float]) -> tuple[float, ...]:
    at = np.asarray(minutes, dtype=np.float64)
    if at.ndim != 1 or not len(at) or not (np.diff(at) > 0).all():
        raise InputError("minutes", "must ascend, and hold at least one", minutes)
    if not (at[0] >= 0 and at[-1] <= _MAX_MINUTE):
        raise InputError("minutes", f"must lie within 0 and {_MAX_MINUTE:g}", minutes)
    return tuple(at.tolist())


def _check_known(start_mg_dl: float | None, since_meal_h: float | None) -> None:
    low, high = READABLE_MG_DL
    if start_mg_dl is not None and not low <= start_mg_dl <= high:
        raise InputError("start_mg_dl", f"must be {low:g} to {high:g} mg/dL", start_mg_dl)
    if since_meal_h is not None and not since_meal_h >= 0:
        raise InputError("since_meal_h", "must be 0 or more", since_meal_h)


def _notes(
    profile: Profile, state: str, is_trained: bool, assumed: tuple[str, ...], is_refused: bool
) -> tuple[str, ...]:
    if state != "type_1" and is_trained and not assumed and not is_refused:
        return ()
    notes = []
    if is_refused:
        notes.append(
            "The personal model was no better on days left out: the population's curve is given."
        )
    if state == "type_1":
        notes.append(
            "Glucose after a meal in type 1 diabetes depends on insulin, which is not an input: "
            "the curve is a rough mean and the band is wide."
        )
    if not is_trained:
        conditions = ", ".join(
            name for name in profile.health_conditions if not CONDITION_TO_STATE[name].is_trained
        )
        notes.append(f"No training data for {conditions}: taken as {state}, with a wider band.")
    notes += [f"{key} is not known for every food; a typical amount is assumed." for key in assumed]
    return tuple(notes)
