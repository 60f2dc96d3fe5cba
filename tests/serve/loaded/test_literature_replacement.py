"""The literature index is replaced while it is served."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from pathlib import Path

import pytest
from literature_folders import article, library_of

from postmeal_serve.loaded.literature import ServedLiterature
from postmeal_serve.resources.literature import LiteratureSearch
from postmeal_serve.resources.literature_query import LiteratureQuery
from postmeal_serve.wire.errors import Refusal

QUERY = LiteratureQuery("glucose")


def library(folder: Path, *texts: str) -> Path:
    return library_of([article(n, text) for n, text in enumerate(texts, 1)], folder)


def texts(served: ServedLiterature) -> list[str]:
    result = asyncio.run(LiteratureSearch(served).search(QUERY))
    return [passage.text for passage in result.passages]


def opened(folder: Path | None) -> ServedLiterature:
    served = ServedLiterature(folder)
    served.follow()
    return served


def test_a_new_index_is_served_once_it_is_in_use(tmp_path):
    served = opened(library(tmp_path, "Fiber lowers glucose."))
    assert texts(served) == ["Fiber lowers glucose."]
    before = served.active
    served.follow()
    assert served.active is before
    library(tmp_path, "Sugar raises glucose.")
    served.follow()
    assert texts(served) == ["Sugar raises glucose."]


def test_a_search_finds_the_new_index_even_before_it_is_followed(tmp_path):
    """Builds delete old indexes; a thread that has not read its index yet cannot open it."""
    served = opened(library(tmp_path, "Fiber lowers glucose."))
    library(tmp_path, "Bread raises glucose.")
    library(tmp_path, "Sugar raises glucose.")
    assert texts(served) == ["Sugar raises glucose."]


def test_an_index_that_is_deleted_is_unavailable_and_not_an_internal_error(tmp_path):
    served = opened(library(tmp_path / "library", "Fiber lowers glucose."))
    shutil.rmtree(tmp_path / "library")
    with pytest.raises(sqlite3.Error) as raised:
        texts(served)
    refusal = Refusal.of(raised.value)
    assert refusal is not None
    assert refusal.status == 503


@pytest.mark.parametrize("damaged", ["index.json", "articles.sqlite"])
def test_a_damaged_index_leaves_the_one_before_in_service(tmp_path, caplog, damaged):
    served = opened(library(tmp_path / "library", "Fiber lowers glucose."))
    assert texts(served) == ["Fiber lowers glucose."]
    before = served.active
    library(tmp_path / "library", "Sugar raises glucose.")
    folder = tmp_path / "library" / (tmp_path / "library" / "current").read_text().strip()
    content = (folder / damaged).read_bytes()
    (folder / damaged).write_bytes(b"\xff" * len(content))
    for _ in range(3):
        served.follow()
    assert served.active is before
    assert len(caplog.records) == 1
    assert "the literature index cannot be used" in caplog.text
    (folder / damaged).write_bytes(content)
    served.follow()
    assert texts(served) == ["Sugar raises glucose."]


def test_damaged_texts_do_not_stop_the_service(tmp_path, caplog):
    folder = library(tmp_path, "Fiber lowers glucose.")
    [path] = folder.glob("index-*/articles.sqlite")
    path.chmod(0o644)
    database = sqlite3.connect(path)
    database.execute("UPDATE article SET packed = x'00'")
    database.commit()
    database.close()
    served = opened(folder)
    assert served.active is None
    assert "is damaged" in caplog.text


def test_a_folder_without_an_index_is_logged_once(tmp_path, caplog):
    served = opened(tmp_path)
    served.follow()
    assert served.active is None
    assert len(caplog.records) == 1
    with pytest.raises(Refusal, match="temporarily unavailable"):
        texts(served)


def test_the_starter_set_is_opened_once():
    served = opened(None)
    before = served.active
    assert before is not None
    served.follow()
    assert served.active is before
