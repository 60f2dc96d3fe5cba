"""Nobody waits for a question about foods that takes long, nor for the first one."""

import asyncio
import time
from pathlib import Path

import pytest
from real_server import RealServer

from postmeal.foods.alternatives.pool import pool_of
from postmeal.foods.catalog import Catalog
from serve.alternatives import find_alternatives
from serve.aside import WouldWait
from serve.foods import Foods
from serve.warming import warm

QUESTIONS = (
    "/v1.2/foods?query=banana&offset=3",
    "/v1.2/foods/autocomplete?query=ban",
    "/v1.1/search/foods?query=banana",
)


def test_a_large_catalogue_is_never_searched_on_the_event_loop(api, monkeypatch):
    quick = [api.get(question).json() for question in QUESTIONS]
    monkeypatch.setattr("serve.foods._MANY", 100)
    assert [api.get(question).json() for question in QUESTIONS] == quick
    foods: Foods = api.service.foods

    async def search() -> None:
        foods.search("banana", None, 10)

    async def suggest() -> None:
        foods.suggest("ban", None, 10)

    for work in (search, suggest):
        with pytest.raises(WouldWait):
            asyncio.run(work())


def test_alternatives_are_never_found_on_the_event_loop(api):
    async def find() -> None:
        find_alternatives(api.service, 2159, [], [])

    with pytest.raises(WouldWait):
        asyncio.run(find())


def test_what_the_first_caller_would_wait_for_is_made(catalog: Catalog, monkeypatch):
    warm(catalog)
    monkeypatch.setattr(Catalog, "foods", None)
    monkeypatch.setattr(Catalog, "listed", None)
    assert pool_of(catalog) is pool_of(catalog)


def test_a_service_makes_it_as_soon_as_it_listens(tmp_path: Path):
    with RealServer(tmp_path) as server:
        for _ in range(3000):
            if server.lines("the catalogue is laid out"):
                return
            time.sleep(0.1)
        raise AssertionError(server.log())
