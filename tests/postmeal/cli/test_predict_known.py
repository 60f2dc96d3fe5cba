"""`postmeal predict` with whatever is known about a person."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from export_files import CLARITY, egv, rows
from known_people import POPULATION_4
from synthetic_wearer import Wearer

from postmeal import Catalog, Meal, Predictor, Profile, parse_meal
from postmeal.cli import main

BREAKFAST = "1 cup oatmeal, 1 banana"
PREDICTOR = Predictor.load(POPULATION_4)


@pytest.fixture(scope="module")
def wearer(catalog: Catalog) -> Wearer:
    return Wearer(catalog, PREDICTOR, rise=1.5, level_mg_dl=125.0, days=4, every_min=5)


@pytest.fixture(scope="module")
def clarity(wearer: Wearer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wearer's readings, as the app of the sensor exports them."""
    file = tmp_path_factory.mktemp("export") / "clarity.csv"
    lines = [egv(time, round(value)) for time, value in rows(wearer.trace)]
    file.write_text("\n".join([CLARITY, *lines]) + "\n")
    return file


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    command = ["predict", BREAKFAST, "--model", str(POPULATION_4), *words, "--json"]
    assert main(command) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["predict", BREAKFAST, *words]) == 2
    return capsys.readouterr().err


def test_nothing_about_a_person_is_required(capsys, catalog):
    told = printed(capsys, "--at", "2026-01-09T08:00")
    meal = Meal(
        tuple(parse_meal(BREAKFAST, catalog)), Wearer(catalog, PREDICTOR, days=4).next_morning
    )
    expected = PREDICTOR.predict(Profile(), meal).to_dict()
    assert told["glucose_mg_dl"] == list(expected["glucose_mg_dl"])
    assert [item["name"] for item in told["inputs_used"]] == ["hour"]
    assert told["warnings"] == []


@pytest.mark.sampled
@pytest.mark.parametrize("sex", ["F", "Female", "female", "M", "male"])
def test_the_sex_is_read_however_it_is_written(capsys, sex):
    told = printed(capsys, "--sex", sex, "--at", "08:00")
    assert {"name": "sex", "used": False, "hours": None, "weight": None, "n_meals": None} in told[
        "inputs_used"
    ]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("words", "known"),
    [
        (["--reading", "105mg/dL"], {"start_mg_dl": 105.0}),
        (["--reading", "5.8 mmol/L"], {"start_mg_dl": 5.8 * 18.016}),
        (["--hba1c", "5.6%"], {"hba1c_percent": 5.6}),
        (["--hba1c", "38 mmol/mol"], {"hba1c_percent": 0.09148 * 38 + 2.152}),
        (["--fasting-glucose", "98MG/DL"], {"fasting_glucose_mg_dl": 98.0}),
        (
            ["--fasting-glucose", "5.4mmol/L", "--hba1c", "7 %", "--sensor", "Libre"],
            {"fasting_glucose_mg_dl": 5.4 * 18.016, "hba1c_percent": 7.0, "sensor": "Libre"},
        ),
    ],
)
def test_measured_values_are_read_in_either_unit(capsys, catalog, words, known):
    told = printed(capsys, *words, "--at", "2026-01-09T08:00")
    time = Wearer(catalog, PREDICTOR, days=4).next_morning
    meal = Meal(tuple(parse_meal(BREAKFAST, catalog)), time)
    expected = json.loads(json.dumps(PREDICTOR.predict(Profile(), meal, **known).to_dict()))
    assert {name: told[name] for name in expected} == expected
    assert told["glucose_mg_dl"] != printed(capsys, "--at", "2026-01-09T08:00")["glucose_mg_dl"]


def test_an_export_without_a_diary_moves_the_curve(capsys, catalog, wearer, clarity):
    time = wearer.next_morning - timedelta(minutes=1)
    at = f"{time:%Y-%m-%dT%H:%M}"
    words = ["--cgm", str(clarity), "--zone", "America/New_York", "--at", at]
    told = printed(capsys, *words, "--sensor", "Dexcom G6")
    whole = [(moment, round(value)) for moment, value in wearer.readings]
    trace = type(wearer.trace).from_readings(whole)
    meal = Meal(tuple(parse_meal(BREAKFAST, catalog)), time)
    expected = PREDICTOR.predict(Profile(), meal, trace=trace, sensor="Dexcom G6").to_dict()
    assert told["glucose_mg_dl"] == list(expected["glucose_mg_dl"])
    used = {item["name"]: item for item in told["inputs_used"]}
    assert used["trace"]["used"]
    assert used["trace"]["hours"] == pytest.approx(96, abs=0.2)
    assert [warned["code"] for warned in told["warnings"]] == ["trace_ended_early"]


@pytest.mark.reliability
def test_the_text_says_what_was_used_and_what_was_not(capsys, clarity, wearer):
    at = f"{wearer.next_morning:%Y-%m-%dT%H:%M}"
    words = ["predict", BREAKFAST, "--model", str(POPULATION_4), "--at", at, "--age", "45"]
    assert main([*words, "--cgm", str(clarity), "--hba1c", "6%"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Used     hour, HbA1c, 96 h of CGM" in lines
    assert "Not used age" in lines
    assert any(line.startswith("Warning  The sensor is unknown") for line in lines)
    assert any(line.startswith("Peak") and "by the population model" in line for line in lines)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--hba1c", "55%"], "--hba1c must be 3 to 20 %; the value seems to be in mmol/mol"),
        (["--hba1c", "5.6"], "--hba1c must be a number with the unit % or mmol/mol, got '5.6'"),
        (
            ["--reading", "5.6mg/dL"],
            "--reading must be 20 to 600 mg/dL; the value seems",
        ),
        (
            ["--reading", "105mmol/L"],
            "--reading must be 1.12 to 33.3 mmol/L; the value seems",
        ),
        (["--reading", "high"], "--reading must be a number with the unit mg/dL or mmol/L"),
        (["--fasting-glucose", "30mg/dL"], "--fasting-glucose must be 40 to 500 mg/dL, got 30"),
        (["--cgm", "nowhere.csv"], "nowhere.csv: no such file"),
    ],
)
def test_a_mistake_is_told_with_its_option(capsys, words, told):
    assert told in refused(capsys, *words)


def test_a_sensor_that_contradicts_the_export_is_refused(capsys, clarity):
    clarity_of = clarity.with_name("named.csv")
    text = clarity.read_text().replace("\n", "\n1,,Device,,,Dexcom G6 Mobile App,,,,,,,,\n", 1)
    clarity_of.write_text(text)
    told = refused(capsys, "--cgm", str(clarity_of), "--sensor", "Libre")
    assert "--sensor must be Dexcom" in told


@pytest.mark.reliability
def test_readings_after_the_bite_are_ignored_and_told(capsys, clarity, wearer):
    at = f"{wearer.next_morning - timedelta(days=1):%Y-%m-%dT%H:%M}"
    told = printed(capsys, "--cgm", str(clarity), "--at", at)
    assert "trace_after_meal" in [warned["code"] for warned in told["warnings"]]
    earlier = replace(wearer, days=3)
    assert {item["name"]: item for item in told["inputs_used"]}["trace"]["hours"] == pytest.approx(
        24 * earlier.days + 8, abs=0.2
    )
