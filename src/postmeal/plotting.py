"""Shared style of postmeal's figures: glucose in mg/dL and mmol/L, and a note for synthetic data.

This module requires the extra ``postmeal[plot]``, which installs matplotlib.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from postmeal.errors import MissingExtra
from postmeal.units import MG_DL_PER_MMOL_L

try:
    import matplotlib as mpl
    from cycler import cycler
    from matplotlib import pyplot
except ModuleNotFoundError as error:
    raise MissingExtra("matplotlib", "plot") from error

__all__ = [
    "COLORS",
    "STATE_COLORS",
    "STYLE",
    "curve_axes",
    "draw_curve",
    "glucose_axis",
    "legend_below",
    "mark_synthetic",
    "minutes_axis",
    "styled",
    "use_style",
]

COLORS = {
    "blue": "#2a5fa5",
    "green": "#2a7f62",
    "amber": "#c98a1b",
    "red": "#b2433f",
    "purple": "#6b5b95",
    "gray": "#8a8a8a",
    "black": "#222222",
}
"""Colors of curves and markers by name, in the order in which matplotlib cycles through them."""

STATE_COLORS = {
    "normal": COLORS["green"],
    "prediabetes": COLORS["amber"],
    "type_2": COLORS["red"],
    "type_1": COLORS["purple"],
}
"""Color of each state of glucose regulation."""

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#9aa4ad",
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": "#444444",
    "axes.prop_cycle": cycler(color=[*COLORS.values()]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 9,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "figure.dpi": 80,
    "figure.facecolor": "white",
    "figure.figsize": (7, 3.8),
    "font.size": 9.5,
    "grid.color": "#e6eaed",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "savefig.dpi": 80,
    "xtick.color": "#666666",
    "ytick.color": "#666666",
}
"""Matplotlib parameters for all figures."""

_BELOW = "legend below"
_SYNTHETIC = "Synthetic data: real people vary more, and predictions for them are less accurate"


def styled() -> AbstractContextManager[None]:
    """Return a context in which new figures have the style of postmeal."""
    return mpl.rc_context(STYLE)


def use_style() -> None:
    """Apply `STYLE` to all figures that are created after this call."""
    mpl.rcParams.update(STYLE)


def glucose_axis(axes: Any, label: str = "glucose", *, mmol_l: bool = True) -> Any:
    """Label the vertical axis in mg/dL, with mmol/L on the right.

    Parameters
    ----------
    axes : matplotlib Axes
        Axes that show glucose, glucose differences or errors.
    label : str, default="glucose"
        Name of the quantity shown.
    mmol_l : bool, default=True
        Whether to add the mmol/L axis. Pass False for the left of two plots that share an axis.

    Returns
    -------
    matplotlib Axes
        The same axes.
    """
    axes.set_ylabel(f"{label}, mg/dL")
    if mmol_l:
        right = axes.secondary_yaxis("right", functions=(_to_mmol_l, _to_mg_dl))
        right.set_ylabel("mmol/L")
        right.spines["right"].set_visible(False)
        right.tick_params(length=0)
    return axes


def minutes_axis(axes: Any, last_min: int = 120) -> Any:
    """Label the horizontal axis in minutes after the start of the meal."""
    axes.set(xlabel="minutes after the start of the meal", xticks=range(0, last_min + 1, 30))
    axes.set_xlim(0, last_min)
    return axes


def curve_axes(title: str, **options: Any) -> Any:
    """Create a figure for post-meal glucose curves and return its axes.

    Parameters
    ----------
    title : str
        Title of the figure.
    **options
        Options of `matplotlib.pyplot.subplots`, such as `figsize`.

    Returns
    -------
    matplotlib Axes
        The axes.
    """
    axes = pyplot.subplots(layout="constrained", **options)[1]
    axes.set_title(title)
    return minutes_axis(glucose_axis(axes))


def draw_curve(
    axes: Any,
    prediction: Any,
    label: str = "predicted",
    color: str | None = COLORS["blue"],
    *,
    band: bool = True,
) -> None:
    """Draw a predicted curve and its 90% band.

    Parameters
    ----------
    axes : matplotlib Axes
        Axes to draw on.
    prediction : Prediction
        The prediction to draw.
    label : str, default="predicted"
        Name of the curve in the legend.
    color : str or None
        Color of the curve and its band; None for the next color of the style.
    band : bool, default=True
        Whether to draw the band.
    """
    axes.plot(prediction.minutes, prediction.glucose_mg_dl, color=color, label=label)
    if band:
        edges = prediction.lower_mg_dl, prediction.upper_mg_dl
        axes.fill_between(prediction.minutes, *edges, color=color, alpha=0.15, linewidth=0)


def legend_below(axes: Any, columns: int = 4) -> None:
    """Put the legend below the figure, where it does not cover any data."""
    handles, labels = axes.get_legend_handles_labels()
    n_columns = min(columns, len(labels))
    legend = axes.figure.legend(handles, labels, loc="outside lower center", ncols=n_columns)
    legend.set_gid(_BELOW)


def mark_synthetic(figure: Any, text: str = _SYNTHETIC) -> None:
    """Add a note between the figure and its legend that the data is synthetic.

    Parameters
    ----------
    figure : matplotlib Figure
        Figure with constrained layout. Add its legend before calling this function.
    text : str
        Text to show.
    """
    below = [legend for legend in figure.legends if legend.get_gid() == _BELOW]
    mark = below[0] if below else figure.legend([], [], loc="outside lower center")
    mark.set_title(text, prop={"size": 8.5, "style": "italic"})
    mark.get_title().set_color(COLORS["red"])


def _to_mmol_l(mg_dl: Any) -> Any:
    return mg_dl / MG_DL_PER_MMOL_L


def _to_mg_dl(mmol_l: Any) -> Any:
    return mmol_l * MG_DL_PER_MMOL_L
