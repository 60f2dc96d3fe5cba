"""Evaluation on told meals: the measures by hand, and what is reached on the real files."""

import csv

import numpy as np
import pytest

from postmeal.errors import DataSetError
from postmeal.training.registry.mlflow_runs import tracking_client
from tools.evaluate.__main__ import main
from tools.evaluate.meal_language import (
    MealText,
    accuracy_table,
    estimate,
    read_dishes,
    read_nutribench,
)

HEADER = "meal_description,carb,fat,energy,protein,country,serving_type\n"


def test_the_measures_of_accuracy_are_those_by_hand():
    meals = [
        MealText("one", (10.0, 100.0, 0.0, 0.0), ("a",)),
        MealText("two", (30.0, 300.0, 0.0, 0.0), ("a", "b")),
    ]
    amounts = np.array([[12.0, 90.0, 0.0, 0.0], [20.0, 310.0, 0.0, 0.0]])
    table = accuracy_table(meals, amounts)
    assert table["all"] == {
        "meals": 2,
        "accurate": 0.5,
        "mae_g": 6.0,
        "carbs_wmape": pytest.approx(12 / 40),
        "energy_wmape": pytest.approx(20 / 400),
    }
    assert table["b"]["accurate"] == 0.0


def test_an_error_of_exactly_seven_and_a_half_grams_is_not_accurate():
    meals = [MealText("one", (10.0, 0.0, 0.0, 0.0), ())]
    assert accuracy_table(meals, np.array([[17.5, 0, 0, 0]]))["all"]["accurate"] == 0.0
    assert accuracy_table(meals, np.array([[17.49, 0, 0, 0]]))["all"]["accurate"] == 1.0


def test_a_text_that_names_no_food_counts_as_nothing_eaten(catalog):
    assert estimate([MealText("xqzwv", (10.0, 0, 0, 0), ())], catalog).tolist() == [[0, 0, 0, 0]]


def test_the_country_of_a_meal_is_used_only_on_request(catalog, tmp_path):
    file = tmp_path / "told.csv"
    file.write_text(HEADER + "200 g of rice,99,1,400,8,LAO,metric\n")
    meals = read_nutribench(file)
    assert [meal.country for meal in meals] == ["LA"]
    without, with_it = (estimate(meals, catalog, with_country=used)[0, 0] for used in (False, True))
    assert without < 60 < 95 < with_it


def test_the_country_hint_is_refused_for_data_without_countries(tmp_path, capsys):
    assert main(["dishes", str(tmp_path), "--country-hint"]) == 2
    assert (
        "--country-hint is accepted only for the data set 'nutribench'" in capsys.readouterr().err
    )


def test_meals_with_the_same_truth_are_on_the_same_side(tmp_path):
    file = tmp_path / "told.csv"
    rows = "".join(
        f"meal {place},{place},1,2,3,USA,{told}\n"
        for told in ("metric", "natural")
        for place in range(60)
    )
    file.write_text(HEADER + rows)
    meals = read_nutribench(file)
    sides = [{group.split(", ")[-1] for group in meal.groups} & {"dev", "test"} for meal in meals]
    assert sides[:60] == sides[60:]
    assert {"dev"} in sides
    assert {"test"} in sides


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", HEADER + "x,much,1,1,1,USA,metric\n"])
def test_a_file_of_another_format_is_refused(tmp_path, content):
    file = tmp_path / "told.csv"
    file.write_text(content)
    with pytest.raises(DataSetError):
        read_nutribench(file)


def test_a_dish_is_told_by_names_and_grams(tmp_path):
    file = tmp_path / "dishes.csv"
    file.write_text("dish_1,200,150,5,30,4,i1,white rice,100,130,0.3,28,2.7,i2,peas,50,40,0,7,3\n")
    (dish,) = read_dishes(file)
    assert dish.text == "100 g white rice, 50 g peas"
    assert dish.truth == (30.0, 200.0, 4.0, 5.0)


def test_the_command_answers_every_row(tmp_path, capsys):
    file, written = tmp_path / "told.csv", tmp_path / "out.csv"
    file.write_text(HEADER + "a banana,27,0,105,1,USA,natural\nxqzwv,5,1,1,1,PER,metric\n")
    assert main(["nutribench", str(file), "--predictions", str(written)]) == 0
    assert "Acc@7.5" in capsys.readouterr().out
    rows = list(csv.DictReader(written.read_text().splitlines()))
    assert [row["row"] for row in rows] == ["0", "1"]
    assert float(rows[0]["carbs_g"]) == pytest.approx(27, abs=4)
    assert list(rows[0]) == ["row", "carbs_g", "energy_kcal", "protein_g", "fat_g"]


def test_every_third_told_meal_is_read_about_as_well_as_measured(shared_data, catalog):
    """Floors a few points below what was measured, so that a step back shows."""
    meals = read_nutribench(shared_data / "food" / "nutribench_v2_dev.csv")[::3]
    table = accuracy_table(meals, estimate(meals, catalog))
    assert table["USA, metric"]["accurate"] >= 0.80
    assert table["USA, natural"]["accurate"] >= 0.66
    assert table["others, metric"]["accurate"] >= 0.50
    assert table["USA, metric"]["mae_g"] <= 6
    assert table["USA, natural"]["mae_g"] <= 10


@pytest.mark.reliability
def test_dishes_told_in_grams_are_summed_about_as_well_as_measured(shared_data, catalog):
    dishes = read_dishes(shared_data / "scans" / "nutrition5k_dishes_dev.csv")
    table = accuracy_table(dishes, estimate(dishes, catalog))["all"]
    assert table["carbs_wmape"] <= 0.15
    assert table["energy_wmape"] <= 0.13


@pytest.mark.filterwarnings("ignore")  # MLflow warns about its dependencies.
def test_meal_texts_are_recorded_by_group(tmp_path):
    file, tracking = tmp_path / "dishes.csv", f"sqlite:///{tmp_path}/mlflow.db"
    file.write_text("dish_1,89,100,0.3,22.8,1.1,1,banana,100,89,0.3,22.8,1.1\n")
    assert main(["dishes", str(file), "--tracking", tracking]) == 0
    client = tracking_client(tracking)
    experiment = client.get_experiment_by_name("postmeal").experiment_id
    (run,) = client.search_runs([experiment])
    assert run.data.metrics["all/meals"] == 1
    assert run.data.metrics["all/accurate"] == 1
    assert [each.dataset.name for each in run.inputs.dataset_inputs] == ["dishes"]
