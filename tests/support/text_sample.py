"""Select random texts of the project, for readers who judge their English.

``python tests/support/text_sample.py --seed 1 --each 10`` prints a CSV with ten texts of each kind:
docstrings, error messages, command line texts, log lines and paragraphs of pages.
"""

from __future__ import annotations

import argparse
import ast
import csv
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = ("src", "serve", "benchmarks")
PAGES = ("README.md", "docs", "data", "models/population/choices.md", ".github")
NOT_PROSE = ("docs/file_names/", "docs/text_review/")
LOGGERS = {"debug", "info", "warning", "error", "exception", "critical"}


def texts() -> dict[str, list[tuple[str, str]]]:
    """Return (place, text) pairs by kind, in a fixed order."""
    found: dict[str, list[tuple[str, str]]] = {
        "docstring": [],
        "error": [],
        "command line": [],
        "log line": [],
        "page": [],
    }
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            for kind, line, text in _of_code(ast.parse(path.read_text(encoding="utf-8"))):
                found[kind].append((f"{place}:{line}", text))
    for page in PAGES:
        start = ROOT / page
        for path in sorted(start.rglob("*.md")) if start.is_dir() else [start]:
            place = path.relative_to(ROOT).as_posix()
            if not place.startswith(NOT_PROSE):
                found["page"] += [(place, text) for text in _paragraphs(path.read_text("utf-8"))]
    return found


def _of_code(tree: ast.Module) -> Iterator[tuple[str, int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if text := ast.get_docstring(node):
                yield "docstring", getattr(node, "lineno", 1), text
        elif isinstance(node, ast.Raise) and node.exc is not None:
            if text := _strings(node.exc):
                yield "error", node.lineno, text + _accepted(node.exc)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in LOGGERS and node.args and (text := _strings(node.args[0])):
                yield "log line", node.lineno, text
            if node.func.attr in {"add_argument", "add_parser"}:
                helps = [
                    each.value for each in node.keywords if each.arg in ("help", "description")
                ]
                if text := " ".join(filter(None, map(_strings, helps))):
                    yield "command line", node.lineno, text


def _accepted(node: ast.expr) -> str:
    """Return the values that the error lists behind its text, as a placeholder."""
    if isinstance(node, ast.Call):
        for each in node.keywords:
            if each.arg == "allowed":
                return f": {{{ast.unparse(each.value)}}}"
    return ""


def _strings(node: ast.AST) -> str:
    """Join the strings of an expression that look like prose, with placeholders for values."""
    parts = []
    for each in ast.walk(node):
        if isinstance(each, ast.JoinedStr):
            parts.append("".join(_part(value) for value in each.values))
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            parts.append(each.value)
    whole = [part for part in parts if " " in part]
    return " | ".join(dict.fromkeys(part for part in whole if not _is_inside(part, whole)))


def _part(node: ast.expr) -> str:
    return (
        str(node.value) if isinstance(node, ast.Constant) else "{" + ast.unparse(node)[1:-1] + "}"
    )


def _is_inside(part: str, others: list[str]) -> bool:
    return any(part != other and part in other for other in others)


def _paragraphs(page: str) -> list[str]:
    prose = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    blocks = (block.strip() for block in prose.split("\n\n"))
    return [block for block in blocks if len(block.split()) >= 8 and not block.startswith("|")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="random seed")
    parser.add_argument("--each", type=int, default=10, help="number of texts of each kind")
    chosen = parser.parse_args()
    generator = random.Random(chosen.seed)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["kind", "place", "text"])
    for kind, found in texts().items():
        for place, text in generator.sample(found, min(chosen.each, len(found))):
            writer.writerow([kind, place, text])


if __name__ == "__main__":
    main()
