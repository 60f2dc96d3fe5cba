"""Benchmark inputs: a person, and random meals of everyday foods."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from postmeal import Catalog, Profile, Selection

__all__ = ["PERSON", "random_meals"]

PERSON = Profile.imperial(
    age=45, sex="female", height_in=66, weight_lb=150, health_conditions=["prediabetes"]
)
_WORDS = ("oatmeal", "banana", "egg", "toast", "milk", "rice", "chicken", "apple", "pasta", "beans")


def random_meals(number: int) -> list[tuple[tuple[Selection, ...], datetime]]:
    """Draw the same random meals in every run: one to five foods at any time of the day."""
    catalog, random = Catalog.open(), np.random.default_rng(0)
    foods = [catalog.search(words)[0] for words in _WORDS]
    return [
        (
            tuple(
                Selection(foods[i], foods[i].default_serving, float(random.integers(1, 4)))
                for i in random.choice(len(foods), random.integers(1, 6), replace=False)
            ),
            datetime(2026, 5, 1, int(random.integers(24)), int(random.integers(60))),
        )
        for _ in range(number)
    ]
