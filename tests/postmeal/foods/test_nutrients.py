"""Amounts of nutrients: what is unknown stays unknown, sums and scaling."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal import InputError, Nutrients
from postmeal.foods.nutrients import NUTRIENTS, UNITS, net_carbs

amounts = st.dictionaries(st.sampled_from(NUTRIENTS), st.floats(0, 1e5), max_size=len(NUTRIENTS))
factors = st.floats(1e-3, 1e3)


def close(left: Nutrients, right: Nutrients) -> bool:
    pairs = zip(left.amounts, right.amounts, strict=True)
    return all(
        (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
        for a, b in pairs
    )


@given(amounts, amounts)
def test_the_nutrients_of_a_meal_are_the_sum_over_its_foods(one, other):
    """Row 461: additive over foods to 1e-9, an amount unknown in one is unknown in the sum."""
    total = Nutrients(one) + Nutrients(other)
    for key in NUTRIENTS:
        if key in one and key in other:
            assert math.isclose(total[key], one[key] + other[key], rel_tol=1e-9)
        else:
            assert key not in total
            assert math.isnan(total.amount(key))


@given(amounts, factors, factors)
def test_scaling_is_linear(known, first, second):
    """Row 461: linear in quantity to 1e-9."""
    food = Nutrients(known)
    assert close(food * (first + second), food * first + food * second)
    assert close(2 * food, food + food)


@given(st.lists(amounts, max_size=6), factors)
def test_summing_and_scaling_commute(parts, factor):
    foods = [Nutrients(part) for part in parts]
    assert close(Nutrients.sum(foods) * factor, Nutrients.sum(food * factor for food in foods))


@given(amounts)
def test_equal_amounts_are_equal_and_hash_alike(known):
    assert Nutrients(known) == Nutrients(dict(reversed(known.items())))
    assert hash(Nutrients(known)) == hash(Nutrients(known))
    assert Nutrients(known) != known


def test_nothing_adds_up_to_zero_of_everything():
    assert dict(Nutrients.sum([])) == dict.fromkeys(NUTRIENTS, 0.0)


def test_unknown_is_not_zero():
    food = Nutrients({"carbs_g": 0.0})
    assert food["carbs_g"] == 0
    assert "protein_g" not in food
    assert math.isnan(food["protein_g"])


@pytest.mark.parametrize(
    ("known", "net_carbs_g"),
    [
        ({"carbs_g": 20.0, "fiber_g": 3.0}, 17.0),
        ({"carbs_g": 1.0, "fiber_g": 3.0}, 0.0),
        ({"carbs_g": 20.0}, math.nan),
        ({"fiber_g": 3.0}, math.nan),
    ],
)
def test_net_carbohydrate_is_carbohydrate_less_fibre_and_never_negative(known, net_carbs_g):
    assert Nutrients(known).net_carbs_g == pytest.approx(net_carbs_g, nan_ok=True)


@pytest.mark.parametrize("amount", [-1, math.nan, math.inf, "12", None, True])
def test_an_impossible_amount_is_refused_by_name(amount):
    with pytest.raises(InputError, match="carbs_g") as caught:
        Nutrients({"carbs_g": amount})
    assert caught.value.field == "carbs_g"
    is_number = isinstance(amount, (int, float)) and amount is not True
    problem = "must be zero or more" if is_number else "must be a number"
    assert str(caught.value) == f"carbs_g {problem}, got {amount!r}"


def test_an_unknown_nutrient_is_refused_and_the_known_ones_are_listed():
    with pytest.raises(InputError, match=r"^sugar is not a nutrient; supported keys: ") as caught:
        Nutrients({"sugar": 1.0})
    assert caught.value.field == "sugar"
    assert caught.value.allowed == NUTRIENTS


def test_the_unit_of_each_nutrient_ends_its_name():
    assert all(key.endswith("_" + unit.lower()) for key, unit in UNITS.items())


def test_amounts_cannot_be_changed():
    food = Nutrients({"carbs_g": 1.0})
    for held in (food, food + food, 2 * food, Nutrients.sum([food]), Nutrients.sum([])):
        with pytest.raises(ValueError, match="read-only"):
            held.amounts[0] = 5
        with pytest.raises(TypeError):
            held["carbs_g"] = 5.0


@given(amounts)
def test_known_amounts_are_read_back_as_a_mapping_in_the_order_of_storage(known):
    food = Nutrients(known)
    in_order = [key for key in NUTRIENTS if key in known]
    assert list(food) == list(food.known()) == in_order
    assert dict(food) == food.known() == known
    assert len(food) == len(known)
    assert all(food.amount(key) == food[key] == known[key] for key in known)
    assert eval(repr(food), {"Nutrients": Nutrients}) == food


def test_nothing_is_known_of_a_food_without_amounts():
    assert len(Nutrients()) == len(Nutrients({})) == 0
    assert Nutrients() == Nutrients({})
    assert all(math.isnan(Nutrients().amount(key)) for key in NUTRIENTS)
    assert Nutrients().known() == {}


def test_amounts_in_the_order_of_storage_are_wrapped_as_they_are():
    amounts = np.arange(len(NUTRIENTS), dtype=float)
    amounts[NUTRIENTS.index("fat_g")] = math.nan
    wrapped = Nutrients.of_amounts(amounts)
    assert wrapped == Nutrients({
        key: float(at) for at, key in enumerate(NUTRIENTS) if key != "fat_g"
    })  # fmt: skip
    with pytest.raises(ValueError, match="read-only"):
        amounts[0] = 5


def test_different_amounts_are_not_equal_and_unknown_is_not_zero():
    food = Nutrients({"carbs_g": 1.0})
    assert food != Nutrients({"carbs_g": 2.0})
    assert food != Nutrients({"fat_g": 1.0})
    assert food != Nutrients({"carbs_g": 1.0, "fat_g": 0.0})
    assert len({food, Nutrients({"carbs_g": 1.0}), Nutrients({"carbs_g": 2.0})}) == 2


def test_an_unknown_key_is_not_found():
    food = Nutrients({"carbs_g": 1.0})
    assert "sugar" not in food
    with pytest.raises(KeyError, match="sugar"):
        food["sugar"]
    assert food.get("sugar", 7) == 7
    assert 3 not in food


def test_an_unknown_amount_is_nan_on_access_and_absent_otherwise():
    food = Nutrients({"carbs_g": 1.0})
    assert math.isnan(food["protein_g"])
    assert "protein_g" not in food
    assert (food.get("protein_g"), food.get("protein_g", 0.0), food.get("carbs_g")) == (None, 0, 1)
    assert (list(food), len(food), dict(food.items())) == (["carbs_g"], 1, {"carbs_g": 1.0})


@given(st.floats(0, 500), st.floats(0, 500))
def test_net_carbohydrate_takes_all_the_fiber_off_and_no_more_than_there_is(carbs_g, fiber_g):
    expected = max(carbs_g - fiber_g, 0.0)
    assert net_carbs(carbs_g, fiber_g) == expected
    assert Nutrients({"carbs_g": carbs_g, "fiber_g": fiber_g}).net_carbs_g == expected
    assert math.isnan(net_carbs(math.nan, fiber_g))
    assert math.isnan(net_carbs(carbs_g, math.nan))


def test_the_nutrients_are_those_of_the_documents_with_energy_first():
    """Stored files depend on this order."""
    assert NUTRIENTS[:4] == ("energy_kcal", "protein_g", "carbs_g", "fiber_g")
    assert len(NUTRIENTS) == len(set(NUTRIENTS)) == len(UNITS)
    assert set(UNITS.values()) == {"kcal", "g", "mg", "IU"}


def test_a_sum_adds_every_part():
    parts = [Nutrients({"carbs_g": grams, "fat_g": 1.0}) for grams in (10.0, 20.0, 12.5)]
    assert Nutrients.sum(parts)["carbs_g"] == 42.5
    assert Nutrients.sum(parts)["fat_g"] == 3.0
    assert Nutrients.sum([])["carbs_g"] == 0.0


def test_nutrients_are_found_in_sets_and_rarely_share_a_hash():
    many = [Nutrients({"carbs_g": float(grams)}) for grams in range(50)]
    assert Nutrients({"carbs_g": 7.0}) in set(many)
    assert len({hash(each) for each in many}) == len(many)
