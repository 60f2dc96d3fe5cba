"""Learn what laboratory values and traces tell about a person: level, gain and width of the band.

Each person is predicted by a population model that was fitted to other people. The gain is learned
from the rises after meals, and the level from the first readings of meals. All people have the same
weight. Standard deviations are those of the jackknife over people.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.glucose.composition import band_distances, band_on_grid, course, level, rise
from postmeal.glucose.history.meal_history import Responses
from postmeal.glucose.person.coefficients import PersonCoefficients
from postmeal.glucose.person.prior import PersonPrior
from postmeal.glucose.person.trace import TraceSummary
from postmeal.glucose.population.band import widening
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.training.fit.arrays import as_reported, gains_and_offsets, observed_curves
from postmeal.training.fit.calibration import COVERAGE, person_weights, weighted_quantile
from postmeal.training.fit.known_person import FULL_COVER, before_meals, priors_of
from postmeal.training.fit.later_days import cases_of, last_readings
from postmeal.training.fit.person_history import PersonHistory

Array = NDArray[np.float64]
Folds = list[tuple[Predictor, list[PersonHistory]]]

TRACE_HOURS = (24.0, 72.0, 120.0)
"""Lengths of a trace for which coefficients are learned; between them, they are interpolated."""

_USUAL_HOURS = 72.0
_SLOPE_SD = 1.0
_LEAST_PEOPLE = 8
_KNOWN_LEVEL = 0.5
_LABORATORY = {
    "hba1c": ("hba1c",),
    "fasting": ("fasting",),
    "hba1c_and_fasting": ("hba1c", "fasting"),
}
_COLUMNS = {"hba1c": "hba1c_percent", "fasting": "fasting_glucose_mg_dl"}


class KnownPerson(NamedTuple):
    """The meals of one person that are preceded by enough readings."""

    predictor: Predictor
    history: PersonHistory
    meals: Responses
    before: list[TraceSummary]


class _Traces(NamedTuple):
    """Meals of many people in blood glucose, and the readings before them."""

    person: NDArray[np.object_]
    state: NDArray[np.object_]
    food_rise: Array
    other_rise: Array
    observed: Array
    level: Array
    mean: Array
    log_sd: Array


def fit_person_coefficients(
    folds: Folds, set_folds: Folds, table: pd.DataFrame, predictor: Predictor
) -> dict[str, Any]:
    """Fit the coefficients of `postmeal.glucose.person`, the bands on data sets that are left out.

    `folds` are the result of `unseen_predictors`, and `set_folds` that of `unseen_set_predictors`.
    """
    folds = _with_bands(folds, predictor)
    by_hours = [known_before(folds, hours) for hours in TRACE_HOURS]
    usual = _usual_sd(_traces(by_hours[TRACE_HOURS.index(_USUAL_HOURS)]))
    columns: dict[str, list[float]] = {"hours": list(TRACE_HOURS)}
    above = 0.0
    for hours, known in zip(TRACE_HOURS, by_hours, strict=True):
        traces = _traces(known)
        gains = _jackknife(lambda rows: _fit_gain(rows, usual), traces)
        levels = _jackknife(_fit_level, traces)
        if hours == _USUAL_HOURS:
            above = levels[0][1]
        values = {
            "level_weight": levels[0][0],
            "level_weight_sd": levels[1][0],
            "log_gain": gains[0][0],
            "log_gain_sd": gains[1][0],
            "log_gain_slope": gains[0][1],
            "log_gain_slope_sd": gains[1][1],
            "band": 1.0,
            "band_with_reading": 1.0,
        }
        for name, value in values.items():
            columns.setdefault(name, []).append(float(value))
    coefficients = {
        "usual_sd_mg_dl": usual,
        "mean_above_level_mg_dl": float(above),
        "known_level": _KNOWN_LEVEL,
        **_fit_laboratory(table, predictor),
        "trace": columns,
    }
    _fit_bands(_with_bands(set_folds, predictor), coefficients)
    return coefficients


def _with_bands(folds: Folds, predictor: Predictor) -> Folds:
    """Return the folds with the bands, and the effects of a reading, of a predictor."""
    return [
        (replace(fold, band=predictor.band, start=predictor.start), people)
        for fold, people in folds
    ]


def known_before(folds: Folds, hours: float) -> list[KnownPerson]:
    """Select the meals that are preceded by nearly complete readings for some hours."""
    result = []
    for fold, people in folds:
        for history in people:
            meals = history.meals()
            meals = meals.only(meals.is_complete)
            before = before_meals(history.trace, meals.utc_s, hours)
            enough = np.array(
                [one.usable_hours >= FULL_COVER * hours and one.is_credible for one in before],
                dtype=np.bool_,
            )
            if enough.any():
                kept = [before[row] for row in np.flatnonzero(enough).tolist()]
                result.append(KnownPerson(fold, history, meals.only(enough), kept))
    return result


def _traces(people: list[KnownPerson]) -> _Traces:
    """Return the meals of people without type 1 diabetes as arrays in blood glucose."""
    parts = []
    for one in people:
        if one.history.state == "type_1":
            continue
        offset, gain = sensor_constant(one.history.sensor, one.predictor.sensors)
        cases = cases_of(one.predictor, one.history, None, one.meals)
        unfed = cases.meals._replace(macronutrients=np.zeros_like(cases.meals.macronutrients))
        other = rise(one.predictor, cases._replace(meals=unfed))
        count = len(one.before)
        parts.append(
            _Traces(
                np.full(count, one.history.person, dtype=object),
                np.full(count, one.history.state, dtype=object),
                rise(one.predictor, cases) - other,
                other,
                (one.meals.glucose_mg_dl - offset) / gain,
                level(one.predictor, cases),
                (np.array([trace.mean_mg_dl for trace in one.before]) - offset) / gain,
                np.log([trace.sd_mg_dl / gain for trace in one.before]),
            )
        )
    return _Traces(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _usual_sd(traces: _Traces) -> dict[str, float]:
    """Return the usual spread of glucose in each state, the geometric mean over people."""
    weight = person_weights(traces.person)
    usual: dict[str, float] = {}
    for state in STATES:
        rows = traces.state == state
        if rows.any():
            usual[state] = float(np.exp(np.average(traces.log_sd[rows], weights=weight[rows])))
    return usual


def _fit_gain(traces: _Traces, usual: dict[str, float]) -> Array:
    """Fit constant and slope of the log gain to the observed rises, by Gauss–Newton steps."""
    ratio = traces.log_sd - np.log([usual[state] for state in traces.state.tolist()])
    target = traces.observed - traces.observed[:, :1] - traces.other_rise
    weight = person_weights(traces.person) / widening(traces.food_rise.max(axis=1)) ** 2
    noise = 30.0**2  # squared size of the errors, against which the prior of the slope is weighed
    found = np.zeros(2)
    for _ in range(30):
        curve = np.exp(found[0] + found[1] * ratio)[:, None] * traces.food_rise
        by = np.stack([curve, curve * ratio[:, None]])
        normal = np.einsum("int,jnt,n->ij", by, by, weight)
        slope = np.einsum("int,nt,n->i", by, target - curve, weight)
        prior = np.diag([0.0, noise / _SLOPE_SD**2])
        found = found + np.linalg.solve(normal + prior, slope - prior @ found)
    return found


def _fit_level(traces: _Traces) -> Array:
    """Fit the weight of a trace's mean, and how much this mean is above the level."""
    weight = person_weights(traces.person)
    own, found = traces.mean - traces.level, traces.observed[:, 0] - traces.level
    design = np.column_stack([own, np.ones(len(own))])
    slope, constant = np.linalg.solve(
        design.T @ (weight[:, None] * design), design.T @ (weight * found)
    )
    return np.array([slope, -constant / slope])


def _jackknife(fit: Callable[[_Traces], Array], traces: _Traces) -> tuple[Array, Array]:
    """Return the fitted values, and their standard deviations over people."""
    people = np.unique(traces.person)
    left_out = np.array(
        [fit(_Traces(*(column[traces.person != person] for column in traces))) for person in people]
    )
    spread = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
    return fit(traces), np.sqrt(spread * (len(people) - 1) / len(people))


def _fit_laboratory(table: pd.DataFrame, predictor: Predictor) -> dict[str, Any]:
    """Fit how the level of people depends on HbA1c and fasting glucose, within data sets."""
    reported = as_reported(table)
    gain, offset = gains_and_offsets(table["sensor"], predictor.sensors)
    blood = (observed_curves(table) - offset) / gain
    levels = reported["condition"].map(predictor.level_mg_dl).to_numpy(dtype=np.float64)
    rows = reported.assign(change=blood[:, 0] - levels, state=reported["condition"])
    rows = rows[rows["state"] != "type_1"]
    people = rows.groupby(["data_set", "person", "state"], as_index=False)[
        ["change", *_COLUMNS.values()]
    ].mean()
    means = {
        f"mean_{column}": people.groupby("state")[column].mean().dropna().to_dict()
        for column in _COLUMNS.values()
    }
    groups = people.groupby(["data_set", "state"])
    variance = (people["change"] - groups["change"].transform("mean")) ** 2
    precision = 1 / variance.groupby(people["state"]).transform("mean").to_numpy()
    laboratory = {}
    for name, given in _LABORATORY.items():
        columns = [_COLUMNS[value] for value in given]
        known = people[columns].notna().all(axis=1).to_numpy()
        within = people[known].groupby(["data_set", "state"])[["change", *columns]]
        apart = (people.loc[known, ["change", *columns]] - within.transform("mean")).to_numpy()
        weight, data_set = precision[known], people.loc[known, "data_set"].to_numpy()
        found, spread = _slopes_over_sets(apart[:, 1:], apart[:, 0], weight, data_set)
        left = apart[:, 0] - apart[:, 1:] @ found
        explained = 1 - float((weight * left**2).sum() / (weight * apart[:, 0] ** 2).sum())
        by = dict(zip(given, zip(found.tolist(), spread.tolist(), strict=True), strict=True))
        laboratory[name] = {
            key: float(value)
            for value_name in _COLUMNS
            for key, value in zip(
                (value_name, f"{value_name}_sd"), by.get(value_name, (0.0, 0.0)), strict=True
            )
        } | {"explained": max(explained, 0.0), "band": 1.0}
    return {
        "mean_hba1c_percent": means["mean_hba1c_percent"],
        "mean_fasting_mg_dl": means["mean_fasting_glucose_mg_dl"],
        "laboratory": laboratory,
    }


def _slopes_over_sets(
    design: Array, target: Array, weight: Array, data_set: NDArray[np.object_]
) -> tuple[Array, Array]:
    """Return the mean slopes over data sets, which differ, and their standard deviations.

    The mean is that of a random-effects model (DerSimonian and Laird 1986,
    doi:10.1016/0197-2456(86)90046-2), so that the largest set does not decide alone.
    """
    fits = [
        _weighted_slopes(design[rows], target[rows], weight[rows])
        for name in dict.fromkeys(data_set.tolist())
        if (rows := data_set == name).sum() >= _LEAST_PEOPLE
    ]
    slopes, errors = (np.array(values) for values in zip(*fits, strict=True))
    certain = 1 / errors**2
    fixed = (certain * slopes).sum(axis=0) / certain.sum(axis=0)
    spread = (certain * (slopes - fixed) ** 2).sum(axis=0) - (len(fits) - 1)
    scale = certain.sum(axis=0) - (certain**2).sum(axis=0) / certain.sum(axis=0)
    between = np.maximum(spread / scale, 0.0) if len(fits) > 1 else np.zeros_like(fixed)
    certain = 1 / (errors**2 + between)
    return (certain * slopes).sum(axis=0) / certain.sum(axis=0), certain.sum(axis=0) ** -0.5


def _weighted_slopes(design: Array, target: Array, weight: Array) -> tuple[Array, Array]:
    """Return slopes by weighted least squares, and their standard deviations."""
    inverse = np.linalg.inv(design.T @ (weight[:, None] * design))
    found = inverse @ (design.T @ (weight * target))
    left = target - design @ found
    size = float((weight * left**2).sum()) / (len(target) - len(found))
    return found, np.sqrt(size * inverse.diagonal())


def _fit_bands(folds: Folds, coefficients: dict[str, Any]) -> None:
    """Fit the factors of the band, with which it contains 90% of the readings of each data set."""
    learned = PersonCoefficients.from_dict(coefficients)
    columns = coefficients["trace"]
    for position, hours in enumerate(TRACE_HOURS):
        known = known_before(folds, hours)
        for name, with_reading in (("band", False), ("band_with_reading", True)):
            columns[name][position] = _factor(learned, known, with_reading=with_reading)
    everyone = known_before(folds, 0.0)
    for name, item in coefficients["laboratory"].items():
        hba1c, fasting = (key in name for key in _COLUMNS)
        known = [
            one._replace(before=[])
            for one in everyone
            if None not in [one.history.hba1c_percent][:hba1c]
            and None not in [one.history.fasting_glucose_mg_dl][:fasting]
        ]
        item["band"] = _factor(learned, known, hba1c=hba1c, fasting=fasting)


def _factor(
    learned: PersonCoefficients | None,
    people: list[KnownPerson],
    *,
    with_reading: bool = False,
    **laboratory: bool,
) -> float:
    """Return the factor of the band for the data set that needs the widest band, at most 1."""
    needed: dict[str, list[Array]] = {}
    for one in people:
        if one.history.state != "type_1":
            model = replace(one.predictor, person=learned)
            priors = priors_of(model, one.history, one.before, **laboratory)
            found = needed_factors(one, priors, with_reading).ravel()
            needed.setdefault(one.history.data_set, []).append(found)
    factors = [
        weighted_quantile(
            np.concatenate(parts),
            np.concatenate([np.full(len(part), 1 / max(len(part), 1)) for part in parts]),
            COVERAGE,
        )
        for parts in needed.values()
    ]
    return min(round(max(factors), 4), 1.0)


def needed_factors(one: KnownPerson, priors: list[PersonPrior], with_reading: bool) -> Array:
    """Return the factors by which the band must be wider to contain each reading."""
    start = last_readings(one.history.trace, one.meals.utc_s) if with_reading else np.nan
    plain = [prior._replace(band=1.0, band_with_reading=1.0) for prior in priors]
    cases = cases_of(one.predictor, one.history, None, one.meals, start, priors=plain)
    predicted = course(one.predictor, cases)
    below, above = band_distances(band_on_grid(one.predictor, cases), predicted.rise_mg_dl)
    errors = one.meals.glucose_mg_dl - predicted.curve_mg_dl
    factors = np.where(errors < 0, -errors / below, errors / above)
    return np.asarray(factors[~np.isnan(start)] if with_reading else factors)
