"""Plots of the model card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from postmeal.glucose.population.curve import GRID_MIN, iauc_mg_dl_min
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.plotting import STATE_COLORS
from postmeal.training.card.names import LABELS, MODELS
from postmeal.training.datasets import SHORT_NAMES
from postmeal.training.evaluation.released_model import predict_table
from postmeal.training.fit.arrays import observed_curves

STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
"""Matplotlib style of all plots in the model card."""


def write_plots(
    folder: Path, metrics: dict[str, Any], predictor: Predictor, table: pd.DataFrame
) -> None:
    """Write the plots of mean curves, areas under curves, errors and coverage by minute."""
    with mpl.rc_context(STYLE):
        save(_curves(predictor, table), folder / "curves.png")
        save(_areas(predictor, table), folder / "areas.png")
        save(_errors(metrics), folder / "errors.png")
        save(_coverage(predictor, table), folder / "coverage.png")


def save(figure: Figure, path: Path) -> None:
    """Save a plot to a file; the same plot always produces the same bytes."""
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _panels(table: pd.DataFrame) -> tuple[Figure, list[Any], list[tuple[str, pd.DataFrame]]]:
    groups = [(str(sensor), rows) for sensor, rows in table.groupby("sensor")]
    figure = Figure(figsize=(4.2 * len(groups), 3.8), layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(groups), sharey=True)).tolist()
    return figure, axes, groups


def _legend_below(figure: Figure, axis: Any, title: str | None = None) -> None:
    lines, names = axis.get_legend_handles_labels()
    place = "outside lower center"
    figure.legend(lines, names, title=title, loc=place, ncols=len(names), frameon=False)


def _states(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    present = [state for state in STATES if (rows["condition"] == state).any()]
    return [(state, rows[rows["condition"] == state]) for state in present]


def _curves(predictor: Predictor, table: pd.DataFrame) -> Figure:
    figure, axes, groups = _panels(table)
    for axis, (sensor, rows) in zip(axes, groups, strict=True):
        for state, part in _states(rows):
            observed = observed_curves(part)
            predicted = predict_table(predictor, part).glucose_mg_dl
            rise = (observed - observed[:, :1]).mean(axis=0)
            color = STATE_COLORS[state]
            axis.plot(GRID_MIN, rise, "o", ms=4, color=color, label=LABELS[state])
            axis.plot(GRID_MIN, (predicted - predicted[:, :1]).mean(axis=0), color=color)
        axis.set(
            title=sensor, xlabel="minutes after the start of the meal", xticks=range(0, 121, 30)
        )
    axes[0].set_ylabel("mean rise, mg/dL")
    _legend_below(figure, axes[0], "points observed, lines predicted")
    return figure


def _areas(predictor: Predictor, table: pd.DataFrame) -> Figure:
    figure, axes, groups = _panels(table)
    top = float(np.quantile(iauc_mg_dl_min(observed_curves(table)), 0.995))
    for axis, (sensor, rows) in zip(axes, groups, strict=True):
        for state, part in _states(rows):
            observed = iauc_mg_dl_min(observed_curves(part))
            predicted = iauc_mg_dl_min(predict_table(predictor, part).glucose_mg_dl)
            color = STATE_COLORS[state]
            axis.scatter(
                predicted, observed, s=7, color=color, alpha=0.5, lw=0, label=LABELS[state]
            )
        axis.plot([0, top], [0, top], color="#999999", lw=0.8)
        axis.set(title=sensor, xlabel="predicted iAUC, mg/dL × min", ylim=(0, top), xlim=(0, top))
        axis.xaxis.set_major_locator(MultipleLocator(4000))
    axes[0].set_ylabel("observed iAUC, mg/dL × min")
    _legend_below(figure, axes[0])
    return figure


def _errors(metrics: dict[str, Any]) -> Figure:
    left_out = metrics["leave_one_data_set_out"]
    groups = {SHORT_NAMES[name]: one["models"] for name, one in left_out.items()}
    unseen = SHORT_NAMES.get(metrics.get("unseen", ""), metrics.get("unseen"))
    groups |= {
        f"{unseen}\n{name}": one["models"] for name, one in metrics.get("frozen", {}).items()
    }
    figure = Figure(figsize=(1.7 * len(groups) + 1.5, 3.4), layout="constrained")
    axis = figure.subplots()
    names = ["population", "challenger", "linear", "carb line", "condition mean", "global mean"]
    colors = ["#2a5fa5", "#6b6b6b", "#8a8a8a", "#b5b5b5", "#cccccc", "#e0e0e0"]
    for shift, (name, color) in enumerate(zip(names, colors, strict=True)):
        heights = [models[name]["rise_rmse_mg_dl"] for models in groups.values()]
        positions = np.arange(len(groups)) + (shift - 2.5) * 0.14
        axis.bar(positions, heights, width=0.13, color=color, label=MODELS.get(name, name))
    axis.set(xticks=range(len(groups)), xticklabels=list(groups), ylabel="rise RMSE, mg/dL")
    axis.legend(frameon=False, ncols=6, loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize=8)
    return figure


def _coverage(predictor: Predictor, table: pd.DataFrame) -> Figure:
    figure, axes, groups = _panels(table)
    for axis, (sensor, rows) in zip(axes, groups, strict=True):
        for state, part in _states(rows):
            predicted, observed = predict_table(predictor, part), observed_curves(part)
            inside = (observed >= predicted.lower_mg_dl) & (observed <= predicted.upper_mg_dl)
            axis.plot(GRID_MIN, inside.mean(axis=0), color=STATE_COLORS[state], label=LABELS[state])
        axis.axhline(0.9, color="#999999", lw=0.8, ls="--")
        axis.set(
            title=sensor, xlabel="minutes after the start of the meal", xticks=range(0, 121, 30)
        )
        axis.set_ylim(0.6, 1)
    axes[0].set_ylabel("share inside the 90% band")
    _legend_below(figure, axes[0])
    return figure
