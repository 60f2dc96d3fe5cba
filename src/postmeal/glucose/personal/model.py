"""Personal models, each of which is stored in less than two kilobytes."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError, ModelError
from postmeal.glucose.personal.features import OVER_THE_DAY
from postmeal.glucose.personal.level_age import MAX_LEVEL_AGE_DAYS, kept_at, level_share
from postmeal.glucose.personal.prior import FADING_DAYS, FULL_DAYS, FULL_MEALS, LEVEL, PersonalPrior
from postmeal.glucose.population.json_structure import structure_problem
from postmeal.glucose.population.states import STATES, State

__all__ = ["PRELIMINARY_TOLERANCE", "PersonalModel"]

Array = NDArray[np.float64]

PRELIMINARY_TOLERANCE = 1.1
"""Maximum error at which a preliminary model is used, relative to that of the population model.

The errors are those on held-out days. With two training days, this limit reduced the error for
held-out people of BIG IDEAs from 24.2 to 23.1 mg/dL and for those of Shanghai from 33.2 to 32.4
mg/dL.
"""

_N_EFFECTS, _N_SHARES = 36, 16
_FORMAT = 1
_HEAD = f"postmeal-personal {_FORMAT} "


@dataclass(frozen=True)
class PersonalModel:
    """Personal corrections to the population model, without any readings or meals of the person.

    Attributes
    ----------
    base : str
        Version of the population model that the personal model corrects, such as ``population-2``.
    state : str
        State of glucose regulation at the time of training.
    sensor : str or None
        Sensor of the training and predicted readings; None for blood glucose.
    n_days, n_meals : int
        Number of training days, and of meals on these days that were used in the fit.
    effects : tuple of tuple of float
        Four rows of 36 effects, on the rise along each shape and on the level; see
        `postmeal.glucose.personal.features.meal_features`.
    shares : tuple of float of length 16
        Factors that scale the meal-dependent effects, for every 1.5 hours of the day; see
        `postmeal.glucose.personal.portion_guard`.
    drift_mg_dl : float
        Deviation of the level from its mean on the last training day. It decays to 1/e over ten
        days.
    last_day : int
        Last training day, in days since 1970-01-01.
    scale_mg_dl : float
        Size of the person's errors, which scales the band. It is the third quartile of the errors,
        shrunk toward that of people in the same state.
    low_mg_dl, high_mg_dl : float
        Glucose range of the person after meals.
    population_rmse_mg_dl, personal_rmse_mg_dl : float
        Errors of the population model and of this model, as used a week after the history, with
        each training day held out in turn. Each is the root mean square error of a meal, averaged
        over the meals.
    response_rmse_mg_dl : float or None, default=None
        Error of this model with the level of the population model, as used when the history is
        old; None for models from earlier releases.
    prior_level_mg_dl, prior_log_gain : float, default=0.0
        Level and gain of the prior on which the effects were learned, relative to the mean of the
        state; see `postmeal.glucose.person.prior`. They are not stored if they are zero.
    """

    base: str
    state: State
    sensor: str | None
    n_days: int
    n_meals: int
    effects: tuple[tuple[float, ...], ...]
    shares: tuple[float, ...]
    drift_mg_dl: float
    last_day: int
    scale_mg_dl: float
    low_mg_dl: float
    high_mg_dl: float
    population_rmse_mg_dl: float
    personal_rmse_mg_dl: float
    response_rmse_mg_dl: float | None = None
    prior_level_mg_dl: float = 0.0
    prior_log_gain: float = 0.0

    @property
    def preliminary(self) -> bool:
        """Whether the model was fitted to fewer than five days and therefore has a wider band."""
        return self.n_days < FULL_DAYS

    @cached_property
    def is_better(self) -> bool:
        """Whether the model was more accurate than the population model on held-out days.

        A preliminary model may be up to 10% less accurate, because few training days remain when a
        day is held out.
        """
        return self._share(self.personal_rmse_mg_dl, 0.0) > 0

    def share_on(self, day: float, prior: PersonalPrior) -> float:
        """Return the weight of the model on a day (days since 1970-01-01), from 0 to 1.

        The rest of the weight is that of the population model. If the history is old (see
        `keeps_level_on`), the model must also be more accurate than the population model when both
        have the population model's level.
        """
        fresh = self._share(self.personal_rmse_mg_dl, prior.gate_margin)
        age_days = day - self.last_day
        if age_days <= MAX_LEVEL_AGE_DAYS or self.response_rmse_mg_dl is None:
            return fresh
        old = min(fresh, self._share(self.response_rmse_mg_dl, prior.gate_margin))
        return old + kept_at(age_days, prior.fading_days) * (fresh - old)

    def _share(self, rmse_mg_dl: float, margin: float) -> float:
        """Return the weight of a model with this error: a switch, or a slope over a margin.

        A model of fewer than `FULL_MEALS` meals has a part of the weight.
        """
        base, most = self.population_rmse_mg_dl, min(self.n_meals / FULL_MEALS, 1.0)
        if not margin:
            limit = base * (PRELIMINARY_TOLERANCE if self.preliminary else 1.0)
            return most if rmse_mg_dl < limit else 0.0
        part = (base * (1 + margin) - rmse_mg_dl) / max(base * margin, 1e-9)
        return most * min(max(part, 0.0), 1.0)

    def keeps_level_on(self, day: float, fading_days: float = 0.0) -> bool:
        """Return whether a day is so soon after training that a part of the level is used."""
        return kept_at(day - self.last_day, fading_days) > 0

    def to_bytes(self) -> bytes:
        """Serialize the model as a line with its hash, followed by JSON.

        Examples
        --------
        >>> model = PersonalModel(
        ...     base="population-2", state="normal", sensor=None, n_days=5, n_meals=9,
        ...     effects=((0.5,) * 36,) * 4, shares=(1.0,) * 16, drift_mg_dl=0.1, last_day=20000,
        ...     scale_mg_dl=17.5, low_mg_dl=70.0, high_mg_dl=160.0,
        ...     population_rmse_mg_dl=25.0, personal_rmse_mg_dl=19.0,
        ... )
        >>> PersonalModel.from_bytes(model.to_bytes()) == model
        True
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if not self.prior_level_mg_dl and not self.prior_log_gain:
            del values["prior_level_mg_dl"], values["prior_log_gain"]
        body = json.dumps(values, separators=(",", ":"))
        return f"{_HEAD}{_sha256(body)}\n{body}".encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> PersonalModel:
        """Load a serialized model.

        Parameters
        ----------
        content : bytes
            Output of `to_bytes`.

        Returns
        -------
        PersonalModel
            The model.

        Raises
        ------
        InputError
            The content is not of type bytes.
        ModelError
            The content is not a personal model, was altered, or has an unsupported format version.
        """
        if not isinstance(content, bytes):
            raise InputError(
                "content",
                "must be the bytes that PersonalModel.to_bytes returned; read a file with"
                " Path.read_bytes",
                content,
            )
        try:
            head, _, body = content.decode().partition("\n")
        except UnicodeDecodeError as error:
            raise ModelError(
                "the personal model is not valid UTF-8 text; restore it from a backup, or retrain"
                " the model"
            ) from error
        if not head.startswith(_HEAD):
            raise ModelError(
                f"the content is not a personal model in format version {_FORMAT}; check that it"
                " was written by PersonalModel.to_bytes, or retrain the model"
            )
        if head != _HEAD + _sha256(body):
            raise ModelError(
                "the personal model was altered: its hash does not match; restore it from a backup,"
                " or retrain the model"
            )
        try:
            values = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ModelError(
                "the personal model is incomplete; restore it from a backup, or retrain the model"
            ) from error
        problem = structure_problem(values, _structure_of(values))
        if not problem and values["state"] not in STATES:
            problem = f"state must be one of {', '.join(STATES)}, got {values['state']!r}"
        if problem:
            raise ModelError(
                f"the personal model is incomplete: {problem}; restore it from a backup, or retrain"
                " the model"
            )
        effects = tuple(tuple(row) for row in values.pop("effects"))
        return cls(effects=effects, shares=tuple(values.pop("shares")), **values)

    def drift_on(self, day: float, fading_days: float = 0.0) -> float:
        """Return the deviation of the level from the learned mean on a day.

        The deviation on the last training day and the mean level both fade; see
        `postmeal.glucose.personal.level_age`. `day` is in days since 1970-01-01.
        """
        age_days = day - self.last_day
        share, kept = level_share(age_days, fading_days), kept_at(age_days, fading_days)
        drift = self.drift_mg_dl * math.exp(-max(age_days, 0.0) / FADING_DAYS)
        return kept * drift - (1 - share) * self.mean_level_mg_dl

    @cached_property
    def mean_level_mg_dl(self) -> float:
        """Learned change of the level, averaged over the day, in mg/dL of blood glucose."""
        return sum(self.effects[LEVEL][column] * value for column, value in OVER_THE_DAY.items())

    def effects_on_curve(self, shapes: Array) -> Array:
        """Return the effects on each point of a curve and, in the last row, on the level.

        The result for the latest `shapes` is cached, which saves 3% of the time of a prediction.

        Parameters
        ----------
        shapes : ndarray of shape (3, 9)
            Shapes of the rise.

        Returns
        -------
        ndarray of shape (10, 36)
            The effects in mg/dL of blood glucose.
        """
        cached: tuple[Array, Array] | None = vars(self).get("_effects_on_curve")
        if cached is None or cached[0] is not shapes:
            effects = np.array(self.effects)
            rows = np.vstack([shapes.T @ effects[:LEVEL], effects[LEVEL]])
            cached = vars(self)["_effects_on_curve"] = shapes, rows
        return cached[1]


def _sha256(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def _structure_of(values: object) -> dict[str, Any]:
    """Return valid values, with null and missing ones where the given values may have them."""
    known = values if isinstance(values, dict) else {}
    numbers = [field.name for field in fields(PersonalModel) if field.type in ("int", "float")]
    if "prior_level_mg_dl" not in known:
        numbers = [name for name in numbers if not name.startswith("prior_")]
    optional = {"sensor": "", "response_rmse_mg_dl": 0.0}
    given = {key: like for key, like in optional.items() if known.get(key) is not None}
    null = {key: None for key in optional if key in known}
    return {
        **dict.fromkeys(numbers, 0.0),
        "base": "",
        "state": "",
        "effects": [[0.0] * _N_EFFECTS] * (LEVEL + 1),
        "shares": [1.0] * _N_SHARES,
        **null,
        **given,
    }
