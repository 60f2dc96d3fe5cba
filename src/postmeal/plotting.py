"""The look of postmeal's figures: one style, glucose in mg/dL and mmol/L, a mark for made-up data.

It needs matplotlib, which nothing else in the library imports at start.
"""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib import pyplot

from postmeal.units import MG_DL_PER_MMOL_L

__all__ = [
    "COLORS",
    "STATE_COLORS",
    "STYLE",
    "curve_axes",
    "draw_curve",
    "glucose_axis",
    "legend_below",
    "mark_made_up",
    "minutes_axis",
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
"""Colors that can be told apart with every common form of color blindness, and in gray."""

STATE_COLORS = {
    "normal": COLORS["green"],
    "prediabetes": COLORS["amber"],
    "type_2": COLORS["red"],
    "type_1": COLORS["purple"],
}
"""Colors of the states of glucose regulation."""

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
"""Parameters of matplotlib for every figure."""

_BELOW = "legend below"
_MADE_UP = "Made-up data: real people vary more and are predicted less well"


def use_style() -> None:
    """Apply the style to all figures from now on."""
    mpl.rcParams.update(STYLE)


def glucose_axis(axes: Any, label: str = "glucose", *, mmol_l: bool = True) -> Any:
    """Label the vertical axis in mg/dL, with mmol/L on the right.

    Parameters
    ----------
    axes : matplotlib Axes
        Where glucose, a difference or an error of it is drawn.
    label : str, default="glucose"
        What is drawn.
    mmol_l : bool, default=True
        Whether the second axis is drawn; not for the left one of two axes that share it.

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
    """Return axes of a new figure for curves of glucose after a meal.

    Parameters
    ----------
    title : str
        The title.
    **options
        For `matplotlib.pyplot.subplots`, such as `figsize`.

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
    """Draw a predicted curve and its 90 % band.

    Parameters
    ----------
    axes : matplotlib Axes
        Where to draw.
    prediction : Prediction
        A `postmeal.Prediction`.
    label : str, default="predicted"
        The name of the curve in the legend.
    color : str or None
        Its color; None for the next one of the style.
    band : bool, default=True
        Whether the band is drawn.
    """
    axes.plot(prediction.minutes, prediction.glucose_mg_dl, color=color, label=label)
    if band:
        edges = prediction.lower_mg_dl, prediction.upper_mg_dl
        axes.fill_between(prediction.minutes, *edges, color=color, alpha=0.15, linewidth=0)


def legend_below(axes: Any, columns: int = 4) -> None:
    """Put the legend below the figure, where it hides nothing."""
    handles, labels = axes.get_legend_handles_labels()
    n_columns = min(columns, len(labels))
    legend = axes.figure.legend(handles, labels, loc="outside lower center", ncols=n_columns)
    legend.set_gid(_BELOW)


def mark_made_up(figure: Any, text: str = _MADE_UP) -> None:
    """Write below a figure, above a legend that is there, that its data are made up.

    Parameters
    ----------
    figure : matplotlib Figure
        A figure with constrained layout, complete with its legend.
    text : str
        What to write.
    """
    below = [legend for legend in figure.legends if legend.get_gid() == _BELOW]
    mark = below[0] if below else figure.legend([], [], loc="outside lower center")
    mark.set_title(text, prop={"size": 8.5, "style": "italic"})
    mark.get_title().set_color(COLORS["red"])


def _to_mmol_l(mg_dl: Any) -> Any:
    return mg_dl / MG_DL_PER_MMOL_L


def _to_mg_dl(mmol_l: Any) -> Any:
    return mmol_l * MG_DL_PER_MMOL_L
