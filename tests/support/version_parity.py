"""Random people and meals, for which both API versions and the library predict the same.

The predictions are equal after rounding.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from api_client import OLD_PREDICT, PREDICT, USER_PREDICT, Api
from synthetic_wearer import Wearer

from postmeal import Catalog, InputError, Meal, PersonalModel, Prediction, Profile, Selection
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.personal_fit import fit_personal
from postmeal.glucose.population.features import food_macronutrients
from postmeal.glucose.population.meal_limits import check_meal
from postmeal.people import ACTIVITY_LEVELS
from postmeal_serve.v1_1.profile import CONDITIONS

ZONES = ("America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC", "Pacific/Kiritimati")


def within_limits(selections: list[Selection]) -> tuple[Selection, ...]:
    """Halve the amounts in a meal until it is within the limits of plausible meals."""
    carbs_g = float(food_macronutrients(selections)[:, 0].sum())
    try:
        check_meal(selections, carbs_g)
    except InputError:
        return within_limits([Selection(s.food, s.serving, s.quantity / 2) for s in selections])
    return tuple(selections)


@dataclass(frozen=True)
class Case:
    """A person, a meal and a time zone."""

    told: dict[str, Any]
    profile: Profile
    meal: Meal
    zone: str

    @classmethod
    def drawn(cls, chance: random.Random, catalog: Catalog, ids: list[int]) -> Case:
        condition = chance.choice([*CONDITIONS])
        told = {
            "age": chance.choice([chance.randint(1, 120), chance.uniform(1, 120)]),
            "gender": chance.choice(["female", "male"]),
            "height": chance.uniform(20, 107),
            "weight": chance.uniform(2.3, 1540),
            "activityLevel": chance.choice(ACTIVITY_LEVELS),
            "healthConditions": chance.choice([[], [condition]]),
        }
        profile = Profile.imperial(
            age=told["age"],
            sex=told["gender"],
            height_in=told["height"],
            weight_lb=told["weight"],
            activity_level=told["activityLevel"],
            health_conditions=[CONDITIONS[each] for each in told["healthConditions"]],
        )
        zone = chance.choice(ZONES)
        time = datetime(2026, 1, 1, tzinfo=ZoneInfo("UTC")) + timedelta(
            seconds=chance.randrange(365 * 86400)
        )
        selections = []
        for food in (catalog.food(chance.choice(ids)) for _ in range(chance.randint(1, 6))):
            serving = chance.choice(food.servings)
            quantity = serving.quantity * chance.choice([1, 2, 0.1, chance.uniform(0.01, 30)])
            selections.append(Selection(food, serving, min(quantity, 10_000)))
        meal = Meal(within_limits(selections), time.astimezone(ZoneInfo(zone)))
        return cls(told, profile, meal, zone)

    @property
    def old(self) -> dict[str, Any]:
        """Body of the request of version 1.1."""
        return {"userProfile": self.told, **self.eaten}

    @property
    def eaten(self) -> dict[str, Any]:
        """The foods and the start of the meal in the format of version 1.1."""
        foods = [
            {"id": each.food.id, "serving": {"id": each.serving.id, "quantity": each.quantity}}
            for each in self.meal.selections
        ]
        return {"foods": foods, "startTime": self.meal.time.isoformat()}

    @property
    def new(self) -> dict[str, Any]:
        """Body of the request of version 1.2."""
        return {
            "user_profile": {
                "age": self.told["age"],
                "sex": self.told["gender"],
                "height": {"value": self.told["height"], "unit": "in"},
                "weight": {"value": self.told["weight"], "unit": "lb"},
                "activity_level": self.told["activityLevel"],
                "health_conditions": self.profile.health_conditions,
            },
            "foods": [
                {
                    "id": str(each.food.id),
                    "serving": {"id": str(each.serving.id)},
                    "quantity": each.quantity,
                }
                for each in self.meal.selections
            ],
            "start_time": self.meal.time.isoformat(),
        }


class Parity:
    """Calls the application directly, which takes a tenth of the time of an HTTP client."""

    def __init__(self, api: Api, seed: int) -> None:
        self.api, self.chance, self.seen = api, random.Random(seed), Counter[str]()
        self.catalog, self.predictor = api.service.catalog, api.service.predictor
        with sqlite3.connect(self.catalog.path) as foods:
            self.ids = [row[0] for row in foods.execute("SELECT id FROM food ORDER BY id")]
        foods.close()

    def check(self, cases: int, *, histories: int, trained: int) -> None:
        """Compare random cases, some with a CGM history and some for trained users.

        About every fourth request writes all times in UTC without a zone, so hours are unknown.
        """
        self.api.client.portal.call(self._check, cases, histories, trained)

    async def _check(self, cases: int, histories: int, trained: int) -> None:
        for turn in range(cases):
            case = Case.drawn(self.chance, self.catalog, self.ids)
            if turn < histories:
                await self._with_history(case)
            elif turn < histories + trained:
                await self._of_trained(case)
            elif turn % 4 == 0:
                await self._without_hours(
                    case, self.predictor.predict(case.profile, of_the_day(case))
                )
            else:
                prediction = self.predictor.predict(case.profile, case.meal)
                await self._both(case, prediction, {}, {})

    async def _with_history(self, case: Case) -> None:
        knows_hours = self.chance.random() < 0.75
        wearer = self._wearer(case)
        last = wearer.readings[-1][0]
        time = last + timedelta(minutes=self.chance.choice([0, 7, 15, 16, 600]))
        case = Case(case.told, case.profile, Meal(case.meal.selections, time), case.zone)
        history = wearer.trace, wearer.meal_history
        if not knows_hours:
            history = without_hours(*history)
        trace, meals = history
        prediction = self.predictor.predict(
            case.profile,
            case.meal if knows_hours else of_the_day(case),
            trace=trace,
            meals=meals,
        )
        self.seen["personal" if prediction.is_personal else "gated"] += 1
        if knows_hours:
            await self._both(case, prediction, wearer.old, wearer.new)
        else:
            await self._without_hours(case, prediction, wearer.new)

    async def _of_trained(self, case: Case) -> None:
        wearer = self._wearer(case)
        history, body = (wearer.trace, wearer.meal_history), wearer.training
        if case.zone == "UTC" or self.chance.random() < 0.25:
            history, body = without_hours(*history), in_utc(body)
            self.seen["trained without hours"] += 1
        user = (await self._post("/v1.1/user", {"profile": case.told}))["user_id"]
        person = {"x-partner-user-id": user}
        await self._post("/v1.1/user/training", body, person)
        personal = fit_personal(self.predictor, case.profile, *history)
        assert PersonalModel.from_bytes(personal.to_bytes()) == personal
        prediction = self.predictor.predict(case.profile, case.meal, personal=personal)
        told = await self._post(
            USER_PREDICT, case.eaten, person | {"x-partner-timezone": case.zone}
        )
        assert told == as_old(prediction)
        self.seen["trained"] += 1

    def _wearer(self, case: Case) -> Wearer:
        return Wearer(
            self.catalog,
            self.predictor,
            rise=self.chance.uniform(0.7, 2.5),
            days=6,  # at least five of them are complete in UTC
            level_mg_dl=self.chance.uniform(75, 160),
            noise_mg_dl=self.chance.choice([0.5, 5.0]),
            profile=case.profile,
            zone=ZoneInfo(case.zone),
            seed=self.chance.randrange(10**9),
        )

    async def _both(
        self, case: Case, prediction: Prediction, old: dict[str, Any], new: dict[str, Any]
    ) -> None:
        zone = {"x-partner-timezone": case.zone}
        assert await self._post(OLD_PREDICT, case.old | old, zone) == as_old(prediction)
        zone = {"timezone": case.zone}
        told = await self._post(PREDICT, case.new | new | zone)
        assert told.items() >= as_new(prediction).items()
        self.seen["compared"] += 1

    async def _without_hours(
        self, case: Case, prediction: Prediction, history: Mapping[str, Any] = {}
    ) -> None:
        told = await self._post(PREDICT, in_utc({**case.new, **history}))
        assert told.items() >= as_new(prediction).items()
        self.seen["compared"] += 1
        self.seen["without hours"] += 1

    async def _post(self, path: str, body: Any, headers: Mapping[str, str] = {}) -> Any:
        sent = {**self.api.headers(path), **headers, "content-type": "application/json"}
        content, answered = json.dumps(body).encode(), []
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(name.lower().encode(), each.encode()) for name, each in sent.items()],
            "client": ("127.0.0.1", 1),
            "server": ("testserver", 80),
            "state": dict(self.api.client.app_state),
        }

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": content}

        async def send(message: dict[str, Any]) -> None:
            answered.append(message)

        await self.api.app(scope, receive, send)
        told = b"".join(each.get("body", b"") for each in answered[1:])
        assert answered[0]["status"] == 200, told
        return json.loads(told)


def of_the_day(case: Case) -> Meal:
    """Return the meal at the same moment, written in UTC, with an unknown hour."""
    return Meal(case.meal.selections, case.meal.time.astimezone(UTC), hour_is_known=False)


def without_hours(trace: CgmTrace, meals: MealHistory) -> tuple[CgmTrace, MealHistory]:
    """Return a history with days in UTC and unknown hours."""
    unknown = replace(meals, utc_offset_s=np.full(len(meals), np.nan))
    return CgmTrace.of(trace.utc_s, 0, trace.glucose_mg_dl), unknown


def in_utc(body: Any) -> Any:
    """Return a body in which all times are written in UTC."""
    if isinstance(body, list):
        return [in_utc(each) for each in body]
    if not isinstance(body, dict):
        return body
    told = {name: in_utc(each) for name, each in body.items()}
    for name in {"timestamp", "start_time"} & told.keys():
        moment = datetime.fromisoformat(told[name]).astimezone(UTC)
        told[name] = moment.isoformat().replace("+00:00", "Z")
    return told


def written(prediction: Prediction) -> list[tuple[float, float]]:
    """Return the curve as it is written, rounded to 0.1 mg/dL."""
    curve = zip(prediction.minutes, prediction.glucose_mg_dl, strict=True)
    return [(minute, round(glucose, 1)) for minute, glucose in curve]


def as_old(prediction: Prediction) -> dict[str, Any]:
    return {
        "cgp": [[minute, value] for minute, value in written(prediction)],
        "scoring": f"{prediction.impact}_impact",
        "cgp_min": prediction.cgp_min,
        "cgp_max": prediction.cgp_max,
    }


def as_new(prediction: Prediction) -> dict[str, Any]:
    points = [{"minutes": minute, "value": value} for minute, value in written(prediction)]
    return {
        "points": points,
        "impact_score": prediction.impact,
        "chart": {"min": prediction.cgp_min, "max": prediction.cgp_max},
    }
