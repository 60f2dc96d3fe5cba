"""Run mutmut and report how many mutants of each module the tests kill (`make mutants`).

The modules, tests and exclusions are in `pyproject.toml`, section `tool.mutmut`.
mutmut loads this file as a pytest plugin too, for the order of the tests.
"""

import ast
import gc
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code

AIM = 0.90
"""Required share of mutants that the tests kill."""

FOLDER = Path("mutants")
KILLED = ("killed", "timeout")  # a mutant that hangs fails the suite
UNTESTED = ("survived", "no tests")


@dataclass(frozen=True)
class Module:
    """The mutants of one module."""

    path: str
    status: dict[str, str]

    def count(self, *names: str) -> int:
        return sum(Counter(self.status.values())[name] for name in names)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of the mutant's own module first: they are the fastest to kill it."""
    mutant = os.environ.get("MUTANT_UNDER_TEST", "")  # package.module.function__mutmut_1
    own = f"test_{mutant.rpartition('.')[0].rpartition('.')[2]}.py"
    items.sort(key=lambda item: (own not in item.nodeid, item.nodeid))


def pytest_collection_finish() -> None:
    """Freeze existing objects, so that the garbage collector of forked processes ignores them."""
    gc.collect()
    gc.freeze()


def modules(only: tuple[str, ...]) -> list[Module]:
    """Read the results of the last run."""
    found = []
    for file in sorted(FOLDER.rglob("*.py.meta")):
        path = file.relative_to(FOLDER).as_posix().removesuffix(".meta")
        codes = json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"]
        if codes and path.startswith(only or ""):
            status = {name: status_by_exit_code[code] for name, code in codes.items()}
            found.append(Module(path, status))
    return found


def table(found: list[Module]) -> tuple[str, bool]:
    """Return a table with a line per module and a total, and whether the aim is reached."""
    lines = [f"{'':36}{'mutants':>9}{'killed':>9}{'hung':>9}{'survived':>9}{'other':>9}{'%':>9}"]
    everything = Module("all", {name: s for module in found for name, s in module.status.items()})
    share = 0.0
    for module in [*found, everything]:
        total, killed = len(module.status), module.count("killed")
        hung, survived = module.count("timeout"), module.count(*UNTESTED)
        share = (killed + hung) / total
        counts = (total, killed, hung, survived, total - killed - hung - survived)
        lines.append(f"{module.path:36}" + "".join(f"{n:9}" for n in counts) + f"{share:9.1%}")
    reached = share >= AIM
    lines.append(f"aim {AIM:.0%}: {'reached' if reached else 'MISSED'}")
    return "\n".join(lines), reached


def survivor(path: str, name: str) -> str:
    """Return the place of a mutant and its changed lines."""
    diff = get_diff_for_mutant(name, path=Path(path)).splitlines()
    position = next(n for n, line in enumerate(diff) if line.startswith("@@"))
    hunk = re.match(r"@@ -(\d+)", diff[position])
    assert hunk is not None
    body = diff[position + 1 :]
    offset = next(n for n, line in enumerate(body) if line[:1] in "-+")
    line = first_line(path, name) + int(hunk[1]) - 1 + offset
    changed = [text for text in body if text[:1] in "-+"]
    return "\n    ".join([f"{path}:{line} ({name})", *changed])


def first_line(path: str, name: str) -> int:
    """Return the first line of the function that a mutant changes."""
    mangled = name.rpartition(".")[2].partition("__mutmut_")[0]
    wanted = mangled.removeprefix("x_") if mangled.startswith("x_") else mangled[2:]
    names = wanted.split("ǁ")
    nodes: list[ast.AST] = [ast.parse(Path(path).read_text(encoding="utf-8"))]
    for part in names:
        nodes = [
            node
            for parent in nodes
            for node in ast.iter_child_nodes(parent)
            if getattr(node, "name", None) == part
        ]
    return int(getattr(nodes[0], "lineno", 1))


def pattern(path: str) -> str:
    """Return the pattern with which mutmut selects the mutants of a file or folder."""
    return path.removeprefix("src/").removesuffix("/").removesuffix(".py").replace("/", ".") + ".*"


def main(only: tuple[str, ...]) -> int:
    if not only:
        shutil.rmtree(FOLDER, ignore_errors=True)  # a whole run builds on no earlier one
    mutmut = Path(sys.executable).with_name("mutmut")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    run = subprocess.run([mutmut, "run", *map(pattern, only)], env=environment, check=False)
    if run.returncode:
        return run.returncode
    found = modules(only)
    for module in found:
        for name, status in module.status.items():
            if status not in KILLED:
                print(f"{status}: {survivor(module.path, name)}")
    text, reached = table(found)
    print(text)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
