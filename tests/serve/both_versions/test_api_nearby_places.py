"""Distances, numbers of items and values of restaurants that were placed by hand."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from api_client import Api
from placed_restaurants import CENTER, CHAIN_M, EDGES_M, LONG_MENU, ROW, placed_restaurants
from products import COLA_FOOD

from postmeal.foods.catalog.file import build_catalog_file, by_kind

SEARCH, OLD_SEARCH = "/v1.2/restaurants", "/v1.1/search/restaurants"
DISHES, OLD_DISHES = "/v1.2/menu-items", "/v1.1/search/restaurants/menu"
QUERIES = {SEARCH: "edge house", OLD_SEARCH: "edge house", DISHES: "placed stew",
           OLD_DISHES: "placed stew"}  # fmt: skip
MENU = "/v1.2/restaurants/all/menu-items"
GRAMS = {
    "protein": 21.5,
    "carbohydrates": 38.25,
    "net_carbohydrates": 31.75,
    "total_fat": 18.25,
    "fiber": 6.5,
    "total_sugars": 9.75,
    "added_sugars": 2.5,
}
NUTRIENTS = {
    "calories": {"value": 412.0, "unit": "kcal"},
    "sodium": {"value": 640.0, "unit": "mg"},
    **{name: {"value": value, "unit": "g"} for name, value in GRAMS.items()},
}
BOWL = {"quantity": 1, "unit": "bowl", "scaling_factor": 1, "weight_grams": 350, "is_primary": True}
PICTURE = "https://pictures.example/stew.jpg"


@pytest.fixture(scope="module")
def south(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The service with restaurants placed by hand."""
    folder = tmp_path_factory.mktemp("south")
    with Api(folder, places=placed_restaurants(folder)) as api:
        yield api


def items(api: Api, path: str, query: str | None = None, **more: Any) -> list[dict[str, Any]]:
    names = ("lat", "lon") if path.startswith("/v1.1") else ("latitude", "longitude")
    at = dict(zip(names, CENTER, strict=True)) if query else {}
    sent = at | ({"query": query} if query else {}) | more
    answer = api.get(path, params=sent)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def distances(api: Api, path: str, query: str, **more: Any) -> list[float]:
    name = "distance" if path.startswith("/v1.1") else "distance_meters"
    return [item[name] for item in items(api, path, query, limit=100, **more)]


def within(radius_m: float) -> list[float]:
    return [pytest.approx(distance_m, abs=1) for distance_m in EDGES_M if distance_m <= radius_m]


@pytest.mark.parametrize("path", [SEARCH, DISHES])
def test_a_radius_is_8_km_by_default_and_50_km_at_most(south, path):
    """Rows 217, 221, 234, 236: restaurants on both sides of it, and dishes of theirs."""
    for radius_m in (8_000, 8_009, 8_011, 50_000):
        found = distances(south, path, QUERIES[path], radius_meters=radius_m)
        assert found == within(radius_m)
    assert distances(south, path, QUERIES[path]) == within(8_000)


@pytest.mark.parametrize(
    ("path", "query"),
    [*((path, QUERIES[path]) for path in (OLD_SEARCH, OLD_DISHES)), (OLD_SEARCH, "placed stew")],
)
def test_a_distance_is_16093_m_by_default_and_17_km_at_most(south, path, query):
    """Rows 363, 365, 369: of restaurants, of dishes, and of dishes instead of restaurants."""
    for distance_m in (7_000, 8_000, 16_000, 16_100, 17_000):
        found = distances(south, path, query, distance=distance_m)
        assert found == within(distance_m)
    assert distances(south, path, query) == within(16_093)


@pytest.mark.parametrize(
    ("latitude", "longitude", "expected"),
    [
        (0, 180, {"far-east": 1_112, "far-west": 1_112}),
        (0, -180, {"far-east": 1_112, "far-west": 1_112}),
        (0, -179.98, {"far-west": 1_112, "far-east": 3_336}),
        (0, 179.98, {"far-east": 1_112, "far-west": 3_336}),
        (90, 0, {"far-north": 1_112}),
        (89.99, -90, {"far-north": 2_224}),
        (89.99, 0, {"far-north": 1_573}),
    ],
)
def test_distances_are_great_circles_also_at_the_ends_of_the_map(
    south, latitude, longitude, expected
):
    """Rows 226, 220, 362: 0.01 degrees of a great circle are 1,112 m, with and without a name."""
    expected = {name: pytest.approx(distance_m, abs=1) for name, distance_m in expected.items()}
    sent = {"query": "far corner", "latitude": latitude, "longitude": longitude}
    found = south.get(SEARCH, params=sent).json()["items"]
    assert {item["id"]: item["distance_meters"] for item in found} == expected
    for query in ("far corner", ""):
        sent = {"query": query, "lat": latitude, "lon": longitude}
        found = south.get(OLD_SEARCH, params=sent).json()["items"]
        assert {item["id"]: item["distance"] for item in found} == expected


@pytest.mark.parametrize(
    ("path", "query", "default"),
    [
        (SEARCH, "row kitchen", 10),
        (DISHES, "row soup", 10),
        (OLD_SEARCH, "row kitchen", 50),
        (OLD_DISHES, "row soup", 50),
        (OLD_SEARCH, "row soup", 50),
    ],
)
def test_a_search_has_10_items_by_default_and_50_in_the_old_version(south, path, query, default):
    """Rows 224, 234, 364, 369: the nearest of 60."""
    whole = items(south, path, query, limit=100)
    assert len(whole) == ROW
    assert items(south, path, query) == whole[:default]
    for limit in (1, 49, 55):
        assert items(south, path, query, limit=limit) == whole[:limit]


def test_a_menu_has_100_items_by_default_and_500_at_most(south):
    """Rows 227, 229, 230: of 120."""
    whole = items(south, MENU, limit=500)
    assert [item["name"] for item in whole] == [f"Course {n:03}" for n in range(LONG_MENU)]
    assert items(south, MENU) == whole[:100]
    assert items(south, MENU, offset=0) == whole[:100]
    assert items(south, MENU, limit=1) == whole[:1]
    assert items(south, MENU, offset=100) == whole[100:]
    assert items(south, MENU, offset=110, limit=5) == whole[110:115]


def test_dishes_of_one_name_are_ordered_by_id(tmp_path):
    """Row 233: so that pages neither repeat nor leave out one of them."""
    burgers = [
        replace(COLA_FOOD, id=number, key=str(number), name="Burger", barcode=None,
                brand_name="McDonald's", category="Fast Foods")
        for number in (300_000_009, 300_000_002, 300_000_005)
    ]  # fmt: skip
    table = tmp_path / "burgers.sqlite3"
    build_catalog_file(by_kind(burgers), table)
    with Api(tmp_path, food_table=table, places=placed_restaurants(tmp_path)) as api:
        path = "/v1.2/restaurants/chain/menu-items"
        ordered = [item["id"] for item in items(api, path)]
        assert ordered == ["300000002", "300000005", "300000009"]
        pages = [items(api, path, limit=1, offset=offset)[0]["id"] for offset in range(3)]
        assert pages == ordered


def test_a_menu_item_has_the_values_of_its_dish(south):
    """Rows 228, 213: as the dish was imported, and as the food is read by its ID."""
    first, *_ = items(south, MENU, limit=500)
    assert first["name"] == "Course 000"
    assert first["nutrients"] == NUTRIENTS
    assert (first["glycemic_index"], first["glycemic_load"]) == (48, 15.24)
    assert first["servings"] == [{"id": "1", **BOWL}]
    assert south.get(f"/v1.2/foods/{first['id']}").json() == first


def test_a_found_dish_has_the_values_of_its_restaurant_and_its_food(south):
    """Row 235."""
    dish = items(south, DISHES, "placed stew")[0]
    food = south.get(f"/v1.2/foods/{dish['id']}").json()
    assert food["name"] == "Placed stew"
    assert dish == {
        "type": "menu_item",
        "id": food["id"],
        "name": "Placed stew",
        "restaurant_name": "Edge house 7990",
        "is_chain": False,
        "nutrients": NUTRIENTS,
        "glycemic_index": 48,
        "glycemic_load": 15.24,
        "image_url": PICTURE,
        "distance_meters": pytest.approx(7_990, abs=1),
        "servings": [{"id": "1", **BOWL}],
    }
    burger = items(south, DISHES, "cheeseburger")[0]
    assert (burger["restaurant_name"], burger["is_chain"]) == ("McDonald's", True)
    assert burger["distance_meters"] == pytest.approx(CHAIN_M, abs=1)


@pytest.mark.parametrize("path", [OLD_DISHES, OLD_SEARCH])
def test_a_menu_item_of_the_old_version_has_the_values_of_its_dish(south, path):
    """Row 370: with the data source, 1 for the food catalog and 2 for an imported menu."""
    dish = items(south, path, "placed stew")[0]
    assert dish == {
        "type": "menu_item",
        "id": dish["source_original_id"],
        "name": "Placed stew",
        "restaurant_name": "Edge house 7990",
        "is_chain": False,
        "data_source_id": 2,
        "source_original_id": items(south, DISHES, "placed stew")[0]["id"],
        "protein": 21.5,
        "energy": 412,
        "carbs": 38.25,
        "net_carbs": 31.75,
        "sugars": 9.75,
        "added_sugars": 2.5,
        "fat": 18.25,
        "gi": 48,
        "gl": 15.24,
        "fiber": 6.5,
        "photo_url": PICTURE,
        "servings": [{"id": 1, **BOWL}],
        "distance": pytest.approx(7_990, abs=1),
    }
    burger = items(south, path, "cheeseburger")[0]
    food = south.service.catalog.food(int(burger["id"]))
    assert (burger["data_source_id"], burger["restaurant_name"]) == (1, "McDonald's")
    assert (burger["is_chain"], burger["source_original_id"]) == (True, str(food.id))
    assert burger["carbs"] == pytest.approx(food.nutrients["carbs_g"], abs=0.01)


def test_a_restaurant_has_its_own_address(south):
    """Rows 216, 367: also the second line, which is null if unknown."""
    [found] = items(south, SEARCH, "everything")
    place = {"id": "all", "type": "restaurant", "name": "Everything", "is_chain": False}
    address = {"city": "Placeton", "address1": "Long Road 1", "address2": "Floor 2"}
    away_m = pytest.approx(800, abs=1)
    assert found == {**place, **address, "distance_meters": away_m}
    [old] = items(south, OLD_SEARCH, "everything")
    assert old == {**place, **address, "distance": away_m}
    [chain] = items(south, SEARCH, "mcdonalds")
    assert (chain["is_chain"], chain["address2"]) == (True, None)
