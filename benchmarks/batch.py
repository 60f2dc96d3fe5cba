"""Many curves at once on one core, beside nine LightGBM boosters."""

from __future__ import annotations

from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks import lightgbm_peer
from benchmarks.comparison import Comparison
from postmeal import Predictor
from postmeal.glucose.curve import GRID_MIN
from postmeal.glucose.features import Meals
from postmeal.glucose.intervals import widening
from postmeal.glucose.states import STATES

__all__ = ["compare"]

_MEALS = 20_000
_ROUNDS = 9
_AIM_PER_S = 100_000


def compare() -> Comparison:
    """Time a table of 20,000 meals, postmeal and its peer in turns."""
    predictor, random = Predictor.load(), np.random.default_rng(0)
    level = np.array([predictor.level_mg_dl[state] for state in STATES])
    most_g = (120, 20, 60, 60)
    meals = Meals(
        random.uniform(0, most_g, (_MEALS, 4)),
        random.uniform(0, 24, _MEALS),
        random.integers(len(STATES), size=_MEALS),
    )
    inputs = lightgbm_peer.columns(meals)

    def ours() -> tuple[NDArray[np.float64], ...]:
        rise = predictor.population.rise(meals, GRID_MIN)
        blood, wider = level[meals.state][:, None] + rise, widening(rise)
        lower = blood - wider * predictor.band.below_mg_dl[meals.state]
        upper = blood + wider * predictor.band.above_mg_dl[meals.state]
        return tuple(np.clip(curves, 40, 400) for curves in (blood, lower, upper))

    times_s: tuple[list[float], list[float]] = ([], [])
    lightgbm_peer.predict(inputs[:10])  # trains them
    for _ in range(_ROUNDS):
        for way, measured in zip(
            (ours, lambda: lightgbm_peer.predict(inputs)), times_s, strict=True
        ):
            start = perf_counter()
            way()
            measured.append(perf_counter() - start)
    fast, slow = (_MEALS / median(measured) for measured in times_s)
    return Comparison(
        f"{_MEALS:,} curves of nine points in one call, on one core",
        ("curves/s", "relative"),
        (
            ("postmeal: curves with their bands", f"{fast:,.0f}", "1"),
            ("LightGBM: curves alone", f"{slow:,.0f}", f"{slow / fast:.3f}"),
        ),
        [(f"at least {_AIM_PER_S:,} curves/s", fast >= _AIM_PER_S)],
    )
