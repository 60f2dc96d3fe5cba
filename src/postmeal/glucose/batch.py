"""Predictions for many meals at once, with the same checks and results as single predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postmeal.arguments import check_type
from postmeal.errors import InputError, ModelError
from postmeal.foods.food import Meal
from postmeal.glucose.cases import Case, Cases
from postmeal.glucose.composition import compose
from postmeal.glucose.population.chances import Chances
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.impact import IMPACTS
from postmeal.glucose.population.states import STATES
from postmeal.glucose.prediction import Prediction
from postmeal.glucose.released_model import ReleasedModel
from postmeal.glucose.request import Told, case_of
from postmeal.glucose.tidy import MealTable, tidy_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Predictions", "meal_table", "predict_cases", "predict_each", "stacked", "told_rows"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """An immutable sequence of `Prediction` objects, stored as arrays.

    Attributes
    ----------
    meals : tuple of Meal
        The meals.
    table : MealTable
        Curves, bands, impacts and ranges as arrays, in the order of the meals.
    """

    meals: tuple[Meal, ...]
    table: MealTable

    def __len__(self) -> int:
        return len(self.meals)

    def __getitem__(self, position: int) -> Prediction:
        table, row = self.table, range(len(self))[position]
        probabilities = table.impact_probabilities[row].tolist()
        is_personal = bool(table.is_personal[row])
        return Prediction(
            meal=self.meals[row],
            minutes=tuple(table.minutes.tolist()),
            glucose_mg_dl=tuple(table.glucose_mg_dl[row].tolist()),
            lower_mg_dl=tuple(table.lower_mg_dl[row].tolist()),
            upper_mg_dl=tuple(table.upper_mg_dl[row].tolist()),
            impact=IMPACTS[table.impact[row]],
            impact_probabilities=dict(zip(IMPACTS, probabilities, strict=True)),
            cgp_min=int(table.cgp_min[row]),
            cgp_max=int(table.cgp_max[row]),
            chances=Chances(*table.chances[row].tolist()),
            model_version=table.versions[is_personal],
            is_personal=is_personal,
            impact_is_informative=bool(table.impact_is_informative[row]),
            **table.told[table.told_of[row]]._asdict(),
        )

    def __iter__(self) -> Iterator[Prediction]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} predictions by {self.table.model_version}>"

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy DataFrame with one row per meal and minute; see `tidy_frame`."""
        return tidy_frame(self.table)


def predict_each(
    model: ReleasedModel,
    people: Any,
    meals: Sequence[Meal],
    minutes: tuple[float, ...] | None,
    /,
    **options: Any,
) -> Predictions:
    """Predict glucose after each meal; see `postmeal.Predictor.predict_many`."""
    check_type("meals", meals, Iterable, "must be a sequence of Meal")
    meals = tuple(meals)
    columns = [_column("people", people, len(meals)), meals]
    columns += [_column(field, values, len(meals)) for field, values in options.items()]
    rows = zip(*columns, strict=True)
    told_cases = [_case(model, options, number, row) for number, row in enumerate(rows)]
    return predict_cases(model, meals, told_cases, minutes)


def predict_cases(
    model: ReleasedModel,
    meals: tuple[Meal, ...],
    told_cases: Sequence[tuple[Case, Told]],
    minutes: tuple[float, ...] | None,
) -> Predictions:
    """Predict glucose for validated cases, each with its meal, notes and inputs."""
    cases, rows = stacked(told_cases)
    return Predictions(meals, meal_table(model, cases, minutes, *rows))


def stacked(
    told_cases: Sequence[tuple[Case, Told]],
) -> tuple[Cases, tuple[NDArray[np.intp], list[Told]]]:
    """Combine single cases into arrays, and their notes, inputs and warnings as in `told_rows`."""
    return Cases.stack([case for case, _ in told_cases]), told_rows(
        [told for _, told in told_cases]
    )


def told_rows(told: Sequence[Told]) -> tuple[NDArray[np.intp], list[Told]]:
    """Return the position of each item among the distinct items, and the distinct items."""
    positions = {item: position for position, item in enumerate(dict.fromkeys(told))}
    return np.array([positions[item] for item in told], dtype=np.intp), list(positions)


def meal_table(
    model: ReleasedModel,
    cases: Cases,
    minutes: tuple[float, ...] | None,
    told_of: Any,
    told: Sequence[Told],
) -> MealTable:
    """Predict the glucose curve of each case, without validating the cases.

    Parameters
    ----------
    model : ReleasedModel
        The population model.
    cases : Cases
        The meals and people.
    minutes : tuple of float or None
        Minutes after the start of the meal; None for the standard grid.
    told_of : ndarray of int of shape (n_cases,)
        Position in `told` of the item of each case.
    told : sequence of Told
        The distinct notes, inputs and warnings.

    Returns
    -------
    MealTable
        The predictions and their notes.
    """
    times = None if minutes is None else np.array(minutes)
    composed = compose(model, cases, times)
    grid = np.array(GRID_MIN) if times is None else times
    is_informative = cases.meals.state != STATES.index("type_1")
    return MealTable(grid, *composed, cases.has_own, is_informative, model.version, told_of, told)


def _case(model: ReleasedModel, names: Iterable[str], number: int, row: Any) -> tuple[Case, Told]:
    profile, meal, *values = row
    try:
        return case_of(model, profile, meal, **dict(zip(names, values, strict=True)))
    except InputError as error:
        place = f"row {number}"
        raise error.within(place) from None
    except ModelError as error:
        raise ModelError(f"row {number} cannot be predicted: {error}") from None


def _column(field: str, values: Any, length: int) -> Sequence[Any]:
    """Repeat a single value for all rows, or check that there is one value per row."""
    if not isinstance(values, (list, tuple, np.ndarray)):
        return (values,) * length
    column = values.tolist() if isinstance(values, np.ndarray) else values
    if len(column) != length:
        problem = f"must be one value or one value for each of the {length} meals"
        raise InputError(field, problem, len(column))
    return column
