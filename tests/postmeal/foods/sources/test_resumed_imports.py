"""Imports that go on elsewhere, beside each other or on a full disk, and what compile says."""

from __future__ import annotations

import os
import resource
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from fdc_folders import download
from food_dumps import IMPORTS, ROOT, dump, product
from imported_foods import compiled, rows_of, take

from postmeal.cli import main
from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.collection import Collection
from postmeal.foods.sources.collection.compile_catalog import compile_catalog
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.import_file import import_foods


def stopped(path: Path, into: Path, **how: object) -> None:
    """Import a file, and stop after its first batch."""

    def stop(path: Path, read: int, size: int) -> None:
        raise KeyboardInterrupt

    with Collection(into) as collection, pytest.raises(KeyboardInterrupt):
        import_foods(path, collection, ImportReport(path.name), progress=stop, **how)  # type: ignore[arg-type]


def unfinished(into: Path) -> dict[str, int]:
    """Names of the imports that have not come to their end, and the lines that they have read."""
    with Collection(into) as collection:
        return {state.name: state.mark.line for state in collection.incomplete()}


def refusal(collection: Path, output: Path) -> str:
    """What compile says instead of compiling."""
    with pytest.raises(DataSetError) as refused:
        compiled(collection, (), output)
    return str(refused.value)


def test_a_file_that_was_moved_and_renamed_goes_on_where_it_stopped(tmp_path: Path):
    collection, file = tmp_path / "foods.collection", tmp_path / "dump.jsonl"
    stopped(dump(file, [product(number) for number in range(5000)]), collection)
    assert unfinished(collection) == {str(file): 2000}
    (tmp_path / "away").mkdir()
    moved = file.rename(tmp_path / "away" / "products.jsonl")
    assert take(moved, collection).put == (3000, 0, 0)
    assert unfinished(collection) == {}
    assert take(moved.rename(file), collection).put == (0, 0, 0)


def test_a_folder_that_was_moved_goes_on_where_it_stopped(tmp_path: Path):
    collection = tmp_path / "foods.collection"
    foods = [(number, "branded_food", f"BISCUIT {number}") for number in range(1, 3001)]
    amounts: dict[int, dict[int, float]] = {number: {1005: 50.0} for number, _, _ in foods}
    labels = [[n, "Crumb", "", "", "", 30, "g", "", "Biscuits"] for n, _, _ in foods]
    folder = download(tmp_path / "download", foods, amounts, labels=labels)
    whole = tmp_path / "whole.collection"
    take(folder, whole)
    for _ in range(3):
        stopped(folder, collection)
        assert [*unfinished(collection)] == [str(folder)]  # also before the first food is put
        folder = folder.rename(tmp_path / f"{folder.name}-moved")
    assert unfinished(collection) == {str(tmp_path / "download-moved-moved"): 2001}
    assert take(folder, collection).put == (1000, 0, 0)
    assert rows_of(collection) == rows_of(whole)


def test_a_folder_whose_last_write_failed_is_finished_by_the_next_import(tmp_path: Path):
    """All of its foods were put, none has a label, and nothing is left to read."""
    collection = tmp_path / "foods.collection"
    folder = download(tmp_path / "download", [(1, "branded_food", "RUSK")], {1: {1005: 50.0}})
    with Collection(collection) as opened:
        opened.database.execute(
            "CREATE TRIGGER fails BEFORE INSERT ON import WHEN new.complete AND new.name LIKE"
            " '%/download' BEGIN SELECT raise(ABORT, 'no room'); END"
        )
    with pytest.raises(sqlite3.IntegrityError, match="no room"):
        take(folder, collection)
    assert [*unfinished(collection)] == [str(folder)]
    with Collection(collection) as opened:
        opened.database.execute("DROP TRIGGER fails")
    assert take(folder, collection).put == (0, 0, 0)
    assert unfinished(collection) == {}
    assert len(rows_of(collection)) == 1


def test_another_file_of_the_same_name_is_read_from_its_beginning(tmp_path: Path):
    collection, file = tmp_path / "foods.collection", tmp_path / "dump.jsonl"
    stopped(dump(file, [product(number) for number in range(5000)]), collection)
    dump(file, [product(number) for number in range(1000, 6000)])
    assert take(file, collection).put == (4000, 0, 1000)


def test_other_languages_are_read_anew(tmp_path: Path):
    collection = tmp_path / "foods.collection"
    file = dump(tmp_path / "dump.jsonl", [product(1, product_name_de="Keks")])
    assert take(file, collection).put == (1, 0, 0)
    assert take(file, collection, languages=("de",)).put == (0, 1, 0)
    assert take(file, collection, languages=("de",)).put == (0, 0, 0)


@pytest.mark.sampled
@pytest.mark.parametrize("languages", [("en",), ("de", "fr")])
def test_compile_says_which_command_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], languages: tuple[str, ...]
):
    """And giving it, as it stands, is enough."""
    folder = tmp_path / "my foods"
    folder.mkdir()
    collection, file = folder / "foods.collection", folder / "dump.jsonl"
    rows = [product(number, product_name_de="Keks") for number in range(5000)]
    stopped(dump(file, rows), collection, languages=languages)
    told = refusal(collection, tmp_path / "foods.sqlite3")
    assert f"{file} (stopped after line 2,000); to resume: postmeal foods import" in told
    assert told.endswith("to compile without the missing foods, add --with-incomplete")
    command = told.partition("to resume: ")[2].partition("\n")[0]
    assert main(shlex.split(command)[1:]) == 0
    assert "3,000 rows imported" in capsys.readouterr().out  # it went on
    compiled(collection, (), tmp_path / "foods.sqlite3").close()


def test_compile_says_how_to_go_on_with_a_file_that_is_elsewhere_now(tmp_path: Path):
    collection, file = tmp_path / "foods.collection", tmp_path / "dump.jsonl"
    stopped(dump(file, [product(number) for number in range(5000)]), collection)
    moved = file.rename(tmp_path / "moved.jsonl")
    told = refusal(collection, tmp_path / "foods.sqlite3")
    assert "the file is missing; to resume, import it from its new location" in told
    take(moved, collection)
    compiled(collection, (), tmp_path / "foods.sqlite3").close()


def test_compile_tells_how_far_it_is(tmp_path: Path):
    lines = [product(number) for number in range(3500)]
    take(dump(tmp_path / "dump.jsonl", lines), tmp_path / "foods.collection")
    told: list[tuple[Path, int, int]] = []
    output = tmp_path / "foods.sqlite3"
    with Collection(tmp_path / "foods.collection") as collection:
        compile_catalog(collection, (), output, progress=lambda *step: told.append(step))
    assert told == [(output, written, 3500) for written in (1000, 2000, 3000)]


@pytest.mark.parametrize("beginning", [b"SQLite format 3\0", b"name,carbs_g\n", b"S"])
def test_compile_replaces_catalogues_and_nothing_else(tmp_path: Path, beginning: bytes):
    """A database of another program is one of the things that are not replaced."""
    collection, output = tmp_path / "foods.collection", tmp_path / "output.sqlite3"
    take(dump(tmp_path / "dump.jsonl", [product(1)]), collection)
    content = beginning + bytes(300)
    output.write_bytes(content)
    assert "exists and is not a postmeal catalog" in refusal(collection, output)
    assert output.read_bytes() == content
    output.write_bytes(b"")
    for _ in range(2):  # in the place of nothing, then of a catalogue
        compiled(collection, (), output).close()
    elsewhere = tmp_path / "elsewhere.collection"
    take(dump(tmp_path / "other.jsonl", [product(2)]), elsewhere)
    assert "exists and is not a postmeal catalog" in refusal(collection, elsewhere)


@pytest.mark.reliability
def test_two_imports_at_once_into_one_collection_end_as_one_after_the_other(tmp_path: Path):
    collection, one_by_one = tmp_path / "both.collection", tmp_path / "one.collection"
    halves = [range(6000), range(3000, 9000)]
    files = [
        dump(tmp_path / f"{at}.jsonl", [product(number) for number in half])
        for at, half in enumerate(halves)
    ]
    runs = [start(collection, file) for file in (*files, files[0])]
    assert [run.wait() for run in runs] == [0, 0, 0]
    for file in files:
        take(file, one_by_one)
    assert contents(collection) == contents(one_by_one)
    assert unfinished(collection) == {}
    assert len({row[0] for row in rows_of(collection)}) == 9000


def test_a_collection_may_be_made_by_several_at_once(tmp_path: Path):
    """Forty times by four, each in a thread with a connection of its own."""

    def make(path: Path, gate: Barrier) -> int:
        gate.wait()
        with Collection(path) as collection, collection.writing():
            return len(collection)

    with ThreadPoolExecutor(4) as threads:
        for number in range(40):
            gate = Barrier(4)
            made = [threads.submit(make, tmp_path / str(number), gate) for _ in range(4)]
            assert [one.result() for one in made] == [0, 0, 0, 0]


def start(*words: object, **how: object) -> subprocess.Popen[bytes]:
    """Import in a process of its own, into the collection that is named first."""
    command = [sys.executable, "-c", IMPORTS, *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, **how)  # type: ignore[call-overload,no-any-return]


def contents(path: Path) -> set[tuple[object, ...]]:
    """Everything but the ids, whose order is that of the imports."""
    return {row[1:] for row in rows_of(path)}


def test_the_later_of_two_imports_of_fooddata_central_has_the_tables_and_the_other_is_told(
    tmp_path: Path,
):
    """Else the one would go on with labels whose amounts the other has dropped."""
    collection, whole = tmp_path / "foods.collection", tmp_path / "whole.collection"
    folders = [
        download(
            tmp_path / name, [(number, "branded_food", f"{name} {number}")],
            {number: {1005: 50.0}}, labels=[[number, name, "", "", "", 30, "g", "", "Biscuits"]],
        )
        for number, name in enumerate(("RUSK", "SCONE"), 1)
    ]  # fmt: skip

    def meanwhile(other: Path) -> Callable[[Path, int, int], None]:
        def begin(path: Path, read: int, size: int) -> None:
            if path.name == "food_nutrient.csv" and not os.path.exists(tmp_path / "begun"):
                (tmp_path / "begun").touch()
                take(other, collection)

        return begin

    for other in (folders[1], folders[0]):  # another download, and the same
        (tmp_path / "begun").unlink(missing_ok=True)
        collection.unlink(missing_ok=True)
        with pytest.raises(
            DataSetError, match=r"another import of FoodData Central into .* started"
        ):
            take(folders[0], collection, progress=meanwhile(other))
        for folder in folders:
            take(folder, collection)
            take(folder, whole)
        assert contents(collection) == contents(whole)
        assert unfinished(collection) == {}


@pytest.mark.reliability
def test_on_a_full_disk_the_import_is_told_and_goes_on_when_there_is_room(tmp_path: Path):
    """A limit on the size of files stands for the disk."""
    collection, file = tmp_path / "foods.collection", tmp_path / "dump.jsonl"
    dump(file, [product(number, ingredients_text=f"wheat {number} " * 9) for number in range(9000)])
    told = filled(400_000, collection, file)
    assert f"{collection} cannot be read or written: " in told
    assert "check that the disk is not full" in told
    assert "rollback" not in told
    assert take(file, collection).put.unchanged == 0
    assert unfinished(collection) == {}
    assert len(rows_of(collection)) == 9000


def test_a_report_that_has_no_room_is_told_by_name(tmp_path: Path):
    rows = [product(number, code=f"no number {number}" * 9) for number in range(9000)]
    file, notes = dump(tmp_path / "dump.jsonl", rows), tmp_path / "notes.csv"
    told = filled(400_000, tmp_path / "foods.collection", file, "--report", str(notes))
    assert f" or {notes} cannot be read or written: " in told


def test_a_short_report_that_has_no_room_is_told_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """It is written when it is closed."""
    file = dump(tmp_path / "dump.jsonl", [product(1), product(2, code="none")])
    words = ["foods", "import", str(file), "--report", "/dev/full", "--collection"]
    assert main([*words, str(tmp_path / "foods.collection")]) == 2
    assert " or /dev/full cannot be read or written: " in capsys.readouterr().err


def test_who_reads_no_more_of_what_is_printed_is_no_fault_of_the_collection(tmp_path: Path):
    file = dump(tmp_path / "dump.jsonl", [product(1)])
    read, written = os.pipe()
    os.close(read)
    words = ["foods", "import", str(file), "--collection", str(tmp_path / "foods.collection")]
    done = subprocess.run(
        [sys.executable, "-m", "postmeal", *words], stdout=written, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    os.close(written)
    assert (done.returncode, done.stderr) == (0, b"")


def filled(size: int, *words: object) -> str:
    """What an import says that may make no file of more bytes."""
    full = start(
        *words, stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )  # fmt: skip
    told: bytes = full.communicate()[1]
    assert full.returncode == 2
    return told.decode()
