"""Demo command, which runs the service on this machine with API keys and example requests."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from base64 import urlsafe_b64encode
from contextlib import closing, suppress
from itertools import count
from tempfile import NamedTemporaryFile
from typing import Any

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal_serve.partners import keys, organizations
from postmeal_serve.partners.plans import PLANS, Agreement
from postmeal_serve.process.run import run
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.runtime.clock_synchronization import join
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate

__all__ = ["demo"]

_NAME = "demo"


def demo(port: int) -> None:
    """Print API keys and example requests, and serve until Ctrl-C.

    The keys stay the same as long as the state directory exists, so that a page that is open in a
    browser works on after a restart.
    """
    settings = Settings(
        host="127.0.0.1",
        port=port,
        workers=1,
        require_https=False,
        log_level="warning",
        client_tokens=True,
        plans={"unlimited": PLANS["unlimited"]},
        v1_1_per_minute=None,
        address_per_minute=None,
    )
    with closing(Database(settings.database_url)) as database:
        migrate(database)
    catalog = (
        Catalog(settings.catalog_file)
        if settings.catalog_file
        else Catalog.open(settings.food_table)
    )
    meal = [catalog.search(query)[0] for query in ("oatmeal", "banana")]
    address = f"http://127.0.0.1:{port}"

    def announce() -> None:
        with closing(Database(settings.database_url)) as database:
            new, old = _keys(database, settings)
        predict = _curl(f"{address}/v1.2/glucose/predictions", new, [], _body_1_2(meal))
        zone = ["x-partner-timezone: America/New_York"]
        predict_old = _curl(f"{address}/v1.1/cgm/glucose-predict", old, zone, _body_1_1(meal))
        lines = {"new": new, "old": old, "predict": predict, "predict_old": predict_old}
        print(_TEXT.format(address=address, **lines), flush=True)

    run(settings, announce)


_TEXT = """
postmeal is running. Open this address in a browser; press Ctrl-C to stop.

    {address}/#key={new}

API version 1.2, key {new}
{predict}

API version 1.1, key {old}
{predict_old}
"""


def _keys(database: Database, settings: Settings) -> list[str]:
    """Return an API key for each version, the same at every start with one database."""
    clock = Clock()
    join(database, clock)
    now = clock.now()
    installation = _installation_secret(settings)
    with database.writing() as connection:
        partners = {
            partner.name: partner for partner in organizations.list_all(connection, settings.plans)
        }
        partner = partners.get(_NAME) or organizations.create(
            connection, now, _NAME, "unlimited", Agreement(), settings.plans
        )
        secrets_of_versions = []
        for version in ("v1.2", "v1.1"):
            for number in count(1):  # The next number if an operator disabled the key.
                label = f"demo {version} {number}".encode()
                derived = urlsafe_b64encode(hmac.digest(installation, label, "sha256"))
                secret = f"sk-{version}-{derived.decode().rstrip('=')}"
                key = keys.find(connection, secret, settings.pepper)
                if key is None:
                    arguments = version, _NAME, settings.pepper, secret
                    keys.create(connection, now, partner.id, *arguments)
                if key is None or key.disabled_at is None:
                    secrets_of_versions.append(secret)
                    break
        return secrets_of_versions


def _installation_secret(settings: Settings) -> bytes:
    """Return the secret that the demo keys are derived from; create it at the first start."""
    file = settings.state_dir / "demo.secret"
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=file.parent) as created, suppress(FileExistsError):
        created.write(secrets.token_bytes(32))
        created.flush()
        os.link(created.name, file)  # A second demo that starts now never reads half a secret.
    return file.read_bytes()


def _curl(url: str, key: str, headers: list[str], body: dict[str, Any]) -> str:
    all_headers = [f"Authorization: Bearer {key}", "Content-Type: application/json", *headers]
    options = " ".join(f"-H '{header}'" for header in all_headers)
    return f"curl -s {url} {options} -d '{json.dumps(body, separators=(',', ':'))}'"


def _body_1_2(foods: list[Food]) -> dict[str, Any]:
    return {
        "user_profile": {
            "age": 45,
            "sex": "female",
            "height": {"value": 66, "unit": "in"},
            "weight": {"value": 150, "unit": "lb"},
        },
        "foods": [
            {
                "id": str(food.id),
                "serving": {"id": str(food.default_serving.id)},
                "quantity": food.default_serving.quantity,
            }
            for food in foods
        ],
        "start_time": "2026-01-05T08:00:00-05:00",
    }


def _body_1_1(foods: list[Food]) -> dict[str, Any]:
    return {
        "userProfile": {
            "age": 45,
            "gender": "female",
            "height": 66,
            "weight": 150,
            "activityLevel": "sedentary",
            "healthConditions": ["None of the above"],
        },
        "foods": [
            {
                "id": food.id,
                "serving": {
                    "id": food.default_serving.id,
                    "quantity": food.default_serving.quantity,
                },
            }
            for food in foods
        ],
        "startTime": "2026-01-05T08:00:00",
    }
