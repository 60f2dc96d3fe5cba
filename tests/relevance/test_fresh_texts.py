"""Texts that are kept back do not change before they are opened."""

import csv
import hashlib
import lzma
from pathlib import Path

FOLDER = Path(__file__).with_name("fresh")


def test_texts_are_those_that_their_authors_wrote() -> None:
    with (FOLDER / "sha256.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["file"] for row in rows} == {file.name for file in FOLDER.glob("*.jsonl*")}
    for row in rows:
        data = (FOLDER / row["file"]).read_bytes()
        text = lzma.decompress(data) if row["file"].endswith(".xz") else data
        assert (text.count(b"\n"), hashlib.sha256(text).hexdigest()) == (
            int(row["rows"]),
            row["sha256"],
        )
