"""The places file: damaged, of another kind, and replaced while it is read."""

import os
import sqlite3
import threading
import time

import pytest

from postmeal.errors import CatalogError, DataSetError
from postmeal.restaurants import Place, Places
from postmeal.restaurants.compile import compile_places


def write(path, word, count=300):
    """Write places whose names and cities all contain the same word."""
    compile_places(
        (
            Place(f"p-{number}", f"Cafe {word} {number}", 60 + number * 1e-4, 25.0, city=word)
            for number in range(count)
        ),
        path,
    )
    return path


@pytest.mark.parametrize("kept", [0.2, 0.6, 0.95, 0.9999])
def test_a_truncated_file_is_refused_when_it_is_opened(tmp_path, kept):
    path = write(tmp_path / "a.places", "one")
    os.truncate(path, int(path.stat().st_size * kept))
    with pytest.raises(CatalogError) as error:
        Places.open(path)
    assert error.value.reason == "damaged"


@pytest.mark.parametrize("content", [b"", b"text", b"\0" * 10_000, b"SQLite format 3\0" * 100])
def test_another_file_is_refused(tmp_path, content):
    path = tmp_path / "a.places"
    path.write_bytes(content)
    with pytest.raises(CatalogError):
        Places.open(path)


def test_a_food_catalog_is_not_a_places_file_and_is_not_overwritten(tmp_path, catalog):
    with pytest.raises(CatalogError, match="is not a places file with schema version"):
        Places.open(catalog.path)
    copy = tmp_path / "foods.sqlite3"
    copy.write_bytes(catalog.path.read_bytes())
    with pytest.raises(DataSetError, match="exists and is not a places file; choose another file"):
        write(copy, "one")
    assert copy.read_bytes() == catalog.path.read_bytes()


def test_a_missing_file_is_unreachable(tmp_path):
    with pytest.raises(CatalogError) as error:
        Places.open(tmp_path / "missing.places")
    assert error.value.reason == "unreachable"


def test_no_flipped_byte_causes_an_error_other_than_a_damaged_file(tmp_path, catalog):
    path = write(tmp_path / "a.places", "one", 60)
    whole = path.read_bytes()
    for at in range(0, len(whole), 9_973):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            places = Places(path)
            places.near("cafe one", 60.0, 25.0)
            places.near("", 60.0, 25.0)
            places.menu("p-1", catalog)
            places.close()
        except CatalogError as error:
            assert error.reason in ("damaged", "unreachable", "too slow")  # noqa: PT017


@pytest.mark.sampled(cases=1_000)
def test_a_file_replaced_during_requests_answers_each_from_one_file(tmp_path, cases):
    path = write(tmp_path / "a.places", "one")
    other = write(tmp_path / "b.places", "two").read_bytes()
    this = path.read_bytes()
    stopped = threading.Event()

    def replace():
        turn = 0
        while not stopped.is_set():
            turn += 1
            part = tmp_path / "part"
            part.write_bytes(other if turn % 2 else this)
            os.replace(part, path)
            time.sleep(0.002)  # so that a file can be opened between two replacements

    thread = threading.Thread(target=replace)
    thread.start()
    seen = set()
    try:
        for _ in range(cases):
            places = Places(path)
            found = places.near("cafe", 60.0, 25.0, 8_000, 100)
            words = {each.place.city for each in found} | {
                each.place.name.split()[1] for each in found
            }
            assert len(found) == 100
            assert len(words) == 1
            seen |= words
            places.close()
    finally:
        stopped.set()
        thread.join()
    assert seen == {"one", "two"}


def test_threads_share_the_places(tmp_path):
    places = Places.open(write(tmp_path / "a.places", "one"))
    expected = [each.place.id for each in places.near("one", 60.0, 25.0, limit=20)]
    problems = []

    def search():
        for _ in range(50):
            found = [each.place.id for each in places.near("one", 60.0, 25.0, limit=20)]
            if found != expected:
                problems.append(found)

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_the_database_before_the_arrays_is_whole(tmp_path):
    path = write(tmp_path / "a.places", "one")
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert places_are_ordered(Places.open(path))


def places_are_ordered(places: Places) -> bool:
    found = places.near("", limit=1_000)
    return [each.place.name for each in found] == sorted(each.place.name for each in found)
