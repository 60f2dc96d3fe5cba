"""Plot a prediction with matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from postmeal.plotting import (
    COLORS,
    curve_axes,
    draw_curve,
    glucose_axis,
    legend_below,
    minutes_axis,
    styled,
)

if TYPE_CHECKING:
    from postmeal.glucose.prediction import Prediction


def draw(prediction: Prediction, axes: Any = None) -> Any:
    """Draw a predicted curve, its band and the person's glucose range; see `Prediction.plot`."""
    title = f"Impact {prediction.impact}, {prediction.model_version}"
    with styled():
        ax = curve_axes(title) if axes is None else glucose_axis(axes, mmol_l=False)
        minutes = prediction.minutes
        minutes_axis(ax, max(120, math.ceil(minutes[-1])))
        if len(minutes) > 1:
            ax.set_xlim(minutes[0], minutes[-1])
        draw_curve(ax, prediction)
        ax.collections[-1].set_label("90 % band")
        ax.axhline(prediction.cgp_min, color=COLORS["gray"], linestyle=":", label="usual range")
        ax.axhline(prediction.cgp_max, color=COLORS["gray"], linestyle=":")
        ax.plot(prediction.peak_min, prediction.peak_mg_dl, "o", color=COLORS["blue"])
        ax.annotate(
            f"{prediction.peak_mg_dl:.0f}",
            (prediction.peak_min, prediction.peak_mg_dl),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
        )
        if axes is None:
            legend_below(ax)
        else:
            ax.set_title(title)
            ax.legend(fontsize="small")
    return ax
