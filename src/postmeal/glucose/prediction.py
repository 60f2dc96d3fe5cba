"""Result of a prediction: the curve after a meal, its band, impact and range."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from postmeal.foods.food import Meal
from postmeal.foods.nutrients import Nutrients
from postmeal.glucose.person.inputs import InputUsed, PredictionWarning
from postmeal.glucose.population.chances import Chances
from postmeal.glucose.population.impact import IMPACTS, Impact
from postmeal.glucose.tidy import MealTable, tidy_frame
from postmeal.rounding import rounded_glucose

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Prediction"]


@dataclass(frozen=True, repr=False)
class Prediction:
    """Predicted glucose of a person after a meal.

    Attributes
    ----------
    meal : Meal
        The meal.
    minutes : tuple of float
        Minutes after the start of the meal.
    glucose_mg_dl, lower_mg_dl, upper_mg_dl : tuple of float
        The curve and its 90% band at these minutes, 40 to 400 mg/dL.
    impact : {"low", "medium", "high"}
        Impact score.
    impact_probabilities : dict of str to float
        Probability of each impact.
    cgp_min, cgp_max : int
        The person's glucose range in mg/dL; see `GlucoseRange`.
    chances : Chances
        Probabilities of high peaks and large rises. Use them instead of the curve to judge how
        likely a peak is: the peaks of single meals scatter around the predicted mean.
    model_version : str
        Name and version of the model, such as ``population-2``, or ``population-2 personal`` if a
        personal model was used.
    is_personal : bool
        Whether a personal model was used.
    impact_is_informative : bool
        False in type 1 diabetes. In this case, a note states that the label is no better than a
        guess (macro-F1 of 0.23 for held-out people), because the response depends on insulin.
    notes : tuple of str
        Caveats of the prediction, such as a condition without training data or an assumed nutrient.
    inputs_used : tuple of InputUsed
        The inputs that were given, each with whether it can change the curve.
    warnings : tuple of PredictionWarning
        What could not be used, and what the caller can do about it; usually empty.
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
    chances: Chances
    model_version: str
    is_personal: bool = False
    impact_is_informative: bool = True
    notes: tuple[str, ...] = ()
    inputs_used: tuple[InputUsed, ...] = ()
    warnings: tuple[PredictionWarning, ...] = ()

    @property
    def nutrients(self) -> Nutrients:
        """Nutrients of the meal."""
        return self.meal.nutrients

    @property
    def peak_mg_dl(self) -> float:
        """Highest point of the curve, in mg/dL."""
        return max(self.glucose_mg_dl)

    @property
    def peak_min(self) -> float:
        """Minute of the highest point of the curve."""
        return self.minutes[self.glucose_mg_dl.index(self.peak_mg_dl)]

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as a JSON-serializable dict.

        Glucose and nutrients are rounded as in the API; see `postmeal.rounding.rounded`.
        """
        values = {key: value for key, value in vars(self).items() if key != "meal"}
        for key in ("glucose_mg_dl", "lower_mg_dl", "upper_mg_dl"):
            values[key] = tuple(rounded_glucose(values[key]))
        for key in ("inputs_used", "warnings"):
            values[key] = [asdict(item) for item in values[key]]
        return {**values, "chances": asdict(self.chances), "nutrients": self.nutrients.rounded()}

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per minute; see `tidy_frame`."""
        base = self.model_version.removesuffix(" personal")
        return tidy_frame(
            MealTable(
                np.array(self.minutes),
                np.array([self.glucose_mg_dl]),
                np.array([self.lower_mg_dl]),
                np.array([self.upper_mg_dl]),
                np.array([IMPACTS.index(self.impact)]),
                np.array([[self.impact_probabilities[label] for label in IMPACTS]]),
                np.array([self.cgp_min]),
                np.array([self.cgp_max]),
                np.array([astuple(self.chances)]),
                np.array([self.is_personal]),
                np.array([self.impact_is_informative]),
                base,
                np.array([0]),
                [self],
            )
        )

    def plot(self, axes: Any = None) -> Any:
        """Plot the curve with its band and the person's glucose range; requires matplotlib.

        Parameters
        ----------
        axes : matplotlib Axes, optional
            Axes to plot on. When omitted, a new figure is created.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        from postmeal.glucose.drawing import draw  # imports matplotlib, an optional dependency

        return draw(self, axes)

    def __repr__(self) -> str:
        curve = " ".join(f"{glucose:.0f}" for glucose in self.glucose_mg_dl)
        return (
            f"<Prediction by {self.model_version}: {curve} mg/dL, peak {self.peak_mg_dl:.0f} at "
            f"{self.peak_min:g} min, impact {self.impact}, range {self.cgp_min} to {self.cgp_max}>"
        )

    def _repr_html_(self) -> str:
        from html import escape  # notebooks only

        points = zip(
            self.minutes, self.glucose_mg_dl, self.lower_mg_dl, self.upper_mg_dl, strict=True
        )
        rows = "".join(
            f"<tr><td>{minute:g}</td><td>{glucose:.0f}</td><td>{low:.0f} to {high:.0f}</td></tr>"
            for minute, glucose, low, high in points
        )
        probabilities = [f"{label} {p:.0%}" for label, p in self.impact_probabilities.items()]
        summary = (
            f"peak <b>{self.peak_mg_dl:.0f} mg/dL</b> at {self.peak_min:g} min, "
            f"impact <b>{self.impact}</b> ({', '.join(probabilities)}), "
            f"range {self.cgp_min} to {self.cgp_max} mg/dL, model {escape(self.model_version)}"
        )
        notes = "".join(f"<p><i>{escape(note)}</i></p>" for note in self.notes)
        head = "<tr><th>min</th><th>mg/dL</th><th>90 % band</th></tr>"
        return f"<p>{summary}</p>{notes}<table>{head}{rows}</table>"
