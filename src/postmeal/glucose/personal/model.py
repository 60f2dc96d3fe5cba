"""A person's own model: how they differ from the population, in under two kilobytes."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import ModelError
from postmeal.glucose.personal.prior import FADING_DAYS
from postmeal.glucose.population.states import State

__all__ = ["PersonalModel"]

Array = NDArray[np.float64]

_FORMAT = 1
_HEAD = f"postmeal-personal {_FORMAT} "


@dataclass(frozen=True)
class PersonalModel:
    """What one person's training days say, as plain numbers: no reading and no meal is in it.

    Attributes
    ----------
    base : str
        Version of the population model that it corrects, such as ``population-2``.
    state : str
        State of regulation at the time of training.
    sensor : str or None
        Sensor whose readings it was trained on and predicts; blood glucose when None.
    n_days, n_meals : int
        Training days, and meals on them that it was fitted to.
    effects : tuple of tuple of float
        Four rows of 36 effects, on the rise along each shape and on the level; see
        `postmeal.glucose.personal.features.meal_features`.
    shares : tuple of float of length 16
        How much of the effects that depend on the meal counts, for every hour and a half of the
        day; see `postmeal.glucose.personal.portion_guard`.
    drift_mg_dl : float
        How far the level was off its mean on the last training day. It fades in ten days.
    last_day : int
        That day, in days since 1970-01-01.
    scale_mg_dl : float
        Size of the errors at this person, the unit of the band's width: their third quartile,
        shrunk towards that of people in the same state.
    low_mg_dl, high_mg_dl : float
        The person's own glucose range after meals.
    population_rmse_mg_dl, personal_rmse_mg_dl : float
        Errors on training days left out in turn, of the population and of this model before the
        guard of portions: the mean over meals of the root mean square error.
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

    @property
    def helps(self) -> bool:
        """Whether it was better than the population on the days left out.

        Where it was not, the population's curve is served.
        """
        return self.personal_rmse_mg_dl < self.population_rmse_mg_dl

    def to_bytes(self) -> bytes:
        """Write the model: a line with its hash, then JSON.

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
        body = json.dumps(asdict(self), separators=(",", ":"))
        return f"{_HEAD}{_sha256(body)}\n{body}".encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> PersonalModel:
        """Read a model back.

        Parameters
        ----------
        content : bytes
            What `to_bytes` gave.

        Returns
        -------
        PersonalModel
            An equal model.

        Raises
        ------
        ModelError
            A byte has changed, or the layout is another version's.
        """
        try:
            head, _, body = content.decode().partition("\n")
        except UnicodeDecodeError as error:
            raise ModelError("the personal model is not readable") from error
        if not head.startswith(_HEAD):
            raise ModelError(f"the personal model is not of layout {_FORMAT}")
        if head != _HEAD + _sha256(body):
            raise ModelError("the personal model has been altered: its hash differs")
        try:
            values: dict[str, Any] = json.loads(body)
            effects = tuple(tuple(row) for row in values.pop("effects"))
            return cls(effects=effects, shares=tuple(values.pop("shares")), **values)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError("the personal model is not complete") from error

    def drift_on(self, day: float) -> float:
        """How far the level is off its mean on a day, in days since 1970-01-01."""
        return self.drift_mg_dl * math.exp(-max(day - self.last_day, 0.0) / FADING_DAYS)

    @cached_property
    def effect_rows(self) -> Array:
        """The effects as an array of shape (4, 36)."""
        return np.array(self.effects)


def _sha256(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()
