"""Coefficients of a released model, as stored in ``weights.json``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from postmeal.glucose.person.coefficients import PersonCoefficients
from postmeal.glucose.personal.prior import KnownStart, PersonalPrior
from postmeal.glucose.population.band import Band
from postmeal.glucose.population.carbohydrate_kind import EQUAL_WEIGHTS, CarbWeights
from postmeal.glucose.population.formula import PopulationModel
from postmeal.glucose.population.glucose_range import GlucoseRange
from postmeal.glucose.population.impact import ImpactScale
from postmeal.glucose.population.peak_scale import PeakDistribution, PeakScale, peak_chances_of
from postmeal.glucose.population.sensors import UNFITTED, SensorConstant

__all__ = ["ReleasedModel"]


@dataclass(frozen=True)
class ReleasedModel:
    """Coefficients and calibration of a released model.

    Attributes
    ----------
    version : str
        Name and version of the model.
    population : PopulationModel
        Formula of the mean rise.
    carb_weights : CarbWeights
        Weights of the carbohydrate by kind.
    level_mg_dl : dict of str to float
        Blood glucose at the start of the meal, by state of glucose regulation.
    band : Band
        The 90% band.
    impact_scale : ImpactScale
        Parameters of the impact score.
    peak_scale : PeakScale or PeakDistribution
        Parameters of the chances of a high peak; a `PeakScale` in models before population-4.
    ranges : dict of str to GlucoseRange
        Glucose range, by state of glucose regulation.
    sensors : dict of str to SensorConstant
        Offset and gain of each sensor family.
    start : KnownStart
        Adjustments when a reading at the start of the meal is given.
    personal_prior : PersonalPrior
        Prior of personal models.
    person : PersonCoefficients or None
        What laboratory values and traces tell about a person; None in models before population-4.
    """

    version: str
    population: PopulationModel
    carb_weights: CarbWeights
    level_mg_dl: dict[str, float]
    band: Band
    impact_scale: ImpactScale
    peak_scale: PeakScale | PeakDistribution
    ranges: dict[str, GlucoseRange]
    sensors: dict[str, SensorConstant]
    start: KnownStart
    personal_prior: PersonalPrior
    person: PersonCoefficients | None = None

    @classmethod
    def from_weights(cls, weights: dict[str, Any]) -> Self:
        """Create a model from the content of ``weights.json``."""
        sensors = {
            family: SensorConstant(**values) for family, values in weights["sensors"].items()
        }
        band = Band.from_dict(weights["band"])
        return cls(
            version=f"{weights['name']}-{weights['version']}",
            population=PopulationModel.from_dict(weights["population"]),
            carb_weights=CarbWeights(**weights.get("carb_weights", EQUAL_WEIGHTS._asdict())),
            level_mg_dl=weights["level_mg_dl"],
            band=band,
            impact_scale=ImpactScale(**weights["impact_scale"]),
            peak_scale=peak_chances_of(weights) or PeakScale.from_band(band),
            ranges=_ranges(weights),
            sensors=sensors | {name: UNFITTED[name] for name in UNFITTED if name not in sensors},
            start=KnownStart.from_dict(weights["start"]),
            personal_prior=PersonalPrior.from_dict(weights["personal"]),
            person=PersonCoefficients.from_dict(weights.get("person")),
        )


def _ranges(weights: dict[str, Any]) -> dict[str, GlucoseRange]:
    """Return the ranges of blood glucose, or those of weights before population-4."""
    is_blood = "blood_ranges" in weights
    values = weights["blood_ranges" if is_blood else "ranges"]
    return {state: GlucoseRange(**ends, is_blood=is_blood) for state, ends in values.items()}
