"""Plot a prediction with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import pyplot

if TYPE_CHECKING:
    from postmeal.glucose.prediction import Prediction

__all__ = ["draw"]

_CURVE = "#2a5fa5"
_RANGE = "#8a8a8a"


def draw(prediction: Prediction, axes: Any = None) -> Any:
    """Plot the curve, its band and the person's glucose range; see `Prediction.plot`."""
    ax = axes if axes is not None else pyplot.subplots(figsize=(6, 3.6), layout="constrained")[1]
    minutes = prediction.minutes
    lower, upper = prediction.lower_mg_dl, prediction.upper_mg_dl
    band = {"alpha": 0.18, "linewidth": 0, "label": "90 % band"}
    ax.fill_between(minutes, lower, upper, color=_CURVE, **band)
    ax.plot(minutes, prediction.glucose_mg_dl, color=_CURVE, linewidth=2, label="predicted")
    ax.axhline(prediction.cgp_min, color=_RANGE, linestyle=":", label="usual range")
    ax.axhline(prediction.cgp_max, color=_RANGE, linestyle=":")
    ax.plot(prediction.peak_min, prediction.peak_mg_dl, "o", color=_CURVE)
    ax.annotate(
        f"{prediction.peak_mg_dl:.0f}",
        (prediction.peak_min, prediction.peak_mg_dl),
        xytext=(0, 7),
        textcoords="offset points",
        ha="center",
    )
    ax.set_xlabel("minutes after the start of the meal")
    ax.set_ylabel("glucose, mg/dL")
    ax.set_xlim(min(minutes), max(minutes) if len(minutes) > 1 else None)
    ax.set_title(f"impact {prediction.impact}, {prediction.model_version}", fontsize="medium")
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.18), "ncols": 3}
    ax.legend(frameon=False, fontsize="small", **below)
    return ax
