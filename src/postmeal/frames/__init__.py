"""Predict glucose after the meals in a pandas DataFrame.

This package requires pandas, which the extra ``postmeal[frames]`` installs.

``columns``  converts the columns of a DataFrame to arrays and marks rows that need a full check
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.arguments import check_type
from postmeal.errors import InputError, MissingExtra, ModelError

try:
    import pandas as pd
except ModuleNotFoundError as error:
    raise MissingExtra("pandas", "frames") from error

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
from postmeal.glucose.batch import meal_table, stacked, told_rows
from postmeal.glucose.cases import Case, Cases
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.glucose_column import READABLE_MG_DL
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.personal.level_age import level_kept
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal.prior import PersonalPrior
from postmeal.glucose.population.features import MACRONUTRIENTS, Meals, fill_unknown
from postmeal.glucose.population.meal_limits import MAX_CARBS_G, MAX_FOOD_G
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.glucose.request import Told, case_of, check_base, check_minutes
from postmeal.glucose.tidy import TIDY_COLUMNS, tidy_frame

__all__ = ["INPUT_COLUMNS", "TIDY_COLUMNS", "predict_frame"]

Array = NDArray[np.float64]

_REQUIRED = ("carbs_g", "time")
_EVIDENCE = ("start_age_min", "hba1c_percent", "fasting_glucose_mg_dl")
_UNREAD = (*UNREAD_FIELDS, "sensor")
_NUMERIC = ("start_mg_dl", "since_meal_h", *_EVIDENCE)

INPUT_COLUMNS = (
    *MACRONUTRIENTS,
    "time",
    "health_conditions",
    *UNREAD_FIELDS,
    "sensor",
    "start_mg_dl",
    "start_age_min",
    "since_meal_h",
    "hba1c_percent",
    "fasting_glucose_mg_dl",
    "person",
)
"""Columns that `predict_frame` reads; other columns are ignored."""


class _Models(NamedTuple):
    """Personal models, and for each row the position of its model (-1 for no model)."""

    models: list[PersonalModel]
    of_row: NDArray[np.intp]

    def shares_on(self, day: Array, prior: PersonalPrior) -> Array:
        """Return the weight of each row's model on the row's day."""
        shares = np.zeros(len(day))
        for position, model in enumerate(self.models):
            rows = np.flatnonzero(self.of_row == position)
            shares[rows] = [model.share_on(moment, prior) for moment in day[rows].tolist()]
        return shares

    def is_old_on(self, day: Array, prior: PersonalPrior) -> NDArray[np.bool_]:
        """Return whether the level of each row's model is no longer kept on the row's day."""
        last_day = np.array([*(model.last_day for model in self.models), np.inf])
        return np.asarray(level_kept(day - last_day[self.of_row], prior.fading_days) == 0)


def predict_frame(
    frame: pd.DataFrame,
    predictor: Predictor | None = None,
    *,
    minutes: Sequence[float] | None = None,
    personal: Mapping[Any, PersonalModel] | None = None,
    traces: Mapping[Any, CgmTrace] | None = None,
    meals: Mapping[Any, MealHistory] | None = None,
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
        - ``time`` (required): local time of the start of the meal; a `datetime.date` if the hour
          is unknown.
        - ``health_conditions``: names from `postmeal.people.HEALTH_CONDITIONS`, as a list or
          separated by commas. A missing value means none.
        - ``age``, ``sex``, ``height_cm``, ``weight_kg``, ``activity_level``: validated as in
          `Profile`, but not used by the model.
        - ``sensor``: a sensor such as ``Dexcom G6``. If missing, blood glucose is predicted.
        - ``start_mg_dl``: reading at the start of the meal, and ``start_age_min``: its age.
        - ``since_meal_h``: hours since the previous meal.
        - ``hba1c_percent``, ``fasting_glucose_mg_dl``: laboratory values.
        - ``person``: key of the person in `personal`, `traces` and `meals`.
    predictor : Predictor, optional
        The model. Defaults to the shipped model.
    minutes : sequence of float, optional
        Minutes after the start of the meal, 0 to 240, in ascending order. Defaults to 0, 15, … 120.
    personal : mapping of person to PersonalModel, optional
        Personal models; the population model is used for everyone else.
    traces : mapping of person to CgmTrace, optional
        CGM readings, of which those before each meal are used. Rows of people in `traces` or
        `meals`, and rows with laboratory values, are predicted like single meals, which takes
        longer.
    meals : mapping of person to MealHistory, optional
        Earlier meals, of which those before each meal are used.

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
          `Prediction`; all notes of a meal are joined into one text;
        - ``inputs_used``, ``warnings``: the names of the inputs that were used, and the codes of
          the warnings, each separated by commas.

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
    known = _Known(
        frame, own, _of_people(frame, "traces", traces), _of_people(frame, "meals", meals)
    )
    if traces or meals or any(column in frame.columns for column in _EVIDENCE):
        cases, rows = stacked([known.case(model, position) for position in range(len(frame))])
    else:
        cases, rows = known.all_cases(model)
    return tidy_frame(meal_table(model, cases, checked_minutes, *rows), frame.index)


class _Known(NamedTuple):
    """The rows of a frame, and what is known about the person in each row."""

    frame: pd.DataFrame
    own: _Models
    traces: Sequence[CgmTrace | None]
    meals: Sequence[MealHistory | None]

    def case(self, model: Predictor, position: int) -> tuple[Case, Told]:
        """Check a row like a single prediction, and convert it to a case."""
        values = {column: cell(self.frame, position, column) for column in INPUT_COLUMNS}
        person = {field: values[field] for field in UNREAD_FIELDS}
        conditions = parse_conditions(values["health_conditions"])
        own_position = self.own.of_row[position]
        try:
            for field in _NUMERIC:
                if values[field] is not None and not is_number(values[field]):
                    raise InputError(field, "must be a number", values[field])
            return case_of(
                model,
                make_profile(person | {"health_conditions": conditions}),
                Meal.of_macros(time=values["time"], **{key: values[key] for key in MACRONUTRIENTS}),
                sensor=values["sensor"],
                personal=None if own_position < 0 else self.own.models[own_position],
                trace=self.traces[position],
                meals=self.meals[position],
                **{field: values[field] for field in _NUMERIC},
            )
        except InputError as error:
            raise error.within(f"row {self.frame.index[position]}") from None

    def all_cases(self, model: Predictor) -> tuple[Cases, tuple[NDArray[np.intp], list[Told]]]:
        """Check all rows and convert them to cases, as arrays; see `told_rows` for the rest."""
        frame, own = self.frame, self.own
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
            self.case(model, position)
        has_model = own.of_row >= 0
        constants = [sensor_constant(own_model.sensor, model.sensors) for own_model in own.models]
        columns = np.array([*constants, (0.0, 1.0)])  # the last item is for rows without a model
        states = np.array(
            [*(STATES.index(own_model.state) for own_model in own.models), 0], np.intp
        )
        gains = np.array([*(own_model.prior_log_gain for own_model in own.models), 0.0])
        share = own.shares_on(day, model.personal_prior)
        used = np.where(share > 0, own.of_row, -1)
        state = np.where(used >= 0, states[used], people.state)
        cases = Cases.of(
            Meals(fill_unknown(macronutrients), hour, state, since, share * gains[used]),
            day=day,
            is_trained=people.is_trained,
            offset_mg_dl=np.where(has_model, columns[own.of_row, 0], offset),
            gain=np.where(has_model, columns[own.of_row, 1], gain),
            start_mg_dl=start,
            own=used,
            own_share=share,
            models=own.models,
        )
        is_old = own.is_old_on(day, model.personal_prior)
        unknown = [*macronutrients.T, hour, start, since]
        return cases, self._told(model, people, cases, np.isnan(unknown), is_old)

    def _told(
        self,
        model: Predictor,
        people: People,
        cases: Cases,
        is_unknown: NDArray[np.bool_],
        is_old: NDArray[np.bool_],
    ) -> tuple[NDArray[np.intp], list[Told]]:
        """Return notes, inputs and warnings of rows, computed once for all rows that are alike."""
        frame, own = self.frame, self.own
        optional = [frame[name].isna() for name in _UNREAD if name in frame.columns]
        kinds = np.column_stack([*is_unknown, *optional, own.of_row >= 0])
        code = people.condition * len(STATES) + cases.meals.state
        code = code * (len(own.models) + 1) + own.of_row + 1
        code = (code * 2 + (cases.own >= 0)) * 2 + is_old
        code = code * (1 << kinds.shape[1]) + kinds @ (1 << np.arange(kinds.shape[1]))
        _, first, told_of = np.unique(code, return_index=True, return_inverse=True)
        rows = told_rows([self.case(model, position)[1] for position in first.tolist()])
        return rows[0][told_of], rows[1]


def _of_people(frame: pd.DataFrame, name: str, known: Mapping[Any, Any] | None) -> Sequence[Any]:
    """Return the value of each row's person, None for people who are not in the mapping."""
    if not known:
        return [None] * len(frame)
    check_type(name, known, Mapping, "must be a mapping of person to their history")
    if "person" not in frame.columns:
        raise InputError("frame", f"must have the column 'person' if {name} are given")
    return [known.get(person) for person in frame["person"]]


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
    """Return a mask of the rows with possibly invalid values, which `_check_row` checks again."""
    low, high = READABLE_MG_DL
    carbs, mass = macronutrients[:, 0], np.nansum(macronutrients[:, [0, 2, 3]], axis=1)
    return np.asarray(
        ~((carbs >= 0) & (carbs <= MAX_CARBS_G) & (mass <= MAX_FOOD_G))
        | ((macronutrients < 0) | np.isinf(macronutrients)).any(axis=1)
        | (start < low)
        | (start > high)
        | (since < 0)
    )
