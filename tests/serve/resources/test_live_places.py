"""Restaurants that no places file has, asked for at an Overpass API: real servers."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from api_client import Api, VirtualClock
from sqlalchemy import func, select
from stopwatch import Stopwatch
from upstream_server import FAULTS, UpstreamServer, areas_of

from postmeal.restaurants.compile import compile_places
from postmeal.restaurants.place import Place
from postmeal_serve.resources.cells import cell_at
from postmeal_serve.runtime.logs import write_pending_lines
from postmeal_serve.storage.tables import live_cell, live_place

HERE = 60.17, 24.94
Starter = Callable[..., Api]


def node(number: int, name: str, north_m: float = 0.0, **tags: str) -> dict[str, Any]:
    """An element of the Overpass API, so many meters north of the point."""
    tags = {"amenity": "restaurant", "name": name, **{k.replace("_", ":"): tags[k] for k in tags}}
    latitude = HERE[0] + north_m / 111_195
    return {"type": "node", "id": number, "lat": latitude, "lon": HERE[1], "tags": tags}


def way(number: int, name: str, north_m: float = 0.0) -> dict[str, Any]:
    found = node(number, name, north_m)
    center = {"lat": found.pop("lat"), "lon": found.pop("lon")}
    return {**found, "type": "way", "center": center, "nodes": [1, 2, 3]}


ELEMENTS = [
    node(1, "McDonald's", 300, addr_city="Helsinki", addr_street="Demotie"),
    node(2, "Ravintola Kuusi", 100),
    way(3, "Kahvila Kuusi", 4000),
    node(4, "Kuusi Pankki", 50) | {"tags": {"amenity": "bank", "name": "Kuusi Pankki"}},
    node(5, "", 20),
]


@pytest.fixture
def outside() -> Iterator[UpstreamServer]:
    with UpstreamServer(elements=ELEMENTS) as server:
        yield server


@pytest.fixture
def started(tmp_path: Path, outside: UpstreamServer) -> Iterator[Starter]:
    """Starts the service with live places."""
    running: list[Api] = []

    def start(clock: VirtualClock | None = None, **more: Any) -> Api:
        given = {"live_places_url": f"{outside.address}/api", "live_places_within_s": 20}
        running.append(Api(tmp_path, clock, **(given | more)))
        return running[-1].__enter__()

    yield start
    for api in running:
        api.__exit__()


def near(api: Api, query: str, at: tuple[float, float] = HERE, **more: Any) -> list[dict]:
    sent = {"query": query, "latitude": at[0], "longitude": at[1], **more}
    answer = api.get("/v1.2/restaurants", params=sent)
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


def ids(found: list[dict]) -> list[str]:
    return [item["id"] for item in found]


def wait_until(is_true: Callable[[], bool]) -> None:
    for _ in range(200):
        if is_true():
            return
        time.sleep(0.05)
    raise AssertionError("not within 10 s")


def counted(api: Api) -> tuple[int, int]:
    """How many cells and places are stored."""
    with api.service.database.reading() as connection:
        cells, places = (
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (live_cell, live_place)
        )
    return cells, places


def test_restaurants_that_no_file_has_are_found_nearest_first(started):
    api = started()
    nearest, farther = near(api, "kuusi")
    assert (nearest["id"], farther["id"]) == ("osm-n2", "osm-w3")
    assert nearest["distance_meters"] == pytest.approx(100, abs=1)
    assert farther["distance_meters"] == pytest.approx(4000, rel=0.01)
    [chain] = near(api, "mac donalds")
    assert (chain["id"], chain["is_chain"], chain["city"]) == ("osm-n1", True, "Helsinki")
    assert ids(near(api, "kuusi", radius_meters=1000)) == ["osm-n2"]
    assert ids(near(api, "kuusi", limit=1)) == ["osm-n2"]
    assert counted(api) == (11, 3)


def test_dishes_and_menus_of_a_live_place_are_those_of_its_chain(started):
    api = started()
    sent = {"query": "big mac", "latitude": HERE[0], "longitude": HERE[1]}
    item = api.get("/v1.2/menu-items", params=sent).json()["items"][0]
    assert item["restaurant_name"] == "McDonald's"
    assert item["distance_meters"] == pytest.approx(300, abs=1)
    menu = api.get("/v1.2/restaurants/osm-n1/menu-items", params={"limit": 500}).json()["items"]
    expected = api.service.restaurants.places.near("mcdonalds", 45.0, -40.0)[0].place.id
    demo = api.get(f"/v1.2/restaurants/{expected}/menu-items", params={"limit": 500})
    assert menu == demo.json()["items"]
    assert len(menu) == 64
    page = api.get("/v1.2/restaurants/osm-n1/menu-items", params={"limit": 5, "offset": 60})
    assert page.json()["items"] == menu[60:65]
    assert api.get("/v1.2/restaurants/osm-n2/menu-items").json()["items"] == []
    assert api.get("/v1.2/restaurants/osm-n999/menu-items").json()["items"] == []
    assert api.get(f"/v1.2/foods/{item['id']}").status_code == 200


def test_version_1_1_finds_live_places_and_their_dishes(started):
    api = started()
    sent = {"query": "", "lat": HERE[0], "lon": HERE[1]}
    found = api.get("/v1.1/search/restaurants", params=sent).json()["items"]
    assert ids(found) == ["osm-n2", "osm-n1", "osm-w3"]
    dishes = api.get("/v1.1/search/restaurants", params=sent | {"query": "big mac"}).json()["items"]
    assert {item["restaurant_name"] for item in dishes} == {"McDonald's"}
    everywhere = api.get("/v1.1/search/restaurants", params={"query": "kuusi"}).json()["items"]
    assert everywhere == []


def test_only_whole_cells_leave_the_machine(started, outside):
    """The position, the query and the user are not sent."""
    api = started()
    near(api, "secret dish", (60.171234, 24.943456))
    near(api, "secret dish", (60.160001, 25.030001))
    [asked] = outside.asked
    cell = cell_at(*HERE)
    assert set(asked.query) == {"data"}
    assert asked.method == "GET"
    assert "authorization" not in asked.headers
    assert asked.headers["user-agent"].startswith("postmeal/")
    expected = [tuple(round(x, 6) for x in each.bounds) for each in cell.neighborhood()]
    assert areas_of(asked.query["data"]) == expected
    for text in ("secret", "60.17123", "24.94345"):
        assert text not in json.dumps([asked.query, asked.headers])


def test_a_cell_is_asked_for_once_also_after_a_restart(started, outside, tmp_path):
    first = near(started(), "kuusi")
    assert near(started(), "kuusi") == first
    assert len(outside.asked) == 1


def test_a_point_in_the_next_cell_asks_only_for_cells_that_are_not_stored(started, outside):
    api = started()
    near(api, "kuusi")
    near(api, "kuusi", (HERE[0] + 0.05, HERE[1]))
    first, second = (areas_of(asked.query["data"]) for asked in outside.asked)
    assert not {*first} & {*second}
    assert len(second) < len(first)


def test_many_requests_at_once_share_one_request(started, outside):
    outside.delay_s = 0.3
    api = started()
    with ThreadPoolExecutor(8) as clients:
        found = list(clients.map(lambda _: ids(near(api, "kuusi")), range(8)))
    assert found == [["osm-n2", "osm-w3"]] * 8
    assert len(outside.asked) == 1


def test_cells_of_the_file_are_never_asked_for(started, outside, tmp_path):
    file = tmp_path / "some.places"
    compile_places([Place("mine-1", "Kuusi Oma", HERE[0], HERE[1])], file)
    api = started(places=file)
    assert ids(near(api, "kuusi")) == ["mine-1", "osm-w3"]
    [asked] = outside.asked
    own = tuple(round(x, 6) for x in cell_at(*HERE).bounds)
    assert own not in areas_of(asked.query["data"])
    assert len(areas_of(asked.query["data"])) == 10


def test_a_place_of_the_file_is_not_returned_twice(started, tmp_path):
    """A building on a border: the file has its corners' mean, the API its bounding box's center."""
    border = cell_at(*HERE).bounds.north
    file = tmp_path / "some.places"
    compile_places([Place("osm-w3", "Kahvila Kuusi", border - 0.0001, HERE[1])], file)
    api = started(places=file)
    assert ids(near(api, "kahvila")) == ["osm-w3"]


def test_outdated_cells_are_fetched_again_in_the_background(started, outside):
    clock = VirtualClock()
    api = started(clock, live_places_days=3)
    near(api, "kuusi")
    outside.elements = [node(2, "Ravintola Kuusi", 100), node(9, "Uusi Kuusi", 10)]
    clock.advance(timedelta(days=2).total_seconds())
    assert ids(near(api, "kuusi")) == ["osm-n2", "osm-w3"]
    assert len(outside.asked) == 1
    clock.advance(timedelta(days=2).total_seconds())
    near(api, "kuusi")
    wait_until(lambda: counted(api) == (11, 2))
    clock.advance(61)
    assert ids(near(api, "kuusi")) == ["osm-n9", "osm-n2"]
    assert len(outside.asked) == 2


def test_a_failure_of_the_source_is_the_answer_of_the_file(started, outside):
    """Neither an error nor a stored cell; after the pause, the source is asked again."""
    clock = VirtualClock()
    api = started(clock)
    for fault in [*sorted({*FAULTS} - {"another product"}), "429", "remark"]:
        if fault == "unreachable":
            outside.stop()
        outside.fault = "" if fault == "remark" else fault
        outside.remark = "runtime error: Query timed out" if fault == "remark" else ""
        outside.asked.clear()
        assert near(api, "kuusi") == near(api, "kuusi") == [], fault
        assert len(near(api, "demo", (45.0, -40.0))) > 1
        assert counted(api) == (0, 0)
        assert len(outside.asked) == (fault != "unreachable")
        if fault == "unreachable":
            outside.start()
        clock.advance(11)
    outside.fault = outside.remark = ""
    assert ids(near(api, "ravintola kuusi")) == ["osm-n2"]
    clock.advance(11)
    assert ids(near(api, "kuusi")) == ["osm-n2", "osm-w3"]


@pytest.mark.parametrize("fault", ["silence", "dripping"])
def test_a_slow_source_delays_a_request_only_until_its_deadline(started, outside, fault):
    outside.fault = fault
    api = started(live_places_within_s=0.5)
    with Stopwatch() as watch:
        assert near(api, "kuusi") == []
    assert 0.2 < watch.elapsed_s < 3
    with Stopwatch() as watch:  # the pause after the failure: nothing is waited for
        assert near(api, "kuusi", (40.0, 20.0)) == []
    assert watch.elapsed_s < 0.5


def test_an_answer_after_the_deadline_is_used_by_the_next_request(started, outside):
    outside.delay_s = 1.0
    clock = VirtualClock()
    api = started(clock, live_places_within_s=0.2)
    assert near(api, "kuusi") == []
    wait_until(lambda: counted(api)[0] > 0)
    clock.advance(11)
    assert ids(near(api, "kuusi")) == ["osm-n2", "osm-w3"]
    assert len(outside.asked) == 1


def test_a_neighborhood_that_is_too_large_is_fetched_cell_by_cell(started, outside, monkeypatch):
    monkeypatch.setattr("postmeal_serve.upstreams.clients.MAX_BYTES", 1000)
    outside.elements = [node(1, "Kuusi"), node(2, "Toinen Kuusi " + "x" * 900, 6000)]
    clock = VirtualClock()
    api = started(clock)
    assert near(api, "kuusi") == []
    clock.advance(11)
    assert ids(near(api, "kuusi")) == ["osm-n1"]
    assert len(areas_of(outside.asked[-1].query["data"])) == 1


def test_what_a_stranger_wrote_is_text_or_left_out(started, outside):
    outside.elements = [
        node(1, "<script>alert(1)</script>Kuusi\u202e Café", addr_city="<b>Helsinki</b>"),
        node(2, "Kuusi" * 400),
        node(-3, "Kuusi negative"),
        node(4, "Kuusi") | {"id": "4"},
        node(5, "Kuusi") | {"id": 10**80},
        node(6, "<i></i>"),
        node(7, "Kuusi") | {"tags": ["amenity"]},
        node(8, "Kuusi") | {"type": "area"},
        {"type": "node", "id": 9, "tags": {"amenity": "cafe", "name": "Kuusi nowhere"}},
    ]
    outside.answer = lambda asked: (200, {"elements": outside.elements})
    [first, *others] = near(started(), "kuusi", limit=100)
    assert first["id"] == "osm-n1"
    assert first["name"] == "alert(1) Kuusi Café"
    assert first["city"] == "Helsinki"
    assert others == []  # The long name is cut to a single long word.


def test_an_element_beyond_the_cells_is_left_to_its_own_cell(started, outside):
    outside.elements = [node(1, "Kuusi", 50_000)]
    api = started()
    outside.answer = lambda asked: (200, {"elements": outside.elements})
    assert near(api, "kuusi", radius_meters=50_000) == []
    assert counted(api)[1] == 0


def test_the_allowance_of_a_day_is_respected(started, outside):
    api = started(live_places_per_day=10)
    for degrees in range(5):
        near(api, "kuusi", (10.0 + degrees, 20.0))
    assert len(outside.asked) == 1


def test_by_default_nothing_is_asked(started, outside):
    api = started(live_places_url=None)
    assert near(api, "kuusi") == []
    assert api.get("/v1.2/restaurants/osm-n1/menu-items").json()["items"] == []
    assert outside.asked == []
    assert counted(api) == (0, 0)


def test_no_position_is_in_a_log(started, outside, caplog, capfd):
    caplog.set_level("INFO")
    api = started(log_level="info")
    for fault in ("500", "garbage", ""):
        outside.fault = fault
        near(api, "kuusi", (60.171234, 24.943456))
    write_pending_lines()
    said = caplog.text + "".join(capfd.readouterr())
    assert "/v1.2/restaurants" in said
    for text in ("60.1", "24.9", "kuusi"):
        assert text not in said
