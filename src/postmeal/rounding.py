"""Rounding of glucose and nutrients in JSON, on the command line and in the API."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["MG_DL", "rounded", "rounded_glucose"]

MG_DL = "mg/dL"
"""Unit of glucose."""


def rounded(amount: float, unit: str) -> float:
    """Round an amount of glucose or of a nutrient for output.

    Glucose is rounded to 0.1 mg/dL. A nutrient is rounded to 0.01 of its unit or to three
    significant digits, whichever is finer. An amount other than zero is never rounded to zero.
    The objects that the library returns keep their full precision.

    Parameters
    ----------
    amount : float
        The amount; NaN stays NaN.
    unit : str
        ``"mg/dL"`` for glucose; otherwise the unit of the nutrient.

    Returns
    -------
    float
        The rounded amount.

    Examples
    --------
    >>> rounded(123.45678, "mg/dL"), rounded(0.0412, "mg/dL")
    (123.5, 0.04)
    >>> rounded(123.45678, "g"), rounded(0.0123456, "g")
    (123.46, 0.0123)
    """
    if unit == MG_DL:
        return round(amount, 1) or float(f"{amount:.1g}") + 0.0  # the sum turns -0.0 into 0.0
    return round(amount, 2) if abs(amount) >= 1 else float(f"{amount:.3g}")


def rounded_glucose(glucose_mg_dl: Iterable[float]) -> list[float]:
    """Round the points of a glucose curve (40 to 400 mg/dL) in the same way as `rounded`.

    Examples
    --------
    >>> rounded_glucose([95.04, 123.45678])
    [95.0, 123.5]
    """
    return [round(glucose, 1) for glucose in glucose_mg_dl]
