"""Train the default model on permissively licensed data sets, and write its weights."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold
from threadpoolctl import threadpool_limits

from postmeal.errors import DataSetError
from postmeal.glucose.person.coefficients import PersonCoefficients
from postmeal.glucose.personal.prior import KnownStart, PersonalPrior
from postmeal.glucose.population.band import Band, widening
from postmeal.glucose.population.carbohydrate_kind import CARB_WEIGHTS
from postmeal.glucose.population.curve import peak_rise_mg_dl
from postmeal.glucose.population.glucose_range import GlucoseRange, are_artefacts
from postmeal.glucose.population.peak_scale import PeakScale
from postmeal.glucose.population.sensors import SensorConstant
from postmeal.glucose.population.states import STATES
from postmeal.glucose.population.weights import FORMAT, weights_content
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets import (
    GLUCOSE_DRINKS,
    TRAINING_SETS,
    UNAWARE,
    load_data_set,
    ogtt75,
    shanghai,
)
from postmeal.training.datasets.meals_table import meals_table
from postmeal.training.fit.arrays import as_reported, gains_and_offsets, meals_of, observed_curves
from postmeal.training.fit.calibration import (
    fit_band,
    fit_impact_scale,
    fit_ranges,
    person_weights,
)
from postmeal.training.fit.person_coefficients import fit_person_coefficients
from postmeal.training.fit.person_history import PersonHistory, histories
from postmeal.training.fit.personal_release import (
    fit_personal_weights,
    unseen_predictors,
    unseen_set_predictors,
)
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.rung_calibration import fit_peaks_of_rungs, widened_for_unseen_sets
from postmeal.training.fit.sensors import sensor_constants
from postmeal.training.fit.weights_version import distinct_version

__all__ = [
    "TRAINING_SETS",
    "TrainingData",
    "fit_weights",
    "load_training_data",
    "meal_weights",
    "population_band",
    "unseen_people",
    "write_model",
]

NAME, VERSION = "population", "4"

_OGTT_WEIGHT = 0.3
_FOLDS = 10
_DIGITS = 10
_ENDS = ("low_mg_dl", "high_mg_dl")
_ON_THE_PRIOR = {"gate_margin": 0.2, "fading_days": 14.0, "prior_level_share": 0.5}
"""How personal models replace what is known without meals.

They were chosen by leaving out BIG IDEAs and Shanghai in turn; see the page of model choices.
"""


@dataclass(frozen=True)
class TrainingData:
    """The training data and their sources.

    Attributes
    ----------
    table : DataFrame
        The meals tables of all training sets.
    sensors : dict of str to SensorConstant
        Constants of each sensor family.
    sources : list of dict
        Name, title, license, citation, number of people and number of meals of each data set.
    histories : list of PersonHistory
        People with logged meals, for the prior of personal models.
    """

    table: pd.DataFrame
    sensors: dict[str, SensorConstant]
    sources: list[dict[str, Any]]
    histories: list[PersonHistory]


def load_training_data(data: str | Path) -> TrainingData:
    """Load the training sets.

    Parameters
    ----------
    data : path
        Folder with one folder per data set, named as in `TRAINING_SETS`.

    Returns
    -------
    TrainingData
        The meals, sensors, sources and people's histories.

    Raises
    ------
    DataSetError
        A data set is missing.
    """
    folder = Path(data)
    if missing := [name for name in TRAINING_SETS if not (folder / name).is_dir()]:
        raise DataSetError(
            f"the folder {folder} must contain one folder for each of the data sets"
            f" {', '.join(TRAINING_SETS)}; missing: {', '.join(missing)}"
        )
    tables, sources = [], []
    people: list[PersonHistory] = []
    for name in TRAINING_SETS:
        data_set = load_data_set(name, folder / name)
        table = meals_table(data_set)
        unaware = name in UNAWARE
        tables.append(table.assign(reported_condition="normal" if unaware else table.condition))
        if name not in GLUCOSE_DRINKS:
            people += histories(data_set)
        sources.append(
            {
                "name": name,
                "title": data_set.title,
                "licence": data_set.licence,
                "citation": data_set.citation,
                "doi": data_set.doi,
                "people": int(table["person"].nunique()),
                "meals": len(table),
            }
        )
    sensors = sensor_constants(
        ogtt75.paired_blood_glucose(folder / "ogtt75"),
        shanghai.paired_blood_glucose(folder / "shanghai"),
    )
    return TrainingData(pd.concat(tables, ignore_index=True), sensors, sources, people)


def meal_weights(table: pd.DataFrame) -> NDArray[np.float64]:
    """Return the weight of each meal in the fit: 0.3 for a glucose drink, 1 otherwise."""
    return np.where(table["data_set"].isin(GLUCOSE_DRINKS), _OGTT_WEIGHT, 1.0)


def fit_weights(data: TrainingData, held_out: NDArray[np.float64] | None = None) -> dict[str, Any]:
    """Fit all parts of the model's weights.

    Parameters
    ----------
    data : TrainingData
        The training data.
    held_out : ndarray of shape (n_meals, 9), optional
        Result of `unseen_people` for the training data. Computed when omitted.

    Returns
    -------
    dict
        Content of ``weights.json``. Its version is that of the shipped model only if the weights
        are the same; see `postmeal.training.fit.weights_version.distinct_version`.
    """
    table, curves, weight = data.table, observed_curves(data.table), meal_weights(data.table)
    person = table["person"].to_numpy()
    with threadpool_limits(1):  # On all machines, the same numbers are added in the same order.
        estimator = PostMealCurve(sensors=data.sensors).fit(table, curves, weight, person)
        predicted = unseen_people(table, data.sensors) if held_out is None else held_out
    state = meals_of(as_reported(table)).state
    by_person = person_weights(person, weight)
    is_meal = ~table["data_set"].isin(GLUCOSE_DRINKS).to_numpy()
    is_scored = is_meal & (state != STATES.index("type_1"))
    band = population_band(table, predicted)
    rise, rise_observed = (peak_rise_mg_dl(each[is_scored]) for each in (predicted, curves))
    scale = fit_impact_scale(rise, rise_observed, by_person[is_scored])
    ranges = _ranges(data, is_meal)
    predictor = Predictor(
        version=f"{NAME}-{VERSION}",
        population=estimator.model_,
        carb_weights=CARB_WEIGHTS,
        level_mg_dl=estimator.level_mg_dl_,
        band=band,
        impact_scale=scale,
        peak_scale=PeakScale.from_band(band),  # until it is fitted
        ranges={name: GlucoseRange(*ends, is_blood=True) for name, ends in ranges.items()},
        sensors=data.sensors,
        start=PersonalPrior.neutral().start,
        personal_prior=PersonalPrior.neutral(),
    )
    with threadpool_limits(1):
        known = data.histories, table, weight, predictor
        own, folds = fit_personal_weights(*known), unseen_predictors(*known)
        start = KnownStart.from_dict(own.start)
        set_folds = unseen_set_predictors(*known)
        band, own.start["band"] = widened_for_unseen_sets(set_folds, band, start)
        predictor = replace(predictor, band=band, start=KnownStart.from_dict(own.start))
        person_coefficients = fit_person_coefficients(folds, set_folds, table, predictor)
        person_of = PersonCoefficients.from_dict(person_coefficients)
        peaks = fit_peaks_of_rungs(folds, replace(predictor, person=person_of))
    ends = {name: dict(zip(_ENDS, values, strict=True)) for name, values in ranges.items()}
    weights: dict[str, Any] = _rounded(
        {
            "format": FORMAT,
            "name": NAME,
            "version": VERSION,
            "population": estimator.model_.to_dict(),
            "carb_weights": CARB_WEIGHTS._asdict(),
            "level_mg_dl": estimator.level_mg_dl_,
            "band": band.to_dict(),
            "impact_scale": vars(scale),
            "peak_distribution": peaks.to_dict(),
            "blood_ranges": ends,
            "sensors": _named(data.sensors),
            "start": own.start,
            "person": person_coefficients,
            "personal": {**own.personal, **_ON_THE_PRIOR},
            "trained_on": data.sources,
        }
    )
    return {**weights, "version": distinct_version(weights)}


def _ranges(data: TrainingData, is_meal: NDArray[np.bool_]) -> dict[str, tuple[float, float]]:
    """Fit the ranges of readings after meals to the conditions that people report."""
    table = data.table[is_meal]
    curves, state = observed_curves(table), meals_of(as_reported(table)).state
    gain, offset = gains_and_offsets(table["sensor"], data.sensors)
    weight = person_weights(table["person"].to_numpy(), meal_weights(table))
    return fit_ranges((curves - offset) / gain, are_artefacts(curves), state, weight)


def _named(sensors: Mapping[str, SensorConstant]) -> dict[str, dict[str, float]]:
    """Return the constants of the sensors that have a name."""
    return {name: own._asdict() for name, own in sensors.items() if name != "unnamed CGM"}


def population_band(table: pd.DataFrame, held_out: NDArray[np.float64]) -> Band:
    """Fit the 90% band of the population model to the meals of held-out people.

    Parameters
    ----------
    table : DataFrame
        The meals table. Glucose drinks are not used.
    held_out : ndarray of shape (n_meals, 9)
        Curves in mg/dL, as returned by `unseen_people` for the table.

    Returns
    -------
    Band
        The band.
    """
    state = meals_of(as_reported(table)).state
    by_person = person_weights(table["person"].to_numpy(), meal_weights(table))
    is_meal = ~table["data_set"].isin(GLUCOSE_DRINKS).to_numpy()
    error = (observed_curves(table) - held_out) / widening(held_out - held_out[:, :1])
    return fit_band(error[is_meal], state[is_meal], by_person[is_meal])


def write_model(weights: dict[str, Any], output: str | Path, version: str | None = None) -> str:
    """Write a model's ``weights.json``, and pin its SHA-256 hash in ``registry.toml``.

    The registry is in the parent of the model's folder.

    Parameters
    ----------
    weights : dict
        Content of ``weights.json``.
    output : path
        Folder of the model.
    version : str, optional
        Version to write, such as that of a release. Defaults to the version stated in the weights.
        If this is the version of the shipped model and the weights are different, a number computed
        from their content is written instead; see
        `postmeal.training.fit.weights_version.distinct_version`.

    Returns
    -------
    str
        The hash of ``weights.json``, in hexadecimal.
    """
    weights = {**weights, "version": version or distinct_version(weights)}
    folder = Path(output).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    content = weights_content(weights)
    (folder / "weights.json").write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    registry = folder.parent / "registry.toml"
    others = tomllib.loads(registry.read_text(encoding="utf-8")) if registry.exists() else {}
    entry = {"version": weights["version"], "weights": f"{folder.name}/weights.json"}
    others.pop(folder.name, None)
    entries = {folder.name: {**entry, "sha256": sha256}, **others}
    lines = ["# The shipped models, with the hash of their weights; altered weights are rejected."]
    for name, values in entries.items():
        key = name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name)
        lines += [
            f"[{key}]",
            *(f"{field} = {json.dumps(value)}" for field, value in values.items()),
        ]
    registry.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sha256


def unseen_people(table: pd.DataFrame, sensors: dict[str, SensorConstant]) -> NDArray[np.float64]:
    """Predict each meal with a population model that was fitted to other people.

    Parameters
    ----------
    table : DataFrame
        A meals table. Its people are split into ten folds.
    sensors : dict of str to SensorConstant
        Constants of each sensor family.

    Returns
    -------
    ndarray of shape (n_meals, 9)
        Curves in mg/dL.
    """
    curves, weight, person = observed_curves(table), meal_weights(table), table["person"].to_numpy()
    predicted = np.empty_like(curves)
    for seen, unseen in GroupKFold(_FOLDS).split(table, groups=person):
        model = PostMealCurve(sensors=sensors)
        model.fit(table.iloc[seen], curves[seen], weight[seen], person[seen])
        predicted[unseen] = model.predict(as_reported(table).iloc[unseen])
    return predicted


def _rounded(value: Any) -> Any:
    """Round floats to ten significant digits, so that their last bits do not change the hash."""
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(one) for one in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
