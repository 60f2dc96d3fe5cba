"""Library, table, command line and service predict alike from whatever is known."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from api_client import PREDICT, ROOT
from export_files import CLARITY, egv, rows
from known_people import POPULATION_4
from real_server import RealServer
from synthetic_wearer import NEW_YORK, Wearer

from postmeal import Catalog, CgmTrace, Meal, MealHistory, Predictor, Profile, Selection, parse_meal
from postmeal.cli import main
from postmeal.frames import predict_frame
from postmeal.glucose.population.features import MACRONUTRIENTS, meal_inputs
from postmeal.units import FASTING_GLUCOSE, GLUCOSE, HBA1C

PREDICTOR = Predictor.load(POPULATION_4)
TEXTS = ("1 cup oatmeal", "1 cup white rice, 3 oz chicken breast", "2 slices toast, 1 egg")
CONDITIONS = ((), ("prediabetes",), ("type_2_diabetes",), ("gestational_diabetes",), ("lada",))
QUANTITIES = {
    "current_glucose": ("start_mg_dl", GLUCOSE, ("mg/dL", "mmol/L"), (70, 190)),
    "fasting_glucose": ("fasting_glucose_mg_dl", FASTING_GLUCOSE, ("mg/dL", "mmol/L"), (70, 180)),
    "hba1c": ("hba1c_percent", HBA1C, ("%", "mmol/mol"), (4.8, 10)),
}
OPTIONS = {
    "current_glucose": "--reading",
    "fasting_glucose": "--fasting-glucose",
    "hba1c": "--hba1c",
}
N_STATES = 200


@dataclass
class State:
    """What is known about a person before a meal, as the library and the service take it."""

    profile: Profile
    meal: Meal
    text: str
    known: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    words: list[str] | None = field(default_factory=list)
    """Options of the command, None if it has no options for this state."""
    eaten: list[Meal] = field(default_factory=list)


class States:
    """Draws states of knowledge from the history of a made-up person."""

    def __init__(self, catalog: Catalog, folder: Path, seed: int = 35) -> None:
        self.chance, self.catalog, self.folder = random.Random(seed), catalog, folder
        self.wearer = Wearer(
            catalog, PREDICTOR, rise=1.6, level_mg_dl=118.0, days=15, every_min=5, noise_mg_dl=2.0
        )
        self.readings = [(time, float(round(value))) for time, value in self.wearer.readings]

    def draw(self) -> State:
        chance, text = self.chance, self.chance.choice(TEXTS)
        day = self.wearer.first_day + timedelta(days=chance.randrange(1, 15))
        minute = chance.randrange(24 * 60)
        start = datetime(day.year, day.month, day.day, minute // 60, minute % 60, tzinfo=NEW_YORK)
        conditions = chance.choice(CONDITIONS)
        foods = tuple(parse_meal(text, self.catalog))
        state = State(Profile(health_conditions=conditions), Meal(foods, start), text)
        for condition in conditions:
            self._tell(state, ["--condition", condition])
        state.body = {
            "user_profile": {
                "age": 50,
                "sex": "male",
                "height": {"value": 180, "unit": "cm"},
                "weight": {"value": 80, "unit": "kg"},
                "health_conditions": list(conditions),
            },
            "foods": [_food(selection) for selection in foods],
            "start_time": start.isoformat(),
            "timezone": "America/New_York",
        }
        if chance.random() < 0.7:
            self._know_sensor(state)
        for name in QUANTITIES:
            if chance.random() < 0.3:
                self._know_value(state, name)
        if chance.random() < 0.7:
            self._know_trace(state, start)
        if chance.random() < 0.4:
            self._know_meals(state, start)
        if chance.random() < 0.2:
            self._know_previous_meal(state, start)
        return state

    def _tell(self, state: State, words: list[str]) -> None:
        if state.words is not None:
            state.words += words

    def _know_sensor(self, state: State) -> None:
        sensor = self.chance.choice(["Dexcom G6", "FreeStyle Libre 2"])
        state.known["sensor"] = state.body["sensor"] = sensor
        self._tell(state, ["--sensor", sensor])

    def _know_value(self, state: State, name: str) -> None:
        argument, quantity, units, (low, high) = QUANTITIES[name]
        unit = self.chance.choice(units)
        slope, intercept = quantity.units[unit]
        value = round((self.chance.uniform(low, high) - intercept) / slope, 1)
        state.known[argument] = quantity.convert(value, unit, name)
        state.body[name] = {"value": value, "unit": unit}
        self._tell(state, [OPTIONS[name], f"{value} {unit}"])
        if name == "current_glucose" and self.chance.random() < 0.5:
            age_min = self.chance.choice([0, 10, 25, 45, 90, -5])
            measured = state.meal.time - timedelta(minutes=age_min)
            state.body[name]["measured_at"] = measured.isoformat()
            state.known["start_age_min"] = float(age_min)
            state.words = None

    def _know_trace(self, state: State, start: datetime) -> None:
        hours = self.chance.choice([2, 11, 13, 20, 24, 72, 120, 300])
        gap_min = self.chance.choice([-30, 0, 7, 40, 180])
        first, last = start - timedelta(hours=hours), start - timedelta(minutes=gap_min)
        part = [(time, value) for time, value in self.readings if first <= time <= last]
        state.known["trace"] = trace = CgmTrace.from_readings(part)
        state.body["recent_cgm"] = [
            {"timestamp": time.isoformat(), "value": value} for time, value in part
        ]
        if "Libre" in state.known.get("sensor", ""):
            state.words = None  # The file is from the app of another sensor.
        file = self.folder / f"{len(list(self.folder.iterdir()))}.csv"
        lines = [egv(time, round(value)) for time, value in rows(trace)]
        file.write_text("\n".join([CLARITY, *lines]) + "\n")
        self._tell(state, ["--cgm", str(file), "--zone", "America/New_York"])

    def _know_previous_meal(self, state: State, start: datetime) -> None:
        eaten = Meal(
            state.meal.selections, start - timedelta(minutes=self.chance.randrange(16, 720))
        )
        meals = [eaten, *state.eaten]
        state.known["since_meal_h"] = MealHistory.from_meals(meals).hours_since_meal(
            start.timestamp()
        )
        state.body["previous_meals"] = [
            _food(selection) | {"timestamp": eaten.time.isoformat()}
            for selection in eaten.selections
        ]
        state.words = None

    def _know_meals(self, state: State, start: datetime) -> None:
        first = start - timedelta(days=self.chance.choice([1, 2, 3, 6, 12]))
        meals = [meal for meal in self.wearer.meals if first <= meal.time < start]
        state.eaten, state.known["meals"] = meals, MealHistory.from_meals(meals)
        state.body["recent_meals"] = [
            _food(meal.selections[0]) | {"timestamp": meal.time.isoformat()} for meal in meals
        ]
        state.words = None


def _food(selection: Selection) -> dict[str, Any]:
    serving = {"id": str(selection.serving.id)}
    return {"id": str(selection.food.id), "serving": serving, "quantity": selection.quantity}


@pytest.fixture(scope="module")
def states(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> list[State]:
    drawn = States(catalog, tmp_path_factory.mktemp("exports"))
    return [drawn.draw() for _ in range(N_STATES)]


@pytest.fixture(scope="module")
def curves(states: list[State]) -> list[tuple[float, ...]]:
    """The library's curves, one prediction at a time."""
    return [
        PREDICTOR.predict(state.profile, state.meal, **state.known).glucose_mg_dl
        for state in states
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    with RealServer(tmp_path_factory.mktemp("server"), model_folder=POPULATION_4) as server:
        yield server


def written(curve_mg_dl: tuple[float, ...]) -> list[float]:
    return [round(glucose, 1) for glucose in curve_mg_dl]


@pytest.mark.reliability
def test_the_states_are_of_many_kinds(states, curves):
    kinds = {frozenset(state.known) for state in states}
    assert len(kinds) > 60
    assert sum(state.words is not None for state in states) > 40
    assert len(set(curves)) > 190


def test_many_at_once_are_predicted_alike(states, curves):
    """Row 474, D73."""
    names = {"meals": "earlier_meals"}
    arguments = {name for state in states for name in state.known}
    columns = {
        names.get(name, name): [state.known.get(name) for state in states] for name in arguments
    }
    people, meals = [state.profile for state in states], [state.meal for state in states]
    found = PREDICTOR.predict_many(people, meals, **columns)
    assert np.abs(found.table.glucose_mg_dl - np.array(curves)).max() < 1e-9


def test_a_table_is_predicted_alike(states, curves):
    """Row 474, D73."""
    histories = ("trace", "meals")
    frame = pd.DataFrame(
        {
            **dict(
                zip(
                    MACRONUTRIENTS,
                    meal_inputs(state.meal.selections, PREDICTOR.carb_weights).macronutrients,
                    strict=True,
                )
            ),
            "time": state.meal.time,
            "health_conditions": list(state.profile.health_conditions),
            "person": number,
            **{name: value for name, value in state.known.items() if name not in histories},
        }
        for number, state in enumerate(states)
    )
    traces, meals = (
        {n: state.known[name] for n, state in enumerate(states) if name in state.known}
        for name in histories
    )
    found = predict_frame(frame, PREDICTOR, traces=traces, meals=meals)
    glucose = found.glucose_mg_dl.to_numpy().reshape(len(states), -1)
    assert np.abs(glucose - np.array(curves)).max() < 1e-9


@pytest.mark.reliability
def test_the_service_predicts_alike(states, curves, server):
    """Row 474, D73 and X14: a real server."""
    headers = {"Authorization": f"Bearer {server.keys['v1.2']}"}
    for state, curve in zip(states, curves, strict=True):
        answer = server.client.post(PREDICT, json=state.body, headers=headers)
        assert answer.status_code == 200, answer.text
        assert [point["value"] for point in answer.json()["points"]] == written(curve)
        assert answer.headers["x-model-version"].startswith("population-4")


def command(state: State) -> list[str]:
    at = f"{state.meal.time:%Y-%m-%dT%H:%M}"
    words = state.words or []
    return ["predict", state.text, "--model", str(POPULATION_4), "--at", at, *words, "--json"]


@pytest.mark.reliability
def test_the_command_predicts_alike(states, curves, capsys):
    """Row 474: every state that the command has options for."""
    for state, curve in zip(states, curves, strict=True):
        if state.words is not None:
            assert main(command(state)) == 0
            assert json.loads(capsys.readouterr().out)["glucose_mg_dl"] == written(curve)


@pytest.mark.reliability
def test_the_command_predicts_alike_in_a_process_of_its_own(states, curves):
    """Row 474: three states, each with a trace."""
    told = [n for n, s in enumerate(states) if s.words is not None and "trace" in s.known]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for number in told[:3]:
        done = subprocess.run(
            [sys.executable, "-m", "postmeal", *command(states[number])],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout)["glucose_mg_dl"] == written(curves[number])
