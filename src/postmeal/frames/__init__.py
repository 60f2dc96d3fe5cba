"""Predict glucose after the meals in a pandas DataFrame.

This package requires pandas (``pip install pandas``); the rest of the library does not.

``columns``  converts the columns of a DataFrame to arrays and marks rows that need a full check
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.arguments import check_type
from postmeal.errors import InputError, ModelError
from postmeal.foods.food import Meal
from postmeal.frames.columns import (
    UNREAD_FIELDS,
    People,
    cell,
    is_number,
    make_profile,
    parse_conditions,
    parse_numbers,
    parse_people,
    parse_sensors,
    parse_times,
)
from postmeal.glucose.batch import meal_table
from postmeal.glucose.cases import Cases
from postmeal.glucose.history.cgm_trace import READABLE_MG_DL
from postmeal.glucose.notes import notes_of, personal_notes
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.population.features import MACRONUTRIENTS, Meals, fill_unknown
from postmeal.glucose.population.meal_limits import MAX_CARBS_G, MAX_FOOD_G
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.glucose.request import check_base, check_minutes
from postmeal.glucose.tidy import TIDY_COLUMNS, tidy_frame

__all__ = ["INPUT_COLUMNS", "TIDY_COLUMNS", "predict_frame"]

Array = NDArray[np.float64]

_REQUIRED = ("carbs_g", "time")

INPUT_COLUMNS = (
    *MACRONUTRIENTS,
    "time",
    "health_conditions",
    *UNREAD_FIELDS,
    "sensor",
    "start_mg_dl",
    "since_meal_h",
    "person",
)
"""Columns that `predict_frame` reads; other columns are ignored."""


class _Models(NamedTuple):
    """Personal models, and for each row the position of its model (-1 for no model)."""

    models: list[PersonalModel]
    of_row: NDArray[np.intp]

    def used_on(self, day: Array) -> NDArray[np.intp]:
        """Return the position of the model used on each row's day, -1 for the population model."""
        used = np.full(len(day), -1)
        for position, model in enumerate(self.models):
            rows = np.flatnonzero(self.of_row == position)
            is_used = [model.is_used_on(one) for one in day[rows].tolist()]
            used[rows[is_used]] = position
        return used


class _OwnNotes(NamedTuple):
    """Masks of the rows to which each note about personal models applies."""

    is_unused: NDArray[np.bool_]
    is_preliminary: NDArray[np.bool_]
    is_old: NDArray[np.bool_]


def predict_frame(
    frame: pd.DataFrame,
    predictor: Predictor | None = None,
    *,
    minutes: Sequence[float] | None = None,
    personal: Mapping[Any, PersonalModel] | None = None,
) -> pd.DataFrame:
    """Predict the glucose curve after each meal of a DataFrame.

    The values are checked in the same way as in `Predictor.predict`, and the results are the same.

    Parameters
    ----------
    frame : DataFrame
        One row per meal. Missing values (NaN, None, NaT) are treated as unknown.

        - ``carbs_g`` (required), ``fiber_g``, ``protein_g``, ``fat_g``: grams. Unknown fiber is
          assumed to be 9% of the carbohydrate, unknown protein and fat to be zero. A note in the
          result states these assumptions.
        - ``time`` (required): local time of the start of the meal.
        - ``health_conditions``: names from `postmeal.people.HEALTH_CONDITIONS`, as a list or
          separated by commas. A missing value means none.
        - ``age``, ``sex``, ``height_cm``, ``weight_kg``, ``activity_level``: validated as in
          `Profile`, but not used by the model.
        - ``sensor``: a sensor such as ``Dexcom G6``. If missing, blood glucose is predicted.
        - ``start_mg_dl``: reading at the start of the meal.
        - ``since_meal_h``: hours since the previous meal.
        - ``person``: key of the person's model in `personal`.
    predictor : Predictor, optional
        The model. Defaults to the shipped model.
    minutes : sequence of float, optional
        Minutes after the start of the meal, 0 to 240, in ascending order. Defaults to 0, 15, … 120.
    personal : mapping of person to PersonalModel, optional
        Personal models; the population model is used for everyone else.

    Returns
    -------
    DataFrame
        The columns `TIDY_COLUMNS`, one row per meal and minute, sorted by meal:

        - ``row``: label of the meal in the index of `frame`;
        - ``minute``, ``glucose_mg_dl``: the curve;
        - ``lower_mg_dl``, ``upper_mg_dl``: the bounds of the 90% band, which are the 5% and 95%
          quantiles of glucose;
        - ``impact``, ``low_probability``, ``medium_probability``, ``high_probability``: the most
          likely impact and the probability of each;
        - ``cgp_min``, ``cgp_max``: the person's glucose range in mg/dL;
        - one column for each of `Prediction.chances`, such as ``peak_140_probability``;
        - ``is_personal``, ``impact_is_informative``, ``model_version``, ``notes``: as in
          `Prediction`; all notes of a meal are joined into one text.

    Raises
    ------
    InputError
        A required column is missing, or `Profile`, `Meal.of_macros` or `Predictor.predict` rejects
        the values of a row. The message starts with the label of the first invalid row.
    ModelError
        A personal model was trained on a different population model.

    Examples
    --------
    >>> meals = pd.DataFrame({"carbs_g": [20, 75], "fiber_g": [4.0, None]})
    >>> meals["time"] = pd.to_datetime("2026-05-01 08:00")
    >>> predict_frame(meals, minutes=[0, 60])[["row", "minute", "impact"]]
       row  minute  impact
    0    0     0.0     low
    1    0    60.0     low
    2    1     0.0    high
    3    1    60.0    high
    """
    check_type("frame", frame, pd.DataFrame, "must be a DataFrame")
    model = Predictor.load() if predictor is None else predictor
    check_type("predictor", model, Predictor, "must be a Predictor")
    checked_minutes = None if minutes is None else check_minutes(minutes)
    missing = [column for column in _REQUIRED if column not in frame.columns]
    if missing:
        problem = (
            f"must have the columns {', '.join(_REQUIRED)}; missing: {', '.join(missing)};"
            f" columns of the frame: {', '.join(map(str, frame.columns)) or 'none'}"
        )
        raise InputError("frame", problem)
    own = _find_models(frame, model, personal or {})
    numeric = (*MACRONUTRIENTS, "start_mg_dl", "since_meal_h")
    numbers = {column: parse_numbers(frame, column) for column in numeric}
    macronutrients = np.column_stack([numbers[key][0] for key in MACRONUTRIENTS])
    start, since = numbers["start_mg_dl"][0], numbers["since_meal_h"][0]
    people, invalid_person = parse_people(frame)
    offset, gain, invalid_sensor = parse_sensors(frame, model.sensors)
    hour, day, invalid_time = parse_times(frame["time"])
    suspect = invalid_person | invalid_sensor | invalid_time
    suspect |= _is_out_of_range(macronutrients, start, since)
    for _, invalid_number in numbers.values():
        suspect |= invalid_number
    for position in np.flatnonzero(suspect).tolist():
        _check_row(frame, position, model, own)
    has_model = own.of_row >= 0
    constants = [sensor_constant(own_model.sensor, model.sensors) for own_model in own.models]
    columns = np.array([*constants, (0.0, 1.0)])  # the last item is for rows without a model
    states = np.array([*(STATES.index(own_model.state) for own_model in own.models), 0], np.intp)
    used = own.used_on(day)
    state = np.where(used >= 0, states[used], people.state)
    cases = Cases.of(
        Meals(fill_unknown(macronutrients), hour, state, since),
        day=day,
        is_trained=people.is_trained,
        offset_mg_dl=np.where(has_model, columns[own.of_row, 0], offset),
        gain=np.where(has_model, columns[own.of_row, 1], gain),
        start_mg_dl=start,
        own=used,
        models=own.models,
    )
    own_notes = _OwnNotes(
        has_model & (used < 0),
        np.array([*(own_model.preliminary for own_model in own.models), False])[used],
        cases.has_own & ~cases.keeps_level,
    )
    note_of, notes = _notes(cases, people, np.isnan(macronutrients), own_notes)
    return tidy_frame(meal_table(model, cases, checked_minutes, note_of, notes), frame.index)


def _find_models(
    frame: pd.DataFrame, model: Predictor, personal: Mapping[Any, PersonalModel]
) -> _Models:
    """Find the personal model of each row."""
    check_type("personal", personal, Mapping, "must be a mapping of person to PersonalModel")
    for person, own_model in personal.items():
        try:
            check_base(model, own_model)
        except ModelError as error:
            raise ModelError(f"personal[{person!r}] cannot be used: {error}") from None
        except InputError as error:
            raise InputError(f"personal[{person!r}]", error.problem, own_model) from None
    if not personal:
        return _Models([], np.full(len(frame), -1))
    if "person" not in frame.columns:
        raise InputError("frame", "must have the column 'person' if personal models are given")
    positions = {person: position for position, person in enumerate(personal)}
    of_row = np.array([positions.get(person, -1) for person in frame["person"]], dtype=np.intp)
    return _Models(list(personal.values()), of_row)


def _is_out_of_range(macronutrients: Array, start: Array, since: Array) -> NDArray[np.bool_]:
    """Return a mask of the rows that may have invalid amounts or readings.

    The mask can include valid rows, because `_check_row` checks every selected row again.
    """
    low, high = READABLE_MG_DL
    carbs, mass = macronutrients[:, 0], np.nansum(macronutrients[:, [0, 2, 3]], axis=1)
    return np.asarray(
        ~((carbs >= 0) & (carbs <= MAX_CARBS_G) & (mass <= MAX_FOOD_G))
        | ((macronutrients < 0) | np.isinf(macronutrients)).any(axis=1)
        | (start < low)
        | (start > high)
        | (since < 0)
    )


def _check_row(frame: pd.DataFrame, position: int, model: Predictor, own: _Models) -> None:
    """Check a row; if it is invalid, raise the same error as a single prediction."""
    values = {column: cell(frame, position, column) for column in INPUT_COLUMNS}
    person = {field: values[field] for field in UNREAD_FIELDS}
    conditions = parse_conditions(values["health_conditions"])
    own_position = own.of_row[position]
    try:
        for field in ("start_mg_dl", "since_meal_h"):
            if values[field] is not None and not is_number(values[field]):
                raise InputError(field, "must be a number", values[field])
        model.predict(
            make_profile(person | {"health_conditions": conditions}),
            Meal.of_macros(time=values["time"], **{key: values[key] for key in MACRONUTRIENTS}),
            sensor=values["sensor"],
            personal=None if own_position < 0 else own.models[own_position],
            start_mg_dl=values["start_mg_dl"],
            since_meal_h=values["since_meal_h"],
        )
    except InputError as error:
        place = f"row {frame.index[position]}"
        raise error.within(place) from None


def _notes(
    cases: Cases, people: People, is_unknown: NDArray[np.bool_], own_notes: _OwnNotes
) -> tuple[NDArray[np.intp], list[tuple[str, ...]]]:
    """Return the position of each row's notes in the list of distinct notes, and this list."""
    n_unknown = is_unknown.shape[1]
    bits = is_unknown @ (1 << np.arange(n_unknown))
    code = people.condition * len(STATES) + cases.meals.state
    for applies in own_notes:
        code = code * 2 + applies
    _, first, note_of = np.unique(
        code * (1 << n_unknown) + bits, return_index=True, return_inverse=True
    )
    notes = []
    for row in first.tolist():
        conditions = people.conditions[people.condition[row]]
        state, is_trained = STATES[cases.meals.state[row]], bool(cases.is_trained[row])
        unknown = zip(MACRONUTRIENTS, is_unknown[row], strict=True)
        assumed = [nutrient for nutrient, is_assumed in unknown if is_assumed]
        is_unused, is_preliminary, is_old = (bool(applies[row]) for applies in own_notes)
        personal = personal_notes(is_preliminary, is_old)
        notes.append(notes_of(conditions, state, is_trained, assumed, (), is_unused, personal))
    positions = {note: position for position, note in enumerate(dict.fromkeys(notes))}
    renumbered = np.array([positions[note] for note in notes], dtype=np.intp)
    return renumbered[note_of], list(positions)
