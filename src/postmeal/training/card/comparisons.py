"""Tables that compare the errors of a model with those of other predictions."""

from __future__ import annotations

from collections.abc import Mapping

from postmeal.training.card.names import MODELS
from postmeal.training.card.tables import table

__all__ = ["TIE_MG_DL", "comparison_table", "conclusion"]

TIE_MG_DL = 0.5
"""Difference in RMSE, in mg/dL, that the whole interval must reach; otherwise it is a tie."""


def conclusion(low: float, high: float) -> str:
    """Return whether a model is better than another model, worse, or tied with it.

    Parameters
    ----------
    low, high : float
        Limits of the 95% interval of the model's error minus the other model's error, in mg/dL.

    Returns
    -------
    str
        ``better`` if `high` is at most ``-TIE_MG_DL``, ``worse`` if `low` is at least `TIE_MG_DL`,
        and ``tie`` otherwise.

    Examples
    --------
    >>> conclusion(-5.7, -2.2), conclusion(-1.6, -0.3), conclusion(-1.5, 0.6), conclusion(0.7, 2.0)
    ('better', 'tie', 'tie', 'worse')
    """
    if high <= -TIE_MG_DL:
        return "better"
    return "worse" if low >= TIE_MG_DL else "tie"


def comparison_table(
    differences: Mapping[str, tuple[float, float, float]], first: str = "compared with"
) -> str:
    """Write a table of differences in error, with the smallest advantage in each 95% interval.

    Parameters
    ----------
    differences : mapping of str to tuple of float
        For each other prediction, the model's error minus the error of the other prediction in
        mg/dL: the mean over people, and the limits of its 95% interval.
    first : str, default="compared with"
        Title of the first column.

    Returns
    -------
    str
        Markdown.
    """
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
