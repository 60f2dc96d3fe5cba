"""The changes that `make promises` makes apply, and a row counts only if a test of it fails."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from broken_promises import (
    ROOT,
    Change,
    copy_of,
    files_by_row,
    read_changes,
    try_change,
    try_changes,
)

ROWS = (range(76, 112), range(215, 237), range(254, 271), range(359, 399))
"""The groups of chat, literature, restaurants, menus, scans and v1.1 alternatives."""
CODE = "LIMIT = 10\n\n\ndef items(n: int) -> list[int]:\n    return list(range(n))[:LIMIT]\n"
TESTS = """
import pytest
import shelf

@pytest.fixture
def items():
    return shelf.items(20)

def test_at_most_ten_items(items):
    \"\"\"Row 3: no more.\"\"\"
    assert len(items) <= 10

def test_all_of_a_few_items():
    assert shelf.items(5) == [0, 1, 2, 3, 4]

def test_of_another_row(items):
    \"\"\"Row 4.\"\"\"
    assert items[0] == 0
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A made-up checkout with a module, its tests and the plugin that selects rows."""
    for folder in ("src", "tests/serve", "tests/support"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "src" / "shelf.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "tests" / "serve" / "test_shelf.py").write_text(TESTS, encoding="utf-8")
    for name in ("acceptance_plugin", "acceptance_outcomes", "acceptance_rows"):
        shutil.copy2(ROOT / "tests" / "support" / f"{name}.py", tmp_path / "tests" / "support")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\naddopts = "-p acceptance_plugin -ra"\n'
        'pythonpath = ["tests/support"]\nmarkers = ["soak: long"]\n',
        encoding="utf-8",
    )
    return tmp_path


def test_every_row_of_the_groups_has_a_change_and_a_test() -> None:
    changes = read_changes()
    wanted = {row for rows in ROWS for row in rows}
    assert {change.row for change in changes} >= wanted
    assert wanted - files_by_row().keys() == set()


def test_every_change_applies_once_and_none_is_listed_twice() -> None:
    changes = read_changes()
    assert len(set(changes)) == len(changes)
    for change in changes:
        text = (ROOT / change.file).read_text(encoding="utf-8")
        compile(change.changed(text), change.file, "exec")


def test_a_change_whose_text_is_not_there_or_not_alone_is_refused() -> None:
    for old, number in (("20", 0), ("LIMIT", 2)):
        with pytest.raises(ValueError, match=f"row 3: '{old}' occurs {number} times"):
            Change("src/shelf.py", 3, old, "").changed(CODE)


@pytest.mark.parametrize(
    ("row", "old", "new", "verdict"),
    [
        (3, "[:LIMIT]", "", "caught"),
        (4, "[:LIMIT]", "", "SURVIVED"),
        (3, "range(n)", "range(1, n)", "SURVIVED"),
        (3, "range(n)", "range(n) / 0", "SURVIVED"),
        (5, "[:LIMIT]", "", "SURVIVED"),
    ],
)
def test_a_change_is_caught_if_a_test_of_its_row_fails_and_nothing_else(
    checkout: Path, tmp_path: Path, row: int, old: str, new: str, verdict: str
) -> None:
    """Not if another test fails, if the test cannot start, or if no test names the row."""
    copy = copy_of(checkout, tmp_path / "copy")
    result = try_change(Change("src/shelf.py", row, old, new), copy, files_by_row(copy))
    assert str(result).startswith(verdict)
    assert (copy / "src" / "shelf.py").read_text(encoding="utf-8") == CODE
    assert (checkout / "src" / "shelf.py").read_text(encoding="utf-8") == CODE


def test_several_copies_try_the_changes_in_their_order(checkout: Path, tmp_path: Path) -> None:
    changes = [Change("src/shelf.py", row, "[:LIMIT]", "") for row in (3, 4, 3)]
    copies = [copy_of(checkout, tmp_path / f"copy-{n}") for n in range(2)]
    assert [each.is_caught for each in try_changes(changes, copies)] == [True, False, True]
