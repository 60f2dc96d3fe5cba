"""Evaluate predictions from exactly what is known about each person before each meal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.errors import DataSetError, InputError
from postmeal.glucose.cases import Cases
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import Responses
from postmeal.glucose.person.prior import MEAN_PERSON, PersonPrior
from postmeal.glucose.person.trace import NO_TRACE, TraceSummary
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import prior_of_trace
from postmeal.glucose.population.sensors import BLOOD, sensor_constant
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets.data_set import DataSet
from postmeal.training.datasets.meals_table import GLUCOSE_COLUMNS
from postmeal.training.evaluation.released_model import (
    PREDICTION_COLUMNS,
    TablePrediction,
    long_table,
    score,
)
from postmeal.training.fit.known_person import FULL_COVER, before_meals, priors_of
from postmeal.training.fit.later_days import (
    LaterMeals,
    cases_of,
    known_days,
    last_readings,
    later_meals,
    refitted_every_day,
)
from postmeal.training.fit.person_history import PersonHistory, histories

Array = NDArray[np.float64]

KNOWN_PREDICTION_COLUMNS = (*PREDICTION_COLUMNS, "answer")
"""Columns of the table of predictions. ``answer`` is ``personal`` or ``population``."""

_AWAY_S = 3 * 3600.0
_ACCEPTED = "reading, cgm-24h, cgm-72h, hba1c, fasting, meals-2d and meals-5d (or other numbers)"


class Known(NamedTuple):
    """What is known about each person, beside condition, sensor and hours since the last meal."""

    reading: bool = False
    cgm_hours: int | None = None
    hba1c: bool = False
    fasting: bool = False
    meal_days: int | None = None

    @property
    def needs_person_coefficients(self) -> bool:
        """Whether a model without coefficients for people cannot use all of this."""
        return self.cgm_hours is not None or self.hba1c or self.fasting

    def before(self, trace: CgmTrace, moments_s: Array) -> list[TraceSummary]:
        """Summarize the readings that are known before each moment."""
        if self.cgm_hours is None:
            return [NO_TRACE] * len(moments_s)
        return before_meals(trace, moments_s, self.cgm_hours, 0.0 if self.reading else _AWAY_S)

    def has_hours(self, before: Sequence[TraceSummary]) -> NDArray[np.bool_]:
        """Return whether each summary has as many hours of readings as are known."""
        least = FULL_COVER * (self.cgm_hours or 0)
        return np.array([one.usable_hours >= least for one in before], dtype=np.bool_)

    @classmethod
    def parse(cls, text: str) -> Known:
        """Parse a list separated by commas, such as ``reading,cgm-72h``."""
        values: dict[str, bool | int] = {}
        for item in filter(None, (part.strip() for part in text.split(","))):
            hours = re.fullmatch(r"cgm-([1-9]\d{0,2})h", item)
            days = re.fullmatch(r"meals-([2-9]|[1-9]\d)d", item)
            if hours:
                values["cgm_hours"] = int(hours[1])
            elif days:
                values["meal_days"] = int(days[1])
            elif item in ("reading", "hba1c", "fasting"):
                values[item] = True
            else:
                raise InputError("--known", f"must be a list of {_ACCEPTED}", item)
        return cls(**values)  # type: ignore[arg-type]


class KnownEvaluation(NamedTuple):
    """Metrics by sensor, and the predictions that they were computed from."""

    metrics: dict[str, dict[str, float]]
    predictions: pd.DataFrame


class KnownMeals(NamedTuple):
    """Meals of one person with the same state of knowledge, as cases and observations.

    `plain` are the same cases if only the condition is known, and `learned` are the meals of the
    days with meals, None without such days.
    """

    history: PersonHistory
    meals: Responses
    cases: Cases
    plain: Cases
    learned: Responses | None


def evaluate_known(
    predictor: Predictor, data_set: DataSet, known: Known, *, refit: bool = False
) -> KnownEvaluation:
    """Predict every meal that has the history from exactly what is known."""
    if refit and known.meal_days is None:
        raise InputError("--refit", "is accepted only together with --known meals-…")
    people = list(histories(data_set))
    model = with_unnamed_sensors(predictor, people)
    rows = [part for history in people for part in known_meals(model, history, known, refit=refit)]
    if not rows:
        raise DataSetError(f"{data_set.name}: no meal has the history that --known names")
    metrics, tables = {}, []
    for sensor in dict.fromkeys(one.history.sensor for one in rows):
        group = [one for one in rows if one.history.sensor == sensor]
        observed, person = observations(group)
        found = predicted(model, [one.cases for one in group])
        metrics[sensor] = score(observed, person, found)
        plain = predicted(model, [one.plain for one in group])
        metrics[f"{sensor}, condition only"] = score(observed, person, plain)
        is_own = np.concatenate([one.cases.has_own for one in group])
        long = long_table(pd.concat([_table(one) for one in group], ignore_index=True), found)
        answer = np.where(is_own, "personal", "population").repeat(len(GLUCOSE_COLUMNS))
        tables.append(long.assign(answer=answer))
    return KnownEvaluation(metrics, pd.concat(tables, ignore_index=True))


def with_unnamed_sensors(predictor: Predictor, people: Iterable[PersonHistory]) -> Predictor:
    """Return a copy of the model that treats unknown sensors as reading blood glucose."""
    sensors = dict(predictor.sensors)
    for name in dict.fromkeys(one.sensor for one in people):
        try:
            sensor_constant(name, sensors)
        except InputError:
            sensors[name] = BLOOD
    return replace(predictor, sensors=sensors)


def known_meals(
    model: Predictor, history: PersonHistory, known: Known, *, refit: bool = False
) -> list[KnownMeals]:
    """Return a person's meals that have the history, with all that is known before each of them."""
    lacks_hba1c = known.hba1c and history.hba1c_percent is None
    if lacks_hba1c or (known.fasting and history.fasting_glucose_mg_dl is None):
        return []
    if known.meal_days is None:
        meals = history.meals()
        later: list[LaterMeals | None] = [None]
        parts = [meals.only(meals.is_complete)]
    else:
        learn = refitted_every_day if refit else later_meals
        found = learn(model, [history], known.meal_days, laboratory=(known.hba1c, known.fasting))
        later, parts = [*found], [one.meals for one in found]
    return [
        row
        for one, meals in zip(later, parts, strict=True)
        if (row := _known_rows(model, history, known, one, meals)) is not None
    ]


def _known_rows(
    model: Predictor,
    history: PersonHistory,
    known: Known,
    later: LaterMeals | None,
    meals: Responses,
) -> KnownMeals | None:
    """Return the meals that have the history, with the priors of the person before each of them."""
    kept = np.ones(len(meals.utc_s), dtype=np.bool_)
    start = np.full(len(kept), np.nan)
    if known.reading:
        start = last_readings(history.trace, meals.utc_s)
        kept &= ~np.isnan(start)
    before = known.before(history.trace, meals.utc_s)
    kept &= known.has_hours(before)
    if not kept.any():
        return None
    uses = {"hba1c": known.hba1c, "fasting": known.fasting}
    priors: Sequence[PersonPrior]
    if later is not None and known.cgm_hours is None:
        values = history.laboratory(known.hba1c, known.fasting)
        trace = known_days(history.trace, later.known)
        priors = [prior_of_trace(model, history.state, history.sensor, trace, *values)]
    else:
        rows = np.flatnonzero(kept).tolist()
        priors = priors_of(model, history, [before[row] for row in rows], **uses)
    meals, start = meals.only(kept), start[kept]
    own: PersonalModel | None = None if later is None else later.personal
    share = 1.0 if later is None else later.own_share[kept]
    cases = cases_of(model, history, own, meals, start, share, priors)
    plain = cases_of(model, history, None, meals, priors=[MEAN_PERSON])
    return KnownMeals(history, meals, cases, plain, None if later is None else later.known)


def observations(parts: Sequence[KnownMeals]) -> tuple[Array, NDArray[np.str_]]:
    """Return the observed readings after the meals of many people, and the person of each meal."""
    observed = np.concatenate([part.meals.glucose_mg_dl for part in parts])
    person = [[part.history.person] * len(part.meals.utc_s) for part in parts]
    return observed, np.concatenate(person)


def predicted(model: Predictor, parts: Sequence[Cases]) -> TablePrediction:
    """Predict the cases of many people."""
    found = [TablePrediction.of(model, cases) for cases in parts]
    return TablePrediction(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _table(one: KnownMeals) -> pd.DataFrame:
    curves = pd.DataFrame(one.meals.glucose_mg_dl, columns=list(GLUCOSE_COLUMNS))
    return curves.assign(
        person=one.history.person.removeprefix(f"{one.history.data_set}/"),
        sensor=one.history.sensor,
        meal_time=pd.to_datetime(one.meals.local_s, unit="s"),
    )
