"""Fit the part of the weights for personal models: the prior and its calibration.

People are split into folds. For each fold, a population model and a prior are fitted to the other
people. Personal models are then trained on the first five valid days of the people in the fold, and
the band and the thresholds of the impact are calibrated on their later meals. All people
have the same weight, regardless of the number of their meals.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from postmeal.glucose.personal.prior import (
    ERROR_QUANTILE,
    PersonalPrior,
    full_variance,
)
from postmeal.glucose.personal_fit import observe
from postmeal.glucose.population.band import widening
from postmeal.glucose.population.curve import peak_rise_mg_dl
from postmeal.glucose.population.features import Meals, fasting, recency
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets import LEFT_OUT
from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.calibration import (
    COVERAGE,
    borrowed_weights,
    fit_band,
    fit_impact_scale,
    person_weights,
    smooth_over_minutes,
    weighted_quantile,
)
from postmeal.training.fit.later_days import (
    LaterMeals,
    later_meals,
    start_readings,
    while_level_is_used,
)
from postmeal.training.fit.person_history import PersonHistory
from postmeal.training.fit.personal_prior import Spread, fit_spread, rise_shapes
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.preliminary import fit_preliminary_scale

__all__ = [
    "PersonalWeights",
    "fit_personal_weights",
    "unseen_later_meals",
    "unseen_predictors",
    "unseen_set_predictors",
]

Array = NDArray[np.float64]

_FOLDS = 6
_SCALE_WEIGHTS = (2.0, 4.0, 8.0, 16.0, 32.0)
_RIDGE = 0.01  # relative to the largest sum of squares
_TYPE_1 = STATES.index("type_1")


class _Later(NamedTuple):
    """The later meals of many people, in sensor readings.

    ``which`` contains the position of each meal's person in ``people``.
    """

    people: list[LaterMeals]
    which: NDArray[np.intp]
    observed: Array
    predicted: Array
    weight: Array
    state: NDArray[np.intp]


class PersonalWeights(NamedTuple):
    """Fitted values for ``weights.json``, as JSON-serializable dicts.

    Attributes
    ----------
    start : dict
        Input of `KnownStart.from_dict`, for predictions of the population model with a reading at
        the start of the meal.
    personal : dict
        Input of `PersonalPrior.from_dict`.
    """

    start: dict[str, Any]
    personal: dict[str, Any]


def fit_personal_weights(
    people: list[PersonHistory], table: pd.DataFrame, weight: Array, predictor: Predictor
) -> PersonalWeights:
    """Fit the prior of personal models, and calibrate their bands and scores.

    Parameters
    ----------
    people : list of PersonHistory
        The people. Those with type 1 diabetes affect only the typical size of errors in this state.
    table : DataFrame
        The meals table to which the population model is fitted.
    weight : ndarray of shape (n_meals,)
        Weight of each row of the table.
    predictor : Predictor
        The population model.

    Returns
    -------
    PersonalWeights
        The fitted values.
    """
    plain = _plain(_spread_of(people, predictor))
    folds = unseen_predictors(people, table, weight, predictor)
    found = [one for fold, unseen in folds for one in later_meals(fold, unseen)]
    later = _joined(while_level_is_used(found))
    scored = later.state != _TYPE_1
    share = later.weight[scored]
    typical = _typical_errors(later.people, predictor)
    plain["typical_error_mg_dl"] = typical
    plain["scale_weight"], scale = _scale(later, typical, scored, predictor)
    rise = later.predicted - later.predicted[:, :1]
    unit = widening(rise) * scale[:, None]
    errors = later.observed - later.predicted
    plain["band"] = _sides((errors / unit)[scored], share)
    readings = np.concatenate([start_readings(one) for one in later.people])
    started = scored & ~np.isnan(readings)
    slopes, rest = _after_start(later, later.predicted, readings, started)
    sides = _sides((rest / unit)[started], later.weight[started])
    plain["start"] = {**slopes, "band": _widen_first_minute(sides)}
    scale_of_impact = fit_impact_scale(
        rise.max(axis=1)[scored], peak_rise_mg_dl(later.observed[scored]), share
    )
    plain["impact_scale"] = vars(scale_of_impact)
    plain["preliminary_scale"] = fit_preliminary_scale(folds, plain)
    return PersonalWeights(_population_start(_joined(found)), plain)


def _spread_of(people: list[PersonHistory], predictor: Predictor) -> Spread:
    """Fit how people differ, using complete meals of people without type 1 diabetes."""
    found = []
    for one in people:
        meals = one.meals()
        meals = meals.only(meals.is_complete)
        if one.state != "type_1" and len(meals.utc_s):
            found.append((one, meals))
    rises = [
        (meals.glucose_mg_dl - meals.glucose_mg_dl[:, :1]) / _gain(one, predictor)
        for one, meals in found
    ]
    shapes = rise_shapes(rises)
    seen = [observe(predictor, shapes, meals, one.state, one.sensor) for one, meals in found]
    return fit_spread(seen, shapes, [widening(one.rise_mg_dl.max(axis=1)) for one in seen])


def _plain(spread: Spread) -> dict[str, Any]:
    return {
        "shapes": spread.shapes.tolist(),
        "recent": spread.recent.tolist(),
        "variance": spread.variance,
        "day_variance": spread.day_variance,
        "noise": spread.noise.tolist(),
    }


def unseen_later_meals(
    people: list[PersonHistory], table: pd.DataFrame, weight: Array, predictor: Predictor
) -> list[LaterMeals]:
    """Predict everyone's later meals with a population model and a prior fitted to other people.

    Parameters
    ----------
    people, table, weight, predictor
        See `unseen_predictors`.

    Returns
    -------
    list of LaterMeals
        One element for each person with five valid days and meals after them.
    """
    folds = unseen_predictors(people, table, weight, predictor)
    return [one for fold, unseen in folds for one in later_meals(fold, unseen)]


def unseen_predictors(
    people: list[PersonHistory], table: pd.DataFrame, weight: Array, predictor: Predictor
) -> list[tuple[Predictor, list[PersonHistory]]]:
    """Fit a population model and a prior for each fold of people, using only other people.

    Parameters
    ----------
    people : list of PersonHistory
        The people, who are split into six folds.
    table : DataFrame
        The meals table to which the population model is fitted.
    weight : ndarray of shape (n_meals,)
        Weight of each row of the table.
    predictor : Predictor
        The released model, for its sensors.

    Returns
    -------
    list of (Predictor, list of PersonHistory)
        For each fold, the fitted model and the people in the fold.
    """
    names = np.array([one.person for one in people])
    folds = GroupKFold(_FOLDS).split(names, groups=names)
    return _fitted_to_others([unseen for _, unseen in folds], people, table, weight, predictor)


def unseen_set_predictors(
    people: list[PersonHistory], table: pd.DataFrame, weight: Array, predictor: Predictor
) -> list[tuple[Predictor, list[PersonHistory]]]:
    """Fit a population model and a prior for each of `LEFT_OUT`, using only other data sets.

    The parameters and the result are those of `unseen_predictors`.
    """
    data_set = np.array([one.data_set for one in people])
    left_out = [np.flatnonzero(data_set == name) for name in LEFT_OUT]
    parts = [unseen for unseen in left_out if 0 < len(unseen) < len(people)]
    return _fitted_to_others(parts, people, table, weight, predictor)


def _fitted_to_others(
    parts: list[NDArray[np.intp]],
    people: list[PersonHistory],
    table: pd.DataFrame,
    weight: Array,
    predictor: Predictor,
) -> list[tuple[Predictor, list[PersonHistory]]]:
    """Fit a population model and a prior for each part of the people, without this part."""
    names = np.array([one.person for one in people])
    person_of_row = (table["data_set"] + "/" + table["person"].astype(str)).to_numpy()
    curves = observed_curves(table)
    result = []
    for unseen in parts:
        seen = np.setdiff1d(np.arange(len(people)), unseen)
        rows = ~np.isin(person_of_row, names[unseen])
        estimator = PostMealCurve(sensors=predictor.sensors)
        estimator.fit(table[rows], curves[rows], weight[rows], person_of_row[rows])
        fold = replace(predictor, population=estimator.model_, level_mg_dl=estimator.level_mg_dl_)
        spread = _spread_of([people[i] for i in seen], fold)
        prior = replace(PersonalPrior.neutral(), **_arrays(spread))
        result.append((replace(fold, personal_prior=prior), [people[i] for i in unseen]))
    return result


def _arrays(spread: Spread) -> dict[str, Any]:
    return {**vars(spread), "variance": full_variance(spread.variance)}


def _joined(people: list[LaterMeals]) -> _Later:
    count = [len(one.meals.utc_s) for one in people]
    names = np.array([one.history.person for one in people], dtype=object)
    which = np.repeat(np.arange(len(people)), count)
    observed = np.concatenate([one.meals.glucose_mg_dl for one in people])
    predicted = np.concatenate([one.personal_mg_dl for one in people])
    state = np.array([STATES.index(one.history.state) for one in people])[which]
    weight = person_weights(names[which])
    return _Later(people, which, observed, predicted, weight, state)


def _typical_errors(people: list[LaterMeals], predictor: Predictor) -> dict[str, float]:
    """Return the typical size of the errors for later meals by state, in blood glucose."""
    size = []
    for one in people:
        rise = one.population_mg_dl - one.population_mg_dl[:, :1]
        gain = _gain(one.history, predictor)
        wider = widening(rise.max(axis=1) / gain)[:, None]
        errors = np.abs(one.meals.glucose_mg_dl - one.personal_mg_dl) / gain / wider
        size.append(float(np.quantile(errors, ERROR_QUANTILE)))
    state = np.array([STATES.index(one.history.state) for one in people])
    each = np.ones(len(people))
    return {
        name: float(np.average(size, weights=borrowed_weights(index, state, each)))
        for index, name in enumerate(STATES)
    }


def _scale(
    later: _Later, typical: dict[str, float], scored: NDArray[np.bool_], predictor: Predictor
) -> tuple[float, Array]:
    """Return the weight of the typical error size, and the resulting error size of each meal.

    The weight is relative to a person's own errors. It is the smallest weight for which the
    interval score of the band (Gneiting and Raftery 2007, doi:10.1198/016214506000001437) is within
    one percent of the best score. With a smaller weight, fewer people have a band that is much too
    narrow for them.
    """
    gain = np.array([_gain(one.history, predictor) for one in later.people])
    fitted = [one.personal for one in later.people if one.personal is not None]
    own = np.array([one.scale_mg_dl for one in fitted]) / gain
    n_meals = np.array([int(one.known.is_complete.sum()) for one in later.people])
    usual = np.array([typical[one.history.state] for one in later.people])
    errors = (later.observed - later.predicted)[scored]
    wider = widening(later.predicted - later.predicted[:, :1])[scored]
    share = later.weight[scored]

    def scale_for(weight: float) -> Array:
        shrunk = (weight * usual + n_meals * own) / (weight + n_meals)
        return np.asarray((shrunk * gain)[later.which])

    def interval_score(weight: float) -> float:
        unit = wider * scale_for(weight)[scored][:, None]
        sides = _sides(errors / unit, share)
        below, above = unit * np.array(sides["below"]), unit * np.array(sides["above"])
        outside = np.maximum(-errors - below, 0) + np.maximum(errors - above, 0)
        each = below + above + 2 / (1 - COVERAGE) * outside
        return float(np.average(each.mean(axis=1), weights=share))

    scores = {weight: interval_score(weight) for weight in _SCALE_WEIGHTS}
    nearly_best = [one for one, score in scores.items() if score <= 1.01 * min(scores.values())]
    return nearly_best[0], scale_for(nearly_best[0])


def _after_start(
    later: _Later, predicted: Array, readings: Array, started: NDArray[np.bool_]
) -> tuple[dict[str, list[float]], Array]:
    """Fit how rises depend on the reading at the start, with weighted ridge regression."""
    off = readings - predicted[:, 0]
    risen = later.observed - predicted - off[:, None]
    since_meal_h = np.concatenate([one.meals.since_meal_h for one in later.people])
    meals = Meals(np.empty((len(off), 4)), np.zeros(len(off)), later.state, since_meal_h)
    causes = np.column_stack([np.ones(len(off)), recency(meals), fasting(meals)]) * off[:, None]
    share = (later.weight[:, None] * causes)[started].T
    normal = share @ causes[started]
    normal += _RIDGE * normal.diagonal().max() * np.eye(len(normal))
    slopes = np.linalg.solve(normal, share @ risen[started])
    slopes[:, 0] = 0.0
    named = dict(zip(("slope", "recent", "fasting"), slopes.tolist(), strict=True))
    return named, risen - causes @ slopes


def _population_start(later: _Later) -> dict[str, Any]:
    readings = np.concatenate([start_readings(one) for one in later.people])
    started = (later.state != _TYPE_1) & ~np.isnan(readings)
    predicted = np.concatenate([one.population_mg_dl for one in later.people])
    slopes, rest = _after_start(later, predicted, readings, started)
    unit = widening(predicted - predicted[:, :1])
    known = ~np.isnan(readings)
    band = fit_band((rest / unit)[known], later.state[known], later.weight[known]).to_dict()
    return {
        **slopes,
        "band": {state: _widen_first_minute(sides) for state, sides in band.items()},
    }


def _sides(relative: Array, weight: Array) -> dict[str, list[float]]:
    """Return the distances from the curve to the limits of its band, by minute.

    On each side, the errors beyond the limit have 5% of the total weight.
    """
    tail = (1 - COVERAGE) / 2
    below = [max(-weighted_quantile(one, weight, tail), 0.0) for one in relative.T]
    above = [max(weighted_quantile(one, weight, 1 - tail), 0.0) for one in relative.T]
    sides = {"below": np.array(below), "above": np.array(above)}
    return {name: smooth_over_minutes(side).tolist() for name, side in sides.items()}


def _widen_first_minute(sides: dict[str, list[float]]) -> dict[str, list[float]]:
    """Widen the band at the first minute to at least half of its width at the second.

    In some data sets, meals were logged at the minute of a reading, so there are no errors at the
    first minute. In use, the reading may be up to 15 minutes old.
    """
    return {
        name: [max(first, second / 2), second, *rest]
        for name, (first, second, *rest) in sides.items()
    }


def _gain(person: PersonHistory, predictor: Predictor) -> float:
    return sensor_constant(person.sensor, predictor.sensors).gain
