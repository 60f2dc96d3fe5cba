"""Benchmark of single predictions in a warm process, compared with nine LightGBM boosters.

The predictions are made by the default model and, from 72 hours of CGM readings, by the model that
uses them. The readings are parsed before the time is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter_ns

import numpy as np

from benchmarks import lightgbm_peer
from benchmarks.comparison import Comparison
from benchmarks.meals import PERSON, random_meals
from postmeal import CgmTrace, Meal, Predictor, Selection
from postmeal.assets import asset
from postmeal.glucose.population.features import Meals, food_macronutrients
from postmeal.glucose.population.states import STATES

__all__ = ["compare"]

_ROUNDS = 60
_AIM_MS = 0.3
_AIM_TIMES_FASTER = 8.0
_AIM_WITH_TRACE_MS = 2.0


def compare() -> Comparison:
    """Time predictions from selected foods, alternating between postmeal and LightGBM."""
    predictor, meals = Predictor.load(), random_meals(50)
    knowing, trace = Predictor.load(asset("models/population-4")), _trace_before(meals)
    state = np.array([STATES.index("prediabetes")])

    def ours(selections: tuple[Selection, ...], time: datetime) -> None:
        predictor.predict(PERSON, Meal(selections, time))

    def with_trace(selections: tuple[Selection, ...], time: datetime) -> None:
        knowing.predict(PERSON, Meal(selections, time), sensor="Libre", trace=trace)

    def peer(selections: tuple[Selection, ...], time: datetime) -> None:
        meal = Meal(selections, time)
        sums = food_macronutrients(meal.selections).sum(axis=0)[None]
        lightgbm_peer.predict(lightgbm_peer.columns(Meals(sums, np.array([meal.hour]), state)))

    times_ms: dict[Callable[..., None], list[float]] = {ours: [], with_trace: [], peer: []}
    for turn in range(_ROUNDS):
        for way, measured in times_ms.items():
            for selections, time in meals:
                start = perf_counter_ns()
                way(selections, time)
                elapsed = perf_counter_ns() - start
                if turn:  # the first round is a warm-up
                    measured.append(elapsed / 1e6)
    (fast, fast_95), (traced, traced_95), (slow, slow_95) = (
        np.percentile(measured, [50, 95]) for measured in times_ms.values()
    )
    return Comparison(
        "single warm prediction, 1 to 5 foods, in ms",
        ("p50", "p95", "p50, relative"),
        (
            ("postmeal: curve, band, impact, range", f"{fast:.3f}", f"{fast_95:.3f}", "1"),
            (
                "postmeal, from 72 h of CGM",
                f"{traced:.3f}",
                f"{traced_95:.3f}",
                f"{traced / fast:.1f}",
            ),
            ("LightGBM: curve only", f"{slow:.3f}", f"{slow_95:.3f}", f"{slow / fast:.1f}"),
        ),
        [
            (f"p50 at most {_AIM_MS} ms", fast <= _AIM_MS),
            (f"{_AIM_TIMES_FASTER:g} times faster", slow / fast >= _AIM_TIMES_FASTER),
            (f"with a trace, at most {_AIM_WITH_TRACE_MS:g} ms", traced <= _AIM_WITH_TRACE_MS),
        ],
    )


def _trace_before(meals: list[tuple[tuple[Selection, ...], datetime]]) -> CgmTrace:
    """Return readings every five minutes, from 72 hours before the first meal to the last meal."""
    first, last = (
        pick(time for _, time in meals).replace(tzinfo=UTC).timestamp() for pick in (min, max)
    )
    time_s = np.arange(first - 72 * 3600, last, 300)
    return CgmTrace.of(time_s, 0, 110 + 25 * np.sin(time_s / 5000))
