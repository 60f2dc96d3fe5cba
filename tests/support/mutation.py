"""Run mutmut and report how many mutants of each module the tests kill (`make mutants`).

The modules, tests and exclusions are in `pyproject.toml`, section `tool.mutmut`.
"""

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mutant_sample import generate, interval, sample
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


def modules(only: tuple[str, ...]) -> list[Module]:
    """Read the mutants and the results of the last run."""
    found = []
    for file in sorted(FOLDER.rglob("*.py.meta")):
        path = file.relative_to(FOLDER).as_posix().removesuffix(".meta")
        codes = json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"]
        if codes and path.startswith(only or ""):
            status = {name: status_by_exit_code[code] for name, code in codes.items()}
            found.append(Module(path, status))
    return found


def among(found: list[Module], chosen: set[str]) -> list[Module]:
    """Return the modules with the chosen mutants alone."""
    parts = [
        Module(each.path, {name: s for name, s in each.status.items() if name in chosen})
        for each in found
    ]
    return [each for each in parts if each.status]


def together(found: list[Module]) -> Module:
    """Return the mutants of all modules."""
    return Module("all", {name: s for module in found for name, s in module.status.items()})


def table(found: list[Module]) -> str:
    """Return a table with a line per module and a total."""
    width = max(36, *(len(module.path) + 1 for module in found))
    heads = ("mutants", "killed", "hung", "survived", "other", "%")
    lines = [" " * width + "".join(f"{head:>9}" for head in heads)]
    for module in [*found, together(found)]:
        total, killed = len(module.status), module.count("killed")
        hung, survived = module.count("timeout"), module.count(*UNTESTED)
        counts = (total, killed, hung, survived, total - killed - hung - survived)
        share = (killed + hung) / total
        numbers = "".join(f"{n:9}" for n in counts)
        lines.append(f"{module.path:{width}}{numbers}{share:9.1%}")
    return "\n".join(lines)


def verdict(everything: Module, population: int) -> tuple[str, bool]:
    """Return whether the tests kill enough, of all mutants or of a sample of them."""
    killed, tested = everything.count(*KILLED), len(everything.status)
    lines = []
    if tested < population:
        low, high = interval(killed, tested)
        lines += [
            f"This is a sample: {tested:,} of {population:,} mutants.",
            f"killed: {killed / tested:.1%}, 95% interval {low:.1%} to {high:.1%}",
        ]
    reached = killed / tested >= AIM
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


def main(only: tuple[str, ...], size: int | None, skip: int, processes: int) -> int:
    """Test the mutants, print those that survive and the table, and return the exit status."""
    if not only:
        shutil.rmtree(FOLDER, ignore_errors=True)  # a whole run builds on no earlier one
    chosen = [pattern(path) for path in only]
    if size is not None:
        generate(processes)
        chosen = sample(together(modules(only)).status, size, skip)
        if not chosen:
            print(f"no mutants are left after the first {skip:,}")
            return 1
    mutmut = Path(sys.executable).with_name("mutmut")
    command = [mutmut, "run", "--max-children", str(processes), *chosen]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    environment.pop("POSTMEAL_DATA", None)  # the result is the same on a machine without the data
    run = subprocess.run(command, env=environment, check=False)
    if run.returncode:
        return run.returncode
    everything = modules(only)
    found = everything if size is None else among(everything, set(chosen))
    for module in found:
        for name, status in module.status.items():
            if status not in KILLED:
                print(f"{status}: {survivor(module.path, name)}")
    text, reached = verdict(together(found), len(together(everything).status))
    print(table(found), text, sep="\n")
    return 0 if reached else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("only", nargs="*", help="files or folders whose mutants are tested")
    parser.add_argument("--sample", type=int, help="number of mutants that are tested")
    parser.add_argument("--skip", type=int, default=0, help="mutants that an earlier sample had")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    words = parser.parse_args()
    sys.exit(main(tuple(words.only), words.sample, words.skip, words.processes))
