"""The real data sets, as published: how many people and meals, and how glucose rises."""

import pytest

from postmeal.training.datasets import load_data_set, load_meals, ogtt75, shanghai
from postmeal.training.datasets.data_set import DataSet
from postmeal.training.datasets.meals_table import MEAL_COLUMNS, meals_table
from postmeal.training.datasets.shanghai_foods import parse_lines, served_grams

FOLDERS = {"cgmacros": "cgmacros_dev"}


@pytest.fixture(scope="module")
def shanghai_set(shared_data) -> DataSet:
    return load_data_set("shanghai", shared_data / "cgm" / "shanghai")


@pytest.mark.parametrize(
    ("name", "people", "meals"),
    [("bigideas", 12, 357), ("hall2018", 30, 152), ("ogtt75", 21, 60), ("t1d_uom", 15, 3150)],
)
def test_a_published_set_gives_its_people_and_meals(shared_data, name, people, meals):
    table = load_meals(name, shared_data / "cgm" / name)
    assert tuple(table.columns) == MEAL_COLUMNS
    assert (table.person.nunique(), len(table)) == (people, meals)
    assert table.filter(regex="^glucose_mg_dl").notna().all(axis=None)
    assert table.carbs_g.notna().all()


def test_cgmacros_gives_each_meal_once_a_sensor(shared_data):
    table = load_meals("cgmacros", shared_data / "cgm" / "cgmacros_dev")
    assert table.groupby("sensor").person.nunique().to_dict() == {
        "Dexcom G6 Pro": 22,
        "Libre Pro": 22,
    }
    assert not table.duplicated(["person", "sensor", "meal_time"]).any()
    people = table.drop_duplicates("person").condition.value_counts()
    assert people.to_dict() == {"prediabetes": 8, "normal": 7, "type_2": 7}
    start = table.groupby("sensor").glucose_mg_dl_0.mean()
    assert 15 < start["Dexcom G6 Pro"] - start["Libre Pro"] < 35


def test_shanghai_gives_the_people_without_insulin(shanghai_set):
    table = meals_table(shanghai_set)
    assert table.person.nunique() == 42
    assert 1380 < len(table) < 1460
    assert 25 < table.carbs_g.mean() < 50


def test_shanghai_texts_are_read_almost_wholly(shanghai_set):
    """A text with an unreadable line is one entry of unknown amounts."""
    entries = shanghai_set.entries[shanghai_set.entries.foods != ""]
    assert len(entries) > 4500
    assert entries.carbs_g.notna().mean() > 0.98


def test_shanghai_lines_are_read_almost_wholly(shared_data):
    found = shanghai.recordings(shared_data / "cgm" / "shanghai")
    texts = [text.strip() for _, each in found for text in each.foods.dropna()]
    stated = [text for text in texts if text not in shanghai.NOT_RECORDED]
    lines = [line for text in stated for line in parse_lines(text)]
    read = [served_grams(line) is not None for line in lines]
    assert len(lines) > 4500
    assert sum(read) / len(read) > 0.995


def test_blood_and_sensor_are_paired(shared_data):
    venous = ogtt75.paired_blood_glucose(shared_data / "cgm" / "ogtt75")
    finger = shanghai.paired_blood_glucose(shared_data / "cgm" / "shanghai")
    for pairs in (venous, finger):
        assert len(pairs) > 100
        assert pairs.blood_mg_dl.corr(pairs.sensor_mg_dl) > 0.7
