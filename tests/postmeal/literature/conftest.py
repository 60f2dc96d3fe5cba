"""Libraries that several tests search."""

from pathlib import Path

import pytest
from medline_files import made_up_records, write_medline

from postmeal.literature import Literature
from postmeal.literature.build import build_library, import_files


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 300 made-up articles, indexed by their words."""
    folder = tmp_path_factory.mktemp("library")
    import_files([write_medline(folder / "pubmed.xml", *made_up_records(300))], folder)
    build_library(folder)
    return folder


@pytest.fixture(scope="session")
def literature(library: Path) -> Literature:
    return Literature.open(library)
