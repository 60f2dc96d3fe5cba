"""Someone with a sensor who responds to meals in a known way, and what requests tell of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from postmeal import Catalog, Meal, Predictor, Profile, Selection
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory

NEW_YORK = ZoneInfo("America/New_York")
EVERYDAY = Profile.imperial(
    age=45,
    sex="female",
    height_in=66,
    weight_lb=150,
    activity_level="lightly_active",
    health_conditions=["prediabetes"],
)
WORDS = ("oatmeal", "banana", "white rice", "toast", "apple")


@dataclass(frozen=True)
class Wearer:
    """A person who eats thrice a day, and whose glucose rises `rise` times the population's."""

    catalog: Catalog
    predictor: Predictor
    rise: float = 1.0
    level_mg_dl: float = 100.0
    days: int = 6
    every_min: int = 15
    first_day: date = date(2026, 1, 5)
    zone: tzinfo = NEW_YORK
    profile: Profile = EVERYDAY
    noise_mg_dl: float = 1.0
    at_hours: tuple[int, ...] = (8, 13, 19)
    seed: int = 0

    @property
    def next_morning(self) -> datetime:
        """Eight o'clock on the day after the last."""
        return datetime.combine(self.first_day + timedelta(days=self.days), time(8), self.zone)

    @cached_property
    def meals(self) -> list[Meal]:
        """One food a meal, in amounts that vary."""
        chance, meals = random.Random(self.seed), []
        for day in range(self.days):
            for hour in self.at_hours:
                food = self.catalog.search(chance.choice(WORDS))[0]
                quantity = chance.choice([0.5, 1, 1.5, 2]) * food.default_serving.quantity
                when = datetime.combine(self.first_day + timedelta(days=day), time(hour), self.zone)
                meals.append(Meal((Selection.of(food, quantity),), when))
        return meals

    @cached_property
    def readings(self) -> list[tuple[datetime, float]]:
        """Glucose of every day from midnight to midnight."""
        chance = random.Random(self.seed)
        start = datetime.combine(self.first_day, time(0), self.zone)
        at_min = np.arange(0, self.days * 1440, self.every_min)
        glucose = np.full(len(at_min), self.level_mg_dl)
        after = np.arange(0, 121, 15)
        for meal in self.meals:
            curve = np.array(self.predictor.predict(self.profile, meal).glucose_mg_dl)
            risen = np.append(self.rise * (curve - curve[0]), 0.0)
            since_min = at_min - (meal.time - start).total_seconds() / 60
            glucose += np.interp(since_min, np.append(after, 240), risen, left=0, right=0)
        return [
            (
                start + timedelta(minutes=int(minute)),
                round(value + chance.gauss(0, self.noise_mg_dl), 1),
            )
            for minute, value in zip(at_min, np.clip(glucose, 45, 390), strict=True)
        ]

    @property
    def trace(self) -> CgmTrace:
        """The library's view of the readings."""
        return CgmTrace.from_readings(self.readings)

    @property
    def meal_history(self) -> MealHistory:
        """The library's view of the meals."""
        return MealHistory.from_meals(self.meals)

    def cgm(self) -> list[dict[str, Any]]:
        """The readings on the wire, which is the same in both versions."""
        return [{"timestamp": at.isoformat(), "value": value} for at, value in self.readings]

    def consumed(self, *, quoted: bool = True) -> list[dict[str, Any]]:
        """The meals on the wire of version 1.2, or, not quoted, of 1.1."""
        told = []
        for meal in self.meals:
            [eaten] = meal.selections
            ids: list[Any] = [eaten.food.id, eaten.serving.id]
            if quoted:
                ids = [str(each) for each in ids]
            serving = {"id": ids[1], "quantity": eaten.quantity}
            told.append({"timestamp": meal.time.isoformat(), "id": ids[0], "serving": serving})
        return told

    @property
    def new(self) -> dict[str, Any]:
        """What a body of version 1.2 holds of it."""
        return {"cgm_data": self.cgm(), "consumed_foods": self.consumed()}

    @property
    def old(self) -> dict[str, Any]:
        """What a body of version 1.1 holds of it."""
        return {"cgmData": self.cgm(), "consumedFoods": self.consumed(quoted=False)}

    @property
    def training(self) -> dict[str, Any]:
        """The body that trains."""
        return {"cgm_data": self.cgm(), "consumed_foods": self.consumed(quoted=False)}
