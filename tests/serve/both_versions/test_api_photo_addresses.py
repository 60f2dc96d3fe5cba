"""Photos at URLs, which the service fetches by HTTP from a host of pictures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from api_client import Api, assert_refused
from hostile_pictures import HOSTILE
from photos import barcode_photo, data_uri
from products import COLA, COLA_FOOD
from upstream_server import UpstreamServer

from postmeal_serve.upstreams.picture_address import PictureAddress

SCAN, OLD_SCAN = "/v1.2/food-scans/photo", "/v1.1/vision/foods"
CORRECT = "/v1.2/food-scans/corrections"
BOMBS = ("png that claims 3,600 megapixels", "png of 41 megapixels", "gif of 20,000 frames")
PICTURES = {
    "cola.jpg": barcode_photo(COLA),
    "cola.png": barcode_photo(COLA, "PNG"),
    "moving.gif": HOSTILE["animated gif"][0](),
    "half.jpg": HOSTILE["half a jpeg"][0](),
    **{name.replace(" ", "-"): HOSTILE[name][0]() for name in BOMBS},
}


@pytest.fixture(scope="module")
def host() -> Iterator[UpstreamServer]:
    with UpstreamServer(pictures=PICTURES) as server:
        yield server


@contextmanager
def served(shop: Api, host: UpstreamServer, name: str, **options: Any) -> Iterator[Api]:
    """Start the service, which may fetch from the port of the host."""
    folder = shop.settings.state_dir.parent / name
    create = partial(PictureAddress, ports=(80, 443, host.port), **options)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("postmeal_serve.upstreams.clients.PictureAddress", create)
        with Api(folder, food_table=shop.settings.food_table) as api:
            yield api


@pytest.fixture(scope="module")
def online(shop: Api, host: UpstreamServer) -> Iterator[Api]:
    """A service for which the host, at pictures.example, belongs to the public Internet."""

    async def resolve(name: str, port: int) -> list[str]:
        return ["127.0.0.1"] if name == "pictures.example" else []

    allow_host = {"resolve": resolve, "is_allowed": lambda address: address == "127.0.0.1"}
    with served(shop, host, "online", **allow_host) as api:
        yield api


@pytest.fixture(scope="module")
def guarded(shop: Api, host: UpstreamServer) -> Iterator[Api]:
    """A service for which the host is what it is: an address of this machine."""
    with served(shop, host, "guarded") as api:
        yield api


def address(host: UpstreamServer, name: str, machine: str = "pictures.example") -> str:
    return f"http://{machine}:{host.port}/pictures/{name}"


def old_scan(api: Api, **body: Any) -> Any:
    return api.post(OLD_SCAN, json=body, headers={"x-partner-user-id": "u-urls"})


@pytest.mark.parametrize("name", ["cola.jpg", "cola.png"])
def test_a_photo_at_a_url_is_scanned_as_its_bytes_are(online, host, name):
    """Rows 254, 255, 373: fetched once by each version."""
    host.asked.clear()
    url = address(host, name)
    answer = online.post(SCAN, json={"image": url})
    assert answer.status_code == 200, answer.text
    kind = "png" if name.endswith("png") else "jpeg"
    sent = online.post(SCAN, json={"image": data_uri(PICTURES[name], kind)})
    assert answer.json() == sent.json()
    old = old_scan(online, photoUrl=url)
    assert old.status_code == 200, old.text
    assert set(old.json()) == {"mealName", "totalNutrients", "detections"}
    [detection] = old.json()["detections"]
    assert (detection["food"]["id"], detection["confidenceScore"]) == (COLA_FOOD.id, "high")
    assert [asked.path for asked in host.asked] == [f"/pictures/{name}"] * 2


def test_the_url_wins_over_content_that_is_another_photo(online, host):
    """Row 376."""
    blank = data_uri(barcode_photo("012345678905"))
    scan = old_scan(online, photoUrl=address(host, "cola.jpg"), photoBase64=blank)
    assert scan.json()["mealName"] == "Cola"
    assert old_scan(online, photoBase64=blank).json()["detections"] == []


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("moving.gif", "image_format_unsupported"),
        ("half.jpg", "image_corrupt"),
        ("missing.jpg", "image_unreachable"),
    ],
)
def test_a_file_at_a_url_that_is_no_photo_has_its_code(online, host, name, code):
    """Rows 259, 260, 261, 379."""
    answer = online.post(SCAN, json={"image": address(host, name)})
    assert_refused(answer, 400, "image")
    assert answer.json()["code"] == code
    assert_refused(old_scan(online, photoUrl=address(host, name)), 400, "photoUrl")


@pytest.mark.parametrize("machine", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
def test_a_photo_on_the_machine_of_the_service_is_not_fetched(guarded, host, machine):
    """Rows 261, 381: although it is there, no connection is made."""
    host.asked.clear()
    url = address(host, "cola.jpg", machine)
    answer = guarded.post(SCAN, json={"image": url})
    assert_refused(answer, 400, "image")
    assert answer.json()["code"] == "image_unreachable"
    assert_refused(old_scan(guarded, photoUrl=url), 400, "photoUrl")
    assert host.asked == []


@pytest.mark.parametrize("name", BOMBS)
def test_a_picture_that_would_fill_the_memory_is_refused_by_both_versions(online, host, name):
    """Rows 262, 381: at a URL, where no limit of the request body applies, and as content."""
    url, uri = address(host, name.replace(" ", "-")), data_uri(HOSTILE[name][0](), "png")
    if "gif" in name:
        uri = uri.replace("image/png", "image/gif")
    for image in (url, uri):
        assert_refused(online.post(SCAN, json={"image": image}), 400, "image")
    assert_refused(old_scan(online, photoUrl=url), 400, "photoUrl")
    assert_refused(old_scan(online, photoBase64=uri), 400, "photoBase64")


def test_the_detections_of_a_photo_are_corrected_in_words(online, host):
    """Rows 254, 266, 267, 269: as a scan returned them; unknown nutrients become zero."""
    scan = online.post(SCAN, json={"image": address(host, "cola.jpg")}).json()
    body = {"detections": scan["detections"], "user_input": "I drank half of it",
            "meal_name": scan["meal_name"]}  # fmt: skip
    answer = online.post(CORRECT, json=body)
    assert answer.status_code == 200, answer.text
    corrected = answer.json()
    assert (corrected["meal_name"], corrected["unread"]) == ("Cola", [])
    [before], [after] = scan["detections"], corrected["detections"]
    for name, amount in after["food"]["nutrients"].items():
        whole = before["food"]["nutrients"].get(name, {"value": 0})["value"]
        assert amount["value"] == pytest.approx(whole / 2, abs=0.01)
    assert after["food"]["nutrients"]["carbohydrates"]["value"] > 18
    assert after["food"]["servings"][0]["weight_grams"] == 177.5
    assert corrected["total_nutrients"] == after["food"]["nutrients"]
