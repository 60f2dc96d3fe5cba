"""The command line, run in this process and as a program."""

import json
import subprocess
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import pytest

from postmeal import Catalog, Meal, Predictor, Profile, Selection, parse_meal
from postmeal.cli import main
from postmeal.cli.curve_plot import curve_plot

BREAKFAST = "1 cup oatmeal, 1 banana"
SOMEONE = ["--age", "45", "--sex", "female", "--height", "66in", "--weight", "150lb"]


def run(*arguments: str) -> int:
    return main(list(arguments))


def profile(**changes: object) -> Profile:
    return Profile.imperial(
        **({"age": 45, "sex": "female", "height_in": 66, "weight_lb": 150} | changes)
    )


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run what must be refused with status 2; answer the one line that says why."""
    try:
        status = run(*arguments)
    except SystemExit as stopped:
        status = int(str(stopped.code))
    printed = capsys.readouterr()
    assert status == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "Traceback" not in printed.err
    return printed.err


def test_predict_prints_all_that_was_understood_and_predicted(
    capsys: pytest.CaptureFixture[str], catalog: Catalog
) -> None:
    assert run("predict", BREAKFAST, *SOMEONE, "--at", "08:00") == 0
    printed = capsys.readouterr().out
    meal = Meal(tuple(parse_meal(BREAKFAST, catalog)), datetime(2026, 5, 1, 8))
    prediction = Predictor.load().predict(profile(), meal)
    for one in meal.selections:
        assert f"  {one.food.name}: {one.quantity:g} {one.serving.unit}" in printed
    assert f"energy {meal.nutrients['energy_kcal']:.0f} kcal" in printed
    assert f"Impact   {prediction.impact} (" in printed
    assert f"Chances  {prediction.chances.peak_140:.0%} of a peak of 140 mg/dL" in printed
    assert f"Range    {prediction.cgp_min} to {prediction.cgp_max} mg/dL" in printed
    curve = "".join(f"{value:>6.0f}" for value in prediction.glucose_mg_dl)
    assert f"  glucose {curve}" in printed
    assert "●" in printed or "*" in printed
    assert printed.rstrip().endswith(f"Model    {prediction.model_version}")


def test_the_json_answer_is_the_librarys_after_rounding(
    capsys: pytest.CaptureFixture[str], catalog: Catalog
) -> None:
    """Row 474: whoever asks, the numbers are those of `predict`."""
    options = ["--at", "19:30", "--condition", "prediabetes", "--activity", "very_active"]
    assert run("predict", BREAKFAST, *SOMEONE, *options, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    meal = Meal(tuple(parse_meal(BREAKFAST, catalog)), datetime(2026, 5, 1, 19, 30))
    someone = profile(health_conditions=["prediabetes"], activity_level="very_active")
    predictor = Predictor.load()
    prediction, parts = predictor.predict(someone, meal), predictor.contributions(someone, meal)
    assert set(answer) == {
        *("foods", "unread", "time", "nutrients", "contributions", "model_version"),
        *("is_personal", "notes", "inputs_used", "warnings"),
        *("minutes", "glucose_mg_dl", "lower_mg_dl", "upper_mg_dl"),
        *("impact", "impact_probabilities", "impact_is_informative", "chances"),
        *("cgp_min", "cgp_max"),
    }
    assert tuple(answer["minutes"]) == prediction.minutes
    for curve in ("glucose_mg_dl", "lower_mg_dl", "upper_mg_dl"):
        assert answer[curve] == [round(value, 1) for value in getattr(prediction, curve)]
    assert answer["chances"] == asdict(prediction.chances)
    assert answer["impact_probabilities"] == prediction.impact_probabilities
    assert answer["nutrients"] == meal.nutrients.rounded()
    assert answer["contributions"]["peak_mg_dl"] == round(parts.peak_mg_dl, 1)
    assert [food["id"] for food in answer["foods"]] == [s.food.id for s in meal.selections]
    contributions = [food["contribution_mg_dl"] for food in answer["foods"]]
    assert contributions == [round(part, 1) for part in parts.foods_mg_dl]
    assert datetime.fromisoformat(answer["time"]).hour == 19


def test_predict_tells_what_it_assumed_and_did_not_understand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("predict", "lasagna, xyzzy", *SOMEONE) == 0
    printed = capsys.readouterr().out
    assert "  Lasagna, with meat: 250 g (amount assumed)\n  not understood: xyzzy\n" in printed
    assert run("predict", "lasagna, xyzzy", *SOMEONE, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["unread"] == ["xyzzy"]
    assert [food["is_amount_stated"] for food in answer["foods"]] == [False]


def test_a_strict_prediction_refuses_what_is_not_understood(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "'xyzzy'" in refusal(capsys, "predict", "lasagna, xyzzy", *SOMEONE, "--strict")
    told = refusal(capsys, "predict", "bread", *SOMEONE, "--strict")
    assert "state the amount" in told


def test_predict_takes_other_minutes_and_a_sensor(capsys: pytest.CaptureFixture[str]) -> None:
    run("predict", "1 banana", *SOMEONE, "--at", "08:00", "--minutes", "0,10,20.5", "--json")
    blood = json.loads(capsys.readouterr().out)
    assert blood["minutes"] == [0, 10, 20.5]
    run("predict", "1 banana", *SOMEONE, "--at", "08:00", "--sensor", "Dexcom G6", "--json")
    sensor = json.loads(capsys.readouterr().out)
    assert sensor["glucose_mg_dl"][0] != blood["glucose_mg_dl"][0]
    assert run("predict", "1 banana", *SOMEONE, "--minutes", "30") == 0
    assert "●" not in capsys.readouterr().out


def test_a_note_says_what_the_model_was_not_trained_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("predict", "1 banana", *SOMEONE, "--condition", "lada") == 0
    assert "Note     No training data for lada" in capsys.readouterr().out


def test_a_meal_is_read_as_in_its_country(capsys: pytest.CaptureFixture[str]) -> None:
    person = ["--age", "45", "--sex", "female", "--height", "168cm", "--weight", "68kg"]
    assert main(["predict", "200 g rice", "--country", "LA", *person]) == 0
    assert "Sticky rice: 200 g" in capsys.readouterr().out
    assert main(["predict", "200 g rice", "--country", "UK", *person]) == 2
    assert capsys.readouterr().err == (
        "postmeal: --country must be an ISO 3166-1 alpha-2 code, such as 'PK' or, for the United"
        " Kingdom, 'GB'; got 'UK'\n"
    )


def test_an_hour_may_have_one_digit(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("predict", "1 banana", *SOMEONE, "--at", "8:05") == 0
    assert capsys.readouterr().out.startswith("Meal at 08:05\n")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (["--age", "200"], "age must be at most 120, got 200"),
        (["--age", "old"], "--age must be a number, got 'old'"),
        (["--age", "nan"], "age must be a finite number, got nan"),
        (["--sex", "x"], "sex must be one of: female, male; got 'x'"),
        (
            ["--height", "66"],
            "--height must be a number with the unit in, cm or m, such as 66in or 168cm",
        ),
        (
            ["--weight", "9 stone"],
            "--weight must be a number with the unit lb or kg, such as 150lb or 68kg",
        ),
        (["--activity", "lazy"], "must be one of: sedentary, lightly_active, moderately_active"),
        (["--condition", "flu"], "--condition must be one of: type_1_diabetes, "),
        (
            ["--at", "25:00"],
            "--at must be a time such as 08:00 or 2026-05-01T08:00, or a date such as 2026-05-01,"
            " got '25:00'",
        ),
        (
            ["--minutes", "1,x"],
            "minutes must be comma-separated numbers (such as 0,30,60), got '1,x'",
        ),
        (
            ["--minutes", "500"],
            "minutes must be a list of numbers from 0 to 240 in ascending order, got 500",
        ),
        (["--sensor", "eye"], "sensor must belong to one of the supported sensor families: "),
        (["--model", "nowhere"], "model 'nowhere' cannot be read"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], changed: list[str], told: str
) -> None:
    assert told in refusal(capsys, "predict", "1 banana", *SOMEONE, *changed)


def test_words_that_are_no_command_are_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'1 cup zzzqq'" in refusal(capsys, "predict", "1 cup zzzqq", *SOMEONE)
    assert "required: meal" in refusal(capsys, "predict", "--age", "45")
    assert "invalid choice: 'fly'" in refusal(capsys, "fly")
    assert "unknown option --agee; did you mean --age?" in refusal(capsys, "predict", "--agee", "4")
    assert "see postmeal foods search --help" in refusal(capsys, "foods", "search", "a", "--zz")
    assert "'--zzzqq'" in refusal(capsys, "predict", "--", "--zzzqq")
    assert "search for a food by name" in refusal(capsys, "foods", "show", "abc")
    assert "must be a whole number of 1 or more, got '0'" in refusal(
        capsys, "foods", "search", "rice", "--limit", "0"
    )
    assert "words must contain a word" in refusal(capsys, "foods", "search", " ")
    assert "folder nowhere does not exist" in refusal(capsys, "evaluate", "bigideas", "nowhere")
    assert "(choose from" in refusal(capsys, "foods", "search", "banana", "--kind", "x")
    assert "must be a whole number of 1 or more" in refusal(
        capsys, "foods", "search", "a", "--limit", "-1"
    )
    assert "no food has the ID 9999999999" in refusal(capsys, "foods", "show", "9999999999")


def test_foods_are_found_by_their_words(
    capsys: pytest.CaptureFixture[str], catalog: Catalog
) -> None:
    assert run("foods", "search", "greek", "yogurt", "--limit", "3") == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    found = catalog.search("greek yogurt", limit=3)
    assert [int(line.split()[0]) for line in lines] == [food.id for food in found]
    assert run("foods", "search", "banana", "--kind", "dish", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert [food["id"] for food in answer] == [
        food.id for food in catalog.search("banana", kind="dish")
    ]
    assert {food["kind"] for food in answer} == {"generic"}
    assert run("foods", "search", "zzzqq") == 0
    assert (
        capsys.readouterr().out
        == "no food matches 'zzzqq'; check the spelling or use a more general name\n"
    )


def test_a_food_is_shown_with_every_serving_and_nutrient(
    capsys: pytest.CaptureFixture[str], catalog: Catalog
) -> None:
    banana = catalog.search("banana")[0]
    assert run("foods", "show", str(banana.id)) == 0
    printed = capsys.readouterr().out
    assert all(serving.unit in printed for serving in banana.servings)
    index = f"{banana.glycemic_index:g} ± {banana.gi_sd:g} ({banana.gi_source})"
    assert f"glycemic index       {index}" in printed
    assert run("foods", "show", str(banana.id), "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["nutrients"] == banana.nutrients.rounded()
    assert len(answer["servings"]) == len(banana.servings)


def test_what_is_not_known_of_a_food_is_said_not_shown_as_zero(
    capsys: pytest.CaptureFixture[str], catalog: Catalog
) -> None:
    dish = catalog.search("pizza", kind="dish")[0]
    run("foods", "show", str(dish.id))
    assert "trans fat            unknown" in capsys.readouterr().out


def test_the_plot_fits_a_terminal_and_holds_the_curve(catalog: Catalog) -> None:
    feast = Selection.of(catalog.search("white rice cooked")[0], 1000, "g")
    for grams in (1.0, 100.0, 1000.0):
        meal = Meal((Selection.of(feast.food, grams, "g"),), datetime(2026, 5, 1, 8))
        for condition in ("none", "type_1_diabetes"):
            prediction = Predictor.load().predict(profile(health_conditions=[condition]), meal)
            lines = curve_plot(prediction, unicode=False)
            assert len(lines) <= 17
            assert max(map(len, lines)) <= 72
            assert "".join(lines).isascii()
            drawn = zip(*(line[8:69].ljust(61) for line in lines[:-2]), strict=True)
            assert all(column.count("*") == 1 for column in drawn)


def test_the_program_answers_in_plain_signs_where_the_terminal_has_no_others() -> None:
    command = [sys.executable, "-m", "postmeal", "predict", "1 banana", *SOMEONE]
    done = subprocess.run(
        command,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": "src"},
        capture_output=True,
        cwd=Path(__file__).parents[3],
        check=True,
    )
    assert b"*" in done.stdout
    assert done.stdout.isascii()


@pytest.mark.parametrize("format", [[], ["--json"]])
def test_a_closed_output_does_no_harm(format: list[str]) -> None:
    predict = [sys.executable, "-m", "postmeal", "predict", "1 banana", *SOMEONE, *format]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *predict],
        env={"PYTHONPATH": "src", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        cwd=Path(__file__).parents[3],
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_missing_extra_is_told_in_one_line() -> None:
    program = (
        "import sys; sys.modules['pandas'] = None; from postmeal.cli import main;"
        "sys.exit(main(['evaluate', 'hall2018', '.']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 2
    assert done.stderr == "postmeal: pandas is not installed; run pip install 'postmeal[train]'\n"
    assert "Traceback" not in done.stderr


def test_a_reader_that_has_enough_does_no_harm() -> None:
    command = f"{sys.executable} -m postmeal foods search milk --limit 200 --json | head -1"
    done = subprocess.run(
        command,
        shell=True,
        env={"PYTHONPATH": "src", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        cwd=Path(__file__).parents[3],
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"[\n", b"")


def test_a_data_set_of_another_name_is_refused_with_all_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refusal(capsys, "evaluate", "nothing", ".")
    assert all(name in said for name in ("bigideas", "cgmacros", "t1d_uom"))


def test_a_meal_without_quotation_marks_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(capsys, "predict", "1", "cup", "oatmeal", *SOMEONE)
    assert 'unexpected arguments: cup oatmeal; put texts with spaces in "quotation marks"' in said
