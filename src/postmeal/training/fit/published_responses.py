"""Published responses to standard loads, which are part of the fit of the population model.

Logged meals contain few pure loads, and their amounts are estimates. The published means determine
how much more a pure load raises glucose than a mixed meal, how the response depends on the dose,
and how it depends on the state of glucose regulation.

The logarithms of the means are used as additional observations. For sensor curves, they are
logarithms of areas. For plasma curves, whose height differs from that of sensor curves, they are
logarithms of ratios between states and between doses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.carbohydrate_kind import CARB_WEIGHTS, weighted_carbs
from postmeal.glucose.population.curve import GRID_MIN, iauc_mg_dl_min, peak_rise_mg_dl
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.formula import PopulationModel
from postmeal.glucose.population.sensors import SensorConstant

Array = NDArray[np.float64]

SENSOR_AREAS_MG_DL_MIN: dict[str, tuple[float, tuple[float, float, float, float]]] = {
    "glucose drink": (3470.0, (50.0, 0.0, 0.0, 0.0)),
    "white bread": (2613.0, (50.0, 2.5, 9.0, 3.0)),
    "bread and butter": (1959.0, (50.0, 2.5, 9.0, 13.0)),
}
"""Mean incremental area of Libre readings over two hours, and assumed macronutrients in grams.

The means are those of 992 adults without diabetes in the study Food & You (analysis code and
aggregates: doi:10.5281/zenodo.22677786). The loads are assumed to contain 50 g of carbohydrate.
"""

_STATE_AREAS, _STATE_PEAKS = (1.49, 2.02), (1.32, 1.84)
"""Areas and peaks after 75 g of glucose in prediabetes and diabetes, relative to normal regulation.

They are ratios of the plasma glucose of 184 people without medication, computed from published data
of individuals. The publication could not be checked, so the values are treated as assumptions.
"""

_DOSE_AREA, _DOSE_PEAK = 1.44, 1.06
"""Area and peak of plasma glucose after 75 g of glucose, relative to 50 g, in normal regulation.

The values for 50 g are those of ten healthy adults (Vahidi 2013, doctoral thesis, McMaster
University).
"""

PUBLISHED: dict[str, float] = {
    **{name: area for name, (area, _) in SENSOR_AREAS_MG_DL_MIN.items()},
    "area after 75 g, prediabetes to normal": _STATE_AREAS[0],
    "area after 75 g, diabetes to normal": _STATE_AREAS[1],
    "peak after 75 g, prediabetes to normal": _STATE_PEAKS[0],
    "peak after 75 g, diabetes to normal": _STATE_PEAKS[1],
    "area after 75 g to 50 g, normal": _DOSE_AREA,
    "peak after 75 g to 50 g, normal": _DOSE_PEAK,
}
"""Published values by name.

They are areas in mg/dL × min, and ratios of areas and peaks after glucose drinks.
"""

_HOUR = 8.0
_WEIGHT = 40.0
_GRID = np.array(GRID_MIN)
_GLUCOSE_G = (75.0, 75.0, 75.0, 50.0)
_GLUCOSE_STATES = (0, 1, 2, 0)  # normal, prediabetes, type 2, normal


def predicted_to_published(model: PopulationModel, libre: SensorConstant) -> dict[str, float]:
    """Return the ratio of the predicted to the published value for each response in `PUBLISHED`."""
    return dict(zip(PUBLISHED, _relative(model, libre).tolist(), strict=True))


def log_errors(model: PopulationModel, libre: SensorConstant) -> Array:
    """Return the weighted errors of a model for the published responses."""
    return np.asarray(_WEIGHT * np.log(_relative(model, libre)))


def _relative(model: PopulationModel, libre: SensorConstant) -> Array:
    published = np.array([area for area, _ in SENSOR_AREAS_MG_DL_MIN.values()])
    grams = np.array([grams for _, grams in SENSOR_AREAS_MG_DL_MIN.values()])
    weight = np.array([CARB_WEIGHTS.glucose, 1.0, 1.0])
    normal = np.zeros(len(grams), dtype=np.intp)
    areas = iauc_mg_dl_min(libre.gain * model.rise(_meals(grams, weight, normal), _GRID))
    drinks = np.zeros((len(_GLUCOSE_G), 4))
    drinks[:, 0] = _GLUCOSE_G
    rise = model.rise(
        _meals(drinks, np.full(len(drinks), CARB_WEIGHTS.glucose), np.array(_GLUCOSE_STATES)), _GRID
    )
    area, peak = iauc_mg_dl_min(rise), peak_rise_mg_dl(rise)
    ratios = [area[1] / area[0], area[2] / area[0], peak[1] / peak[0], peak[2] / peak[0]]
    ratios += [area[0] / area[3], peak[0] / peak[3]]
    expected = np.array([*_STATE_AREAS, *_STATE_PEAKS, _DOSE_AREA, _DOSE_PEAK])
    return np.concatenate([areas / published, np.array(ratios) / expected])


def _meals(grams: Array, weight: Array, state: NDArray[np.intp]) -> Meals:
    macronutrients = grams.copy()
    macronutrients[:, 0] = weighted_carbs(grams[:, 0], grams[:, 1], weight)
    return Meals(macronutrients, np.full(len(grams), _HOUR), state, np.full(len(grams), 12.0))
