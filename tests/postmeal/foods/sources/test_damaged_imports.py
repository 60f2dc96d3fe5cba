"""Damaged files: a clear report, a status that says so, and a catalogue that stays as it was."""

from __future__ import annotations

import bz2
import gzip
import os
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from food_dumps import dump, product
from imported_foods import compiled, take

from postmeal.cli import main
from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.collection import Collection
from postmeal.foods.sources.collection.compile_catalog import compile_catalog

HEADER = "code\tproduct_name\tcarbohydrates_100g\tbrands\n"
OWN_HEADER = "name,carbs_g,brand_name\n"


def off_csv(rows: int) -> str:
    return HEADER + "".join(f"{10**12 + n}\tBiscuit {n}\t{n % 90}\tCrumb\n" for n in range(rows))


def own_csv(rows: int) -> str:
    return OWN_HEADER + "".join(f'"Crème, {n}",{n % 90},Crumb\n' for n in range(rows))


def jsonl(rows: int) -> str:
    chance = random.Random(rows)  # what is packed is as long as in real dumps
    text = (product(n, brands="Crème", link=chance.randbytes(100).hex()) for n in range(rows))
    return "".join(f"{line}\n" for line in text)


def cut(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


DAMAGED: dict[str, tuple[Callable[[], bytes], str]] = {
    "a cut export": (lambda: off_csv(5000).encode()[:-8], "ends in the middle of line 5001"),
    "a cut dump": (lambda: jsonl(5000).encode()[:-9], "ends in the middle of line 5000"),
    "a cut gzip": (
        lambda: cut(gzip.compress(jsonl(9000).encode())), "line [1-9].*: its compressed data"
    ),
    "a flipped bit": (
        lambda: flipped(gzip.compress(jsonl(9000).encode())), "its compressed data is .*damaged"
    ),
    "an export in UTF-16": (lambda: off_csv(50).encode("utf-16"), "is in UTF-16; save it as UTF-8"),
    "UTF-16 without a mark": (lambda: own_csv(50).encode("utf-16-le"), "seems to be in UTF-16"),
    "a dump in Latin-1": (
        lambda: jsonl(3000).replace("\\u00e8", "è").encode("latin-1"), "cannot be read"
    ),
    "one's own in Latin-1": (lambda: own_csv(50).encode("latin-1"), "cannot be read"),
    "NULs alone": (lambda: bytes(5000), "starts with NUL bytes"),
    "NULs in between": (
        lambda: off_csv(50).encode() + bytes(9000) + b"\n" + off_csv(5)[60:].encode(),
        "1 of 5[0-9] lines cannot be read",
    ),
    "no row of its columns": (
        lambda: HEADER.encode() + b"1\t2\n" * 50, "contains no usable rows"
    ),
    "an empty file": (lambda: b"", "it is empty"),
    "a header alone": (lambda: HEADER.encode(), "contains no usable rows"),
    "a workbook": (lambda: b"PK\x03\x04" + bytes(99), "a zip archive or a spreadsheet"),
    "a dump packed by zstd": (lambda: b"\x28\xb5\x2f\xfd" + bytes(99), "compressed with zstd"),
    "a dump packed by bzip2": (lambda: bz2.compress(jsonl(50).encode()), "compressed with bzip2"),
    "a Parquet file": (lambda: b"PAR1" + bytes(99), "is a Parquet file"),
    "something else": (lambda: b"colour,taste\nred,sweet\n", "is not in a supported format"),
    "quotes that do not close": (
        lambda: own_csv(3).encode() + b'"Bread,1,Crumb', "ends in the middle of line"
    ),
}  # fmt: skip


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 16]) + content[middle + 1 :]


@pytest.mark.sampled
@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_file_is_told_and_the_catalogue_stays(
    tmp_path: Path, case: str, capsys: pytest.CaptureFixture[str]
):
    """The catalogue keeps its bytes, and what was imported before is as it was."""
    made, problem = DAMAGED[case]
    collection, catalogue = tmp_path / "foods.collection", tmp_path / "foods.sqlite3"
    take(dump(tmp_path / "sound.jsonl", [product(n) for n in range(90_000, 90_010)]), collection)
    compiled(collection, (), catalogue).close()
    before = catalogue.read_bytes()
    (tmp_path / "damaged").write_bytes(made())
    with pytest.raises(DataSetError, match=problem):
        take(tmp_path / "damaged", collection)
    words = ["foods", "import", str(tmp_path / "damaged"), "--collection", str(collection)]
    assert main(words) == 2  # it does not become sound by being imported again
    told = capsys.readouterr().err
    assert told.startswith("postmeal: ")
    assert "Traceback" not in told
    with Collection(collection) as opened:
        unfinished = opened.incomplete()
    if unfinished:
        with pytest.raises(
            DataSetError, match="was not written because some imports are incomplete"
        ):
            compiled(collection, (), catalogue)
    else:
        compiled(collection, (), catalogue).close()
    assert catalogue.read_bytes() == before
    with Collection(collection) as opened:
        more = compile_catalog(opened, (), tmp_path / "more.sqlite3", with_incomplete=True)
        assert more == len(opened)
    assert (more > 10) == bool(unfinished)


def test_the_whole_file_in_the_place_of_a_cut_one_completes_the_import(tmp_path: Path):
    collection, file = tmp_path / "foods.collection", tmp_path / "dump.jsonl.gz"
    whole = gzip.compress(jsonl(9000).encode())
    file.write_bytes(cut(whole))
    with pytest.raises(DataSetError):
        take(file, collection)
    with Collection(collection) as opened:
        assert [state.name for state in opened.incomplete()] == [str(file)]
        assert 0 < len(opened) < 9000
    file.write_bytes(whole)
    take(file, collection)
    with Collection(collection) as opened:
        assert opened.incomplete() == []
        assert len(opened) == 9000


@pytest.mark.reliability
@pytest.mark.parametrize("packed", [False, True])
def test_a_line_of_a_gigabyte_is_skipped_without_being_held_in_memory(tmp_path: Path, packed: bool):
    file = tmp_path / "dump.jsonl"
    sound = [product(n) for n in range(3000)]
    if packed:
        with gzip.open(file, "wb", compresslevel=1) as out:
            out.write("".join(f"{line}\n" for line in sound).encode())
            for _ in range(256):
                out.write(b" " * 2**20)
            out.write(f"\n{product(5000)}\n".encode())
    else:
        dump(file, sound)
        with file.open("r+b") as out:
            out.seek(2**30)  # a hole: it takes no room on the disk
            out.write(f"\n{product(5000)}\n".encode())
    tracemalloc.start()
    try:
        taken = take(file, tmp_path / "foods.collection")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken.report.count("longer than 8 MiB") == 1
    assert taken.put.new == 3001
    assert peak < 40e6


@pytest.mark.reliability
def test_a_file_that_is_one_line_of_a_gigabyte_is_refused(tmp_path: Path):
    file = tmp_path / "dump.jsonl"
    file.write_bytes(b'{"code": "1')
    os.truncate(file, 2**30)
    tracemalloc.start()
    try:
        with pytest.raises(DataSetError, match="first line is not valid UTF-8"):
            take(file, tmp_path / "foods.collection")
        assert tracemalloc.get_traced_memory()[1] < 40e6
    finally:
        tracemalloc.stop()


def test_lines_may_end_as_windows_ends_them(tmp_path: Path):
    for name, text in (("export", off_csv(50)), ("own", own_csv(50)), ("dump", jsonl(50))):
        ended = tmp_path / f"{name}-crlf"
        ended.write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
        plain = tmp_path / name
        plain.write_bytes(text.encode())
        collection = tmp_path / f"{name}.collection"
        assert take(plain, collection).put.new == 50
        assert take(ended, collection).put == (0, 0, 50)


def test_bad_rows_among_good_ones_are_counted_shown_and_written_to_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    rows = off_csv(6000).splitlines(keepends=True)
    rows[10] = "1000\tBread\n"
    rows[20] = "abc\tBread\t5\tCrumb\n"
    rows[30] = "20990688\tBread\tmuch\tCrumb\n"
    rows[40] = "20990688\tBread\t2000\tCrumb\n"
    rows[50] = b"20990688\tBr\xe8ad\t5\tCrumb\n".decode("latin-1")
    content = "".join(rows[:50]).encode() + rows[50].encode("latin-1") + "".join(rows[51:]).encode()
    (tmp_path / "export").write_bytes(content)
    words = ["foods", "import", str(tmp_path / "export"), "--report", str(tmp_path / "notes.csv")]
    assert main([*words, "--collection", str(tmp_path / "foods.collection")]) == 0
    told = capsys.readouterr().out
    assert "export: 5,997 rows imported, 3 skipped" in told
    assert "skipped, 2 columns instead of 4: 1 (line 11)" in told
    assert "skipped, the code is not a number: 1 (line 21: 'abc')" in told
    assert "skipped, not in UTF-8: 1 (line 51)" in told
    assert (
        "imported with a warning, carbohydrates_100g is not a number: 1 (line 31: 'much')" in told
    )
    assert "imported with a warning, carbs_g is above 100 g: 1 (line 41: '20990688')" in told
    notes = (tmp_path / "notes.csv").read_text(encoding="utf-8")
    assert "export,11,skipped,2 columns instead of 4," in notes
    assert "export,41,taken,carbs_g is above 100 g,20990688" in notes


@pytest.mark.parametrize("made", [off_csv, own_csv, jsonl])
def test_no_file_of_chance_damage_ends_in_a_traceback(tmp_path: Path, made: Callable[[int], str]):
    """Bytes flipped, cut out and doubled, 60 times: foods, or one error that says so."""
    whole = made(60).encode()
    chance = random.Random(made.__name__)
    for turn in range(60):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            start = chance.randrange(len(content))
            end = min(len(content), start + chance.randint(1, 200))
            piece = bytes(chance.randrange(256) for _ in range(chance.choice((0, 1, 1, 30))))
            content[start : chance.choice((start + 1, end))] = piece or content[start:end] * 2
        file = tmp_path / f"{turn}"
        file.write_bytes(content)
        try:
            taken = take(file, tmp_path / "foods.collection")
        except DataSetError as error:
            told = str(error)
            assert str(file) in told
        else:
            assert taken.put.new + taken.put.changed + taken.put.unchanged <= 80
