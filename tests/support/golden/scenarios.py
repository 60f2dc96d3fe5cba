"""The inputs of the golden pairs: about 80 predictions that cover all parts of the model."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

__all__ = ["PEOPLE", "PEOPLE_OF_RUNGS", "person", "rungs", "scenarios"]

Food = dict[str, float | None]
Case = dict[str, Any]


def _food(
    grams: float, carbs: float | None, fiber: float | None, protein: float | None, fat: float | None
) -> Food:
    """Return a food with its mass and its amounts per 100 g; None means unknown."""
    return {
        "grams": grams,
        "carbs_g": carbs,
        "fiber_g": fiber,
        "protein_g": protein,
        "fat_g": fat,
    }


_OATMEAL = _food(234.0, 11.7, 1.7, 2.4, 1.5)
_BANANA = _food(118.0, 22.8, 2.6, 1.1, 0.3) | {"sugars_g": 12.2, "glycemic_index": 51.0}
_APPLE = _food(182.0, 13.8, 2.4, 0.3, 0.2) | {"sugars_g": 10.4}
_COLA = _food(330.0, 10.4, 0.0, 0.0, 0.0) | {"sugars_g": 10.4, "glycemic_index": 65.0}
_RICE = _food(186.0, 28.2, 0.4, 2.7, 0.3)
_CHICKEN = _food(140.0, 0.0, 0.0, 31.0, 3.6)
_BEANS = _food(172.0, 23.7, 8.7, 8.9, 0.5)
_PIZZA = _food(321.0, 33.3, 2.3, 11.4, 9.7)
_OIL = _food(14.0, 0.0, 0.0, 0.0, 100.0)
_BRAN = _food(30.0, 64.5, 42.8, 15.6, 4.3)
_GLUCOSE = _food(75.0, 100.0, 0.0, 0.0, 0.0) | {"sugars_g": 100.0, "glycemic_index": 103.0}
_HUSKS = _food(20.0, 30.0, 70.0, 1.5, 0.5)

_MEALS: dict[str, list[Food]] = {
    "oatmeal and banana": [_OATMEAL, _BANANA],
    "rice, chicken and beans": [_RICE, _CHICKEN, _BEANS],
    "pizza": [_PIZZA],
    "bran": [_BRAN],
    "rice": [_RICE],
}
_UNUSUAL: dict[str, list[Food]] = {
    "a glucose drink": [_GLUCOSE],
    "apple and cola": [_APPLE, _COLA],
    "water": [_food(250.0, 0.0, 0.0, 0.0, 0.0)],
    "oil alone": [_OIL],
    "chicken alone": [_CHICKEN],
    "more fiber than carbohydrate": [_HUSKS],
    "rice of unknown fiber": [_food(186.0, 28.2, None, 2.7, 0.3), _CHICKEN],
    "bread of unknown protein and fat": [_food(60.0, 49.0, 2.7, None, None), _OIL],
    "a drink of unknown carbohydrate": [_food(330.0, None, 0.0, 0.0, 0.0), _BANANA],
    "five foods": [_RICE, _CHICKEN, _BEANS, _OIL, _BANANA],
    "three pizzas": [_PIZZA | {"grams": 963.0}],
}
_STATES = ["none", "prediabetes", "type_2_diabetes", "type_1_diabetes"]
_HOURS = ["00:30:00", "07:20:30", "10:40:00", "13:05:00", "17:10:00", "21:45:15"]
_SENSORS = [None, "Dexcom G6", "FreeStyle Libre 3", "dexcom g4 platinum"]
_UNTRAINED = [
    ["lada"],
    ["gestational_diabetes"],
    ["cystic_fibrosis_related_diabetes"],
    ["diabetes_unknown_type"],
    ["other"],
    [],
    ["type_2_diabetes", "diabetes_unknown_type"],
    ["prediabetes", "lada"],
]


def person(seed: int, **fields: Any) -> dict[str, Any]:
    """Generate a personal model whose effects are as large as those of real models."""
    draw = random.Random(seed)
    sizes = [3.0, 10.0, 8.0] + [3.0] * 11 + [4.0] * 11 + [5.0] * 11
    rows = [[round(draw.gauss(0, size / (1 + row)), 4) for size in sizes] for row in range(3)]
    level = [round(draw.gauss(0, 6.0), 4) if kind < 14 else 0.0 for kind in range(36)]
    return {
        "base": "population",
        "n_days": 6,
        "n_meals": 17,
        "effects": [*rows, level],
        "shares": [1.0] * 16,
        "last_day": 20570,
        "population_rmse_mg_dl": 26.0,
        "personal_rmse_mg_dl": 21.5,
        "response_rmse_mg_dl": None,
        **fields,
    }


PEOPLE: dict[str, dict[str, Any]] = {
    "normal, on Libre": person(
        1,
        state="normal",
        sensor="FreeStyle Libre 2",
        drift_mg_dl=4.2,
        scale_mg_dl=16.4,
        low_mg_dl=68.2,
        high_mg_dl=159.7,
    ),
    "type 2, blood": person(
        2,
        state="type_2",
        sensor=None,
        shares=[0.2 * (place % 6) for place in range(16)],
        drift_mg_dl=-9.5,
        scale_mg_dl=33.1,
        low_mg_dl=81.9,
        high_mg_dl=268.4,
    ),
    "no better than the population": person(
        3,
        state="normal",
        sensor="Dexcom G7",
        drift_mg_dl=1.0,
        scale_mg_dl=20.0,
        low_mg_dl=70.0,
        high_mg_dl=170.0,
        personal_rmse_mg_dl=26.0,
    ),
    "three days, a better response": person(
        4,
        state="prediabetes",
        sensor="Dexcom G6",
        n_days=3,
        drift_mg_dl=3.0,
        scale_mg_dl=22.0,
        low_mg_dl=72.0,
        high_mg_dl=188.0,
        personal_rmse_mg_dl=28.0,
        response_rmse_mg_dl=28.9,
    ),
}
"""Generated personal models by name."""

PEOPLE_OF_RUNGS = PEOPLE | {
    "two meals of one day": person(
        6,
        state="type_2",
        sensor="Dexcom G6",
        n_days=1,
        n_meals=2,
        drift_mg_dl=0.0,
        scale_mg_dl=34.0,
        low_mg_dl=88.0,
        high_mg_dl=251.0,
        personal_rmse_mg_dl=27.0,
        response_rmse_mg_dl=29.0,
        prior_level_mg_dl=-4.0,
        prior_log_gain=-0.15,
    ),
    "two days, after two weeks of readings": person(
        5,
        state="normal",
        sensor="FreeStyle Libre 3",
        n_days=2,
        drift_mg_dl=-2.0,
        scale_mg_dl=18.0,
        low_mg_dl=70.0,
        high_mg_dl=172.0,
        response_rmse_mg_dl=24.0,
        prior_level_mg_dl=6.5,
        prior_log_gain=0.21,
    ),
}
"""Personal models by name, some of which were learned on what was known without meals."""


def _case(
    meal: list[Food], conditions: list[str], hour: str, day: str = "2026-05-01", **more: Any
) -> Case:
    return {
        "health_conditions": conditions,
        "foods": meal,
        "time": f"{day}T{hour}",
        "sensor": None,
        "minutes": None,
        "personal": None,
        "start_mg_dl": None,
        "since_meal_h": None,
        **more,
    }


def scenarios() -> dict[str, Case]:
    """Return all inputs by name; `personal` is a key of `PEOPLE` or None."""
    meals = itertools.cycle(_MEALS.items())
    return _of_states(meals) | _of_inputs() | _of_known_people(meals)


def _of_states(meals: Iterator[tuple[str, Any]]) -> dict[str, Case]:
    """Vary the state of the person, the hour, the meal and the sensor."""
    cases: dict[str, Case] = {}
    sensors = itertools.cycle([*_SENSORS, None])
    for condition, hour in itertools.product(_STATES, _HOURS):
        (name, meal), sensor = next(meals), next(sensors)
        cases[f"{condition} at {hour}: {name}, {sensor or 'blood'}"] = _case(
            meal, [condition], hour, sensor=sensor
        )
    for place, conditions in enumerate(_UNTRAINED):
        cases[f"conditions {conditions}"] = _case(
            _MEALS["rice, chicken and beans"],
            conditions,
            "12:15:00",
            sensor=_SENSORS[place % len(_SENSORS)],
            start_mg_dl=131.0 if place % 3 == 2 else None,
        )
    for place, (name, meal) in enumerate(_UNUSUAL.items()):
        for condition in (_STATES[place % 2], "type_2_diabetes"):
            cases[f"{condition}: {name}"] = _case(meal, [condition], "08:00:00")
    return cases


def _of_inputs() -> dict[str, Case]:
    """Vary the reading at the start of the meal, the minutes, and the time since the last meal."""
    cases: dict[str, Case] = {}
    for condition, (sensor, reading) in itertools.product(
        ("none", "type_2_diabetes"), [(None, 92.0), ("Libre", 160.5), ("Dexcom G6", 71.0)]
    ):
        cases[f"{condition}: a reading of {reading} by {sensor or 'blood'}"] = _case(
            _MEALS["oatmeal and banana"],
            [condition],
            "07:45:00",
            sensor=sensor,
            start_mg_dl=reading,
        )
    cases["type 1, starting near the upper limit"] = _case(
        _MEALS["pizza"], ["type_1_diabetes"], "19:00:00", start_mg_dl=389.0
    )
    cases["type 1, starting near the lower limit"] = _case(
        _UNUSUAL["water"], ["type_1_diabetes"], "03:10:00", start_mg_dl=44.0
    )
    for since_meal_h, reading in itertools.product([0.0, 1.0, 9.0, 48.0], [None, 140.0]):
        name = f"{since_meal_h:g} hours after a meal, {'no' if reading is None else 'a'} reading"
        known = {"since_meal_h": since_meal_h, "start_mg_dl": reading}
        cases[name] = _case(_MEALS["rice"], ["none"], "12:15:00", **known)
    for name, minutes in {
        "every five minutes": list(range(0, 121, 5)),
        "up to four hours": [0, 30, 90, 119.5, 121, 180, 240],
        "one late minute": [52.25],
    }.items():
        for reading in (None, 118.0):
            cases[f"{name}, {'no reading' if reading is None else 'a reading'}"] = _case(
                _MEALS["pizza"],
                ["prediabetes"],
                "18:30:00",
                sensor="Libre",
                minutes=minutes,
                start_mg_dl=reading,
            )
    return cases


def _of_known_people(meals: Iterator[tuple[str, Any]]) -> dict[str, Case]:
    """Vary the personal model and the optional inputs."""
    cases: dict[str, Case] = {}
    known: list[dict[str, Any]] = [
        {},
        {"since_meal_h": 0.75},
        {"start_mg_dl": 109.0},
        {"since_meal_h": 3.5, "start_mg_dl": 152.0, "minutes": [0, 10, 37.5, 120, 150]},
    ]
    hours = itertools.cycle(["06:50:00", "12:00:00", "16:15:45", "23:20:00", "00:00:00"])
    days = itertools.cycle(["2026-04-20", "2026-04-27", "2026-06-30"])  # 2026-04-27 is day 20570
    for (person, model), more in itertools.product(PEOPLE.items(), known):
        name, meal = next(meals)
        condition = {"type_2": "type_2_diabetes", "prediabetes": "prediabetes"}.get(
            model["state"], "none"
        )
        cases[f"{person}: {name}, knowing {', '.join(more) or 'nothing else'}"] = _case(
            meal, [condition], next(hours), next(days), personal=person, **more
        )
    for age_days, reading in ((0, None), (14, 140.0), (15, None), (15, 140.0)):
        day = {0: "2026-04-27", 14: "2026-05-11", 15: "2026-05-12"}[age_days]
        moment = f"{age_days} days after the history, {'a' if reading else 'no'} reading"
        for person in PEOPLE:
            cases[f"{person}: {moment}"] = _case(
                _MEALS["pizza"], ["none"], "13:30:00", day, personal=person, start_mg_dl=reading
            )
    cases["type 2, blood: an untrained condition since"] = _case(
        _MEALS["bran"], ["lada"], "09:30:00", "2026-04-29", personal="type 2, blood"
    )
    return cases


def _made_up(hours: float, ending_min: float = 5.0, **shape: float) -> dict[str, float]:
    usual = {"step_min": 5.0, "mean": 128.0, "wave": 31.0, "period_h": 7.0}
    return {"hours": hours, "ending_min": ending_min, **usual, **shape}


def rungs() -> dict[str, Case]:
    """Return inputs of each state of knowledge about a person, for models that use them."""
    states = ("none", "prediabetes", "type_2_diabetes", "type_1_diabetes")
    known: dict[str, dict[str, Any]] = {
        "HbA1c": {"hba1c_percent": 6.1},
        "fasting glucose": {"fasting_glucose_mg_dl": 118.0},
        "both": {"hba1c_percent": 7.3, "fasting_glucose_mg_dl": 96.0},
        "11 hours": {"trace": _made_up(11.0)},
        "15 hours": {"trace": _made_up(15.0)},
        "23 hours, two hours ago": {"trace": _made_up(23.0, 120.0)},
        "a day": {"trace": _made_up(24.0, 10.0, wave=12.0)},
        "two days, every 15 minutes": {"trace": _made_up(48.0, 15.0, step_min=15.0)},
        "three days and HbA1c": {"trace": _made_up(72.0, 240.0), "hba1c_percent": 5.3},
        "three days, half an hour ago": {"trace": _made_up(72.0, 30.0)},
        "six days and a reading": {"trace": _made_up(144.0, mean=171.0), "start_mg_dl": 140.0},
        "a reading": {"start_mg_dl": 151.0},
        "a reading of 40 minutes ago": {"start_mg_dl": 151.0, "start_age_min": 40.0},
        "an old reading and a newer one in a trace": {
            "trace": _made_up(36.0, 20.0),
            "start_mg_dl": 99.0,
            "start_age_min": 50.0,
        },
    }
    cases: dict[str, Case] = {}
    meals, sensors = itertools.cycle(_MEALS.items()), itertools.cycle([*_SENSORS, None])
    for (place, (text, given)), condition in itertools.product(enumerate(known.items()), states):
        name, meal = next(meals)
        cases[f"{condition}, {name}: {text}"] = _case(
            meal,
            [condition],
            _HOURS[place % len(_HOURS)],
            sensor=next(sensors),
            since_meal_h=None if place % 2 else 4.0,
            **given,
        )
    for person, age_days in itertools.product(PEOPLE_OF_RUNGS, (0, 14, 20, 30)):
        day = {0: "2026-04-27", 14: "2026-05-11", 20: "2026-05-17", 30: "2026-05-27"}[age_days]
        given: dict[str, Any] = {"trace": _made_up(72.0, 30.0)} if age_days % 20 else {}
        given |= {"start_mg_dl": 133.0} if age_days == 20 else {}
        cases[f"{person}: {age_days} days after the history"] = _case(
            _MEALS["rice"], ["none"], "12:30:00", day, personal=person, **given
        )
    return cases
