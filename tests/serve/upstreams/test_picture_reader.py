"""Photos that a vision model reads: it names foods and grams, and the catalog says the rest."""

import asyncio
import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile_pictures import HOSTILE, encoded, fresh_noise
from photos import barcode_photo, data_uri
from products import COLA, catalogue_of_products
from pydantic import ValidationError
from upstream_server import FAULTS, UpstreamServer

from postmeal import Catalog
from postmeal.foods.language import read_meal
from postmeal.scans import Scan
from postmeal_serve.resources.photo_scans import GivenPhoto
from postmeal_serve.service import Service
from postmeal_serve.settings import Settings
from postmeal_serve.wire.errors import Refusal

KEY = "sk-model-0123456789abcdef"
SEEN = [{"food": "white rice", "grams": 150}, {"food": "banana", "grams": 118.5}]
PHOTO = encoded(fresh_noise(), "JPEG")
WORKING = [fault for fault in FAULTS if fault != "another product"]


@pytest.fixture
def model() -> Iterator[UpstreamServer]:
    with UpstreamServer(reply=lambda content: json.dumps({"foods": SEEN})) as server:
        yield server


def service_with(model: UpstreamServer, folder: Path, **more: Any) -> Service:
    given = {"picture_reader_model": "seeing", "picture_reader_key": KEY}
    given |= {"picture_reader_url": f"{model.address}/v1/", "state_dir": folder}
    return Service(Settings(**given | {"picture_reader_within_s": 5} | more))


def scanned(service: Service, photo: bytes = PHOTO) -> Scan:
    async def scan() -> Scan:
        async with service.running():
            return await service.photos.scan(GivenPhoto(data=photo), "a key", field="image")

    return asyncio.run(scan())


def refused(service: Service) -> Refusal:
    with pytest.raises(Refusal) as caught:
        scanned(service)
    return caught.value


def test_the_model_names_foods_and_the_catalog_says_what_they_hold(model, tmp_path, catalog):
    scan = scanned(service_with(model, tmp_path))
    expected = [
        read_meal(said, catalog).detections[0].selection.food
        for said in ("150 g white rice", "118.5 g banana")
    ]
    assert [food.food for food in scan.foods] == expected
    assert [food.grams for food in scan.foods] == pytest.approx([150, 118.5])
    assert {food.confidence for food in scan.foods} == {"low"}
    (asked,) = model.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body["model"] == "seeing"


@pytest.mark.reliability
def test_the_picture_is_sent_without_its_place(model, tmp_path):
    """Row 263."""
    draw, _ = HOSTILE["jpeg with a place"]
    scanned(service_with(model, tmp_path), draw())
    (part,) = model.asked[0].body["messages"][-1]["content"]
    sent = base64.b64decode(part["image_url"]["url"].removeprefix("data:image/jpeg;base64,"))
    assert sent.startswith(b"\xff\xd8\xff")
    assert b"Exif" not in sent
    assert sent not in draw()


def test_a_barcode_of_the_catalog_is_not_sent(model, tmp_path):
    service = service_with(model, tmp_path, food_table=catalogue_of_products(tmp_path))
    (food,) = scanned(service, barcode_photo(COLA)).foods
    assert (food.name, food.confidence, food.source) == ("Cola", "high", "barcode")
    assert model.asked == []


@pytest.mark.sampled
@pytest.mark.parametrize("fault", WORKING)
def test_a_model_that_fails_is_502_and_never_the_local_model(model, tmp_path, fault):
    """Row 15, R12."""
    if fault == "unreachable":
        model.stop()
    model.fault = fault
    assert refused(service_with(model, tmp_path)).status == 502


@pytest.mark.sampled
@pytest.mark.parametrize(("fault", "status"), [("silence", 504), ("dripping", 504), ("429", 503)])
def test_a_model_that_is_slow_is_504_and_a_busy_one_503(model, tmp_path, fault, status):
    model.fault = fault
    refusal = refused(service_with(model, tmp_path, picture_reader_within_s=0.3))
    assert refusal.status == status
    assert ("Retry-After" in refusal.headers) == (status == 503)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, I cannot help with that.", "", "[]", "{}", '{"foods": 7}', "[" * 100_000,
        '{"foods": ["banana"]}', '{"foods": [{"food": "banana"}]}',
        '{"foods": [{"food": "banana", "grams": "118"}]}',
        '{"foods": [{"food": "banana", "grams": -1}]}',
        '{"foods": [{"food": "banana", "grams": 1e308}]}',
        '{"foods": [{"food": "banana", "grams": NaN}]}',
        '{"foods": [{"food": "' + "b" * 81 + '", "grams": 1}]}',
        json.dumps({"foods": [SEEN[0]] * 41}),
    ],
    ids=lambda reply: reply[:40],
)  # fmt: skip
def test_a_reply_without_names_and_grams_is_502(model, tmp_path, reply):
    """S9."""
    model.reply = lambda content: reply
    assert refused(service_with(model, tmp_path)).status == 502


@pytest.mark.reliability
def test_a_photo_without_food_gives_an_empty_scan(model, tmp_path):
    model.reply = lambda content: '```json\n{"foods": []}\n```'
    assert scanned(service_with(model, tmp_path)).foods == ()


@pytest.mark.reliability
def test_a_name_of_no_food_is_left_out(model, tmp_path):
    foods = [{"food": "xyzzy quux", "grams": 9}, {"food": "…", "grams": 9}, SEEN[1]]
    model.reply = lambda content: json.dumps({"foods": foods})
    scan = scanned(service_with(model, tmp_path))
    assert [round(food.grams, 1) for food in scan.foods] == [118.5]
    assert scan.may_hold_more


@pytest.mark.reliability
def test_a_model_that_obeys_a_picture_changes_the_foods_alone(model, tmp_path, catalog: Catalog):
    """S9: ids, nutrients, tools and markup of the reply are ignored."""
    model.reply = lambda content: json.dumps({
        "foods": [{"food": "<b>banana</b>; DROP TABLE food_log", "grams": 100, "id": 1,
                   "nutrients": {"carbs_g": 0}}],
        "tool_calls": [{"name": "delete_user"}],
    })  # fmt: skip
    scan = scanned(service_with(model, tmp_path))
    assert all(food.food is catalog.food(food.food.id) or food.food == catalog.food(food.food.id)
               for food in scan.foods if food.food)  # fmt: skip
    assert scan.meal_name is None


@pytest.mark.reliability
def test_neither_photo_nor_key_is_in_a_log(model, tmp_path, caplog):
    caplog.set_level("DEBUG")
    for model.fault in ("", "garbage", "500"):
        service = service_with(model, tmp_path)
        if model.fault:
            refused(service)
        else:
            scanned(service)
    assert data_uri(PHOTO)[30:60] not in caplog.text
    assert KEY not in caplog.text


def test_the_model_needs_a_name():
    with pytest.raises(ValidationError, match="POSTMEAL_PICTURE_READER_MODEL must be set as well"):
        Settings(picture_reader_url="http://127.0.0.1/v1")


def test_without_the_setting_nothing_is_asked(model, tmp_path):
    service = Service(Settings(state_dir=tmp_path))
    assert service.upstreams.picture_reader is None
    service.close()
