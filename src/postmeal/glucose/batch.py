"""Predictions for many meals at once, with the same checks and results as single predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

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
from postmeal.glucose.request import case_of
from postmeal.glucose.tidy import MealTable, tidy_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Predictions", "meal_table", "predict_each"]


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
            notes=table.notes[table.note_of[row]],
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
    **options: Any,
) -> Predictions:
    """Predict glucose after each meal; see `postmeal.Predictor.predict_many`."""
    check_type("meals", meals, Iterable, "must be a sequence of Meal")
    meals = tuple(meals)
    columns = [_column("people", people, len(meals)), meals]
    columns += [_column(field, values, len(meals)) for field, values in options.items()]
    rows = zip(*columns, strict=True)
    cases_and_notes = [_case(model, number, row) for number, row in enumerate(rows)]
    distinct = dict.fromkeys(notes for _, notes in cases_and_notes)
    positions = {notes: position for position, notes in enumerate(distinct)}
    cases = Cases.stack([case for case, _ in cases_and_notes])
    note_of = np.array([positions[notes] for _, notes in cases_and_notes], dtype=np.intp)
    return Predictions(meals, meal_table(model, cases, minutes, note_of, list(positions)))


def meal_table(
    model: ReleasedModel,
    cases: Cases,
    minutes: tuple[float, ...] | None,
    note_of: Any,
    notes: Sequence[tuple[str, ...]],
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
    note_of : ndarray of int of shape (n_cases,)
        Position of each case's notes in `notes`.
    notes : sequence of tuple of str
        The distinct notes.

    Returns
    -------
    MealTable
        The predictions and their notes.
    """
    times = None if minutes is None else np.array(minutes)
    composed = compose(model, cases, times)
    grid = np.array(GRID_MIN) if times is None else times
    is_informative = cases.meals.state != STATES.index("type_1")
    return MealTable(grid, *composed, cases.has_own, is_informative, model.version, note_of, notes)


def _case(model: ReleasedModel, number: int, row: Any) -> tuple[Case, tuple[str, ...]]:
    try:
        return case_of(model, *row)
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
