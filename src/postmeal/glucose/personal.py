"""A person's own model: how they differ from the population, in under two kilobytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import ModelError
from postmeal.glucose.states import State

__all__ = ["PersonalModel", "PersonalPrior", "meal_features"]

Array = NDArray[np.float64]

_FORMAT = 1
_HEAD = f"postmeal-personal {_FORMAT} "


@dataclass(frozen=True)
class PersonalPrior:
    """How people differ from the population: learned from many, shrinks what is learned from one.

    Attributes
    ----------
    components : tuple of tuple of float
        Three orthonormal shapes on the standard grid, along which rises differ.
    variance : tuple of tuple of float
        Variance between people of each effect, a row for each shape and one for the level.
    noise : tuple of float
        Variance between the meals of one person, for each shape and the level.
    """

    components: tuple[tuple[float, ...], ...]
    variance: tuple[tuple[float, ...], ...]
    noise: tuple[float, ...]


@dataclass(frozen=True)
class PersonalModel:
    """What one person's training days say, as plain numbers.

    Attributes
    ----------
    base : str
        Version of the population model that it corrects, such as ``population-1``.
    state : str
        State of regulation at the time of training.
    sensor : str or None
        Sensor whose readings it was trained on and predicts.
    n_days, n_meals : int
        Training days, and meals on them that it was fitted to.
    effects : tuple of tuple of float
        Effects on the rise, a row for each shape, and on the level.
    band_scale : float
        The person's own errors compared with those of other people: the width of the band.
    low_mg_dl, high_mg_dl : float
        The person's own glucose range.
    helps : bool
        Whether it was better than the population on days left out in turn. Where it was not,
        the population's curve is served.
    """

    base: str
    state: State
    sensor: str | None
    n_days: int
    n_meals: int
    effects: tuple[tuple[float, ...], ...]
    band_scale: float
    low_mg_dl: float
    high_mg_dl: float
    helps: bool

    def to_bytes(self) -> bytes:
        """Write the model: a line with its hash, then JSON.

        Examples
        --------
        >>> model = PersonalModel(
        ...     "population-1", "normal", None, 5, 9, ((1.5,),) * 4, 1.0, 70.0, 160.0, True
        ... )
        >>> PersonalModel.from_bytes(model.to_bytes()) == model
        True
        """
        body = json.dumps(asdict(self), separators=(",", ":"))
        return f"{_HEAD}{_sha256(body)}\n{body}".encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> PersonalModel:
        """Read a model back.

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
        values: dict[str, Any] = json.loads(body)
        effects = tuple(tuple(row) for row in values.pop("effects"))
        return cls(effects=effects, **values)

    def rise_and_level(
        self, prior: PersonalPrior, features: Array, minutes: Sequence[float], grid: Array
    ) -> tuple[Array, Array]:
        """What to add to the population's rises, (n_meals, n_times), and levels, (n_meals,)."""
        effects = np.array(self.effects)
        shapes = np.array([np.interp(minutes, grid, one) for one in prior.components])
        return features @ effects[:-1].T @ shapes, features @ effects[-1]


def meal_features(macronutrients: Array, hour: Array) -> Array:
    """What a personal effect may depend on: a constant and the carbohydrate, (n_meals, 2)."""
    carbs = macronutrients[:, 0] - macronutrients[:, 1] / 2
    return np.column_stack([np.ones(len(hour)), 1 - np.exp(-np.maximum(carbs, 0) / 60) - 0.4])


def _sha256(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()
