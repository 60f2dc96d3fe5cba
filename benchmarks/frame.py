"""Benchmark of predictions for a pandas DataFrame of meals on one core, in bulk and one by one."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import numpy as np
import pandas as pd

from benchmarks.comparison import Comparison
from postmeal import Meal, Predictor, Profile
from postmeal.frames import predict_frame
from postmeal.glucose.population.features import MACRONUTRIENTS

__all__ = ["compare"]

_ROWS = 300_000
_FEW_ROWS = 10_000
_ROUNDS = 3
_AIM_S = 8.0


def compare() -> Comparison:
    """Compare the CPU times, each the best of several rounds, of three ways to predict a table."""
    predictor, frame = Predictor.load(), _meals(_ROWS)
    few = frame.head(_FEW_ROWS)
    people = [
        Profile(
            age=row.age,
            sex=row.sex,
            height_cm=170,
            weight_kg=70,
            health_conditions=[row.health_conditions],
        )
        for row in few.itertuples()
    ]
    meals = [
        Meal.of_macros(time=row.time, **{key: getattr(row, key) for key in MACRONUTRIENTS})
        for row in few.itertuples()
    ]
    sensors = [name if isinstance(name, str) else None for name in few["sensor"]]

    def one_by_one() -> None:
        for profile, meal, sensor in zip(people, meals, sensors, strict=True):
            predictor.predict(profile, meal, sensor=sensor)

    seconds = _least_s(lambda: predict_frame(frame, predictor))
    many_s = _least_s(lambda: predictor.predict_many(people, meals, sensor=sensors))
    single_s = _least_s(one_by_one)
    return Comparison(
        f"predictions for a table of {_ROWS:,} meals, CPU time",
        ("s", "rows/s"),
        (
            (f"predict_frame, {_ROWS:,} rows", f"{seconds:.1f}", f"{_ROWS / seconds:,.0f}"),
            (f"predict_many, {_FEW_ROWS:,} meals", f"{many_s:.2f}", f"{_FEW_ROWS / many_s:,.0f}"),
            (f"predict, {_FEW_ROWS:,} times", f"{single_s:.2f}", f"{_FEW_ROWS / single_s:,.0f}"),
        ),
        [(f"predict_frame in at most {_AIM_S:g} s", seconds <= _AIM_S)],
    )


def _meals(n_rows: int) -> pd.DataFrame:
    random = np.random.default_rng(0)
    grams = random.uniform(0, (120, 20, 60, 60), (n_rows, len(MACRONUTRIENTS)))
    frame = pd.DataFrame(grams, columns=list(MACRONUTRIENTS))
    offset_s = random.integers(0, 30 * 86400, n_rows)
    conditions = ["none", "prediabetes", "type_2_diabetes", "type_1_diabetes", "lada"]
    return frame.assign(
        time=pd.Timestamp("2026-05-01") + pd.to_timedelta(offset_s, unit="s"),
        health_conditions=random.choice(conditions, n_rows),
        sensor=random.choice(np.array([None, "Libre", "Dexcom G6"]), n_rows),
        age=random.uniform(20, 80, n_rows),
        sex=random.choice(["female", "male"], n_rows),
    )


def _least_s(work: Callable[[], object]) -> float:
    elapsed_s = []
    for _ in range(_ROUNDS):
        start = process_time()
        work()
        elapsed_s.append(process_time() - start)
    return min(elapsed_s)
