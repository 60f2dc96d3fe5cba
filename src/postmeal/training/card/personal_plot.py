"""Plot of errors by days of history, and of mean curves with and without a personal model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from postmeal.glucose.history.training_days import MIN_DAYS
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.states import STATES
from postmeal.plotting import COLORS
from postmeal.training.card.names import LABELS
from postmeal.training.card.plots import STYLE, save
from postmeal.training.fit.later_days import LaterMeals
from postmeal.training.fit.metrics import rmse_mg_dl

_POPULATION, _PERSONAL, _OBSERVED = COLORS["amber"], COLORS["blue"], COLORS["black"]
_SENSOR_COLORS = tuple(COLORS[name] for name in ("blue", "green", "purple", "red"))


def write_personal_plot(path: Path, forward: dict[str, Any], later: list[LaterMeals]) -> None:
    """Plot errors by days of history, and mean curves of some people with both models."""
    sensor = max(forward, key=lambda name: forward[name]["models"]["served"]["n_meals"])
    chosen = examples([one for one in later if one.history.sensor == sensor])
    with mpl.rc_context(STYLE):
        n_columns = len(chosen)
        figure = Figure(figsize=(4.0 + 2.5 * n_columns, 5.4), layout="constrained")
        halves = figure.add_gridspec(1, 2, width_ratios=(1.5, n_columns))
        left, right = (figure.add_subfigure(halves[0, side]) for side in (0, 1))
        _errors_by_days(left.subplots(), forward)
        right.suptitle(f"Mean of the meals after five days: {sensor}", fontsize=10)
        axes = np.reshape(right.subplots(2, n_columns, sharex=True, sharey="col"), (2, n_columns))
        for column, (state, pair) in enumerate(chosen.items()):
            kinds = ("median", "least improvement")
            for axis, kind, one in zip(axes[:, column], kinds, pair, strict=True):
                _before_and_after(axis, f"{LABELS[state]}, {kind}", one)
            axes[1, column].set_xlabel("minutes after the start")
        for axis in axes[:, 0]:
            axis.set_ylabel("mg/dL")
        lines, names = axes[0, 0].get_legend_handles_labels()
        right.legend(lines, names, loc="outside lower center", ncols=4, frameon=False)
        save(figure, path)


def examples(later: list[LaterMeals]) -> dict[str, tuple[LaterMeals, LaterMeals]]:
    """Select, for each state, the people with the median and with the smallest improvement.

    The improvement is the RMSE of the population model minus that of the served prediction.
    """
    chosen: dict[str, tuple[LaterMeals, LaterMeals]] = {}
    for state in STATES:
        ordered = sorted((one for one in later if one.history.state == state), key=_improvement)
        if ordered:
            chosen[state] = (ordered[len(ordered) // 2], ordered[0])
    return chosen


def _improvement(one: LaterMeals) -> float:
    before, after = _errors(one)
    return before - after


def _errors(one: LaterMeals) -> tuple[float, float]:
    observed = one.meals.glucose_mg_dl
    return rmse_mg_dl(observed, one.population_mg_dl), rmse_mg_dl(observed, one.served_mg_dl)


def _errors_by_days(axis: Axes, forward: dict[str, Any]) -> None:
    for color, (sensor, one) in zip(_SENSOR_COLORS, forward.items(), strict=False):
        days = [int(n_days) for n_days in one["by_days"]]
        for key, style, what in (
            ("absolute_rmse_mg_dl", "o-", "curve"),
            ("rise_rmse_mg_dl", "o--", "rise"),
        ):
            errors = [part[key] for part in one["by_days"].values()]
            axis.plot(days, errors, style, ms=4, color=color, label=f"{sensor}, {what}")
    axis.axvline(MIN_DAYS, color="#bbbbbb", lw=0.8, zorder=0)
    axis.text(
        MIN_DAYS + 0.1,
        0.97,
        "required",
        transform=axis.get_xaxis_transform(),
        color="#888888",
        fontsize=8,
    )
    axis.set(xlabel="days of training data", ylabel="RMSE for later meals, mg/dL")
    axis.set_title("Error by days of history", fontsize=10)
    axis.set_ylim(bottom=0)
    axis.legend(frameon=False, loc="lower left")


def _before_and_after(axis: Axes, title: str, one: LaterMeals) -> None:
    before, after = _errors(one)
    observed = one.meals.glucose_mg_dl
    low, high = np.quantile(observed, [0.25, 0.75], axis=0)
    axis.fill_between(GRID_MIN, low, high, color="#dddddd", lw=0, label="middle half of meals")
    axis.plot(GRID_MIN, observed.mean(axis=0), "o", ms=4, color=_OBSERVED, label="observed")
    axis.plot(GRID_MIN, one.population_mg_dl.mean(axis=0), color=_POPULATION, label="population")
    axis.plot(GRID_MIN, one.served_mg_dl.mean(axis=0), color=_PERSONAL, label="personal")
    axis.set_title(f"{title}\nRMSE {before:.0f} → {after:.0f} mg/dL", fontsize=8)
    axis.set_xticks(range(0, 121, 30))
