"""Amounts of nutrients: what is unknown stays unknown, sums and scaling."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal import InputError, Nutrients
from postmeal.foods.nutrients import NUTRIENTS, UNITS

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
    with pytest.raises(KeyError):
        food["protein_g"]


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


def test_an_unknown_nutrient_is_refused_and_the_known_ones_are_listed():
    with pytest.raises(InputError, match="protein_g"):
        Nutrients({"sugar": 1.0})


def test_the_unit_of_each_nutrient_ends_its_name():
    assert all(key.endswith("_" + unit.lower()) for key, unit in UNITS.items())


def test_amounts_cannot_be_changed():
    food = Nutrients({"carbs_g": 1.0})
    with pytest.raises(ValueError, match="read-only"):
        food.amounts[0] = 5
