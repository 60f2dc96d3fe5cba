"""Evaluation of a released model on a data set, and the full report that ships with the model."""

from __future__ import annotations

import json
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
from postmeal.training.evaluation.chances import brier_scores, held_out_chances
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
from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.later_days import later_meals
from postmeal.training.fit.person_history import histories
from postmeal.training.fit.release import TrainingData, load_training_data

__all__ = ["evaluate_frozen", "report"]


def evaluate_frozen(
    data_set: DataSet, model: str | Path | None = None
) -> tuple[dict[str, dict[str, float]], pd.DataFrame]:
    """Evaluate a released model on a data set without refitting it.

    Parameters
    ----------
    data_set : DataSet
        The data set; see `postmeal.training.datasets.load_data_set`.
    model : path, optional
        Folder of the model; the shipped model when omitted.

    Returns
    -------
    metrics : dict of str to dict
        Metrics for each sensor, and for each sensor and condition, including the Brier scores of
        the predicted chances.
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
) -> dict[str, Any]:
    """Run the full evaluation, and write metrics, plots and the model card to the model folder.

    Parameters
    ----------
    data : path or TrainingData
        The training sets, or a folder that contains one folder per training set.
    model : path
        Folder of the released model, to which ``metrics.json``, the plots and the model card are
        written.
    unseen : path or DataSet, optional
        A data set that was not used for training, or its folder. When omitted, the evaluations on
        such a data set are skipped.
    unseen_name : str, default="cgmacros"
        Name of that data set.

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
    with threadpool_limits(1):  # faster for small matrices, and the same results on any machine
        folder = Path(model)
        predictor = Predictor.load(folder)
        training = data if isinstance(data, TrainingData) else load_training_data(data)
        metrics: dict[str, Any] = {
            "model": predictor.version,
            "leave_one_data_set_out": leave_one_data_set_out(training),
            "forward_left_out": forward_on_training_sets(training, predictor),
            "chances": held_out_chances(training),
        }
        table, people = None, []
        if unseen is not None:
            if not isinstance(unseen, DataSet):
                unseen = load_data_set(unseen_name, unseen)
            table = meals_table(unseen)
            metrics["unseen"] = unseen.name
            peers = fit_peers(training.table, training.sensors)
            metrics["frozen"] = frozen_on(predictor, peers, table)
            people = list(histories(unseen))
            metrics["forward"] = forward_in_time(predictor, peers, people)
        metrics = json.loads(json.dumps(metrics), parse_float=lambda text: round(float(text), 4))
        (folder / "metrics.json").write_text(json.dumps(metrics, indent=1) + "\n", encoding="utf-8")
        write_plots(folder, metrics, predictor, training.table if table is None else table)
        write_reliability_plot(folder / "reliability.png", metrics)
        if unseen is not None:
            later = later_meals(predictor, people)
            write_personal_plot(folder / "personal.png", metrics["forward"], later)
        write_card(folder, metrics)
        return metrics
