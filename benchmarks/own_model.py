"""Benchmark of training a personal model from raw readings and of predicting with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from statistics import median
from time import perf_counter_ns

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.comparison import Comparison
from benchmarks.meals import PERSON, random_meals
from postmeal import CgmTrace, Meal, MealHistory, PersonalModel, Predictor, fit_personal
from postmeal.training.synthetic.company import synthetic_users

__all__ = ["compare"]

_DAYS, _FITS, _ROUNDS = 14, 40, 60
_AIM_FIT_MS, _AIM_BYTES, _AIM_RATIO = 50.0, 2048, 1.5
_OFFSET = timedelta(hours=-5)
_ZONE = timezone(_OFFSET)


def compare() -> Comparison:
    """Train repeatedly on the same 14 days, then predict alternately with and without the model."""
    predictor = Predictor.load()
    user = synthetic_users(predictor, 1, _DAYS)
    is_meal = ~np.isnan(user.meal_utc_s[0])
    readings = [
        (datetime.fromtimestamp(time, _ZONE).isoformat(), value)
        for time, value in zip(user.utc_s.tolist(), user.glucose_mg_dl[0].tolist(), strict=True)
    ]
    meals = [
        (datetime.fromtimestamp(time, _ZONE).isoformat(), *content)
        for time, content in zip(
            user.meal_utc_s[0, is_meal].tolist(),
            user.macronutrients[0, is_meal].tolist(),
            strict=True,
        )
    ]

    def fit() -> bytes:
        trace = CgmTrace.from_readings((datetime.fromisoformat(t), value) for t, value in readings)
        times = [datetime.fromisoformat(time) for time, *_ in meals]
        meal_history = MealHistory.of(
            [time.timestamp() for time in times],
            _OFFSET.total_seconds(),
            [content for _, *content in meals],
        )
        return fit_personal(predictor, PERSON, trace, meal_history, sensor="Libre").to_bytes()

    with threadpool_limits(1):
        fit_ms = _median_ms(fit, _FITS)
        state = fit()
        population_ms, personal_ms = _predictions_ms(predictor, state)
    ratio = personal_ms / population_ms
    return Comparison(
        f"one person, {_DAYS} days: {len(readings):,} readings and {len(meals)} meals as text",
        ("p50",),
        (
            ("from text to the serialized model, in ms", f"{fit_ms:.1f}"),
            ("size of the model in bytes", f"{len(state):,}"),
            ("prediction with the population model, in ms", f"{population_ms:.3f}"),
            ("prediction with the personal model, in ms", f"{personal_ms:.3f}"),
            ("relative", f"{ratio:.2f}"),
        ),
        [
            (f"training in at most {_AIM_FIT_MS:g} ms", fit_ms <= _AIM_FIT_MS),
            (f"at most {_AIM_BYTES:,} bytes", len(state) <= _AIM_BYTES),
            (
                f"prediction in at most {_AIM_RATIO} × the population model's time",
                ratio <= _AIM_RATIO,
            ),
        ],
    )


def _predictions_ms(predictor: Predictor, state: bytes) -> tuple[float, float]:
    own = PersonalModel.from_bytes(state)
    meals = [Meal(selections, time) for selections, time in random_meals(50)]
    times_ms: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(_ROUNDS):
        for is_own, measured in times_ms.items():
            for meal in meals:
                start = perf_counter_ns()
                if is_own:
                    predictor.predict(PERSON, meal, personal=own)
                else:
                    predictor.predict(PERSON, meal, sensor="Libre")
                elapsed = perf_counter_ns() - start
                if turn:  # the first round is a warm-up
                    measured.append(elapsed / 1e6)
    return median(times_ms[False]), median(times_ms[True])


def _median_ms(call: Callable[[], bytes], times: int) -> float:
    call()
    measured = []
    for _ in range(times):
        start = perf_counter_ns()
        call()
        measured.append((perf_counter_ns() - start) / 1e6)
    return median(measured)
