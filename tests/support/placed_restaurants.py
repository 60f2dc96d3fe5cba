"""A places file whose restaurants lie at distances set by hand, far from all other places.

All restaurants but those of `FAR` are due north of `CENTER`. "Edge" restaurants lie on both sides
of each default and maximum radius; "Row" restaurants are more than a default number of items; each
serves one dish.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from postmeal.foods.food import Food, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.restaurants.compile import compile_places
from postmeal.restaurants.menus import ImportedDish
from postmeal.restaurants.place import Place

__all__ = ["CENTER", "CHAIN_M", "EDGES_M", "FAR", "LONG_MENU", "ROW", "STEW", "placed_restaurants"]

CENTER = (-40.0, -130.0)
"""A point in the South Pacific."""

EDGES_M = (7_990, 8_010, 16_083, 16_103, 16_990, 17_010, 49_950, 50_050)
"""Distances of the restaurants named Edge."""

ROW = 60
"""Number of restaurants named Row, within 700 m."""

FAR = {"far-west": (0.0, -179.99), "far-east": (0.0, 179.99), "far-north": (89.99, 90.0)}
"""Restaurants named Far at both sides of the antimeridian and near the North Pole: 0.01 degrees."""

LONG_MENU = 120
"""Number of dishes on the menu of the restaurant "all"."""

CHAIN_M = 900
"""Distance of a place of McDonald's, whose menu is in the food catalog."""

STEW = Nutrients(
    {
        "energy_kcal": 412.0,
        "protein_g": 21.5,
        "carbs_g": 38.25,
        "fiber_g": 6.5,
        "sugars_g": 9.75,
        "added_sugars_g": 2.5,
        "fat_g": 18.25,
        "sodium_mg": 640.0,
    }
)
"""Nutrients in a serving of 350 g of the dish "Placed stew", whose glycemic index is 48."""

_DEGREE_M = 111_195.08  # of a great circle on a sphere with a radius of 6,371,008.8 m


def placed_restaurants(folder: Path) -> Path:
    """Write the places file and return its path."""
    path = folder / "placed.places"
    restaurants = list(_restaurants())
    dishes = [_dish("Placed stew", "Edge house", place.id) for place in restaurants[: len(EDGES_M)]]
    kitchens = [place for place in restaurants if place.id.startswith("row-")]
    dishes += [_dish("Row soup", place.name, place.id) for place in kitchens]
    dishes += [_dish(f"Course {number:03}", "Everything", "all") for number in range(LONG_MENU)]
    compile_places(restaurants, path, dishes)
    return path


def _restaurants() -> Iterator[Place]:
    for distance_m in EDGES_M:
        yield _north(distance_m, f"edge-{distance_m}", f"Edge house {distance_m}")
    for number in range(ROW):
        yield _north(100 + 10 * number, f"row-{number}", f"Row kitchen {number}")
    yield _north(800, "all", "Everything", address2="Floor 2")
    for place_id, at in FAR.items():
        yield Place(place_id, "Far corner", *at)
    yield _north(CHAIN_M, "chain", "McDonald's", brand="McDonald's", chain="McDonald's")


def _north(
    distance_m: float,
    place_id: str,
    name: str,
    address2: str | None = None,
    brand: str | None = None,
    chain: str | None = None,
) -> Place:
    latitude = CENTER[0] + distance_m / _DEGREE_M
    return Place(
        place_id, name, latitude, CENTER[1], brand, chain, "Placeton", "Long Road 1", address2
    )


def _dish(name: str, restaurant: str, place_id: str) -> ImportedDish:
    serving = Serving(1, 1.0, "bowl", 1.0, 350.0, is_default=True)
    food = Food(
        id=1,
        name=name,
        kind="branded",
        category="Restaurant Foods",
        nutrients=STEW,
        servings=(serving,),
        glycemic_index=48.0,
        gi_source="measured",
        image_url="https://pictures.example/stew.jpg",
    )
    return ImportedDish(food, restaurant, place_id)
