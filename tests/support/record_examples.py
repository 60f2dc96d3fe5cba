"""Record the examples in the OpenAPI documents from a running service.

``python tests/support/record_examples.py`` rewrites the files in
``serve/postmeal_serve/http/examples``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from api_client import Api, VirtualClock
from example_recorder import BY_ID, IDS, Recorder
from literature_folders import starter_library
from products import SPREAD, catalogue_of_products
from sqlalchemy import update
from synthetic_wearer import Wearer

from postmeal.errors import CatalogError
from postmeal_serve.http.examples import FOLDER, LARGEST_BODY_NAME
from postmeal_serve.resources.chat import Chat
from postmeal_serve.resources.food_choices import Foods
from postmeal_serve.storage.tables import idempotency
from postmeal_serve.v1_2.prediction_response import INCLUDED
from postmeal_serve.wire.upload_limits import LARGEST_BODY

JSON = {"Content-Type": "application/json"}
_TOWN = (45.001, -39.999)  # of the demonstration places


def recorded(folder: Path) -> dict[str, dict[str, Any]]:
    """Record all examples, and return the content of each file by its name without the suffix.

    Parameters
    ----------
    folder : Path
        Empty folder for the databases of the services.
    """
    with Api(folder / "limited", VirtualClock(), v1_1_per_minute=60) as api:
        recorder = Recorder(api, api.partner("example", "starter", per_minute=60))
        for search in ("v1_1_search_foods", "v1_2_search_foods"):
            for _ in range(60):
                recorder.send(search, {})
            recorder.refuse_any(429, search, {"query": "banana"})
        errors = recorder.files
    library = starter_library(folder / "library")
    with Api(folder / "service", VirtualClock(), literature=library) as api:
        recorder = Recorder(api, api.partner("example", "starter"))
        record_version_1_1(recorder)
        record_version_1_2(recorder)
        record_chat(recorder)
        record_errors(recorder)
        files = recorder.files
        for name, content in errors.items():
            files[name] = dict(sorted((files[name] | content).items()))
    table = catalogue_of_products(folder)
    with Api(folder / "shop", VirtualClock(), food_table=table) as api:
        recorder = Recorder(api, api.partner("example", "starter"))
        recorder.record("v1_2_read_barcode", barcode=SPREAD)
        recorder.record("v1_2_scan_photo")
        recorder.refuse("v1_2_scan_photo", 400, {"image": "data:image/png;base64,AAAA"})
        recorder.record("v1_1_scan_photo", x_partner_user_id="user-1")
        recorder.refuse("v1_1_scan_photo", 400, {"photoBase64": "AAAA"})
        recorder.refuse("v1_2_read_barcode", 400, barcode="cola")
        recorder.refuse("v1_2_read_barcode", 404, barcode="5901234123457")
        files |= recorder.files
    return {name: files[name] for name in sorted(files)}


def record_version_1_1(recorder: Recorder) -> None:
    """Record all operations of version 1.1."""
    record, refuse, user = recorder.record, recorder.refuse, "user-1"
    user_id = record("v1_1_create_user", x_partner_user_id=user)["user_id"]
    refuse("v1_1_create_user", 400)
    record("v1_1_get_user", x_partner_user_id=user)
    refuse("v1_1_get_user", 400, x_partner_user_id=None)
    refuse("v1_1_get_user", 404, x_partner_user_id="user-2")
    example = BY_ID["v1_1_change_user"].example
    assert example is not None
    record("v1_1_change_user", x_partner_user_id=user)
    aged = {"profile": {**example["profile"], "age": 200}}
    refuse("v1_1_change_user", 400, aged)
    refuse("v1_1_change_user", 404, x_partner_user_id="user-2")
    record("v1_1_list_users")

    api = recorder.api
    wearer = Wearer(api.service.catalog, api.service.predictor, days=5)
    train = "v1_1_train_user"
    record(train, wearer.training, x_partner_user_id=user, x_partner_timezone="America/New_York")
    short = BY_ID[train].example
    refuse(train, 400, short)
    refuse(train, 404, wearer.training, x_partner_user_id="user-2")
    flat = [{**each, "value": 100} for each in wearer.training["cgm_data"]]
    refuse(train, 422, wearer.training | {"cgm_data": flat})
    own = "v1_1_user_glucose_predict"
    record(own, x_partner_user_id=user_id, x_partner_timezone="America/New_York")
    refuse(own, 400, x_partner_user_id=user)
    refuse(own, 404, x_partner_user_id=IDS[-1])
    predict = "v1_1_glucose_predict"
    record(predict, x_partner_timezone="America/New_York")
    refuse(predict, 400, _with_age(predict, "userProfile"))
    refuse(predict, 404, _with_food(predict, 999999))
    history = {**(BY_ID[predict].example or {}), "startTime": wearer.next_morning.isoformat()}
    refuse(predict, 422, history | wearer.old | {"cgmData": flat})

    record("v1_1_search_foods", query="banana", limit=1)
    refuse("v1_1_search_foods", 400, limit=0)
    record("v1_1_search_meal_text", query="2 eggs and toast")
    refuse("v1_1_search_meal_text", 400, query="x" * 9000)
    record("v1_1_food_alternatives", foodId="1848")
    refuse("v1_1_food_alternatives", 400, {"dietRestrictions": ["Water"]})
    refuse("v1_1_food_alternatives", 404, foodId="999999")
    near = {"lat": _TOWN[0], "lon": _TOWN[1], "limit": 2}
    record("v1_1_search_restaurants", query="mcdonalds", **near)
    refuse("v1_1_search_restaurants", 400, lat=None)
    record("v1_1_search_menus", query="cheeseburger", **near | {"limit": 1})
    refuse("v1_1_search_menus", 400, lat=None)
    for fix in ("v1_1_fix_scan", "v1_1_fix_scan_at_older_path"):
        record(fix, x_partner_user_id=user)
        refuse(fix, 400, {**(BY_ID[fix].example or {}), "detections": []})
        refuse(fix, 404, _with_detection(fix, 999999))
    log_id = record("v1_1_log_foods", x_partner_user_id=user)["id"]
    refuse("v1_1_log_foods", 400, {"foods": []})
    refuse("v1_1_log_foods", 404, _with_food("v1_1_log_foods", 999999))
    record("v1_1_list_logs", x_partner_user_id=user, start="2026-01-05", end="2026-01-05")
    refuse("v1_1_list_logs", 400, end="2026-01-04")
    record("v1_1_delete_log", x_partner_user_id=user, log_id=log_id)
    refuse("v1_1_delete_log", 400, x_partner_user_id=None)
    record("v1_1_delete_user", x_partner_user_id=user)
    refuse("v1_1_delete_user", 400, x_partner_user_id=None)


def record_version_1_2(recorder: Recorder) -> None:
    """Record all operations of version 1.2 except barcodes, which shipped foods do not have."""
    record, refuse, user = recorder.record, recorder.refuse, "user-1"
    record("v1_2_predict_glucose", include=",".join(INCLUDED))
    refuse("v1_2_predict_glucose", 400, _with_age("v1_2_predict_glucose", "user_profile"))
    refuse("v1_2_predict_glucose", 404, _with_food("v1_2_predict_glucose", "999999"))
    api = recorder.api
    wearer = Wearer(api.service.catalog, api.service.predictor, days=5)
    flat = [{**each, "value": 100} for each in wearer.new["cgm_data"]]
    history = {
        **(BY_ID["v1_2_predict_glucose"].example or {}),
        "start_time": wearer.next_morning.isoformat(),
    }
    refuse("v1_2_predict_glucose", 422, history | wearer.new | {"cgm_data": flat})

    record("v1_2_search_foods", query="banana", limit=1)
    refuse("v1_2_search_foods", 400, query=None)
    record("v1_2_autocomplete_foods", query="oatm", limit=2)
    refuse("v1_2_autocomplete_foods", 400, limit=21)
    record("v1_2_read_food", food_id="1848")
    refuse("v1_2_read_food", 400, food_id="oatmeal")
    refuse("v1_2_read_food", 404, food_id="999999")
    record("v1_2_food_alternatives", food_id="1848")
    refuse("v1_2_food_alternatives", 400, {"diet_preferences": ["carnivore"]})
    refuse("v1_2_food_alternatives", 404, food_id="999999")

    near = {"latitude": _TOWN[0], "longitude": _TOWN[1], "limit": 2}
    found = record("v1_2_search_restaurants", query="mcdonalds", **near)
    refuse("v1_2_search_restaurants", 400, latitude=91)
    record("v1_2_read_menu", restaurant_id=found["items"][0]["id"], limit=1)
    refuse("v1_2_read_menu", 400, limit=501)
    record("v1_2_search_menu_items", query="cheeseburger", **near | {"limit": 1})
    refuse("v1_2_search_menu_items", 400, query=None)

    record("v1_2_search_literature")
    refuse("v1_2_search_literature", 400, {"query": ""})

    record("v1_2_scan_text")
    refuse("v1_2_scan_text", 400, {"text": ""})
    correct = "v1_2_correct_food_scan"
    record(correct)
    refuse(correct, 400, {**(BY_ID[correct].example or {}), "detections": []})
    refuse(correct, 404, _with_detection(correct, "999999"))

    create = "v1_2_create_food_log"
    log_id = record(create, Service_End_User_ID=user, Idempotency_Key="breakfast-1")["id"]
    refuse(create, 400, {"foods": []}, Idempotency_Key=None)
    refuse(create, 404, _with_food(create, "999999"), Idempotency_Key=None)
    refuse(create, 422, {**(BY_ID[create].example or {}), "name": "Lunch"})
    with claimed(recorder.api):
        refuse(create, 409)
    days = {"start": "2026-01-05", "end": "2026-01-05", "timezone": "America/New_York"}
    record("v1_2_list_food_logs", Service_End_User_ID=user, **days)
    refuse("v1_2_list_food_logs", 400, start="yesterday")
    for name in ("read", "change", "delete"):
        record(f"v1_2_{name}_food_log", Service_End_User_ID=user, log_id=log_id)
        refuse(f"v1_2_{name}_food_log", 400, Service_End_User_ID=None)
        if name != "delete":
            refuse(f"v1_2_{name}_food_log", 404, log_id=IDS[-1])

    record("v1_2_mint_client_token")
    refuse("v1_2_mint_client_token", 400, {"end_user_id": user, "ttl_second": 600})
    record("v1_2_revoke_client_tokens")
    refuse("v1_2_revoke_client_tokens", 400, {"end_user_id": ""})
    record("v1_2_read_credits")


def record_chat(recorder: Recorder) -> None:
    """Record the chat with all its errors, which have a format of their own."""
    chat = "v1_2_create_chat_completion"
    recorder.record(chat)
    file = recorder.files[chat]
    file["body"]["id"] = f"chatcmpl-{IDS[0].replace('-', '')}"
    example = BY_ID[chat].example or {}
    recorder.refuse(chat, 400, {**example, "model": "gpt-4"})
    spent = recorder.api.partner("spent", "starter", monthly_credits=0)
    sent: dict[int, dict[str, Any]] = {
        401: {"headers": {"Authorization": "Bearer sk-unknown"}},
        403: {"headers": {"Authorization": f"Bearer {recorder.partner.keys['v1.1']}"}},
        413: {"content": b"[" * (LARGEST_BODY + 1), "headers": JSON},
        415: {"content": "{}", "headers": {"Content-Type": "text/plain"}},
        429: {"headers": spent.headers(BY_ID[chat].path)},
    }
    for status, options in sent.items():
        response = recorder.send(chat, {}, **options)
        assert response.status_code == status, response.text
        file["errors"][str(status)] = response.json()
    failures = {
        500: RuntimeError("not expected"),
        502: CatalogError("unreachable", ""),
        503: CatalogError("damaged", ""),
        504: CatalogError("too slow", ""),
    }
    for status, error in failures.items():
        with patch.object(Chat, "answer", side_effect=error):
            recorder.refuse(chat, status)


def record_errors(recorder: Recorder) -> None:
    """Record the errors common to all operations, one for each status and version."""
    refuse = recorder.refuse_any
    for version, other in (("v1_1", "v1.2"), ("v1_2", "v1.1")):
        search = f"{version}_search_foods"
        query = {"query": "banana"}
        unknown = {"Authorization": "Bearer sk-unknown"}
        refuse(401, search, query, headers=unknown)
        wrong = {"Authorization": f"Bearer {recorder.partner.keys[other]}"}
        refuse(403, search, query, headers=wrong)
        create = "v1_1_create_user" if version == "v1_1" else "v1_2_mint_client_token"
        large = b"[" * (LARGEST_BODY + 1)
        refuse(413, create, {}, content=large, headers=JSON)
        with failing(RuntimeError("not expected")):
            refuse(500, search, query)
        with failing(CatalogError("damaged", "")):
            refuse(503, search, query)
    refuse(406, "v1_1_search_foods", query, headers={"Accept": "text/html"})
    text = {"Content-Type": "text/plain"}
    refuse(415, "v1_2_mint_client_token", {}, content="{}", headers=text)
    with failing(CatalogError("unreachable", "")):
        refuse(502, "v1_2_search_foods", query)
    with failing(CatalogError("too slow", "")):
        refuse(504, "v1_2_search_foods", query)


@contextmanager
def failing(error: Exception) -> Iterator[None]:
    """Make all food searches fail."""
    with patch.object(Foods, "search", side_effect=error):
        yield


@contextmanager
def claimed(api: Api) -> Iterator[None]:
    """Make every Idempotency-Key look as if its first request were still in progress."""
    column = idempotency.c
    with api.service.database.writing() as connection:
        rows = connection.execute(idempotency.select()).all()
        connection.execute(update(idempotency).values(answer=None, food_log_id=None))
    yield
    with api.service.database.writing() as connection:
        for row in rows:
            kept = {"answer": row.answer, "food_log_id": row.food_log_id}
            connection.execute(update(idempotency).where(column.key == row.key).values(**kept))


def _with_age(operation_id: str, profile: str) -> dict[str, Any]:
    example = BY_ID[operation_id].example or {}
    return {**example, profile: {**example[profile], "age": 200}}


def _with_food(operation_id: str, food_id: Any) -> dict[str, Any]:
    example = BY_ID[operation_id].example or {}
    return {**example, "foods": [{**example["foods"][0], "id": food_id}]}


def _with_detection(operation_id: str, food_id: Any) -> dict[str, Any]:
    """Return the example with a food that does not exist and whose weight is not given."""
    example = BY_ID[operation_id].example or {}
    detection = example["detections"][0]
    serving = {"id": 1, "quantity": 1, "unit": "cup"}
    food = {**detection["food"], "id": food_id, "servings": [serving]}
    return {**example, "detections": [{**detection, "food": food}]}


def text_of(content: Any) -> str:
    """Format the content of a file as JSON."""
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    return text.replace(str(LARGEST_BODY), LARGEST_BODY_NAME)


def main() -> None:
    """Rewrite the files."""
    with TemporaryDirectory() as folder:
        files = recorded(Path(folder))
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, content in files.items():
        (FOLDER / f"{name}.json").write_text(text_of(content), encoding="utf-8")
    print(f"{len(files)} files in {FOLDER}")


if __name__ == "__main__":
    main()
