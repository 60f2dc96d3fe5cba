"""Predictions from pandas to pandas: a row for each meal in, a row for each meal and minute out.

Needs pandas, which no other prediction needs: ``pip install pandas``.

``columns``  columns of a table as arrays, with the rows that a single prediction may refuse
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.errors import InputError, ModelError
from postmeal.foods.food import Meal
from postmeal.frames.columns import (
    UNREAD_FIELDS,
    Eaters,
    cell,
    conditions_of,
    eaters_of,
    is_number,
    numbers,
    profile_of,
    sensors_of,
    wall_clock,
)
from postmeal.glucose.batch import meal_table
from postmeal.glucose.cases import Cases
from postmeal.glucose.history.cgm_trace import READABLE_MG_DL
from postmeal.glucose.notes import notes_of
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
"""Columns that `predict_frame` reads; it ignores all others."""


class _Models(NamedTuple):
    """Personal models, and the model of each row: -1 where there is none."""

    listed: list[PersonalModel]
    of_row: NDArray[np.intp]

    @property
    def serving(self) -> NDArray[np.intp]:
        """The model that takes part in each row, -1 for the population."""
        helps = np.array([*(model.helps for model in self.listed), False])
        return np.where(helps[self.of_row], self.of_row, -1)


def predict_frame(
    frame: pd.DataFrame,
    predictor: Predictor | None = None,
    *,
    minutes: Sequence[float] | None = None,
    personal: Mapping[Any, PersonalModel] | None = None,
) -> pd.DataFrame:
    """Predict every meal of a table: the numbers, checks and messages of `Predictor.predict`.

    Parameters
    ----------
    frame : DataFrame
        One row for each meal. A missing value (NaN, None, NaT) is an unknown one.

        - ``carbs_g``, required, ``fiber_g``, ``protein_g``, ``fat_g``: grams. Unknown fiber
          counts as 9 % of the carbohydrate, unknown protein and fat as none; a note says so.
        - ``time``, required: local time of the start of the meal.
        - ``health_conditions``: a name of `postmeal.people.HEALTH_CONDITIONS`, several separated
          by commas, or a list; none when missing.
        - ``age``, ``sex``, ``height_cm``, ``weight_kg``, ``activity_level``: checked as `Profile`
          does, but no model reads them.
        - ``sensor``: a sensor such as ``Dexcom G6``; blood glucose when missing.
        - ``start_mg_dl``: reading at the start of the meal.
        - ``since_meal_h``: hours since the previous meal, for personal models.
        - ``person``: the key of the eater's model in `personal`.
    predictor : Predictor, optional
        The model; the one that ships with postmeal when omitted.
    minutes : sequence of float, optional
        Minutes after the start of the meal, 0 to 240, ascending; 0, 15, … 120 when omitted.
    personal : mapping of person to PersonalModel, optional
        Personal models; people without one get the population's predictions.

    Returns
    -------
    DataFrame
        `TIDY_COLUMNS`, one row for each meal and minute, meal by meal:

        - ``row``: label of the meal in the index of `frame`;
        - ``minute``, ``glucose_mg_dl``: the curve;
        - ``lower_mg_dl``, ``upper_mg_dl``: its 5 % and 95 % quantile (the 90 % band). Other
          quantiles are not calibrated;
        - ``impact``, ``low_probability``, ``medium_probability``, ``high_probability``;
        - ``cgp_min``, ``cgp_max``: the eater's glucose range, mg/dL;
        - ``is_personal``, ``model_version``, ``notes``: as in `Prediction`, the notes joined.

    Raises
    ------
    InputError
        A column is missing, or as for `Profile`, `Meal.of_macros` and `Predictor.predict`; the
        message starts with the label of the first row at fault.
    ModelError
        A personal model corrects another population model.

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
    model = Predictor.load() if predictor is None else predictor
    at = None if minutes is None else check_minutes(minutes)
    missing = [column for column in _REQUIRED if column not in frame.columns]
    if missing:
        problem = f"must have the columns {', '.join(_REQUIRED)}; missing: {', '.join(missing)}"
        raise InputError("frame", problem)
    own = _models(frame, model, personal or {})
    read = {key: numbers(frame, key) for key in (*MACRONUTRIENTS, "start_mg_dl", "since_meal_h")}
    macronutrients = np.column_stack([read[key][0] for key in MACRONUTRIENTS])
    start, since = read["start_mg_dl"][0], read["since_meal_h"][0]
    eaters, wrong_eater = eaters_of(frame)
    offset, gain, wrong_sensor = sensors_of(frame, model.sensors)
    hour, day, wrong_time = wall_clock(frame["time"])
    doubts = wrong_eater | wrong_sensor | wrong_time | _impossible(macronutrients, start, since)
    for _, wrong_number in read.values():
        doubts = doubts | wrong_number
    for position in np.flatnonzero(doubts).tolist():
        _predict_alone(frame, position, model, own)
    has_model = own.of_row >= 0
    constants = [sensor_constant(one.sensor, model.sensors) for one in own.listed]
    columns = np.array([*constants, (0.0, 1.0)])  # the last is for rows without a model
    states = np.array([*(STATES.index(one.state) for one in own.listed), 0], dtype=np.intp)
    state = np.where(own.serving >= 0, states[own.serving], eaters.state)
    cases = Cases.of(
        Meals(fill_unknown(macronutrients), hour, state),
        day=day,
        is_trained=eaters.is_trained,
        offset_mg_dl=np.where(has_model, columns[own.of_row, 0], offset),
        gain=np.where(has_model, columns[own.of_row, 1], gain),
        start_mg_dl=start,
        since_meal_h=since,
        own=own.serving,
        models=own.listed,
    )
    is_refused = has_model & (own.serving < 0)
    note_of, notes = _notes(cases, eaters, np.isnan(macronutrients), is_refused)
    return tidy_frame(meal_table(model, cases, at, note_of, notes), frame.index)


def _models(
    frame: pd.DataFrame, model: Predictor, personal: Mapping[Any, PersonalModel]
) -> _Models:
    """Find the personal model of each row."""
    for person, one in personal.items():
        try:
            check_base(model, one)
        except ModelError as error:
            raise ModelError(f"personal[{person!r}]: {error}") from None
    if not personal:
        return _Models([], np.full(len(frame), -1))
    if "person" not in frame.columns:
        raise InputError("frame", "must have the column person where personal models are given")
    number = {person: position for position, person in enumerate(personal)}
    of_row = np.array([number.get(person, -1) for person in frame["person"]], dtype=np.intp)
    return _Models(list(personal.values()), of_row)


def _impossible(macronutrients: Array, start: Array, since: Array) -> NDArray[np.bool_]:
    """Find rows whose amounts or readings a single prediction may refuse, and perhaps others."""
    low, high = READABLE_MG_DL
    carbs, mass = macronutrients[:, 0], np.nansum(macronutrients[:, [0, 2, 3]], axis=1)
    return np.asarray(
        ~((carbs >= 0) & (carbs <= MAX_CARBS_G) & (mass <= MAX_FOOD_G))
        | ((macronutrients < 0) | np.isinf(macronutrients)).any(axis=1)
        | (start < low)
        | (start > high)
        | (since < 0)
    )


def _predict_alone(frame: pd.DataFrame, position: int, model: Predictor, own: _Models) -> None:
    """Predict one row by the single path, for the sake of its errors."""
    given = {column: cell(frame, position, column) for column in INPUT_COLUMNS}
    person = {field: given[field] for field in UNREAD_FIELDS}
    number = own.of_row[position]
    try:
        for field in ("start_mg_dl", "since_meal_h"):
            if given[field] is not None and not is_number(given[field]):
                raise InputError(field, "must be a number", given[field])
        model.predict(
            profile_of(person | {"health_conditions": conditions_of(given["health_conditions"])}),
            Meal.of_macros(time=given["time"], **{key: given[key] for key in MACRONUTRIENTS}),
            sensor=given["sensor"],
            personal=None if number < 0 else own.listed[number],
            start_mg_dl=given["start_mg_dl"],
            since_meal_h=given["since_meal_h"],
        )
    except InputError as error:
        raise error.within(f"row {frame.index[position]}") from None


def _notes(
    cases: Cases, eaters: Eaters, is_unknown: NDArray[np.bool_], is_refused: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], list[tuple[str, ...]]]:
    """Write the notes once for each combination of what they depend on."""
    n_unknown = is_unknown.shape[1]
    bits = is_unknown @ (1 << np.arange(n_unknown))
    code = (eaters.which * len(STATES) + cases.meals.state) * 2 + is_refused
    _, first, note_of = np.unique(
        code * (1 << n_unknown) + bits, return_index=True, return_inverse=True
    )
    notes = []
    for row in first.tolist():
        conditions = eaters.conditions[eaters.which[row]]
        state, is_trained = STATES[cases.meals.state[row]], bool(cases.is_trained[row])
        assumed = [key for key, one in zip(MACRONUTRIENTS, is_unknown[row], strict=True) if one]
        notes.append(notes_of(conditions, state, is_trained, assumed, bool(is_refused[row])))
    position = {each: number for number, each in enumerate(dict.fromkeys(notes))}
    renumbered = np.array([position[each] for each in notes], dtype=np.intp)
    return renumbered[note_of], list(position)
