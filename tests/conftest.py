"""What several test files share."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from postmeal.assets import asset
from postmeal.foods.catalog import Catalog
from postmeal.foods.table import TableFood, read_table


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the real data: POSTMEAL_DATA, or ../shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("POSTMEAL_DATA", beside))
    if not (folder / "cgm").is_dir():
        pytest.skip(f"no real data: {folder} has no folder cgm (set POSTMEAL_DATA)")
    return folder


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The service, started in this process, with a key of each version."""
    from api_client import Api  # the web stack is for those tests alone that call the service

    with Api(tmp_path_factory.mktemp("service")) as api:
        yield api


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The demo, as a real server in a process of its own."""
    from api_client import Demo

    with Demo(tmp_path_factory.mktemp("demo")) as demo:
        yield demo


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The shipped foods."""
    return Catalog.open()


@pytest.fixture(scope="session")
def foods() -> list[TableFood]:
    """Every line of the shipped table of foods."""
    return read_table(asset("data/foods.csv.xz"))
