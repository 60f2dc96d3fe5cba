"""A prediction: the curve after a meal, its band and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from postmeal.foods.food import Meal
from postmeal.foods.nutrients import Nutrients
from postmeal.glucose.impact import Impact

__all__ = ["Prediction"]


@dataclass(frozen=True)
class Prediction:
    """What a meal is predicted to do to a person's glucose.

    Attributes
    ----------
    meal : Meal
        The meal.
    minutes : tuple of float
        Minutes after the first bite, of length n_times.
    glucose_mg_dl, lower_mg_dl, upper_mg_dl : tuple of float
        The curve and its 90 % band at these minutes, 40 to 400 mg/dL.
    impact : {"low", "medium", "high"}
        Impact score.
    impact_probabilities : dict of str to float
        Probability of each impact.
    cgp_min, cgp_max : int
        The person's glucose range, mg/dL; see `GlucoseRange`.
    model_version : str
        Name and version of the model, such as ``population-2``; ``population-2 personal`` where
        the person's own model took part.
    is_personal : bool
        Whether the person's own model took part.
    notes : tuple of str
        What a reader should know: a condition without training data, an assumed nutrient.
    """

    meal: Meal
    minutes: tuple[float, ...]
    glucose_mg_dl: tuple[float, ...]
    lower_mg_dl: tuple[float, ...]
    upper_mg_dl: tuple[float, ...]
    impact: Impact
    impact_probabilities: dict[str, float]
    cgp_min: int
    cgp_max: int
    model_version: str
    is_personal: bool = False
    notes: tuple[str, ...] = ()

    @property
    def nutrients(self) -> Nutrients:
        """Nutrients of the meal."""
        return self.meal.nutrients

    @property
    def peak_mg_dl(self) -> float:
        """Highest point of the curve, mg/dL."""
        return max(self.glucose_mg_dl)

    @property
    def peak_min(self) -> float:
        """Minute of the highest point."""
        return self.minutes[self.glucose_mg_dl.index(self.peak_mg_dl)]

    def to_dict(self) -> dict[str, Any]:
        """Give the prediction as plain values, fit for JSON."""
        values = {key: value for key, value in vars(self).items() if key != "meal"}
        return {**values, "nutrients": dict(self.nutrients)}
