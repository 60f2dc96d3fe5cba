"""Amounts of labels: impossible ones, rounding, and carbohydrate without fiber."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from postmeal.foods.sources.labels.plausible_amounts import plausible
from postmeal.foods.sources.open_food_facts.csv_export import total_carbohydrate

PARTS = {
    "sugars_g": "carbs_g", "added_sugars_g": "carbs_g", "saturated_fat_g": "fat_g",
    "monounsaturated_fat_g": "fat_g", "polyunsaturated_fat_g": "fat_g", "trans_fat_g": "fat_g",
}  # fmt: skip
EACH_PART = pytest.mark.parametrize(("part", "total"), PARTS.items())
EUROPEAN_UNION = [
    "austria", "belgium", "bulgaria", "croatia", "cyprus", "czech-republic", "denmark",
    "estonia", "finland", "france", "germany", "greece", "hungary", "ireland", "italy",
    "latvia", "lithuania", "luxembourg", "malta", "netherlands", "poland", "portugal",
    "romania", "slovakia", "slovenia", "spain", "sweden",
]  # fmt: skip
FRANCE_OVERSEAS = [
    "french-guiana", "guadeloupe", "martinique", "mayotte", "reunion",
]  # fmt: skip
THE_SAME_RULE = [
    "iceland", "liechtenstein", "norway", "united-kingdom", "switzerland", "australia",
    "new-zealand", "european-union",
]  # fmt: skip
grams = st.floats(0.0, 30.0)


@EACH_PART
@pytest.mark.parametrize(
    ("held", "all_of_it"),
    [
        (12.4, 12.0),  # whole grams of the total, tenths of the part
        (1.0, 0.0),  # "less than 1 g", written as 1
        (94.9, 90.0),  # 9.49 g and 9 g in 10 g
        (53.4, 50.0),
    ],
)
def test_a_part_may_exceed_its_total_by_what_rounding_explains(part, total, held, all_of_it):
    kept, problems = plausible({part: held, total: all_of_it}, "g")
    assert (kept[part], kept[total]) == (held, all_of_it)
    assert problems == []


@EACH_PART
@pytest.mark.parametrize(("held", "all_of_it"), [(1.1, 0.0), (14.0, 12.0), (53.6, 50.0), (96, 90)])
def test_a_part_that_exceeds_its_total_by_more_is_unknown(part, total, held, all_of_it):
    kept, problems = plausible({part: held, total: all_of_it}, "g")
    assert part not in kept
    assert kept[total] == all_of_it
    assert problems == [f"{part} is above {total}"]


@pytest.mark.parametrize(("basis", "whole", "sums_to"), [("g", 100, 120), ("ml", 150, 180)])
def test_macronutrients_exceed_the_mass_by_what_whole_grams_of_a_spoon_explain(
    basis, whole, sums_to
):
    """A spoon of 5 g that holds 5 g may be labeled 2, 2 and 2 g; 100 ml of syrup weigh 150 g."""
    spoon = {"protein_g": 0.4 * whole, "carbs_g": 0.4 * whole, "fat_g": 0.4 * whole}
    assert plausible(spoon, basis)[1] == []
    kept, problems = plausible(spoon | {"fat_g": 0.41 * whole, "fiber_g": 2.0}, basis)
    assert kept == {"fiber_g": 2.0}
    assert problems == [f"protein_g, carbs_g, fat_g together are above {sums_to} g"]


@pytest.mark.parametrize(
    ("known", "basis", "is_kept"),
    [
        ({"energy_kcal": 130 / 14 * 100}, "g", True),  # a spoon of oil, as the US rounds it
        ({"energy_kcal": 140 / 14 * 100}, "g", False),
        ({"sodium_mg": 39_300.0}, "g", True),  # of salt, by the masses of its atoms
        ({"sodium_mg": 40_100.0}, "g", False),
        ({"carbs_g": 100.0}, "g", True),
        ({"carbs_g": 100.1}, "g", False),
        ({"carbs_g": 145.0}, "ml", True),  # syrup of 1.45 g/ml
        ({"carbs_g": 150.1}, "ml", False),
        ({"potassium_mg": 100_000.0}, "g", True),
        ({"potassium_mg": 100_001.0}, "g", False),
        ({"fat_g": -0.001}, "g", False),
        ({"vitamin_a_iu": 1e6}, "g", True),
    ],
)
def test_no_amount_exceeds_the_food_nor_its_densest_source(known, basis, is_kept):
    kept, problems = plausible(known, basis)
    assert set(known) <= set(kept) if is_kept else not kept
    assert len(problems) == (0 if is_kept else 1)


def by_law(protein_g: float, carbs_g: float, fat_g: float, fiber_g: float) -> float:
    """Energy in kcal as Regulation (EU) 1169/2011, annex XIV, computes it; carbohydrate is net."""
    return 4 * protein_g + 4 * carbs_g + 9 * fat_g + 2 * fiber_g


@given(grams, grams, grams, st.floats(0.5, 10.0))
@example(0.0, 5.0, 25.0, 1.0)
@example(25.0, 5.0, 0.0, 1.0)
@example(0.0, 25.0, 0.0, 1.0)
def test_carbohydrate_without_fiber_is_told_from_total_by_the_energy(protein, carbs, fat, fiber):
    """Both labels of the same food are read as the same carbohydrate."""
    total = pytest.approx(carbs + fiber, rel=1e-6)
    energy = {"energy_kcal": by_law(protein, carbs, fat, fiber), "protein_g": protein}
    without = energy | {"fat_g": fat, "fiber_g": fiber, "carbs_g": carbs}
    assert total_carbohydrate(without, "en:france") == total
    within = without | {"carbs_g": carbs + fiber}
    assert total_carbohydrate(within, "en:france") is None


@given(grams, grams, grams, st.floats(0.5, 10.0), st.floats(0.0, 2.0))
def test_the_nearer_of_the_two_readings_of_the_energy_decides(protein, carbs, fat, fiber, short):
    """Energy may lack up to 2 kcal a gram of fiber: below 1 it is nearer to the factors."""
    assume(abs(short - 1) > 0.02)
    energy = 4 * protein + 4 * carbs + 9 * fat - short * fiber
    label = {"energy_kcal": energy, "protein_g": protein, "fat_g": fat, "carbs_g": carbs,
             "fiber_g": fiber}  # fmt: skip
    assert (total_carbohydrate(label, "en:italy") is None) == (short > 1)


@pytest.mark.parametrize("country", [*EUROPEAN_UNION, *FRANCE_OVERSEAS, *THE_SAME_RULE])
def test_the_law_of_the_country_says_whether_fiber_is_left_out(country):
    label = {"carbs_g": 60.0, "fiber_g": 8.0}
    assert total_carbohydrate(label, f"en:{country}") == 68.0
    assert total_carbohydrate(label, f"en:{country}, en:france") == 68.0
    for elsewhere in ("united-states", "canada", "japan"):
        assert total_carbohydrate(label, f"en:{country},en:{elsewhere}") is None
    assert total_carbohydrate(label, "") is None


@pytest.mark.parametrize("unknown", ["energy_kcal", "protein_g", "fat_g"])
def test_where_the_energy_cannot_be_checked_the_law_alone_decides(unknown):
    label = {"energy_kcal": 10.0, "protein_g": 5.0, "fat_g": 5.0, "carbs_g": 60.0, "fiber_g": 8.0}
    assert total_carbohydrate(label, "en:spain") is None
    assert total_carbohydrate({k: v for k, v in label.items() if k != unknown}, "en:spain") == 68.0


def test_fiber_that_would_exceed_the_mass_of_the_food_is_not_added():
    label = {"protein_g": 10.0, "fat_g": 20.0, "carbs_g": 60.0}
    assert total_carbohydrate(label | {"fiber_g": 10.0}, "en:spain") == 70.0
    assert total_carbohydrate(label | {"fiber_g": 10.1}, "en:spain") is None
    assert total_carbohydrate(label | {"fiber_g": 0.0}, "en:spain") is None
    assert total_carbohydrate(label, "en:spain") is None
