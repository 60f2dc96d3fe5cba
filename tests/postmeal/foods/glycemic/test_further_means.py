"""Published means that are shown and that the glucose model does not use."""

import pytest

from postmeal import Catalog
from postmeal.foods.glycemic import index_of
from postmeal.foods.glycemic.name_rules import further_foods

AMOUNTS = {"carbs_g": 30.0, "fiber_g": 2.0, "sugars_g": 5.0}


@pytest.mark.parametrize(
    ("description", "published"),
    [
        ("Bulgur, cooked", 48),
        ("Buckwheat groats, roasted, cooked", 54),
        ("Quinoa, uncooked", 53),
        ("Hummus, commercial", 6),
        ("Chicken nuggets, from fast food", 46),
        ("Macaroni or noodles with cheese", 64),
        ("Apricots, dried, sulfured, uncooked", 31),
        ("Plums, dried (prunes), uncooked", 29),
        ("Raisins, seedless", 64),
        ("Sports drink", 78),
    ],
)
def test_a_further_mean_is_shown_and_not_used_by_the_model(description, published):
    index = index_of(description, "", AMOUNTS)
    assert (index.value, index.in_model) == (published, False)


@pytest.mark.parametrize(
    "description",
    [
        "Buckwheat flour, whole-groat",
        "Quinoa salad",
        "Macaroni and cheese loaf, chicken, pork and beef",
        "Sports drink, low calorie",
        "Apricots, dried, sulfured, stewed, with added sugar",
    ],
)
def test_a_mixture_does_not_have_the_mean_of_its_part(description):
    assert further_foods(description, 30.0) == ()


def test_breaded_meat_has_the_index_of_nuggets():
    assert (
        index_of("Chicken patty, breaded", "Chicken patties", AMOUNTS | {"sugars_g": 0}).value == 46
    )
    assert index_of("Fried okra", "Fried vegetables", AMOUNTS | {"sugars_g": 0}).value == 70


def test_foods_of_the_released_rules_keep_their_index():
    catalog = Catalog.open()
    shown = {
        name: catalog.search(name)[0].model_glycemic_index
        for name in ("grapefruit", "baked beans", "cowpeas", "tortilla", "boiled carrots")
    }
    assert shown == {
        "grapefruit": 51, "baked beans": 26, "cowpeas": 26, "tortilla": 66, "boiled carrots": 39,
    }  # fmt: skip
