"""Predictor of two-hour glucose curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.food import Meal
from postmeal.glucose import composition, scalar
from postmeal.glucose.batch import Predictions, predict_cases, predict_each
from postmeal.glucose.cases import Cases
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.plausibility import check_plausibility
from postmeal.glucose.population.contributions import Contributions, shapley_values
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import (
    MACRONUTRIENTS,
    Meals,
    food_macronutrients,
    meal_inputs,
)
from postmeal.glucose.population.meal_limits import check_meal
from postmeal.glucose.population.states import STATES, state_of
from postmeal.glucose.population.weights import check_identity, check_structure, read_weights
from postmeal.glucose.prediction import Prediction
from postmeal.glucose.released_model import ReleasedModel
from postmeal.glucose.request import case_of, check_minutes, check_types
from postmeal.people import Profile

__all__ = ["Predictor", "predict"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Predictor(ReleasedModel):
    """Predictor of glucose curves.

    Instances can be shared between threads. See `ReleasedModel` for the attributes.
    """

    @classmethod
    def load(cls, folder: str | Path | None = None) -> Predictor:
        """Load a released model.

        The shipped model is verified by its hash. A model in another folder must also have the
        structure of a shipped one, and credible predictions for standard meals; see
        `postmeal.glucose.plausibility`.

        Parameters
        ----------
        folder : path, optional
            Folder of the model. Defaults to the shipped model.

        Returns
        -------
        Predictor
            The model.

        Raises
        ------
        ModelError
            The model is missing, altered or damaged, its format version is not supported, it
            has the name and version of a shipped model but different weights, or its predictions
            are not credible.
        """
        weights = read_weights(folder)
        if folder is None:
            return cls.from_weights(weights)
        predictor = cls.verified(weights)
        check_identity(weights)
        return predictor

    @classmethod
    def verified(cls, weights: dict[str, Any]) -> Predictor:
        """Create a model from weights whose structure and predictions are checked first.

        Parameters
        ----------
        weights : dict
            Content of ``weights.json``.

        Returns
        -------
        Predictor
            The model.

        Raises
        ------
        ModelError
            The weights are damaged, or the predictions for standard meals are not credible.
        """
        check_structure(weights, str(weights.get("name")))
        predictor = cls.from_weights(weights)
        check_plausibility(predictor)
        return predictor

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
        trace: CgmTrace | None = None,
        meals: MealHistory | None = None,
        hba1c_percent: float | None = None,
        fasting_glucose_mg_dl: float | None = None,
        start_age_min: float | None = None,
    ) -> Prediction:
        """Predict glucose over the two hours after a meal.

        Parameters
        ----------
        profile : Profile
            The person.
        meal : Meal
            The foods and the local time of the start of the meal. If only the date is known, the
            curve is the mean over usual meal hours, the band is wider, and a note states this.
        minutes : sequence of float, optional
            Minutes after the start of the meal, 0 to 240, in ascending order. Defaults to 0, 15, …
            120. The model was trained on the first 120 minutes.
        sensor : str, optional
            Sensor whose readings are predicted, such as ``"Dexcom G6"`` or ``"Libre"``. When
            omitted, blood glucose is predicted. A personal model always predicts the readings of
            the sensor that it was trained on.
        personal : PersonalModel, optional
            Personal model of the person; see `postmeal.glucose.personal_fit.fit_personal`. If it
            was not more accurate than the population model on held-out days, the population model
            is used, and a note in the prediction states this.
        start_mg_dl : float, optional
            Sensor reading at the start of the meal, 20 to 600 mg/dL. The curve starts at this
            reading.
        since_meal_h : float, optional
            Hours since the previous meal. When omitted, they are unknown.
        trace : CgmTrace, optional
            CGM readings of the last days, with or without a meal log. From 12 usable hours on, they
            tell the person's level and gain, and from 24 hours on with full weight. The last
            reading is the start of the curve if it is at most 15 minutes old and `start_mg_dl` is
            not given. Readings after the start of the meal, or more than 14 days before it, are
            ignored.
        meals : MealHistory, optional
            Earlier meals of the person. Together with `trace`, they personalize the rise. They also
            tell the hours since the previous meal, unless `since_meal_h` is given.
        hba1c_percent : float, optional
            HbA1c, 3 to 20% (NGSP).
        fasting_glucose_mg_dl : float, optional
            Fasting plasma glucose, 40 to 500 mg/dL.
        start_age_min : float, optional
            Minutes from the reading `start_mg_dl` to the start of the meal. Readings that are older
            than 15 minutes, or from after the start, are ignored, and a warning states this.

        Returns
        -------
        Prediction
            Curve, band, impact and range, with the inputs that were used and warnings.

        Raises
        ------
        InputError
            The minutes are out of range or not ascending, the sensor is unknown or not that of the
            trace, a reading, a laboratory value or the hours since the previous meal are out of
            range, meals are given beside a personal model, or the meal is implausibly large (see
            `postmeal.glucose.population.meal_limits`).
        UnusableHistory
            No model can be fitted to the meals.
        ModelError
            The personal model was trained on a different population model.
        """
        times = None if minutes is None else check_minutes(minutes)
        case, told = case_of(
            self,
            profile,
            meal,
            sensor,
            personal,
            start_mg_dl,
            since_meal_h,
            trace,
            meals,
            hba1c_percent,
            fasting_glucose_mg_dl,
            start_age_min,
        )
        if case.hour != case.hour:  # NaN: the mean over hours, which is faster with arrays
            return predict_cases(self, (meal,), [(case, told)], times)[0]
        outcome = scalar.compose(self, case, times)
        return Prediction(
            meal,
            GRID_MIN if times is None else times,
            *outcome,
            model_version=self.version if case.own is None else f"{self.version} personal",
            is_personal=case.own is not None,
            impact_is_informative=STATES[case.state] != "type_1",
            notes=told.notes,
            inputs_used=told.inputs_used,
            warnings=told.warnings,
        )

    def predict_many(
        self,
        people: Profile | Sequence[Profile],
        meals: Sequence[Meal],
        *,
        minutes: Sequence[float] | None = None,
        sensor: str | Sequence[str | None] | None = None,
        personal: PersonalModel | Sequence[PersonalModel | None] | None = None,
        start_mg_dl: float | Sequence[float | None] | None = None,
        since_meal_h: float | Sequence[float | None] | None = None,
        trace: CgmTrace | Sequence[CgmTrace | None] | None = None,
        earlier_meals: MealHistory | Sequence[MealHistory | None] | None = None,
        hba1c_percent: float | Sequence[float | None] | None = None,
        fasting_glucose_mg_dl: float | Sequence[float | None] | None = None,
        start_age_min: float | Sequence[float | None] | None = None,
    ) -> Predictions:
        """Predict glucose after many meals in one call, with the same results as `predict`.

        For tables, `postmeal.frames.predict_frame` is faster because it does not create objects.

        Parameters
        ----------
        people : Profile or sequence of Profile
            One person for all meals, or one for each meal.
        meals : sequence of Meal
            The meals.
        minutes : sequence of float, optional
            See `predict`. The minutes are the same for all meals.
        sensor, personal, start_mg_dl, since_meal_h, trace, hba1c_percent, \
        fasting_glucose_mg_dl, start_age_min : optional
            See `predict`; one value for all meals, or a list, tuple or array with one value
            (or None) for each meal.
        earlier_meals : optional
            The argument `meals` of `predict`, as one history or one for each meal.

        Returns
        -------
        Predictions
            A sequence of `Prediction` in the order of the meals. Its `table` contains them as
            arrays, and `to_frame` returns a DataFrame.

        Raises
        ------
        InputError
            `predict` rejects a row, or the length of a sequence differs from that of `meals`. For
            an invalid row, the message starts with the row number, counted from 0.
        ModelError
            A personal model was trained on a different population model.

        Examples
        --------
        >>> from datetime import datetime
        >>> someone = Profile(age=45, sex="female", height_cm=168.0, weight_kg=68.0)
        >>> time = datetime(2026, 5, 1, 13, 0)
        >>> lunch = Meal.of_macros(carbs_g=40, fiber_g=4, protein_g=9, fat_g=5, time=time)
        >>> predictor = Predictor.load()
        >>> predictions = predictor.predict_many(someone, [lunch, lunch], start_mg_dl=[95, None])
        >>> predictions.table.glucose_mg_dl.shape, predictions[0].glucose_mg_dl[0]
        ((2, 9), 95.0)
        """
        return predict_each(
            self,
            people,
            meals,
            None if minutes is None else check_minutes(minutes),
            sensor=sensor,
            personal=personal,
            start_mg_dl=start_mg_dl,
            since_meal_h=since_meal_h,
            trace=trace,
            meals=earlier_meals,
            hba1c_percent=hba1c_percent,
            fasting_glucose_mg_dl=fasting_glucose_mg_dl,
            start_age_min=start_age_min,
        )

    def contributions(self, profile: Profile, meal: Meal) -> Contributions:
        """Split the predicted peak among the foods and among the nutrients of the meal.

        The contributions are Shapley values (see `shapley_values`): the average increase of the
        peak when a food or nutrient is added, over all orders in which the meal can be composed.

        Parameters
        ----------
        profile : Profile
            The person.
        meal : Meal
            The meal.

        Returns
        -------
        Contributions
            Contributions that add up to the predicted peak of blood glucose.

        Raises
        ------
        InputError
            The profile or the meal has the wrong type, or the meal is implausibly large.
        """
        check_types(profile, meal)
        state, _ = state_of(profile.health_conditions)
        foods = food_macronutrients(meal.selections, self.carb_weights)
        check_meal(meal.selections, meal_inputs(meal.selections, self.carb_weights).carbs_g)

        def peaks(macronutrients: Array) -> Array:
            n = len(macronutrients)
            meals = Meals(macronutrients, np.full(n, meal.hour), np.full(n, STATES.index(state)))
            curves = composition.course(self, Cases.of(meals)).curve_mg_dl
            return np.asarray(composition.within_limits(curves).max(axis=1))

        total = foods.sum(axis=0)
        by_food = shapley_values(lambda subsets: peaks(subsets.astype(float) @ foods), len(foods))
        by_nutrient = shapley_values(lambda subsets: peaks(subsets * total), len(MACRONUTRIENTS))
        return Contributions(
            start_mg_dl=float(peaks(np.zeros((1, len(MACRONUTRIENTS))))[0]),
            foods_mg_dl=tuple(by_food.tolist()),
            nutrients_mg_dl=dict(zip(MACRONUTRIENTS, by_nutrient.tolist(), strict=True)),
            peak_mg_dl=float(peaks(total[None])[0]),
        )


def predict(profile: Profile, meal: Meal, **options: Any) -> Prediction:
    """Predict glucose over the two hours after a meal with the default model.

    Parameters
    ----------
    profile : Profile
        The person.
    meal : Meal
        The foods and the local time of the start of the meal.
    **options
        The keyword arguments of `Predictor.predict`.

    Returns
    -------
    Prediction
        The result of `Predictor.predict`.

    Raises
    ------
    InputError, ModelError
        See `Predictor.predict`.

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
    return _default().predict(profile, meal, **options)


@cache
def _default() -> Predictor:
    return Predictor.load()
