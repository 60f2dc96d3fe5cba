"""Break each promise of the API once and see a test that names its row fail (`make promises`).

The files in `broken_promises` list small changes: the file of the code, the row of the acceptance
table that the change breaks, the old text, which occurs once in the file, and the new text. Every
change is made in a copy of the checkout, in which only the tests that name the row run.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from acceptance_rows import rows_in, rows_of

ROOT = Path(__file__).resolve().parents[2]
TABLES = Path(__file__).resolve().parent / "broken_promises"
COPIED = ("src", "serve", "tests", "models", "data", "docs", "pyproject.toml")
TESTS = ("tests/serve", "tests/postmeal")
_RUN = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "pytest_timeout", "--timeout=180")
_LINE = re.compile(r"^(FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Change:
    """A change of the code that breaks a row."""

    file: str
    row: int
    old: str
    new: str

    def apply(self, root: Path) -> None:
        """Make the change in a copy of the checkout."""
        path = root / self.file
        path.write_text(self.changed(path.read_text(encoding="utf-8")), encoding="utf-8")

    def changed(self, text: str) -> str:
        """Return the text of the file with the change; raise `ValueError` if it does not apply."""
        if text.count(self.old) != 1:
            problem = f"occurs {text.count(self.old)} times, not once"
            raise ValueError(f"row {self.row}: {self.old!r} {problem} in {self.file}")
        return text.replace(self.old, self.new)

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"row {self.row}: {self.file}: {old} -> {new or 'nothing'}"


@dataclass(frozen=True)
class Result:
    """A change with the tests that failed because of it and those that could not start."""

    change: Change
    failed: tuple[str, ...]
    errors: tuple[str, ...]

    @property
    def is_caught(self) -> bool:
        """Whether a test that names the row failed; a service that does not start is no proof."""
        return bool(self.failed)

    def __str__(self) -> str:
        if self.is_caught:
            return f"caught   {self.change} ({self.failed[0].rpartition('::')[2]})"
        reason = f"{self.errors[0]} could not start" if self.errors else "no test failed"
        return f"SURVIVED {self.change} ({reason})"


def read_changes(folder: Path = TABLES) -> list[Change]:
    """Return the changes of all tables, by file of the code and row."""
    return [
        Change(file, int(row), *change)
        for table in sorted(folder.glob("*.toml"))
        for file, rows in tomllib.loads(table.read_text(encoding="utf-8")).items()
        for row, changes in rows.items()
        for change in changes
    ]


def files_by_row(root: Path = ROOT) -> dict[int, set[str]]:
    """Return the files with tests that name each row."""
    found: dict[int, set[str]] = {}
    for file in sorted(each for top in TESTS for each in (root / top).rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for row in rows_in(ast.get_docstring(node) or ""):
                    found.setdefault(row, set()).add(file.relative_to(root).as_posix())
    return found


def run_tests(
    root: Path, rows: Iterable[int], files: Mapping[int, set[str]], *options: str
) -> tuple[int, str]:
    """Run the tests that name the rows; return the exit status and the output."""
    wanted = sorted(set(rows))
    paths = sorted({file for row in wanted for file in files.get(row, ())})
    if not paths:
        return 5, "no test names the row"
    command = [sys.executable, *_RUN, *options, f"--rows={','.join(map(str, wanted))}", *paths]
    code = os.pathsep.join(str(root / each) for each in ("src", "serve", "serve/client"))
    environment = {**os.environ, "PYTHONPATH": code, "OPENBLAS_NUM_THREADS": "1"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the start is most of the time of a run
    run = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout + run.stderr


def try_change(change: Change, root: Path, files: Mapping[int, set[str]]) -> Result:
    """Make a change in a copy, run the tests of its row and undo it."""
    path = root / change.file
    before = path.read_text(encoding="utf-8")
    change.apply(root)
    try:
        _, output = run_tests(root, [change.row], files, "--maxfail=1")
    finally:
        path.write_text(before, encoding="utf-8")
    found = _LINE.findall(output)
    failed, errors = (
        tuple(test for each, test in found if each == kind) for kind in ("FAILED", "ERROR")
    )
    return Result(change, failed, errors)


def try_changes(changes: list[Change], copies: list[Path]) -> Iterator[Result]:
    """Yield the result of each change, in their order; each copy has one change at a time."""
    files = files_by_row(copies[0])
    free: SimpleQueue[Path] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(change: Change) -> Result:
        copy = free.get()
        try:
            return try_change(change, copy, files)
        finally:
            free.put(copy)

    with ThreadPoolExecutor(len(copies)) as threads:
        yield from threads.map(one, changes)


def copy_of(root: Path, target: Path) -> Path:
    """Copy what the tests need of a checkout."""
    ignored = shutil.ignore_patterns("build", "node_modules")
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, target / name, ignore=ignored, symlinks=True)
        elif (root / name).exists():
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)
    return target


def main(only: str, processes: int) -> int:
    """Try the changes, print their results and return the exit status."""
    changes = read_changes()
    if only:
        wanted = set(rows_of(only))
        changes = [change for change in changes if change.row in wanted]
    with tempfile.TemporaryDirectory(prefix="promises-") as folder:
        copies = [copy_of(ROOT, Path(folder) / f"copy-{n}") for n in range(max(1, processes))]
        rows = {change.row for change in changes}
        status, output = run_tests(
            copies[0], rows, files_by_row(), "-p", "xdist", "-n", str(len(copies))
        )
        if status:
            print(output, "The tests of these rows must pass before anything is broken.", sep="\n")
            return 1
        results = []
        for result in try_changes(changes, copies):
            print(result, flush=True)
            results.append(result)
    caught = sum(result.is_caught for result in results)
    print(f"{caught} of {len(results)} changes of {len(rows)} rows were caught")
    print(f"aim all: {'reached' if caught == len(results) else 'MISSED'}")
    return 0 if caught == len(results) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="make promises", description=__doc__)
    parser.add_argument("only", nargs="?", default="", help="rows, such as 221,363-365")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    words = parser.parse_args()
    sys.exit(main(words.only, words.processes))
