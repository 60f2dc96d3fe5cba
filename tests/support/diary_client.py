"""A client that keeps the diary of a user through one version of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
from api_client import Api, Partner
from starlette.testclient import TestClient

from postmeal_serve.partners.tokens import SCOPES, mint

NEW, OLD = "/v1.2/food-logs", "/v1.1/logs/foods"
LONG_AGO, FAR_AHEAD = "0001-01-01", "9999-12-31"


class Diarist:
    """Creates, lists, reads, changes and deletes food logs at `path`, with the given headers."""

    def __init__(self, client: TestClient, path: str, headers: Mapping[str, Any]) -> None:
        self.client = client
        self.path = path
        self.headers = dict(headers)

    def log(self, body: Any, **headers: str) -> httpx2.Response:
        return self.client.post(self.path, json=body, headers=self.headers | headers)

    def list(self, start: str = LONG_AGO, end: str = FAR_AHEAD, **query: str) -> httpx2.Response:
        query = {"start": start, "end": end, **query}
        return self.client.get(self.path, params=query, headers=self.headers)

    def logs(self, *days: str, **query: str) -> list[dict[str, Any]]:
        answer = self.list(*days, **query)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()
        return found["items"] if self.path == NEW else found  # type: ignore[call-overload]

    def read(self, log_id: str) -> httpx2.Response:
        return self.client.get(f"{self.path}/{log_id}", headers=self.headers)

    def change(self, log_id: str, body: Any) -> httpx2.Response:
        return self.client.patch(f"{self.path}/{log_id}", json=body, headers=self.headers)

    def delete(self, log_id: str) -> httpx2.Response:
        return self.client.delete(f"{self.path}/{log_id}", headers=self.headers)


def with_key(api: Api, user: str, path: str = NEW, partner: Partner | None = None) -> Diarist:
    """Return a diarist who uses the partner's API key and is named in a header."""
    header = "x-partner-user-id" if path == OLD else "Service-End-User-ID"
    sent: dict[str, Any] = (partner or api).headers(path) | {header: user.encode()}
    return Diarist(api.client, path, sent)


def with_token(
    api: Api, user: str, partner: Partner, scopes: tuple[str, ...] = SCOPES, **headers: str
) -> Diarist:
    """Return a diarist who uses a client token."""
    now, pepper = api.service.clock.now(), api.settings.pepper
    with api.service.database.writing() as connection:
        token = mint(connection, now, partner.id, user, scopes, 1800, "test", pepper)
    return Diarist(api.client, NEW, {"Authorization": f"Bearer {token.secret}", **headers})
