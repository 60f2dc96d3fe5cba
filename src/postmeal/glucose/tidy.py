"""Convert predictions to a tidy DataFrame with one row per meal and minute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import MissingExtra
from postmeal.glucose.population.chances import CHANCES
from postmeal.glucose.population.impact import IMPACTS

if TYPE_CHECKING:
    import pandas as pd

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
    "inputs_used",
    "warnings",
)
"""Columns of `tidy_frame`."""


class MealTable(NamedTuple):
    """Predictions of several meals as arrays."""

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
    told_of: NDArray[np.intp]
    told: Sequence[Any]

    @property
    def versions(self) -> tuple[str, str]:
        """`Prediction.model_version` of predictions without and with a personal model."""
        return self.model_version, f"{self.model_version} personal"


def tidy_frame(table: MealTable, rows: Any = None) -> pd.DataFrame:
    """Convert predictions to a DataFrame with one row per meal and minute; requires pandas."""
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise MissingExtra("pandas", "frames") from error

    n_meals, n_times = table.glucose_mg_dl.shape

    def repeated(values: Any) -> Any:
        return np.repeat(values, n_times, axis=0)

    def texts(words_of: Callable[[Any], Sequence[str]], between: str) -> Any:
        words = [between.join(words_of(told)) for told in table.told]
        positions = {text: position for position, text in enumerate(dict.fromkeys(words))}
        renumbered = np.array([positions[text] for text in words], dtype=np.intp)
        return categories(renumbered[table.told_of], list(positions))

    def categories(codes: NDArray[Any], names: Sequence[str], ordered: bool = False) -> Any:
        kind = pd.CategoricalDtype(list(names), ordered=ordered)
        return pd.Categorical.from_codes(repeated(codes), dtype=kind)

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
        texts(lambda told: told.notes, " "),
        texts(lambda told: [item.name for item in told.inputs_used if item.used], ","),
        texts(lambda told: [item.code for item in told.warnings], ","),
    )
    return pd.DataFrame(dict(zip(TIDY_COLUMNS, columns, strict=True)), copy=False)
