"""GET /v1.1/search/restaurants and GET /v1.1/search/restaurants/menu."""

import pytest
from api_client import assert_refused

from postmeal.restaurants.place import Place

SEARCH, MENU = "/v1.1/search/restaurants", "/v1.1/search/restaurants/menu"
NEAR = {"distance", "city", "address1", "address2"}
MENU_ITEM = {"type", "id", "name", "restaurant_name", "is_chain", "data_source_id",
             "source_original_id", "protein", "energy", "carbs", "net_carbs", "sugars",
             "added_sugars", "fat", "gi", "gl", "fiber", "photo_url", "servings",
             "distance"}  # fmt: skip


@pytest.fixture(scope="module")
def mcdonalds(api) -> Place:
    nearest, _ = api.service.restaurants.places.near("mcdonalds", 45.0, -40.0)[0]
    assert nearest.chain == "McDonald's"
    return nearest


def items(api, path: str, **sent: object) -> list[dict]:
    answer = api.get(path, params=sent)
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"items"}
    return answer.json()["items"]


def here(place: Place) -> dict[str, float]:
    return {"lat": place.latitude, "lon": place.longitude}


def test_a_query_is_required_but_may_be_empty(api, mcdonalds):
    """Rows 359, 360, 367."""
    assert_refused(api.get(SEARCH, params=here(mcdonalds)), 400, "query")
    nearest = items(api, SEARCH, query="", **here(mcdonalds))
    assert nearest[0]["id"] == mcdonalds.id
    distances = [item["distance"] for item in nearest]
    assert distances == sorted(distances)
    for item in nearest:
        assert set(item) == {"type", "id", "name", "is_chain"} | NEAR
        assert item["type"] == "restaurant"


@pytest.mark.parametrize("name", ["lat", "lon"])
def test_a_coordinate_without_the_other_is_refused(api, name):
    """Row 361."""
    missing = "lon" if name == "lat" else "lat"
    assert_refused(api.get(SEARCH, params={"query": "x", name: 1}), 400, missing)


@pytest.mark.parametrize("path", [SEARCH, MENU])
@pytest.mark.parametrize(("name", "most"), [("lat", 90), ("lon", 180)])
def test_coordinates_reach_to_the_poles_and_the_antimeridian(api, path, name, most):
    """Rows 362, 369."""
    other = "lon" if name == "lat" else "lat"
    for text in (f"{most}", f"-{most}"):
        items(api, path, query="x", **{other: 1, name: text})
    for text in (f"{most}.0001", f"-{most}.0001", "NaN", "inf", "x", ""):
        answer = api.get(path, params={"query": "x", other: 1, name: text})
        assert_refused(answer, 400, name, f"-{most} to {most} degrees")


@pytest.mark.parametrize("path", [SEARCH, MENU])
def test_distance_and_limit_have_bounds_and_are_not_clamped(api, path, mcdonalds):
    """Rows 363, 364, 369."""
    sent = {"query": "cheeseburger", **here(mcdonalds)}
    for good in ({"distance": 17000}, {"distance": 1}, {"limit": 100}, {"limit": 1}):
        items(api, path, **sent, **good)
    for distance in ("17001", "17000.1", "0", "-1", "x", "NaN"):
        answer = api.get(path, params=sent | {"distance": distance})
        assert_refused(answer, 400, "distance", "1 to 17000")
    for limit in ("101", "0", "x"):
        assert_refused(api.get(path, params=sent | {"limit": limit}), 400, "limit", "1 to 100")
    assert items(api, path, **sent) == items(api, path, **sent, distance=16093, limit=50)


def test_a_query_that_matches_no_restaurant_returns_dishes_nearby(api, mcdonalds):
    """Rows 365, 370."""
    found = items(api, SEARCH, query="cheeseburger", **here(mcdonalds))
    assert len(found) > 1
    for item in found:
        assert set(item) == MENU_ITEM
        assert item["type"] == "menu_item"
        assert isinstance(item["id"], str)
        assert len(item["servings"]) == 1
        assert item["servings"][0]["is_primary"] is True
        assert item["added_sugars"] is None or item["added_sugars"] >= 0


def test_without_coordinates_there_are_restaurants_alone_and_no_distances(api):
    """Rows 366, 368."""
    assert items(api, SEARCH, query="cheeseburger") == []
    for query in ("mcdonalds", ""):
        found = items(api, SEARCH, query=query, limit=100)
        assert len(found) > 1
        assert all(set(item) == {"type", "id", "name", "is_chain"} for item in found)
    names = [item["name"].casefold() for item in items(api, SEARCH, query="", limit=100)]
    assert names == sorted(names)


@pytest.mark.parametrize("name", ["query", "lat", "lon"])
def test_a_menu_search_requires_a_query_and_both_coordinates(api, name):
    """Row 369."""
    sent = {"query": "burger", "lat": "1", "lon": "1"}
    del sent[name]
    assert_refused(api.get(MENU, params=sent), 400, name)


def test_a_menu_is_found_by_the_name_of_its_restaurant(api, mcdonalds):
    """Row 371."""
    found = items(api, MENU, query="mcdonalds", **here(mcdonalds), limit=100)
    assert len(found) > 30
    assert found[0]["restaurant_name"] == mcdonalds.name
    assert all("McDonald's" in item["restaurant_name"] for item in found)
    dishes = items(api, MENU, query="cheeseburger", **here(mcdonalds))
    assert dishes[0]["restaurant_name"] == mcdonalds.name
    assert all(set(item) == MENU_ITEM for item in found + dishes)


def test_the_user_of_a_partner_need_not_be_named(api, mcdonalds):
    """Rows 328, 372."""
    for path in (SEARCH, MENU):
        sent = {"query": "x", **here(mcdonalds)}
        named = api.get(path, params=sent, headers={"x-partner-user-id": "u-1"})
        assert api.get(path, params=sent).json() == named.json()
