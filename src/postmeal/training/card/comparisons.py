"""Tables that compare the errors of a model with those of other predictions."""

from __future__ import annotations

from collections.abc import Mapping

from postmeal.training.card.names import MODELS
from postmeal.training.card.tables import table

TIE_MG_DL = 0.5
"""Difference in RMSE, in mg/dL, that the whole interval must reach; otherwise it is a tie."""


def conclusion(low: float, high: float) -> str:
    """Return whether a model is better than another model, worse, or tied with it."""
    if high <= -TIE_MG_DL:
        return "better"
    return "worse" if low >= TIE_MG_DL else "tie"


def comparison_table(
    differences: Mapping[str, tuple[float, float, float]], first: str = "compared with"
) -> str:
    """Write a table of differences in error, with the smallest advantage in each 95% interval."""
    rows = (
        (
            MODELS.get(name, name),
            f"{round(-high, 2) + 0.0:.2f}",
            f"{mean:+.2f} ({low:+.2f} to {high:+.2f})",
            conclusion(low, high),
        )
        for name, (mean, low, high) in differences.items()
    )
    return table((first, "advantage at least", "difference (95% interval)", "conclusion"), rows)
