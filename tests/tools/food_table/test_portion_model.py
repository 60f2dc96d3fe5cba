"""How the survey portions are joined, and how the portion model is fitted."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from postmeal.errors import DataSetError
from postmeal.foods.portions.features import describe
from postmeal.foods.portions.model import PortionModel
from postmeal.foods.table import Portion
from tools.food_table.__main__ import main
from tools.food_table.portion_model import build_portion_model
from tools.food_table.survey_portions import (
    SURVEY_PORTIONS,
    SurveyFood,
    default_measure,
    join_survey_portions,
    read_survey_portions,
    write_survey_portions,
)
from tools.food_table.survey_twins import SurveyTwins

PORTIONS = """\
id,fdc_id,seq_num,amount,measure_unit_id,portion_description,modifier,gram_weight
1,11,1,,9999,1 small taco,1,100
2,11,2,,9999,1 large taco,2,150
3,11,3,,9999,Quantity not specified,90000,100
4,12,1,,9999,2 tablespoons,3,30
5,13,1,,9999,1 cup,3,240
6,2707044,1,,9999,1 regular,3,88
"""
NAMES = """\
fdc_id,data_type,description,category
11,survey_fndds_food,"Taco,  fish",Burritos and tacos
12,survey_fndds_food,Taco sauce,Tomato-based condiments
99,sr_legacy_food,Butter,Dairy
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    portions, names = tmp_path / "food_portion.csv", tmp_path / "names.csv.gz"
    portions.write_text(PORTIONS)
    names.write_bytes(gzip.compress(NAMES.encode()))
    return portions, names


def test_portions_are_joined_with_the_names_of_their_foods(files):
    corn_dog, sauce, taco = join_survey_portions(*files)
    assert (taco.description, taco.usual_g) == ("Taco, fish", 100)
    assert [(p.id, p.quantity, p.unit) for p in taco.portions] == [
        (3, 1, "small taco"),
        (4, 1, "large taco"),
    ]
    assert (sauce.usual_g, sauce.portions) == (None, (Portion(3, 2, "tbsp", 30),))
    assert (corn_dog.description, corn_dog.is_named) == ("Corn dog", False)


def test_joined_portions_survive_their_file(files, tmp_path):
    foods = join_survey_portions(*files)
    write_survey_portions(foods, tmp_path / "joined.csv.xz")
    assert read_survey_portions(tmp_path / "joined.csv.xz") == foods
    assert sum(food.is_named for food in read_survey_portions(SURVEY_PORTIONS)) == 3875


def test_a_damaged_file_is_named(files, tmp_path):
    with pytest.raises(DataSetError, match=r"nothing\.csv\.xz"):
        read_survey_portions(tmp_path / "nothing.csv.xz")
    files[0].write_text("id\n1\n")
    with pytest.raises(DataSetError, match=r"food_portion\.csv"):
        join_survey_portions(*files)


def test_the_default_measure_is_nearest_to_the_usual_amount():
    small, large = Portion(3, 1, "small", 20), Portion(4, 1, "large", 90)
    assert default_measure(100.0, (small, large)) == large
    assert default_measure(None, (small, large)) == small
    assert default_measure(100.0, ()) is None


def test_the_twin_of_a_food_shares_its_rare_words():
    survey = [describe(name, "", None) for name in ("Fish, raw", "Banana, raw", "Banana bread")]
    place, alike = SurveyTwins(survey).nearest(describe("Bananas, raw", "Fruits", None))
    assert (place, alike) == (1, 1.0)
    assert SurveyTwins(survey).nearest(describe("Xylitol", "", None)) is None


def made_up_survey(count: int) -> list[SurveyFood]:
    """Make foods whose slice weighs 30 g and whose cup weighs 200 g, give or take 5 %."""
    rng = np.random.default_rng(1)
    foods = []
    for number in range(count):
        slice_g, cup_g = 30 * rng.lognormal(0, 0.05), 200 * rng.lognormal(0, 0.05)
        portions = (Portion(3, 1, "slice", slice_g), Portion(4, 1, "cup", cup_g))
        foods.append(SurveyFood(f"Loaf number{number}", "Loaves", True, slice_g, portions))
    return foods


def test_the_model_learns_the_grams_of_made_up_foods(tmp_path):
    model, held_out = build_portion_model(made_up_survey(60), [])
    assert held_out.n_foods == 60
    assert held_out.close > 0.95
    assert held_out.median_error < 0.1
    assert 0.8 <= held_out.covered <= 1.0
    path = tmp_path / "model.npz"
    model.write(path)
    unseen = describe("Loaf unseen", "Loaves", None)
    assert PortionModel.read(path).grams(unseen, "slice", "", {}) == pytest.approx(30, rel=0.15)


def test_a_damaged_model_is_refused(tmp_path):
    (tmp_path / "model.npz").write_bytes(b"damaged")
    with pytest.raises(DataSetError, match="portion model"):
        PortionModel.read(tmp_path / "model.npz")


def test_the_command_needs_an_existing_portion_file(tmp_path, capsys):
    output = str(tmp_path / "model.npz")
    command = ["portions", "--output", output, "--fndds", str(tmp_path / "none.csv")]
    assert main([*command, "--archives", str(tmp_path)]) != 0
    assert "does not exist" in capsys.readouterr().err
