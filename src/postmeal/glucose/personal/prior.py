"""Prior of personal models, estimated from many people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.personal.features import EFFECTS, effect_names
from postmeal.glucose.population.band import Band
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.impact import ImpactScale
from postmeal.glucose.population.peak_scale import PeakScale
from postmeal.glucose.population.states import STATES

Array = NDArray[np.float64]

LEVEL = 3
"""Row of the level among the effects; the rows before it belong to the shapes."""

ERROR_QUANTILE = 0.75
"""Quantile that defines the size of a person's errors. Unusual meals hardly affect it.

It was compared with other quantiles from 0.6 to 0.9, with the root mean square and with the mean
over meals, and had the lowest interval score for held-out people.
"""

FADING_DAYS = 10.0
"""Days after which the correlation between the levels of two days falls to 1/e.

Values of 2, 5, 10 and 20 days were compared. This value predicted the level of held-out people with
the smallest error.
"""


FULL_DAYS = 5
"""Number of training days below which a personal model is preliminary."""

FULL_MEALS = 3
"""Number of meals below which a personal model has only a part of its weight."""

PRELIMINARY_SCALE = {2: 1.06, 3: 1.04, 4: 1.03}
"""Factors that scale the size of the errors of preliminary models, by number of training days.

With these factors, the band contains 90% of the later readings of held-out people of BIG IDEAs and
Shanghai. Weights without ``preliminary_scale`` use these values.
"""

SENSOR_VARIANCE = 64.0
"""Variance of the offset of a sensor, in (mg/dL)².

In T1D-UOM, half the mean squared difference between two days is larger by about 50 (mg/dL)² if the
sensor was changed in between. A mean error of 8 to 10 mg/dL per sensor is usual.
"""


class KnownStart(NamedTuple):
    """Adjustments of a prediction when a reading at the start of the meal is given."""

    slope: tuple[float, ...]
    recent: tuple[float, ...]
    fasting: tuple[float, ...]
    band: Band

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> KnownStart:
        """Create the adjustments from the values in ``weights.json``.

        In format 2, the slope does not depend on the previous meal.
        """
        none = (0.0,) * len(GRID_MIN)
        recent, fasting = (tuple(values.get(key, none)) for key in ("recent", "fasting"))
        return cls(tuple(values["slope"]), recent, fasting, Band.from_dict(values["band"]))


class OwnRange(NamedTuple):
    """Parameters of a person's glucose range, from post-meal minima and maxima.

    From population-4 on, the range is that of the person's readings and has no parameters.
    """

    below_sd: float
    above_sd: float
    typical_sd_mg_dl: dict[str, float]
    weight: float

    def spread(self, values_mg_dl: Array, state: str) -> float:
        """Return the standard deviation of values, shrunk toward the typical standard deviation."""
        squares = float(((values_mg_dl - values_mg_dl.mean()) ** 2).sum())
        typical = self.weight * self.typical_sd_mg_dl[state] ** 2
        return float(np.sqrt((typical + squares) / (self.weight + len(values_mg_dl) - 1)))


@dataclass(frozen=True, eq=False)
class PersonalPrior:
    """Prior of personal models: how people differ from the population.

    If the error of a personal model on held-out days is larger than that of the population model,
    its weight falls to zero over `gate_margin`, as a share of that error. Levels drift, so the
    effects are learned on `prior_level_share` of the level that is known without meals.
    """

    shapes: Array
    recent: Array
    variance: Array
    day_variance: float
    noise: Array
    typical_error_mg_dl: dict[str, float]
    scale_weight: float
    band: Band
    start: KnownStart
    impact_scale: ImpactScale
    peak_scale: PeakScale
    own_range: OwnRange | None
    preliminary_scale: dict[int, float]
    gate_margin: float = 0.0
    fading_days: float = 0.0
    prior_level_share: float = 1.0

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> PersonalPrior:
        """Create the prior from the values in ``weights.json``."""
        return cls(
            shapes=np.array(values["shapes"]),
            recent=np.array(values["recent"]),
            variance=full_variance(values["variance"]),
            day_variance=values["day_variance"],
            noise=np.array(values["noise"]),
            typical_error_mg_dl=values["typical_error_mg_dl"],
            scale_weight=values["scale_weight"],
            band=Band.from_dict(dict.fromkeys(STATES, values["band"])),
            start=KnownStart.from_dict(
                {**values["start"], "band": dict.fromkeys(STATES, values["start"]["band"])}
            ),
            impact_scale=ImpactScale(**values["impact_scale"]),
            peak_scale=_peak_scale(values),
            own_range=OwnRange(**values["own_range"]) if "own_range" in values else None,
            preliminary_scale={
                int(n_days): factor
                for n_days, factor in values.get("preliminary_scale", PRELIMINARY_SCALE).items()
            },
            gate_margin=values.get("gate_margin", 0.0),
            fading_days=values.get("fading_days", 0.0),
            prior_level_share=values.get("prior_level_share", 1.0),
        )

    @classmethod
    def neutral(cls) -> PersonalPrior:
        """Return a prior without differences between people, as a starting point for fitting."""
        sides = np.ones((len(STATES), len(GRID_MIN)))
        band = Band(sides, sides)
        ones: dict[str, float] = dict.fromkeys(STATES, 1.0)
        none = (0.0,) * len(GRID_MIN)
        return cls(
            shapes=np.eye(3, len(GRID_MIN)),
            recent=np.zeros(4),
            variance=np.zeros((4, len(effect_names()))),
            day_variance=1.0,
            noise=np.eye(len(GRID_MIN)),
            typical_error_mg_dl=dict(ones),
            scale_weight=0.0,
            band=band,
            start=KnownStart(none, none, none, band),
            impact_scale=ImpactScale(0.05, -1.5, -3.0, 0.5, 0.5),
            peak_scale=PeakScale.from_band(band),
            own_range=None,
            preliminary_scale={},
        )

    @cached_property
    def first_shape(self) -> list[float]:
        """The first shape as a list of nine floats."""
        return self.shapes[0].tolist()  # type: ignore[no-any-return]

    @cached_property
    def curves(self) -> Array:
        """Curves of a change by 1 mg/dL along each shape, and of the level, of shape (9, 4)."""
        return np.column_stack([*self.shapes, np.ones(self.shapes.shape[1])])


def full_variance(by_kind: dict[str, list[float]]) -> Array:
    """Return the variance of each effect, of shape (4, 36), from the variances by kind."""
    columns = [EFFECTS.index(name) for name in effect_names()]
    return np.array([by_kind[name] for name in EFFECTS]).T[:, columns]


def _peak_scale(values: dict[str, Any]) -> PeakScale:
    """Return the peak scale, derived from the band if the weights do not have one.

    The band is in units of the size of a person's errors. The typical size converts it to mg/dL.
    """
    if "peak_scale" in values:
        return PeakScale.from_dict(values["peak_scale"])
    size = np.array([[values["typical_error_mg_dl"][state]] for state in STATES])
    sides = (np.array(values["band"][side]) * size for side in ("below", "above"))
    return PeakScale.from_band(Band(*sides))
