"""Benchmark of many predictions in one call on one core, compared with nine LightGBM boosters."""

from __future__ import annotations

from statistics import median
from time import perf_counter

import numpy as np

from benchmarks import lightgbm_peer
from benchmarks.comparison import Comparison
from postmeal import Predictor
from postmeal.glucose.cases import Cases
from postmeal.glucose.composition import Composed, compose
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.states import STATES

__all__ = ["compare"]

_MEALS = 20_000
_ROUNDS = 9
_AIM_PER_S = 100_000


def compare() -> Comparison:
    """Time predictions for 20,000 meals, alternating between postmeal and LightGBM."""
    predictor, random = Predictor.load(), np.random.default_rng(0)
    most_g = (120, 20, 60, 60)
    meals = Meals(
        random.uniform(0, most_g, (_MEALS, 4)),
        random.uniform(0, 24, _MEALS),
        random.integers(len(STATES), size=_MEALS),
    )
    inputs, cases = lightgbm_peer.columns(meals), Cases.of(meals)

    def ours() -> Composed:
        return compose(predictor, cases)

    times_s: tuple[list[float], list[float]] = ([], [])
    lightgbm_peer.predict(inputs[:10])  # train the boosters
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
            ("postmeal: curve, band, impact, range", f"{fast:,.0f}", "1"),
            ("LightGBM: curves only", f"{slow:,.0f}", f"{slow / fast:.3f}"),
        ),
        [(f"at least {_AIM_PER_S:,} curves/s", fast >= _AIM_PER_S)],
    )
