"""Demo command, which runs the service on this machine with new API keys and example requests."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from serve.partners import keys, organizations
from serve.partners.plans import PLANS, Agreement
from serve.process.run import run
from serve.runtime.clock import Clock
from serve.runtime.clock_synchronization import join
from serve.settings import Settings
from serve.storage.database import Database
from serve.storage.schema import migrate

__all__ = ["demo"]

_NAME = "demo"


def demo(port: int) -> None:
    """Create new API keys, print example requests, and serve until Ctrl-C.

    Parameters
    ----------
    port : int
        Port on 127.0.0.1 to listen on.
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
    database = Database(settings.database_url)
    migrate(database)
    catalog = (
        Catalog(settings.catalog_file)
        if settings.catalog_file
        else Catalog.open(settings.food_table)
    )
    meal = [catalog.search(query)[0] for query in ("oatmeal", "banana")]
    address = f"http://127.0.0.1:{port}"

    # This runs once the port is bound, so that a failed start does not replace the old keys.
    def announce() -> None:
        new, old = _replace_keys(database, settings)
        predict = _curl(f"{address}/v1.2/glucose/predictions", new, [], _body_1_2(meal))
        zone = ["x-partner-timezone: America/New_York"]
        predict_old = _curl(f"{address}/v1.1/cgm/glucose-predict", old, zone, _body_1_1(meal))
        lines = {"new": new, "old": old, "predict": predict, "predict_old": predict_old}
        print(_TEXT.format(address=address, **lines), flush=True)

    with closing(database):
        run(settings, announce)


_TEXT = """
postmeal is running at {address}; press Ctrl-C to stop it.

Glucose curve in the browser    {address}/#key={new}
API documentation               {address}/docs

API version 1.2, key {new}
{predict}

API version 1.1, key {old}
{predict_old}
"""


def _replace_keys(database: Database, settings: Settings) -> list[str]:
    clock = Clock()
    join(database, clock)
    now = clock.now()
    with database.writing() as connection:
        partners = {
            partner.name: partner for partner in organizations.list_all(connection, settings.plans)
        }
        partner = partners.get(_NAME) or organizations.create(
            connection, now, _NAME, "unlimited", Agreement(), settings.plans
        )
        for key in keys.list_all(connection, partner.id):
            if key.name == _NAME and key.disabled_at is None:
                keys.disable(connection, now, key.id, clock.steady())
        created = (
            keys.create(connection, now, partner.id, version, _NAME, settings.pepper)
            for version in ("v1.2", "v1.1")
        )
        return [secret for secret, _ in created]


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
