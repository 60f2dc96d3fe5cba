"""What several test files share."""

import os
from pathlib import Path

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
def catalog() -> Catalog:
    """The shipped foods."""
    return Catalog.open()


@pytest.fixture(scope="session")
def foods() -> list[TableFood]:
    """Every line of the shipped table of foods."""
    return read_table(asset("data/foods.csv.xz"))
