"""The five endpoints of foods, and the scope that opens them to a client token."""

import pytest
from api_client import assert_refused
from client_tokens import bearer, mint
from products import COLA, COLA_FOOD

from postmeal_serve.app import OPERATIONS
from postmeal_serve.partners.tokens import SCOPES

FOOD = f"/v1.2/foods/{COLA_FOOD.id}"
CALLS = {
    "GET /v1.2/foods": "/v1.2/foods?query=cola",
    "GET /v1.2/foods/autocomplete": "/v1.2/foods/autocomplete?query=cola",
    "GET /v1.2/foods/barcode/{barcode}": f"/v1.2/foods/barcode/{COLA}",
    "GET /v1.2/foods/{food_id}": FOOD,
    "POST /v1.2/foods/{food_id}/alternatives": f"{FOOD}/alternatives",
}


def test_these_are_all_endpoints_of_foods():
    """Row 28: there are five."""
    served = {f"{each.method} {each.path}" for each in OPERATIONS}
    assert {each for each in served if each.split()[1].startswith("/v1.2/foods")} == set(CALLS)
    assert len(CALLS) == 5


@pytest.mark.parametrize("endpoint", CALLS)
def test_every_endpoint_of_foods_requires_its_scope_and_no_other(shop, endpoint):
    """Rows 28, 30, 31."""
    partner = shop.partner("scopes")
    method, path = endpoint.split()[0], CALLS[endpoint]
    sent = {"json": {}} if method == "POST" else {}
    alone = bearer(mint(shop, partner, scopes=["foods:read"]))
    others = bearer(mint(shop, partner, scopes=[each for each in SCOPES if each != "foods:read"]))
    assert shop.client.request(method, path, headers=alone, **sent).status_code == 200
    answer = shop.client.request(method, path, headers=others, **sent)
    assert_refused(answer, 403, "foods:read")
    assert answer.json()["code"] == "scope_insufficient"
    challenge = 'Bearer error="insufficient_scope", scope="foods:read"'
    assert answer.headers["www-authenticate"] == challenge
