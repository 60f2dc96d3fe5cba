"""Synthetic people who differ from the population model in a known way."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from postmeal.foods.food import Food, Meal, Selection, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.glucose.history.meal_history import Responses
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import MACRONUTRIENTS, Meals
from postmeal.glucose.population.states import STATES, State
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile

PREDICTOR = Predictor.load()
POPULATION_4 = Path(__file__).resolve().parents[2] / "models" / "population-4"
"""Weights that use a trace, laboratory values and meals of any number of days."""
FIRST_DAY = 20_000
CONDITIONS: dict[str, tuple[str, ...]] = {
    "normal": (),
    "prediabetes": ("prediabetes",),
    "type_2": ("type_2_diabetes",),
    "type_1": ("type_1_diabetes",),
}


def someone(state: State = "normal") -> Profile:
    known = {"age": 45, "sex": "female", "height_cm": 168.0, "weight_kg": 68.0}
    return Profile(**known, health_conditions=CONDITIONS[state])


def meals_of(
    seed: int,
    *,
    n_days: int = 7,
    state: State = "normal",
    level_mg_dl: float = 0.0,
    gain: float = 1.0,
    noise_mg_dl: float = 8.0,
    cut_short: float = 0.2,
) -> Responses:
    """Generate three meals a day of a person; the curves of some meals end early.

    The person differs from the population model by `level_mg_dl` and by the factor `gain`.
    """
    random = np.random.default_rng(seed)
    n = 3 * n_days
    hour = np.tile([8.0, 13.0, 19.0], n_days) + random.uniform(-1.5, 1.5, n)
    local_s = np.round((FIRST_DAY + np.repeat(np.arange(n_days), 3)) * 86400 + hour * 3600)
    macronutrients = random.uniform((5, 0, 2, 2), (120, 12, 40, 40), (n, 4))
    at = np.full(n, STATES.index(state))
    since_h = np.diff(local_s, prepend=-np.inf) / 3600
    meals = Meals(macronutrients, hour, at, since_h)
    rise = PREDICTOR.population.rise(meals, np.array(GRID_MIN))
    same, own = random.normal(0, noise_mg_dl, (n, 1)), random.normal(0, noise_mg_dl / 2, (n, 9))
    glucose = PREDICTOR.level_mg_dl[state] + level_mg_dl + gain * rise + same + own
    last = np.where(random.random(n) < cut_short, random.integers(1, 9, n), 9)
    glucose[np.arange(9) >= last[:, None]] = np.nan
    return Responses(local_s.copy(), local_s, since_h, macronutrients, glucose)


def meal(
    macronutrients: np.ndarray | tuple[float, ...], hour: float = 8.0, day: float = FIRST_DAY
) -> Meal:
    """Return a meal with the given grams, on a day counted from 1970-01-01."""
    known = {key: float(g) for key, g in zip(MACRONUTRIENTS, macronutrients, strict=True)}
    serving = Serving(1, 1.0, "meal", 1.0, None, is_default=True)
    food = Food(1, "meal", "recipe", "tests", Nutrients(known), (serving,))
    return Meal((Selection.of(food),), datetime(1970, 1, 1) + timedelta(days=day, hours=hour))
