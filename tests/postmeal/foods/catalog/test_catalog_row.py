"""What is stored of a food comes back as it was."""

import math
import struct
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from postmeal.foods.catalog.packed_amounts import pack_amounts, unpack_amounts
from postmeal.foods.catalog.row import (
    DAMAGE,
    energy_kcal,
    food_from_row,
    food_row,
)
from postmeal.foods.diets.verdicts import Diets
from postmeal.foods.nutrients import NUTRIENTS
from postmeal.foods.table import Portion, TableFood
from postmeal.foods.words import name_words

LABEL = st.decimals(0, 99_999, places=3, allow_nan=False).map(float)
AMOUNTS = st.one_of(LABEL, st.floats(0, 1e12), st.integers(0, 10**9).map(float))
PER_100_G = st.dictionaries(st.sampled_from(NUTRIENTS), AMOUNTS)
FOOD = TableFood(
    source="made",
    key="1",
    kind="branded",
    category="Spreads",
    name="Hazelnut spread, jar",
    portions=(Portion(2, 1.5, "tbsp", 20.5), Portion(1, 100.0, "g", 100.0)),
    per_100_g={"energy_kcal": 539.0, "carbs_g": 57.5},
    id=4_294_967_296,
    barcode="03017620422003",
)


def stored(food, bits=0):
    return food_from_row(
        food.kind, food.category, food_row(food, name_words(food.name), (), 0, Diets(bits))
    )


@given(PER_100_G)
@example({"energy_kcal": 89.0, "protein_g": 0.00001, "fiber_g": 9999.0, "fat_g": 10.325})
@example({"energy_kcal": 1e-7, "iron_mg": 1 / 3, "sodium_mg": 1e22})
@example({})
def test_amounts_come_back_to_the_bit(per_100_g):
    amounts = unpack_amounts(*pack_amounts(per_100_g))
    for nutrient, amount in zip(NUTRIENTS, amounts.tolist(), strict=True):
        expected = per_100_g.get(nutrient, math.nan)
        assert struct.pack("d", amount) == struct.pack("d", expected)


def test_amounts_of_a_label_take_two_bytes_each():
    known, packed = pack_amounts({"energy_kcal": 539.0, "carbs_g": 57.5, "sodium_mg": 0.0412})
    assert (known.bit_count(), len(packed)) == (3, 6)


@given(PER_100_G)
def test_energy_alone_is_that_of_the_whole_food(per_100_g):
    food = replace(FOOD, per_100_g=per_100_g)
    row = food_row(food, name_words(food.name), (), 0, Diets())
    expected = stored(food).nutrients.amount("energy_kcal")
    found = energy_kcal(row.known, row.amounts, row.servings)
    assert struct.pack("d", found) == struct.pack("d", expected)


@given(
    st.lists(
        st.tuples(
            st.floats(0.01, 1e4),
            st.text(st.characters(exclude_characters="\x1e\x1f"), min_size=1),
            st.floats(0.01, 1e5),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_servings_come_back_as_they_were(drawn):
    portions = tuple(Portion(at, *one) for at, one in enumerate(drawn, 1))
    found = stored(replace(FOOD, portions=portions)).servings
    assert [(s.id, s.quantity, s.unit, s.weight_g) for s in found] == [
        (p.id, p.quantity, p.unit, p.weight_g) for p in portions
    ]


@pytest.mark.parametrize(
    ("barcode", "url"),
    [
        ("03017620422003", "https://images.openfoodfacts.org/images/products/301/762/042/2003/front_en.633.400.jpg"),
        ("03017620422003", "https://images.openfoodfacts.org/images/products/301/762/042/2003/7.jpg"),
        ("03017620422003", "https://images.openfoodfacts.org/images/products/301/762/042/2004/7.jpg"),
        ("00000020724696", "https://images.openfoodfacts.org/images/products/20724696/front_de.4.400.jpg"),
        ("00049000006346", "https://images.openfoodfacts.org/images/products/004/900/000/6346/front_en.3.400.jpg"),
        ("00049000006346", "https://example.org/cola.png"),
        ("", "https://example.org/cola.png"),
        ("", "/pictures/cola.png"),
        ("03017620422003", "*odd"),
    ],
)  # fmt: skip
def test_the_address_of_a_picture_comes_back_as_it_was(barcode, url):
    assert stored(replace(FOOD, barcode=barcode, image_url=url)).image_url == url


def test_everything_else_comes_back_too():
    food = replace(FOOD, brand_name="Acme", glycemic_index=33.0, gi_source="measured")
    found = stored(food, bits=0x2_4000_0000_0001)
    assert found.diets == Diets(0x2_4000_0000_0001)
    assert (found.id, found.name, found.kind, found.category, found.brand_name) == (
        food.id, food.name, "branded", "Spreads", "Acme",
    )  # fmt: skip
    assert (found.glycemic_index, found.gi_source) == (33.0, "measured")
    assert found.barcode == "3017620422003"
    assert (found.image_url, stored(FOOD).brand_name) == (None, None)


@pytest.mark.parametrize(
    "damage", [{"amounts": b"123"}, {"servings": ""}, {"gi_source": 77}, {"known": 2**30}]
)
def test_a_damaged_row_is_noticed(damage):
    row = food_row(FOOD, name_words(FOOD.name), (), 0, Diets())._replace(**damage)
    with pytest.raises(DAMAGE):
        food_from_row("branded", "Spreads", row)
