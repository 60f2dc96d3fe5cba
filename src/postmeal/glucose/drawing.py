"""Plot a prediction with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

from postmeal.plotting import COLORS, STYLE, curve_axes, draw_curve, legend_below

if TYPE_CHECKING:
    from postmeal.glucose.prediction import Prediction

__all__ = ["draw"]


def draw(prediction: Prediction, axes: Any = None) -> Any:
    """Draw the curve, its band and the person's range; see `Prediction.plot`."""
    title = f"Impact {prediction.impact}, {prediction.model_version}"
    with rc_context(STYLE):
        ax = curve_axes(title) if axes is None else axes
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
        minutes = prediction.minutes
        ax.set_xlim(min(minutes), max(minutes) if len(minutes) > 1 else None)
        if axes is not None:
            ax.set(
                title=title, xlabel="minutes after the start of the meal", ylabel="glucose, mg/dL"
            )
            ax.legend(fontsize="small")
        else:
            legend_below(ax)
    return ax
