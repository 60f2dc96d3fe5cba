"""Clients of the service under test, and valid request bodies."""

from __future__ import annotations

import copy
import os
import re
import socket
import subprocess
import sys
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import Connection
from starlette.testclient import TestClient

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal_serve.app import create_app
from postmeal_serve.partners import keys, organizations
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.service import Service
from postmeal_serve.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
PREDICT = "/v1.2/glucose/predictions"
OLD_PREDICT = "/v1.1/cgm/glucose-predict"
USER_PREDICT = "/v1.1/cgm/user-glucose-predict"
TRAIN = "/v1.1/user/training"
CHAT = "/v1.2/chat/completions"
CHAT_ERRORS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
    404: "not_found_error", 429: "rate_limit_error", 500: "api_error",
}  # fmt: skip
"""Types of errors by status; other statuses have the type of 400 or 500."""
SHOWN = ("points", "impact_score", "chart", "unit", "inputs_used", "warnings")
"""Keys of every prediction of version 1.2."""
ZONE = {"x-partner-timezone": "America/New_York"}


_UNLIMITED: dict[str, Any] = {
    "require_https": False,
    "client_tokens": True,
    "v1_1_per_minute": None,
    "address_per_minute": None,
    "address_failures_per_minute": None,
    "log_level": "warning",
}


class Api:
    """The service in this process; `post` and `get` send a key for the version in the path.

    The partner "test" has no limits; `partner` creates other partners with their own keys.
    """

    def __init__(self, folder: Path, clock: Clock | None = None, **settings: Any) -> None:
        self.settings = Settings(**{"state_dir": folder, **_UNLIMITED, **settings})
        self.app = create_app(self.settings, clock)
        self._stack = ExitStack()

    def __enter__(self) -> Api:
        client = TestClient(self.app, raise_server_exceptions=False)
        client.event_hooks = CHECKED
        self.client = self._stack.enter_context(client)
        self.service: Service = client.app_state["service"]
        self.keys = self.partner("test").keys
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def partner(self, name: str, plan: str = "unlimited", **agreement: Any) -> Partner:
        """Return a partner, created if it does not exist, with a new key for each version."""
        with self.service.database.writing() as connection:
            now = self.service.clock.now()
            return partner_of(connection, now, self.settings, name, plan, **agreement)

    def headers(self, path: str) -> dict[str, str]:
        version = "v1.1" if path.startswith("/v1.1") else "v1.2"
        return {"Authorization": f"Bearer {self.keys[version]}"}

    def get(self, path: str, headers: Mapping[str, str] = {}, **options: Any) -> httpx2.Response:
        return self.client.get(path, headers=self.headers(path) | dict(headers), **options)

    def post(self, path: str, headers: Mapping[str, str] = {}, **options: Any) -> httpx2.Response:
        return self.client.post(path, headers=self.headers(path) | dict(headers), **options)

    def predict(self, body: Any, **headers: str) -> httpx2.Response:
        return self.post(PREDICT, json=body, headers=headers)

    def predict_old(self, body: Any, **headers: str) -> httpx2.Response:
        return self.post(OLD_PREDICT, json=body, headers=ZONE | headers)

    def train(self, user: str, body: Any, **headers: str) -> httpx2.Response:
        return self.post(TRAIN, json=body, headers={"x-partner-user-id": user} | headers)

    def predict_user(self, user: str, body: Any, **headers: str) -> httpx2.Response:
        named = {"x-partner-user-id": user}
        return self.post(USER_PREDICT, json=body, headers=ZONE | named | headers)

    def register(self, **headers: str) -> str:
        """Register a user with the profile of `old_body`, and return the user's UUID."""
        answer = self.post(
            "/v1.1/user", json={"profile": self.old_body()["userProfile"]}, headers=headers
        )
        user_id: str = answer.json()["user_id"]
        return user_id

    def food(self, words: str) -> Food:
        return self.service.catalog.search(words)[0]

    def body(self, quantity: float = 1) -> dict[str, Any]:
        """Return a prediction request of version 1.2 with all fields except the CGM history."""
        return prediction_body(self.service.catalog, quantity)

    def old_body(self, quantity: float = 1) -> dict[str, Any]:
        """Return the same prediction request for version 1.1."""
        return old_prediction_body(self.service.catalog, quantity)


def prediction_body(catalog: Catalog, quantity: float = 1) -> dict[str, Any]:
    """Return a prediction request of version 1.2 with all fields except the CGM history."""
    foods = [catalog.search(words)[0] for words in ("oatmeal", "banana")]
    return {
        "user_profile": {
            "age": 45,
            "sex": "female",
            "height": {"value": 66, "unit": "in"},
            "weight": {"value": 150, "unit": "lb"},
            "activity_level": "lightly_active",
            "health_conditions": ["prediabetes"],
        },
        "foods": [
            {
                "id": str(food.id),
                "serving": {"id": str(food.default_serving.id)},
                "quantity": quantity * food.default_serving.quantity,
            }
            for food in foods
        ],
        "start_time": "2026-01-05T08:00:00-05:00",
    }


def old_prediction_body(catalog: Catalog, quantity: float = 1) -> dict[str, Any]:
    """Return the same prediction request for version 1.1."""
    return {
        "userProfile": {
            "age": 45,
            "gender": "female",
            "height": 66,
            "weight": 150,
            "activityLevel": "lightly_active",
            "healthConditions": ["Prediabetes"],
        },
        "foods": [
            {
                "id": int(food["id"]),
                "serving": {"id": int(food["serving"]["id"]), "quantity": food["quantity"]},
            }
            for food in prediction_body(catalog, quantity)["foods"]
        ],
        "startTime": "2026-01-05T08:00:00",
    }


@dataclass(frozen=True)
class Partner:
    """The ID of a partner, and a key for each version with its ID."""

    id: int
    keys: dict[str, str]
    key_ids: dict[str, int]

    def headers(self, path: str) -> dict[str, str]:
        version = "v1.1" if path.startswith("/v1.1") else "v1.2"
        return {"Authorization": f"Bearer {self.keys[version]}"}


def partner_of(
    connection: Connection,
    now: datetime,
    settings: Settings,
    name: str,
    plan: str,
    **agreement: Any,
) -> Partner:
    """Return a partner, created if it does not exist, with a new key for each version."""
    plans, agreed = settings.plans, organizations.parse_agreement(agreement)
    if all(each.name != name for each in organizations.list_all(connection, plans)):
        organizations.create(connection, now, name, plan, agreed, plans)
    made = organizations.find(connection, name, plans)
    secrets = {
        version: keys.create(connection, now, made.id, version, "test", settings.pepper)
        for version in ("v1.1", "v1.2")
    }
    return Partner(
        made.id,
        {version: secret for version, (secret, _) in secrets.items()},
        {version: key.id for version, (_, key) in secrets.items()},
    )


class VirtualClock(Clock):
    """The clock of a separate machine. Setting only `at` makes the wall clock jump."""

    def __init__(self, at: datetime = datetime(2026, 1, 15, 12, tzinfo=UTC)) -> None:
        super().__init__()
        self.boot = str(uuid.uuid4())
        self.at = at
        self.seconds = 0.0

    def wall(self) -> datetime:
        return self.at

    def monotonic_s(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
        self.seconds += seconds

    def restarted(self) -> VirtualClock:
        """Return the clock of a process that starts now on the same machine."""
        anew = VirtualClock(self.at)
        anew.boot, anew.seconds = self.boot, self.seconds
        return anew


class Demo:
    """``postmeal-serve demo`` in a separate process, on a free port.

    By default, it is the service of this checkout; `installed` is a command installed elsewhere.
    """

    def __init__(self, folder: Path, installed: Path | None = None) -> None:
        self.folder = folder
        self.installed = installed

    def __enter__(self) -> Demo:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.environment = {**os.environ, "POSTMEAL_STATE_DIR": str(self.folder)}
        command = [sys.executable, "-m", "postmeal_serve"]
        if self.installed is None:
            self.environment["PYTHONPATH"] = os.pathsep.join(
                [str(ROOT / "src"), str(ROOT / "serve")]
            )
        else:
            self.environment.pop("PYTHONPATH", None)
            command = [str(self.installed)]
        self.process = subprocess.Popen(
            [*command, "demo", "--port", str(self.port)],
            env=self.environment,
            cwd=ROOT if self.installed is None else self.folder.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.printed = ""
        while self.printed.count("curl -s") < 2:
            line = self.process.stdout.readline()
            assert line, self.process.communicate()[1]
            self.printed += line
        found = re.findall(r"sk-(v1\.\d)-([\w-]+)", self.printed)
        self.keys = {version: f"sk-{version}-{secret}" for version, secret in found}
        self.client = httpx2.Client(base_url=self.address, event_hooks=CHECKED, timeout=60)
        return self

    def __exit__(self, *error: object) -> None:
        self.client.close()
        self.process.kill()
        self.process.communicate()


def changed(body: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy in which the field at a path such as ``foods.0.quantity`` is replaced."""
    copied = copy.deepcopy(dict(body))
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    target: Any = copied
    for part in parents:
        target = target[part]
    target[last] = value
    return copied


def without(body: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return a copy without the field at a path."""
    copied = changed(body, path, None)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    target: Any = copied
    for part in parents:
        target = target[part]
    del target[last]
    return copied


def assert_well_formed(answer: httpx2.Response) -> None:
    """R22: every response has a request ID, and every error has the format of its version."""
    assert answer.headers["x-request-id"]
    asked = answer.request
    if answer.status_code < 400 or asked.method == "HEAD" or asked.url.path == "/readyz":
        return
    answer.read()
    assert answer.headers["content-type"] == "application/json", answer.text
    assert_error(answer.json(), answer.status_code, asked.url.path)


def assert_error(body: Any, status: int, path: str) -> None:
    if path.startswith("/v1.1/") or path == "/v1.1":
        assert set(body) == {"error"}
        error = body["error"]
        assert set(error) == {"code", "message", "details"}
        assert error["code"] == status
        if error["details"] is not None:
            assert set(error["details"]) == {"field", "allowed"}
    elif path.startswith("/v1.2/chat/"):
        assert set(body) == {"error"}
        error = body["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert error["type"] == CHAT_ERRORS.get(status, CHAT_ERRORS[status // 100 * 100])
        assert error["param"] is None or status == 400
        assert isinstance(error["code"], str)
    else:
        error = body
        assert set(error) == {"code", "message"}
        assert isinstance(error["code"], str)
    assert error["message"]
    assert isinstance(error["message"], str)


CHECKED: dict[str, list[Any]] = {"response": [assert_well_formed]}
"""Hooks of a client that check every response."""


def assert_refused(answer: httpx2.Response, status: int, *names: str) -> str:
    """Check the status and format of an error and that its message contains `names`; return it."""
    assert answer.status_code == status, answer.text
    assert_well_formed(answer)
    body = answer.json()
    message: str = body.get("error", body)["message"]
    for name in names:
        assert name in message
    return message
