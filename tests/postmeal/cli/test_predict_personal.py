"""The option `postmeal predict --personal`, which predicts with a person's own model."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from personal_models import MODELS, PREDICTOR

from postmeal import Catalog, Meal, Profile, parse_meal
from postmeal.cli import main

BREAKFAST = "1 cup oatmeal, 1 banana"
SOMEONE = ["--age", "45", "--sex", "female", "--height", "168cm", "--weight", "68kg"]
PROFILE = Profile(age=45, sex="female", height_cm=168, weight_kg=68)
CURVES = ("glucose_mg_dl", "lower_mg_dl", "upper_mg_dl")


@pytest.fixture(params=range(len(MODELS)))
def model(request: pytest.FixtureRequest):
    return MODELS[request.param]


@pytest.fixture
def file(model, tmp_path: Path) -> Path:
    path = tmp_path / "own.postmeal"
    path.write_bytes(model.to_bytes())
    return path


def meal_on(model, catalog: Catalog, days: int) -> Meal:
    """Return a breakfast some days after the last training day."""
    day = datetime.fromordinal(datetime(1970, 1, 1).toordinal() + model.last_day + days)
    return Meal(tuple(parse_meal(BREAKFAST, catalog)), day.replace(hour=8))


@pytest.mark.sampled
@pytest.mark.parametrize("days", [1, 40])
def test_the_numbers_are_those_of_the_library(model, file, catalog, capsys, days):
    meal = meal_on(model, catalog, days)
    expected = PREDICTOR.predict(PROFILE, meal, personal=model).to_dict()
    at = f"{meal.time:%Y-%m-%dT%H:%M}"
    words = ["predict", BREAKFAST, *SOMEONE, "--at", at, "--personal", str(file)]
    assert main([*words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {name: printed[name] for name in expected} == json.loads(json.dumps(expected))
    assert main(words) == 0
    text = capsys.readouterr().out
    assert text.rstrip().endswith(f"Model    {expected['model_version']}")
    assert ("by the population model, made up of" in text) == expected["is_personal"]


@pytest.mark.reliability
def test_a_personal_model_changes_the_curve(catalog, tmp_path, capsys):
    model = next(model for model in MODELS if model.is_better)
    (path := tmp_path / "own").write_bytes(model.to_bytes())
    at = f"{meal_on(model, catalog, 1).time:%Y-%m-%dT%H:%M}"
    words = ["predict", BREAKFAST, *SOMEONE, "--at", at, "--json"]
    assert main(words) == main([*words, "--personal", str(path)]) == 0
    decoder, text = json.JSONDecoder(), capsys.readouterr().out
    population, end = decoder.raw_decode(text)
    personal, _ = decoder.raw_decode(text[end:].lstrip())
    assert [name for name in CURVES if population[name] == personal[name]] == []
    assert personal["is_personal"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"time,meal\n", "the content is not a personal model in format version"),
        (b"\xff", "the personal model is not valid UTF-8 text"),
    ],
)
def test_a_file_that_is_no_personal_model_is_refused_with_its_name(
    tmp_path, capsys, content, problem
):
    (path := tmp_path / "own.postmeal").write_bytes(content)
    assert main(["predict", BREAKFAST, *SOMEONE, "--personal", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"postmeal: {path} cannot be used: {problem}")


def test_a_missing_personal_model_is_refused_with_its_name(tmp_path, capsys):
    path = tmp_path / "missing.postmeal"
    assert main(["predict", BREAKFAST, *SOMEONE, "--personal", str(path)]) == 2
    assert capsys.readouterr().err == f"postmeal: {path}: no such file or directory\n"


@pytest.mark.parametrize("at", ["2026-02-31T08:00", "2026-02-31", "noon"])
def test_a_time_that_does_not_exist_is_refused(capsys, at):
    assert main(["predict", BREAKFAST, *SOMEONE, "--at", at]) == 2
    problem = "must be a time such as 08:00 or 2026-05-01T08:00, or a date such as 2026-05-01"
    assert capsys.readouterr().err == f"postmeal: --at {problem}, got {at!r}\n"


def test_a_sensor_cannot_be_combined_with_a_personal_model(tmp_path, capsys):
    (path := tmp_path / "own").write_bytes(MODELS[0].to_bytes())
    words = ["predict", BREAKFAST, *SOMEONE, "--personal", str(path), "--sensor", "Dexcom G6"]
    assert main(words) == 2
    assert "--sensor cannot be combined with --personal" in capsys.readouterr().err


@pytest.mark.reliability
def test_foods_of_another_catalog_can_be_predicted(tmp_path, capsys):
    (table := tmp_path / "foods.csv").write_text(
        "name,serving_quantity,serving_unit,serving_g,energy_kcal,carbs_g,protein_g,fat_g\n"
        "Zorblat roll,1,roll,75,260,50,8,3\n",
        encoding="utf-8",
    )
    store, file = str(tmp_path / "own.collection"), str(tmp_path / "own.sqlite3")
    assert main(["foods", "import", str(table), "--collection", store]) == 0
    assert main(["foods", "compile", "--collection", store, "--output", file]) == 0
    capsys.readouterr()
    words = ["predict", "1 zorblat roll", *SOMEONE, "--json", "--catalog", file]
    assert main(words) == 0
    assert '"Zorblat roll"' in capsys.readouterr().out
