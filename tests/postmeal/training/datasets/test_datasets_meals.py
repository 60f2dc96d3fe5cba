"""Entries and readings become the meals table; every rule on hand-made tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.errors import DataSetError, InputError
from postmeal.training.datasets import DATA_SETS, load_data_set, load_meals
from postmeal.training.datasets.data_set import (
    CONTENT,
    ENTRY_COLUMNS,
    PEOPLE_COLUMNS,
    READING_COLUMNS,
    DataSet,
)
from postmeal.training.datasets.macros import estimate_from_energy
from postmeal.training.datasets.meals_table import (
    GLUCOSE_COLUMNS,
    MEAL_COLUMNS,
    isolated_meals,
    meals_table,
)
from postmeal.training.synthetic.cohort import synthetic_cohort

NOON = pd.Timestamp("2024-03-01 12:00")


def entry(minute: float, carbs_g: float = 50.0, person: str = "a", **content: float) -> dict:
    amounts = dict.fromkeys(CONTENT, 10.0) | {"energy_kcal": 300.0, "carbs_g": carbs_g} | content
    time = NOON + pd.Timedelta(minutes=minute)
    return {"person": person, "time": time, **amounts, "foods": f"food {minute:g}"}


def entries(*rows: dict) -> pd.DataFrame:
    return pd.DataFrame(rows)[list(ENTRY_COLUMNS)]


def data_set(rows: pd.DataFrame, minutes: np.ndarray, glucose: np.ndarray) -> DataSet:
    people = pd.DataFrame([{"person": "a", "condition": "normal", "sex": None}])
    readings = pd.DataFrame(
        {
            "person": "a",
            "sensor": "S",
            "time": NOON + pd.to_timedelta(minutes, unit="min"),
            "glucose_mg_dl": glucose,
        }
    )
    return DataSet(
        name="made",
        title="Made",
        licence="none",
        citation="none",
        doi="none",
        people=people.reindex(columns=list(PEOPLE_COLUMNS)),
        entries=rows,
        readings=readings[list(READING_COLUMNS)],
    )


def test_entries_within_15_minutes_are_one_meal_that_starts_with_the_first():
    meals = isolated_meals(entries(entry(0, 20), entry(10, 30), entry(25, 5)))
    assert meals.time.tolist() == [NOON]
    assert meals.carbs_g.tolist() == [55.0]
    assert meals.foods[0] == "food 0; food 10; food 25"


def test_entries_16_minutes_apart_are_two_meals_and_the_first_is_not_alone():
    meals = isolated_meals(entries(entry(0, 20), entry(16, 30)))
    assert meals.carbs_g.tolist() == [30.0]


def test_a_meal_two_hours_before_the_next_is_kept():
    assert len(isolated_meals(entries(entry(0), entry(120)))) == 2
    assert len(isolated_meals(entries(entry(0), entry(119)))) == 1


def test_a_meal_of_another_person_does_not_end_the_two_hours():
    assert len(isolated_meals(entries(entry(0), entry(30, person="b")))) == 2


def test_a_meal_of_unknown_content_is_left_out_but_ends_the_two_hours_before_it():
    unknown = entry(60) | dict.fromkeys(CONTENT, float("nan"))
    assert isolated_meals(entries(entry(0), unknown)).empty


def test_water_and_black_coffee_are_no_meal():
    meals = isolated_meals(entries(entry(0), entry(60, 0.0, energy_kcal=2.0)))
    assert meals.time.tolist() == [NOON]


def test_an_unknown_part_makes_the_sum_unknown_and_not_smaller():
    meals = isolated_meals(entries(entry(0), entry(5, fiber_g=float("nan"))))
    assert np.isnan(meals.fiber_g[0])
    assert meals.carbs_g[0] == 100.0


def test_the_meals_table_has_exactly_the_promised_columns():
    minutes = np.arange(-30, 151, 5)
    table = meals_table(data_set(entries(entry(2)), minutes, 100.0 + minutes))
    assert tuple(table.columns) == MEAL_COLUMNS
    assert table[list(GLUCOSE_COLUMNS)].iloc[0].tolist() == [102.0 + m for m in range(0, 121, 15)]


@pytest.mark.parametrize(("interval_min", "gap_min", "kept"), [(5, 20, 1), (5, 25, 0), (15, 30, 1)])
def test_a_gap_is_bridged_only_where_it_is_small(interval_min, gap_min, kept):
    minutes = np.arange(-300, 301, interval_min)
    minutes = minutes[(minutes <= 60) | (minutes >= 60 + gap_min)]
    table = meals_table(data_set(entries(entry(1)), minutes, np.full(len(minutes), 100.0)))
    assert len(table) == kept


@pytest.mark.parametrize(("first", "last"), [(5, 150), (-10, 115)])
def test_a_meal_that_is_not_wholly_covered_is_left_out(first, last):
    minutes = np.arange(first, last + 1, 5)
    table = meals_table(data_set(entries(entry(0)), minutes, np.full(len(minutes), 100.0)))
    assert table.empty


def test_the_baseline_is_the_glucose_at_the_first_bite():
    minutes = np.arange(-60, 181, 5)
    table = meals_table(data_set(entries(entry(0)), minutes, np.where(minutes > 0, 200.0, 90.0)))
    assert table.glucose_mg_dl_0[0] == 90.0


@given(carbs_g=st.floats(0, 300), protein_g=st.floats(0, 100), fat_g=st.floats(0, 100))
def test_the_energy_gives_missing_fat_back(carbs_g, protein_g, fat_g):
    energy_kcal = 4 * carbs_g + 4 * protein_g + 9 * fat_g
    row = {"energy_kcal": energy_kcal, "carbs_g": carbs_g, "protein_g": protein_g}
    filled = estimate_from_energy(pd.DataFrame([row | {"fat_g": float("nan")}]))
    assert filled.fat_g[0] == pytest.approx(fat_g, abs=1e-6)


def test_fat_is_never_estimated_below_zero_and_two_unknowns_stay_unknown():
    nan = float("nan")
    rows = [(100.0, 30.0, 5.0, nan), (100.0, nan, 5.0, nan)]
    columns = ["energy_kcal", "carbs_g", "protein_g", "fat_g"]
    filled = estimate_from_energy(pd.DataFrame(rows, columns=columns))
    assert filled.fat_g[0] == 0.0
    assert filled[["carbs_g", "fat_g"]].iloc[1].isna().all()


@pytest.mark.parametrize(("key", "kcal_per_g"), [("carbs_g", 4), ("protein_g", 4), ("fat_g", 9)])
@pytest.mark.parametrize("energy_kcal", [0.0, 160.0, 900.0])
def test_a_macronutrient_of_far_more_energy_than_the_food_has_is_a_slip(
    key, kcal_per_g, energy_kcal
):
    most_g = (1.3 * energy_kcal + 50) / kcal_per_g
    row = {"energy_kcal": energy_kcal} | dict.fromkeys(("carbs_g", "protein_g", "fat_g"), 0.0)
    rows = pd.DataFrame([row | {key: 0.99 * most_g}, row | {key: 1.01 * most_g}])
    kept, estimated = estimate_from_energy(rows)[key]
    assert kept == pytest.approx(0.99 * most_g)
    assert estimated == pytest.approx(energy_kcal / kcal_per_g)


def test_an_unknown_data_set_is_refused_with_the_names_there_are():
    with pytest.raises(InputError, match="bigideas, hall2018, ogtt75, shanghai, cgmacros, t1d_uom"):
        load_data_set("ohio", "anywhere")


@pytest.mark.parametrize("name", DATA_SETS)
def test_an_empty_folder_is_refused_with_what_is_missing(name, tmp_path):
    with pytest.raises(DataSetError, match="missing"):
        load_meals(name, tmp_path)


def test_the_synthetic_cohort_is_the_same_for_the_same_seed_and_rises_after_meals():
    first, again = (synthetic_cohort(6, 4, seed=3) for _ in range(2))
    pd.testing.assert_frame_equal(first.readings, again.readings)
    pd.testing.assert_frame_equal(meals_table(first), meals_table(again))
    assert not first.readings.equals(synthetic_cohort(6, 4, seed=4).readings)
    table = meals_table(first)
    rise = (table.glucose_mg_dl_60 - table.glucose_mg_dl_0).groupby(table.condition).mean()
    assert 10 < rise["normal"] < rise["type_2"]
    with pytest.raises(InputError, match="n_days must be 1 or more"):
        synthetic_cohort(n_days=0)
