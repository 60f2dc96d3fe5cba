"""Convert predictions to a tidy DataFrame with one row per meal and minute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.chances import CHANCES
from postmeal.glucose.population.impact import IMPACTS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TIDY_COLUMNS", "MealTable", "tidy_frame"]

Array = NDArray[np.float64]

TIDY_COLUMNS = (
    "row",
    "minute",
    "glucose_mg_dl",
    "lower_mg_dl",
    "upper_mg_dl",
    "impact",
    "low_probability",
    "medium_probability",
    "high_probability",
    "cgp_min",
    "cgp_max",
    *(f"{name}_probability" for name in CHANCES),
    "is_personal",
    "impact_is_informative",
    "model_version",
    "notes",
)
"""Columns of `tidy_frame`."""


class MealTable(NamedTuple):
    """Predictions of several meals as arrays.

    Attributes
    ----------
    minutes : ndarray of shape (n_times,)
        Minutes after the start of the meal.
    glucose_mg_dl, lower_mg_dl, upper_mg_dl : ndarray of shape (n_meals, n_times)
        Curves and the ends of their bands (5% and 95% quantiles), 40 to 400 mg/dL.
    impact : ndarray of int of shape (n_meals,)
        Position of the label in `postmeal.glucose.population.impact.IMPACTS`.
    impact_probabilities : ndarray of shape (n_meals, 3)
        Probability of each label.
    cgp_min, cgp_max : ndarray of int of shape (n_meals,)
        Glucose range of each person in mg/dL.
    chances : ndarray of shape (n_meals, 4)
        Probability of each event in `postmeal.glucose.population.chances.CHANCES`.
    is_personal : ndarray of bool of shape (n_meals,)
        Whether a personal model was used.
    impact_is_informative : ndarray of bool of shape (n_meals,)
        False in type 1 diabetes; see `Prediction`.
    model_version : str
        Name and version of the population model.
    note_of : ndarray of int of shape (n_meals,)
        Position of each meal's notes in `notes`.
    notes : sequence of tuple of str
        The distinct notes.
    """

    minutes: Array
    glucose_mg_dl: Array
    lower_mg_dl: Array
    upper_mg_dl: Array
    impact: NDArray[np.intp]
    impact_probabilities: Array
    cgp_min: NDArray[np.intp]
    cgp_max: NDArray[np.intp]
    chances: Array
    is_personal: NDArray[np.bool_]
    impact_is_informative: NDArray[np.bool_]
    model_version: str
    note_of: NDArray[np.intp]
    notes: Sequence[tuple[str, ...]]

    @property
    def versions(self) -> tuple[str, str]:
        """`Prediction.model_version` of predictions without and with a personal model."""
        return self.model_version, f"{self.model_version} personal"


def tidy_frame(table: MealTable, rows: Any = None) -> pd.DataFrame:
    """Convert predictions to a DataFrame with one row per meal and minute; requires pandas.

    Parameters
    ----------
    table : MealTable
        The predictions.
    rows : array_like of shape (n_meals,), optional
        Labels of the meals in the column ``row``. Defaults to their positions.

    Returns
    -------
    DataFrame
        The columns `TIDY_COLUMNS`, with `n_meals` × `n_times` rows sorted by meal. ``impact``,
        ``model_version`` and ``notes`` are categorical. ``notes`` joins all notes of a meal with
        spaces.
    """
    import pandas as pd

    n_meals, n_times = table.glucose_mg_dl.shape

    def repeated(values: Any) -> Any:
        return np.repeat(values, n_times, axis=0)

    def categories(codes: NDArray[Any], names: Sequence[str], ordered: bool = False) -> Any:
        kind = pd.CategoricalDtype(list(names), ordered=ordered)
        return pd.Categorical.from_codes(repeated(codes), dtype=kind)

    texts = [" ".join(notes) for notes in table.notes]
    low, medium, high = table.impact_probabilities.T
    columns = (
        repeated(np.arange(n_meals)) if rows is None else pd.Index(rows).repeat(n_times),
        np.tile(table.minutes, n_meals),
        table.glucose_mg_dl.ravel(),
        table.lower_mg_dl.ravel(),
        table.upper_mg_dl.ravel(),
        categories(table.impact, IMPACTS, ordered=True),
        repeated(low),
        repeated(medium),
        repeated(high),
        repeated(table.cgp_min),
        repeated(table.cgp_max),
        *map(repeated, table.chances.T),
        repeated(table.is_personal),
        repeated(table.impact_is_informative),
        categories(table.is_personal.astype(np.int8), table.versions),
        categories(table.note_of, texts),
    )
    return pd.DataFrame(dict(zip(TIDY_COLUMNS, columns, strict=True)), copy=False)
