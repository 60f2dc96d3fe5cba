"""The catalogue's file is replaced while it is served."""

from __future__ import annotations

import gc
import logging
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from api_client import Api
from pydantic import ValidationError
from stored_catalogs import FOODS, catalogue_of, generations

from postmeal.errors import CatalogError
from postmeal.foods.alternatives.pool import Pool, pool_of
from postmeal.foods.catalog import Catalog, ShippedName
from postmeal.foods.language import read_meal
from postmeal.foods.language.name_index import NameIndex, name_index
from postmeal_serve.loaded.food_catalog import ServedCatalog
from postmeal_serve.settings import Settings


def generation_of(catalog: Catalog | None) -> float:
    assert catalog is not None
    return catalog.food(100_000_000).nutrients["carbs_g"]


def test_a_file_that_is_replaced_is_served_and_the_one_before_closes_itself(tmp_path: Path):
    file = catalogue_of(1, tmp_path / "foods.sqlite3")
    catalogs = ServedCatalog(file=file)
    catalogs.load()
    before = catalogs.active
    assert before is not None
    catalogs.follow()
    assert catalogs.active is before
    catalogue_of(2, file)
    catalogs.follow()
    assert generation_of(catalogs.active) == 2
    assert generation_of(before) == 1  # for whoever still reads it
    closed = before.close
    assert closed.alive
    del before
    gc.collect()
    assert not closed.alive
    catalogs.close()


def test_until_the_next_catalogue_is_laid_out_the_one_before_is_served(tmp_path: Path, monkeypatch):
    """Whoever asked for alternatives or told a meal would wait, and all others behind them."""
    file = catalogue_of(1, tmp_path / "foods.sqlite3")
    catalogs = ServedCatalog(file=file)
    catalogs.load()
    catalogue_of(2, file)
    served: list[tuple[float, float]] = []

    def seen(catalog: Catalog) -> Pool:
        served.append((generation_of(catalogs.active), generation_of(catalog)))
        return pool_of(catalog)

    monkeypatch.setattr("postmeal_serve.loaded.food_catalog.pool_of", seen)
    catalogs.follow()
    assert served == [(1, 2)]
    assert generation_of(catalogs.active) == 2
    catalogs.close()


def test_meals_are_read_while_the_names_of_another_catalogue_are_laid_out(
    tmp_path: Path, monkeypatch
):
    one, other = (
        Catalog(catalogue_of(number, tmp_path / f"{number}.sqlite3")) for number in (1, 2)
    )
    read_meal("a biscuit", one)
    waited: list[bool] = []

    def index(listed: list[ShippedName]) -> NameIndex:
        reading = threading.Thread(target=read_meal, args=("a trial", one), daemon=True)
        reading.start()
        reading.join(10)
        waited.append(reading.is_alive())
        return name_index(listed)

    monkeypatch.setattr("postmeal.foods.language.matching.name_index", index)
    read_meal("a biscuit", other)
    assert waited == [False]


@pytest.mark.timeout(60)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_in_place_of_the_file_is_not_waited_at(tmp_path: Path):
    os.mkfifo(tmp_path / "foods.sqlite3")
    with pytest.raises(CatalogError, match="must be a regular file"):
        ServedCatalog(file=tmp_path / "foods.sqlite3").load()


def test_a_file_that_cannot_be_opened_leaves_the_one_before_and_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    file = catalogue_of(1, tmp_path / "foods.sqlite3")
    catalogs = ServedCatalog(file=file)
    catalogs.load()
    for damage in (b"", b"no catalogue at all", None):
        caplog.clear()
        if damage is None:
            file.unlink()
        else:
            (tmp_path / "new").write_bytes(damage)
            os.replace(tmp_path / "new", file)
        for _ in range(3):
            catalogs.follow()
        assert generation_of(catalogs.active) == 1
        assert catalogs.is_stale
        assert [record.levelno for record in caplog.records] == [logging.ERROR]
    catalogue_of(3, file)
    catalogs.follow()
    assert generation_of(catalogs.active) == 3
    assert not catalogs.is_stale
    catalogs.close()


def test_a_file_that_is_missing_at_the_start_is_served_when_it_comes(tmp_path: Path):
    catalogs = ServedCatalog(file=tmp_path / "foods.sqlite3")
    with pytest.raises(CatalogError):
        catalogs.load()
    assert catalogs.active is None
    catalogue_of(1, tmp_path / "foods.sqlite3")
    catalogs.follow()
    assert generation_of(catalogs.active) == 1
    catalogs.close()


def test_a_catalogue_whose_file_was_replaced_never_reads_the_other_one(tmp_path: Path):
    """Threads that find no free connection wait for one: another would read another file."""
    file = catalogue_of(1, tmp_path / "foods.sqlite3")
    catalog = Catalog(file)
    catalogue_of(2, file)
    together = threading.Barrier(8)

    def read(first: int) -> set[float]:
        together.wait()
        ids = range(100_000_000 + first, 100_000_000 + FOODS, 8)
        found = [catalog.food(number) for number in ids]
        found += catalog.search("biscuit", limit=50)
        return {food.nutrients["carbs_g"] for food in found}

    with ThreadPoolExecutor(8) as pool:
        assert set().union(*pool.map(read, range(8))) == {1.0}
    catalog.close()


def test_the_service_serves_a_compiled_catalogue_and_says_when_it_is_stale(tmp_path: Path):
    """Row 480."""
    file = catalogue_of(1, tmp_path / "foods.sqlite3")
    with Api(tmp_path / "service", catalog_file=file) as api:

        def foods() -> list[dict[str, object]]:
            found = api.get("/v1.2/foods?query=biscuit&limit=5")
            assert found.status_code == 200, found.text
            items = found.json()["items"]
            assert len(items) == 5
            return items

        assert generations(foods()) == {1}
        catalogue_of(2, file)
        api.service.catalogs.follow()
        assert generations(foods()) == {2}
        (tmp_path / "damaged").write_bytes(b"")
        os.replace(tmp_path / "damaged", file)
        api.service.catalogs.follow()
        assert generations(foods()) == {2}
        ready = api.client.get("/readyz")
        assert ready.status_code == 200
        assert ready.json()["parts"]["catalogue"] == "stale"


def test_a_table_and_a_compiled_catalogue_cannot_both_be_served(tmp_path: Path):
    with pytest.raises(ValidationError, match="cannot be set together with POSTMEAL_FOOD_TABLE"):
        Settings(food_table=tmp_path / "table.csv.xz", catalog_file=tmp_path / "foods.sqlite3")
