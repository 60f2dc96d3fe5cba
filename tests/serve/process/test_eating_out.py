"""Eating out on a real server: a restaurant near a point, its menu, a food, its curve and a log."""

import pytest
from client_tokens import MINT

NEAR = "/v1.2/restaurants"
PREDICT, LOGS = "/v1.2/glucose/predictions", "/v1.2/food-logs"
PROFILE = {
    "age": 45,
    "sex": "female",
    "height": {"value": 168, "unit": "cm"},
    "weight": {"value": 68, "unit": "kg"},
}


def token(demo, *scopes: str) -> dict[str, str]:
    key = {"Authorization": f"Bearer {demo.keys['v1.2']}"}
    body = {"end_user_id": "eater", "scopes": list(scopes)}
    answer = demo.client.post(MINT, json=body, headers=key)
    assert answer.status_code == 201, answer.text
    return {"Authorization": f"Bearer {answer.json()['token']}"}


@pytest.fixture
def somewhere() -> dict[str, object]:
    from postmeal.restaurants.places import Places

    place = Places.open().near("mcdonalds", limit=1)[0].place
    point = {"latitude": place.latitude, "longitude": place.longitude}
    return {"query": "mcdonalds", "radius_meters": 2000, **point}


def test_a_person_who_eats_out_gets_a_curve_and_a_log(demo, somewhere):
    eater = token(
        demo, "restaurants:read", "foods:read", "glucose:read", "food_logs:write", "food_logs:read"
    )
    client = demo.client

    def get(path: str, **parameters: object) -> dict:
        answer = client.get(path, params=parameters, headers=eater)
        assert answer.status_code == 200, answer.text
        return answer.json()

    restaurant = get(NEAR, **somewhere)["items"][0]
    menu = get(f"{NEAR}/{restaurant['id']}/menu-items", limit=500)["items"]
    dish = next(item for item in menu if "cheeseburger" in item["name"].lower())
    food = get(f"/v1.2/foods/{dish['id']}")
    assert food["name"] == dish["name"]
    eaten = [{"id": food["id"], "serving": {"id": food["servings"][0]["id"]}, "quantity": 1}]
    body = {"user_profile": PROFILE, "foods": eaten}
    predicted = client.post(PREDICT, json=body, headers=eater)
    assert predicted.status_code == 200, predicted.text
    heights = [point["value"] for point in predicted.json()["points"]]
    assert max(heights) > heights[0]
    logged = client.post(LOGS, json={"foods": eaten}, headers=eater)
    assert logged.status_code == 201, logged.text
    assert logged.json()["foods"][0]["name"] == dish["name"]


@pytest.mark.parametrize("scope", ["restaurants:read", "foods:read"])
def test_without_its_scope_each_step_is_refused(demo, somewhere, scope):
    other = token(demo, "foods:read" if scope == "restaurants:read" else "restaurants:read")
    path = NEAR if scope == "restaurants:read" else "/v1.2/foods/1"
    answer = demo.client.get(path, params=somewhere, headers=other)
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_insufficient")
