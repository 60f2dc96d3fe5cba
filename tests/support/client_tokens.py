"""Client tokens that are minted and revoked over HTTP."""

from __future__ import annotations

from typing import Any

import httpx2
from api_client import Api, Partner

MINT = "/v1.2/auth/client-tokens"
REVOKE = "/v1.2/auth/client-token-revocations"
CREDITS = "/v1.2/credits"
FOODS = "/v1.2/foods?query=rice"


def ask_for_token(api: Api, partner: Partner, user: Any = "u-1", **options: Any) -> httpx2.Response:
    body = {"end_user_id": user, **options}
    return api.client.post(MINT, json=body, headers=partner.headers(MINT))


def mint(api: Api, partner: Partner, user: str = "u-1", **options: Any) -> str:
    answer = ask_for_token(api, partner, user, **options)
    assert answer.status_code == 201, answer.text
    token: str = answer.json()["token"]
    return token


def ask_to_revoke(api: Api, partner: Partner, user: Any = "u-1") -> httpx2.Response:
    body = {"end_user_id": user}
    return api.client.post(REVOKE, json=body, headers=partner.headers(REVOKE))


def revoke(api: Api, partner: Partner, user: str = "u-1") -> int:
    answer = ask_to_revoke(api, partner, user)
    assert answer.status_code == 200, answer.text
    count: int = answer.json()["revoked_count"]
    return count


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def use(api: Api, secret: str, path: str = FOODS) -> httpx2.Response:
    return api.client.get(path, headers=bearer(secret))


def state(api: Api, secret: str) -> str:
    """Return ``active``, or the error code with which the token is rejected."""
    answer = use(api, secret)
    if answer.status_code == 200:
        return "active"
    code: str = answer.json()["code"]
    description = code.replace("_", " ")
    challenge = f'Bearer error="invalid_token", error_description="{description}"'
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, challenge)
    return code
