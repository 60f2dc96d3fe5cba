"""Nobody waits for a question about foods that takes long, nor for the first one."""

import threading
import time
from pathlib import Path

import pytest
from real_server import RealServer

from postmeal.foods.alternatives import alternatives
from postmeal.foods.alternatives.pool import pool_of
from postmeal.foods.catalog import Catalog
from postmeal_serve.loaded.food_catalog import warm

QUESTIONS = (
    "/v1.2/foods?query=banana&offset=3",
    "/v1.2/foods/autocomplete?query=ban",
    "/v1.1/search/foods?query=banana",
)


@pytest.fixture
def threads(monkeypatch):
    """Names of the threads on which foods are searched, suggested and compared."""
    seen: list[str] = []

    def noting(work):
        def noted(*args, **options):
            seen.append(threading.current_thread().name)
            return work(*args, **options)

        return noted

    monkeypatch.setattr(Catalog, "search", noting(Catalog.search))
    monkeypatch.setattr(Catalog, "suggest", noting(Catalog.suggest))
    monkeypatch.setattr("postmeal_serve.resources.alternatives.alternatives", noting(alternatives))
    return seen


def test_a_large_catalogue_is_never_searched_on_the_event_loop(api, monkeypatch, threads):
    quick = [api.get(question).json() for question in QUESTIONS]
    assert not any(name.startswith("offload-io") for name in threads)
    threads.clear()
    monkeypatch.setattr("postmeal_serve.resources.food_choices._LARGE_CATALOG", 100)
    assert [api.get(question).json() for question in QUESTIONS] == quick
    assert len(threads) == len(QUESTIONS)
    assert all(name.startswith("offload-io") for name in threads)


def test_alternatives_are_never_found_on_the_event_loop(api, threads):
    assert api.post("/v1.2/foods/2159/alternatives", json={}).status_code == 200
    assert all(name.startswith("offload_") for name in threads if name)
    assert threads


def test_what_the_first_caller_would_wait_for_is_made(catalog: Catalog, monkeypatch):
    warm(catalog)
    monkeypatch.setattr(Catalog, "foods", None)
    monkeypatch.setattr(Catalog, "listed", None)
    assert pool_of(catalog) is pool_of(catalog)


@pytest.mark.reliability
def test_a_service_makes_it_as_soon_as_it_listens(tmp_path: Path):
    with RealServer(tmp_path) as server:
        for _ in range(3000):
            if server.lines("catalog caches built"):
                return
            time.sleep(0.1)
        raise AssertionError(server.log())
