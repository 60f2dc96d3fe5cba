"""A synthetic person with a CGM sensor and known responses to meals, and their requests."""

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
    """A person who eats three times a day and whose rises are those of the population × `rise`."""

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
        """8:00 on the day after the last day of the history."""
        return datetime.combine(self.first_day + timedelta(days=self.days), time(8), self.zone)

    @cached_property
    def meals(self) -> list[Meal]:
        """Meals of one food each, in varying amounts."""
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
        """Readings of all days, from midnight to midnight."""
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
        """The readings as an object of the library."""
        return CgmTrace.from_readings(self.readings)

    @property
    def meal_history(self) -> MealHistory:
        """The meals as an object of the library."""
        return MealHistory.from_meals(self.meals)

    def cgm(self) -> list[dict[str, Any]]:
        """The readings in the format of requests, which is the same in both versions."""
        return [{"timestamp": at.isoformat(), "value": value} for at, value in self.readings]

    def consumed(self, *, quoted: bool = True) -> list[dict[str, Any]]:
        """Return the meals in the format of requests: version 1.2, or 1.1 if not `quoted`."""
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
        """Fields of the history in a request of version 1.2."""
        return {"cgm_data": self.cgm(), "consumed_foods": self.consumed()}

    @property
    def old(self) -> dict[str, Any]:
        """Fields of the history in a request of version 1.1."""
        return {"cgmData": self.cgm(), "consumedFoods": self.consumed(quoted=False)}

    @property
    def training(self) -> dict[str, Any]:
        """Body of a training request."""
        return {"cgm_data": self.cgm(), "consumed_foods": self.consumed(quoted=False)}
