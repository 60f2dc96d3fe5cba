"""GET /v1.2/restaurants, /v1.2/restaurants/{restaurant_id}/menu-items and /v1.2/menu-items."""

import re

import pytest
from api_client import assert_refused
from client_tokens import bearer, mint

from postmeal.restaurants.place import Place
from postmeal_serve.partners.tokens import SCOPES

RESTAURANT = {"type", "id", "name", "is_chain", "distance_meters", "city", "address1", "address2"}
MENU_ITEM = {"type", "id", "name", "restaurant_name", "is_chain", "nutrients", "glycemic_index",
             "glycemic_load", "image_url", "distance_meters", "servings"}  # fmt: skip
SEARCHES = ("/v1.2/restaurants", "/v1.2/menu-items")
BAD_NUMBERS = ("NaN", "nan", "inf", "-Infinity", "1e999", "x", "", "%2B5", "0x10", "1_0", "1 ")


@pytest.fixture(scope="module")
def mcdonalds(api) -> Place:
    """A place of the chain with the longest menu, in the largest town."""
    nearest, _ = api.service.restaurants.places.near("mcdonalds", 45.0, -40.0)[0]
    assert nearest.chain == "McDonald's"
    return nearest


def around(place: Place, query: str, **more: object) -> str:
    others = "".join(f"&{name}={value}" for name, value in more.items())
    return f"query={query}&latitude={place.latitude}&longitude={place.longitude}{others}"


def restaurants(api, parameters: str) -> list[dict]:
    answer = api.get(f"/v1.2/restaurants?{parameters}")
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"items"}
    return answer.json()["items"]


def test_restaurants_are_those_of_the_library_nearest_first(api, mcdonalds):
    """Rows 215, 216, 217."""
    found = restaurants(api, around(mcdonalds, "demo", radius_meters=50_000, limit=100))
    expected = api.service.restaurants.places.near(
        "demo", mcdonalds.latitude, mcdonalds.longitude, 50_000, 100
    )
    assert len(found) > 5
    assert [item["id"] for item in found] == [place.id for place, _ in expected]
    distances = [item["distance_meters"] for item in found]
    assert distances == sorted(distances)
    assert distances[-1] <= 50_000
    for item, (place, distance_m) in zip(found, expected, strict=True):
        assert set(item) == RESTAURANT
        assert item["type"] == "restaurant"
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", item["id"])
        assert (item["name"], item["is_chain"]) == (place.name, place.is_chain)
        assert (item["city"], item["address1"]) == (place.city, place.address1)
        assert item["distance_meters"] == round(distance_m, 1)


@pytest.mark.parametrize("path", SEARCHES)
@pytest.mark.parametrize("name", ["query", "latitude", "longitude"])
def test_a_search_requires_a_query_and_both_coordinates(api, path, name):
    """Rows 218, 234."""
    sent = {"query": "pizza", "latitude": "60", "longitude": "24"}
    del sent[name]
    assert_refused(api.get(path, params=sent), 400, name)


@pytest.mark.parametrize("path", SEARCHES)
@pytest.mark.parametrize("query", ["", "%20", "a" * 257, "%00"])
def test_a_blank_or_long_query_is_refused(api, path, query):
    """Rows 219, 234."""
    answer = api.get(f"{path}?query={query}&latitude=60&longitude=24")
    assert_refused(answer, 400, "query", "1 to 256 characters")


@pytest.mark.parametrize("path", SEARCHES)
@pytest.mark.parametrize(("name", "most"), [("latitude", 90), ("longitude", 180)])
def test_coordinates_reach_to_the_poles_and_the_antimeridian(api, path, name, most):
    """Rows 220, 226, 234."""
    for text in (f"{most}", f"-{most}", f"{most}.0"):
        sent = {"query": "x", "latitude": "1", "longitude": "1"} | {name: text}
        assert api.get(path, params=sent).status_code == 200
    for text in (f"{most}.0001", f"-{most}.0001", *BAD_NUMBERS):
        other = "longitude" if name == "latitude" else "latitude"
        answer = api.get(f"{path}?query=x&{other}=1&{name}={text}")
        assert_refused(answer, 400, name, f"-{most} to {most} degrees")


@pytest.mark.parametrize("path", SEARCHES)
@pytest.mark.parametrize("radius", ["0", "0.5", "0.99", "50000.1", "50001", "-1", *BAD_NUMBERS])
def test_the_radius_is_checked_before_it_is_rounded(api, path, radius):
    """Rows 222, 234."""
    answer = api.get(f"{path}?query=x&latitude=1&longitude=1&radius_meters={radius}")
    assert_refused(answer, 400, "radius_meters", "1 to 50000")


def test_the_radius_is_rounded_half_up_and_8_km_by_default(api, mcdonalds):
    """Rows 221, 223."""
    near = api.service.restaurants.places.near
    here = mcdonalds.latitude, mcdonalds.longitude
    others = [found for found in near("", *here, 50_000, 100) if found.distance_m >= 2]
    other_m = others[0].distance_m
    below = int(other_m) - (1 if other_m == int(other_m) else 0)
    ids = {
        radius: {item["id"] for item in restaurants(
            api, around(mcdonalds, others[0].place.name, radius_meters=radius, limit=100))}
        for radius in (below, f"{below}.4999", f"{below}.5", below + 1, 1, 50_000)
    }  # fmt: skip
    name = others[0].place.id
    assert name not in ids[below] | ids[f"{below}.4999"] | ids[1]
    assert name in ids[f"{below}.5"] & ids[below + 1] & ids[50_000]
    assert restaurants(api, around(mcdonalds, "demo", limit=100)) == restaurants(
        api, around(mcdonalds, "demo", limit=100, radius_meters=8000)
    )


@pytest.mark.parametrize("path", SEARCHES)
def test_a_limit_is_1_to_100_and_10_by_default(api, path, mcdonalds):
    """Rows 224, 234."""
    query = "demo" if path == SEARCHES[0] else "burger"
    reach = {"radius_meters": 50_000}

    def n(**more: object) -> int:
        answer = api.get(f"{path}?{around(mcdonalds, query, **reach, **more)}")
        return len(answer.json()["items"])

    assert (n(), n(limit=1), n(limit=10)) == (10, 1, 10)
    assert n(limit=100) > 10
    for limit in ("0", "101", "x", "1.5", ""):
        answer = api.get(f"{path}?{around(mcdonalds, query, limit=limit)}")
        assert_refused(answer, 400, "limit", "1 to 100")


def test_a_dish_is_no_restaurant(api, mcdonalds):
    """Row 225."""
    assert restaurants(api, around(mcdonalds, "cheeseburger", radius_meters=50_000)) == []


def test_a_menu_lists_the_foods_by_name_with_one_serving_each(api, mcdonalds):
    """Rows 227, 228, 213."""
    answer = api.get(f"/v1.2/restaurants/{mcdonalds.id}/menu-items?limit=500")
    assert answer.status_code == 200
    items = answer.json()["items"]
    assert len(items) > 30
    order = [(item["name"].casefold(), int(item["id"])) for item in items]
    assert order == sorted(order)
    for item in items:
        assert {"id", "name", "nutrients", "glycemic_index", "glycemic_load", "servings"} <= set(
            item
        )
        assert len(item["servings"]) == 1
    whole = api.get(f"/v1.2/foods/{items[0]['id']}")
    assert whole.status_code == 200
    assert whole.json()["name"] == items[0]["name"]


def test_pages_of_a_menu_are_the_whole_menu(api, mcdonalds):
    """Rows 229, 230, 233."""
    path = f"/v1.2/restaurants/{mcdonalds.id}/menu-items"
    whole = api.get(f"{path}?limit=500").json()["items"]
    assert api.get(path).json()["items"] == whole[:100]
    pages = [api.get(f"{path}?limit=7&offset={at}").json()["items"] for at in range(0, 77, 7)]
    assert [item for page in pages for item in page] == whole
    assert api.get(f"{path}?offset={len(whole)}").json() == {"items": []}
    assert api.get(f"{path}?offset=99999999999999999999").json() == {"items": []}
    for bad in ("limit=0", "limit=501", "limit=x", "offset=-1", "offset=x"):
        assert_refused(api.get(f"{path}?{bad}"), 400, bad.split("=")[0])


def test_a_restaurant_that_is_unknown_or_has_no_menu_has_an_empty_one(api):
    """Row 231."""
    places = api.service.restaurants.places
    without = next(place for place, _ in places.near("", limit=100) if place.chain is None)
    for place_id in (without.id, "osm-n0", "_", "a" * 64):
        answer = api.get(f"/v1.2/restaurants/{place_id}/menu-items")
        assert (answer.status_code, answer.json()) == (200, {"items": []})


@pytest.mark.parametrize("place_id", ["a" * 65, "a%20b", "%C3%A4", "a.b"])
def test_a_restaurant_id_of_another_form_is_refused(api, place_id):
    """Row 232."""
    answer = api.get(f"/v1.2/restaurants/{place_id}/menu-items")
    assert_refused(answer, 400, "restaurant_id", "1 to 64")
    assert api.get("/v1.2/restaurants/a/b/menu-items").status_code == 404


def test_dishes_are_found_nearest_first(api, mcdonalds):
    """Rows 235, 236."""
    answer = api.get(f"/v1.2/menu-items?{around(mcdonalds, 'cheeseburger', radius_meters=50_000)}")
    assert answer.status_code == 200
    items = answer.json()["items"]
    assert items[0]["restaurant_name"] == mcdonalds.name
    distances = [item["distance_meters"] for item in items]
    assert distances == sorted(distances)
    for item in items:
        assert set(item) == MENU_ITEM
        assert item["type"] == "menu_item"
        assert "cheeseburger" in item["name"].lower()
        assert len(item["servings"]) == 1
        assert item["nutrients"]["carbohydrates"]["value"] > 0
    nothing = api.get(f"/v1.2/menu-items?{around(mcdonalds, 'xqzvwk')}")
    assert (nothing.status_code, nothing.json()) == (200, {"items": []})


@pytest.mark.parametrize(
    "path",
    [
        "/v1.2/restaurants?query=x&latitude=1&longitude=1",
        "/v1.2/restaurants/a/menu-items",
        "/v1.2/menu-items?query=x&latitude=1&longitude=1",
    ],
)
def test_each_operation_requires_its_scope_and_costs_no_credit(api, path):
    """Rows 29, 60, 236."""
    partner = api.partner("eater", monthly_credits=1)
    allowed = bearer(mint(api, partner, scopes=["restaurants:read"]))
    others = [scope for scope in SCOPES if scope != "restaurants:read"]
    refused = api.client.get(path, headers=bearer(mint(api, partner, scopes=others)))
    assert_refused(refused, 403, "restaurants:read")
    assert refused.json()["code"] == "scope_insufficient"
    for _ in range(3):
        assert api.client.get(path, headers=allowed).status_code == 200
    credits = api.client.get("/v1.2/credits", headers=partner.headers("/v1.2/credits")).json()
    assert credits["used_credits"] == 0


def test_a_places_file_that_cannot_be_read_refuses_restaurants_alone(tmp_path):
    from api_client import Api

    (tmp_path / "places.bin").write_bytes(b"no places")
    with Api(tmp_path, places=tmp_path / "places.bin") as broken:
        answer = broken.get("/v1.2/restaurants?query=x&latitude=1&longitude=1")
        assert_refused(answer, 503)
        assert broken.get("/v1.2/foods?query=banana").status_code == 200
