"""Evaluate a released model on a data set, and write the report that ships with the model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from postmeal.glucose.predictor import Predictor
from postmeal.training.card.chances import write_reliability_plot
from postmeal.training.card.model_card import write_card
from postmeal.training.card.personal_plot import write_personal_plot
from postmeal.training.card.plots import write_plots
from postmeal.training.datasets import load_data_set
from postmeal.training.datasets.data_set import DataSet
from postmeal.training.datasets.meals_table import meals_table
from postmeal.training.evaluation.around_the_curve import left_out_around_the_curve
from postmeal.training.evaluation.chances import brier_scores, held_out_chances
from postmeal.training.evaluation.coefficients import fitted_coefficients
from postmeal.training.evaluation.forward_in_time import forward_in_time, forward_on_training_sets
from postmeal.training.evaluation.left_out_and_unseen import (
    fit_peers,
    frozen_on,
    leave_one_data_set_out,
)
from postmeal.training.evaluation.released_model import (
    long_table,
    predict_table,
    score,
)
from postmeal.training.evaluation.rungs import compare_rungs
from postmeal.training.evaluation.standard_loads import standard_loads
from postmeal.training.evaluation.with_reading import frozen_with_reading, left_out_with_reading
from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.later_days import later_meals
from postmeal.training.fit.person_history import histories
from postmeal.training.fit.release import TrainingData, load_training_data

__all__ = ["evaluate_frozen", "report"]


def evaluate_frozen(
    data_set: DataSet, model: str | Path | None = None
) -> tuple[dict[str, dict[str, float]], pd.DataFrame]:
    """Evaluate a released model on a data set without refitting the model.

    Parameters
    ----------
    data_set : DataSet
        The data set; see `postmeal.training.datasets.load_data_set`.
    model : path, optional
        Folder of the model. Defaults to the shipped model.

    Returns
    -------
    metrics : dict of str to dict
        Metrics of the meals of each sensor, and of each sensor and condition. They include the
        Brier scores of the chances.
    predictions : DataFrame
        One row per meal and minute; see
        `postmeal.training.evaluation.released_model.PREDICTION_COLUMNS`.

    Raises
    ------
    ModelError
        The model cannot be read.
    """
    predictor = Predictor.load(model)
    table = meals_table(data_set)
    metrics = {}
    for sensor, rows in table.groupby("sensor"):
        groups = {str(sensor): rows} | {
            f"{sensor}, {condition}": part for condition, part in rows.groupby("condition")
        }
        for name, part in groups.items():
            observed, predicted = observed_curves(part), predict_table(predictor, part)
            scores = brier_scores(observed, predicted.chances, part["person"])
            metrics[name] = score(observed, part["person"], predicted) | scores
    return metrics, long_table(table, predict_table(predictor, table))


def report(
    data: str | Path | TrainingData,
    model: str | Path,
    unseen: str | Path | DataSet | None = None,
    unseen_name: str = "cgmacros",
    progress: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Run the three protocols, and write metrics, plots and the model card to the model's folder.

    Parameters
    ----------
    data : path or TrainingData
        Folder with one folder per training set, or the training sets.
    model : path
        Folder of the released model. ``metrics.json``, the plots, ``card.md``, ``evaluation.md``
        and ``personal.md`` are written to it.
    unseen : path or DataSet, optional
        A data set that was not used for training, or its folder, for protocols 2 and 3. When
        omitted, these protocols are skipped.
    unseen_name : str, default="cgmacros"
        Name of the data set in the folder `unseen`.
    progress : callable, optional
        Function that is called with the name of each step before it starts.

    Returns
    -------
    dict
        Content of ``metrics.json``.

    Raises
    ------
    DataSetError
        A data set is missing.
    ModelError
        The model cannot be read.
    """
    with threadpool_limits(1):  # One thread is faster for small matrices.
        folder = Path(model)
        predictor = Predictor.load(folder)
        training = data if isinstance(data, TrainingData) else load_training_data(data)
        if unseen is not None and not isinstance(unseen, DataSet):
            unseen = load_data_set(unseen_name, unseen)
        metrics = _on_training_sets(training, predictor, progress)
        table, people = None, []
        if unseen is not None:
            table, people = meals_table(unseen), list(histories(unseen))
            progress(f"{unseen.name}: population and personal models")
            peers = fit_peers(training.table, training.sensors)
            metrics |= {
                "unseen": unseen.name,
                "frozen": frozen_on(predictor, peers, table),
                "with_reading": frozen_with_reading(predictor, table, people),
                "forward": forward_in_time(predictor, peers, people),
                "rungs": compare_rungs(training, predictor, people),
            }
        metrics = _rounded(metrics)
        (folder / "metrics.json").write_text(json.dumps(metrics, indent=1) + "\n", encoding="utf-8")
        progress("plots and card")
        write_plots(folder, metrics, predictor, training.table if table is None else table)
        write_reliability_plot(folder / "reliability.png", metrics)
        if unseen is not None:
            later = later_meals(predictor, people)
            write_personal_plot(folder / "personal.png", metrics["forward"], later)
        write_card(folder, metrics)
        return metrics


def _on_training_sets(
    training: TrainingData, predictor: Predictor, progress: Callable[[str], None]
) -> dict[str, Any]:
    metrics: dict[str, Any] = {"model": predictor.version}
    steps: dict[str, Callable[[], Any]] = {
        "coefficients": lambda: fitted_coefficients(training),
        "leave_one_data_set_out": lambda: leave_one_data_set_out(training),
        "hall_left_out": lambda: left_out_with_reading(training, predictor),
        "standard_loads": lambda: standard_loads(training, predictor),
        "forward_left_out": lambda: forward_on_training_sets(training, predictor),
        "chances": lambda: held_out_chances(training),
        "around_the_curve_left_out": lambda: left_out_around_the_curve(training, predictor),
    }
    for name, step in steps.items():
        progress(f"training sets: {name.replace('_', ' ')}")
        metrics[name] = step()
    return metrics


def _rounded(metrics: dict[str, Any]) -> dict[str, Any]:
    """Round every float to four decimals."""
    text = json.dumps(metrics)
    found: dict[str, Any] = json.loads(text, parse_float=lambda number: round(float(number), 4))
    return found
