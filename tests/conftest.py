"""What several test files share."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the service does, before numpy comes

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from postmeal.assets import asset
from postmeal.foods.catalog import Catalog
from postmeal.foods.table import TableFood, read_table

settings.register_profile(
    "any machine",
    deadline=None,  # of wall time, which is another on a busy machine
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("any machine")

LONGEST = (
    "test_evaluation",
    "test_large_diaries",
    "test_contract",
    "test_crash",
    "test_diary_states",
)
"""Files whose tests take minutes. They start first, so that no process is left alone with them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first and keep the order of the others."""
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the real data: POSTMEAL_DATA, or ../shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("POSTMEAL_DATA", beside))
    if not (folder / "cgm").is_dir():
        pytest.skip(f"no real data: {folder} has no folder cgm (set POSTMEAL_DATA)")
    return folder


@pytest.fixture(scope="session")
def export_samples() -> Path:
    """The folder of made-up exports: exports/ in POSTMEAL_DATA, or in ../shared/data."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("POSTMEAL_DATA", beside)) / "exports"
    if not folder.is_dir():
        pytest.skip(f"no samples of exports: there is no {folder} (set POSTMEAL_DATA)")
    return folder


@pytest.fixture(scope="session")
def cgmacros(shared_data: Path) -> Any:
    """CGMacros, which no model has learned from."""
    from postmeal.training.datasets import load_data_set

    return load_data_set("cgmacros", shared_data / "cgm" / "cgmacros_dev")


@pytest.fixture(scope="session")
def training(shared_data: Path) -> Any:
    """The training sets."""
    from postmeal.training.fit.release import load_training_data

    return load_training_data(shared_data / "cgm")


@pytest.fixture(scope="session")
def made_up_data(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder of made-up data sets in the official formats, and what their loaders must read."""
    from postmeal.training.synthetic.data_sets import write_synthetic_sets

    folder = tmp_path_factory.mktemp("made-up") / "cgm"
    return folder, write_synthetic_sets(folder)


@pytest.fixture(scope="session")
def made_up_model(made_up_data: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """What ``postmeal train`` makes of the made-up data: the model's folder, and MLflow's store."""
    from postmeal.cli import main

    folder = tmp_path_factory.mktemp("release")
    tracking = f"sqlite:///{folder}/mlflow/mlflow.db"
    words = ["--data", str(made_up_data[0]), "--output", str(folder / "population")]
    assert main(["train", *words, "--tracking", tracking]) == 0
    return folder / "population", tracking


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The service, started in this process, with a key of each version."""
    from api_client import Api  # the web stack is for those tests alone that call the service

    with Api(tmp_path_factory.mktemp("service")) as api:
        yield api


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The service with a catalogue of invented products, which have barcodes."""
    from api_client import Api
    from products import catalogue_of_products

    folder = tmp_path_factory.mktemp("shop")
    with Api(folder, food_table=catalogue_of_products(folder)) as shop:
        yield shop


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The demo, as a real server in a process of its own."""
    from api_client import Demo

    with Demo(tmp_path_factory.mktemp("demo")) as demo:
        yield demo


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database of either kind with empty tables; it is gone after the test."""
    with databases(request, tmp_path) as create:
        yield create()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database of either kind without tables; it is gone after the test."""
    with databases(request, tmp_path, with_tables=False) as create:
        yield create()


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Makes databases of either kind with empty tables; they are gone afterwards."""
    with databases(request, tmp_path) as create:
        yield create


@contextmanager
def databases(
    request: pytest.FixtureRequest, folder: Path, *, with_tables: bool = True
) -> Iterator[Callable[[], str]]:
    if request.param == "sqlite":
        names = chain(["postmeal"], (f"postmeal-{number}" for number in count(2)))

        def create_file() -> str:
            file = folder / f"{next(names)}.sqlite"
            if with_tables:
                from migrated_databases import migrated_file

                file.write_bytes(migrated_file())
            return f"sqlite:///{file}"

        yield create_file
        return
    server, created = request.getfixturevalue("postgresql_server"), []

    def create() -> str:
        created.append(server.create(with_tables=with_tables))
        return str(server.url(created[-1]))

    yield create
    is_reusable = with_tables and not request.node.get_closest_marker("reliability")
    for name in created:
        (server.empty if is_reusable else server.drop)(name)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Any]:
    """A server of PostgreSQL on which databases are created."""
    import psycopg
    from migrated_databases import PostgreSQL

    address = os.environ.get("POSTMEAL_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432")
    try:
        server = PostgreSQL(address)
    except psycopg.OperationalError:
        pytest.skip(f"no PostgreSQL answers at {address} (set POSTMEAL_TEST_POSTGRES)")
    yield server
    server.close()


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The shipped foods."""
    return Catalog.open()


@pytest.fixture(scope="session")
def foods() -> list[TableFood]:
    """Every line of the shipped table of foods."""
    return read_table(asset("data/foods.csv.xz"))
