"""Runs the blocks of a page from top to bottom, in a folder with sample files.

``python``    executed, in one namespace per page
``pycon``     examples with ``>>>``, in the same namespace
``console``   ``$ postmeal …`` and ``$ postmeal-serve admin …`` run; commands that need data sets
              are parsed; verbs of make and extras of pip must exist; other lines are the output
``output``    the expected output of the previous block; ``...`` stands for any text
``bash``      all such blocks of a page form one script, which runs after the other blocks
``json``      a body for the last operation named before it, such as `POST /v1.2/food-logs`;
              with the title "Response", a part of its response; with ``POSTMEAL_…``, a setting
``csv`` …     written to the file in the title

Other languages of `doc_blocks.SHOWN` are only shown. The comment ``<!-- not run: reason -->``
before a block is the only exception.
"""

from __future__ import annotations

import contextlib
import doctest
import gzip
import io
import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from doc_blocks import FILES, ROOT, Block
from doc_scripts import run_script
from export_files import CLARITY, egv

import postmeal.cli
import postmeal_serve.command_line
import tools.evaluate.__main__
import tools.food_table.__main__
from postmeal_serve.app import check_endpoints
from postmeal_serve.settings import Settings

PARSED_ONLY = re.compile(r"(train|evaluate|card|datasets|models ranges|models(?!.* --folder))\b")
"""Commands of postmeal that need data sets, MLflow or minutes."""

TOOLS = {
    "tools.evaluate": tools.evaluate.__main__.parser,
    "tools.food_table": tools.food_table.__main__.parser,
}
"""Parsers of the programs outside the package, whose commands need data sets or minutes."""

_IGNORED = re.compile(r"(cd|export|git clone|\.|source|python3? -m venv)\b|\. \.venv")
_PIP = re.compile(r"pip install .*?(?:(?P<quote>['\"])?(?:\.|postmeal)(?:\[(?P<extras>[\w,]+)\])?)")
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def write_samples(folder: Path) -> None:
    """Write the sample files: a week of CGM readings and meals, and an export of one product."""
    start = datetime(2026, 5, 1)
    times = (start + timedelta(minutes=15 * n) for n in range(96 * 7))
    rows = [egv(f"{time:%Y-%m-%dT%H:%M:%S}", 90 + n % 40) for n, time in enumerate(times)]
    (folder / "clarity.csv").write_text("\n".join([CLARITY, *rows]))
    meals = [f"2026-05-0{day}T{hour}:00,1 banana" for day in range(1, 8) for hour in ("08", "13")]
    (folder / "meals.csv").write_text("\n".join(["time,meal", *meals]))
    product = "code\tproduct_name\tcarbohydrates_100g\n3017620422003\tHazel spread\t57.5\n"
    export = folder / "en.openfoodfacts.org.products.csv.gz"
    export.write_bytes(gzip.compress(product.encode()))


class PageRun:
    """A run of a page: the Python namespace, and the results that later blocks refer to.

    Parameters
    ----------
    page : Path
        The page.
    folder : Path
        Working directory of the run.
    api : callable
        Sends a request with a method, path and body; returns the status and the JSON.
    """

    def __init__(self, page: Path, folder: Path, api: Callable[..., Any]) -> None:
        self.page = page
        self.folder = folder
        self.api = api
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""
        self.response: Any = None
        self.response_place = -1
        self.scripts: list[Block] = []

    def run(self, blocks: list[Block]) -> None:
        """Run all blocks: the bash blocks together, after all others."""
        previous = ""
        expected: list[Block] = []
        for block in blocks:
            if block.not_run:
                previous = "not run"
                continue
            if block.language == "output" and previous == "not run":
                continue
            if block.language == "output" and previous == "bash":
                expected.append(block)
                continue
            try:
                self._run(block)
            except AssertionError:
                raise
            except (Exception, SystemExit) as error:
                raise AssertionError(f"{self._where(block)}: {error!r}") from error
            previous = block.language
        if self.scripts:
            self._run_scripts(expected)

    def _where(self, block: Block) -> str:
        return f"{self.page.name}:{block.line}"

    def _run(self, block: Block) -> None:
        if block.language == "python":
            with _captured() as output:
                code = "\n" * (block.line - 1) + block.text
                exec(compile(code, str(self.page), "exec"), self.names)
            self.printed = output.getvalue()
        elif block.language == "pycon":
            self._run_examples(block)
        elif block.language == "console":
            self._run_commands(block)
        elif block.language == "output":
            self._compare(block, block.text, self.printed)
        elif block.language == "bash":
            self.scripts.append(block)
        elif block.language == "json":
            self._use_json(block)
        elif block.language in FILES:
            if block.language == "toml":
                tomllib.loads(block.text)
            if block.title:
                (self.folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "yaml":
            yaml.safe_load(block.text)
        elif block.language in ("nginx", "caddy"):
            assert block.text.count("{") == block.text.count("}"), self._where(block)

    def _compare(self, block: Block, expected: str, actual: str) -> None:
        pattern = ".*?".join(re.escape(piece) for piece in _squeezed(expected).split("..."))
        same = re.fullmatch(pattern, _squeezed(actual), re.DOTALL)
        assert same, f"{self._where(block)}: expected\n{expected}\ngot\n{actual}"

    def _run_examples(self, block: Block) -> None:
        parser, place = doctest.DocTestParser(), block.line - 1
        examples = parser.get_doctest(block.text, self.names, self.page.name, None, place)
        report = io.StringIO()
        runner = doctest.DocTestRunner(verbose=False, optionflags=_FLAGS)
        runner.run(examples, out=report.write, clear_globs=False)
        self.names.update(examples.globs)
        assert not runner.failures, report.getvalue()

    def _run_commands(self, block: Block) -> None:
        text = block.text.replace("\\\n", " ")
        for command in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, expected = command.partition("\n")
            output = self._run_command(block, line.strip(), expected)
            if output is not None:
                self.printed = output
                if expected.strip():
                    self._compare(block, expected, output)

    def _run_command(self, block: Block, line: str, expected: str) -> str | None:
        """Run one command line and return its output; None if it was only checked."""
        where = f"{self._where(block)}: {line}"
        line, _, file = line.partition(" > ")
        words = shlex.split(line, comments=True)
        if words[0] == "postmeal":
            main, parser = postmeal.cli.main, postmeal.cli._parser
            arguments = words[1:]
            if PARSED_ONLY.match(" ".join(arguments)):
                assert callable(parser().parse_args(arguments).run), where
                return None
        elif words[0] == "postmeal-serve":
            main, arguments = postmeal_serve.command_line.main, words[1:]
            if arguments[0] != "admin":
                assert callable(
                    postmeal_serve.command_line._parser().parse_args(arguments).command
                ), where
                return None
        elif words[:2] == ["python", "-m"] and words[2] in TOOLS:
            TOOLS[words[2]]().parse_args(words[3:])
            return None
        else:
            _check_other(line, where)
            return None
        with _captured() as output:
            try:
                status = main(arguments)
            except SystemExit as error:  # --help, or a wrong option
                status = int(error.code or 0)
        printed = output.getvalue()
        fails = re.search(r"^(postmeal|error|.*: error)[\w ]*: ", expected, re.MULTILINE)
        assert bool(status) == bool(fails), f"{where}: status {status}\n{printed}"
        if file:
            (self.folder / file.strip()).write_text(printed, encoding="utf-8")
        return printed

    def _use_json(self, block: Block) -> None:
        value = json.loads(block.text)
        if block.title.startswith("POSTMEAL_"):
            name = block.title.removeprefix("POSTMEAL_").lower()
            assert name in Settings.model_fields, self._where(block)
            check_endpoints(Settings(**{name: value}))
        elif block.title == "Response":
            if block.operation and block.operation_place > self.response_place:
                assert block.operation[0] == "GET", f"{self._where(block)}: no request body"
                self._request(block, None)
            _compare_json(value, self.response, self._where(block))
        elif not block.title:
            self._request(block, value)

    def _request(self, block: Block, body: Any) -> None:
        assert block.operation, f"{self._where(block)}: no operation is named before the body"
        status, self.response = self.api(*block.operation, body)
        self.response_place = block.place
        assert 200 <= status < 300, f"{self._where(block)}: status {status}: {self.response}"

    def _run_scripts(self, expected: list[Block]) -> None:
        output = run_script("\n".join(each.text for each in self.scripts), self.folder)
        lines = iter(_squeezed(output).splitlines())
        for block in expected:
            for line in _squeezed(block.text).splitlines():
                if line == "...":
                    continue
                pattern = ".*?".join(re.escape(piece) for piece in line.split("..."))
                found = any(re.fullmatch(pattern, each) for each in lines)
                assert found, f"{self._where(block)}: {line!r} is not in\n{output}"


@contextlib.contextmanager
def _captured() -> Iterator[io.StringIO]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        yield output


def _squeezed(text: str) -> str:
    """Replace runs of spaces by one space, and remove blank lines."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(filter(None, lines))


def _check_other(line: str, where: str) -> None:
    """Check a command of another program: a target of make or an extra of the package."""
    words = shlex.split(line, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words.pop(0)
    if words[0] == "make":
        verbs = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert words[1] in verbs, f"{where}: no such verb"
    elif "pip" in words and "install" in words:
        match = _PIP.search(line)
        assert match, f"{where}: installs something else than postmeal"
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        extras = {*filter(None, (match["extras"] or "").split(","))}
        assert extras <= {*project["optional-dependencies"]}, f"{where}: no such extra"
    else:
        assert _IGNORED.match(line), f"{where}: cannot run; mark the block <!-- not run: reason -->"


def _compare_json(expected: Any, actual: Any, where: str, path: str = "$") -> None:
    """Check that a response contains the shown values; numbers can differ by 0.001."""
    if expected in ("...", "…"):
        return
    if isinstance(expected, dict):
        assert isinstance(actual, dict), f"{where}: {path} is {actual!r}"
        for name, value in expected.items():
            assert name in actual, f"{where}: {path}.{name} is missing in {actual}"
            _compare_json(value, actual[name], where, f"{path}.{name}")
    elif isinstance(expected, list):
        may_go_on = bool(expected) and expected[-1] in ("...", "…")
        shown = expected[:-1] if may_go_on else expected
        assert isinstance(actual, list), f"{where}: {path} is {actual!r}"
        assert len(actual) >= len(shown), f"{where}: {path} has {len(actual)} items"
        assert may_go_on or len(actual) == len(shown), f"{where}: {path} has {len(actual)} items"
        for place, value in enumerate(shown):
            _compare_json(value, actual[place], where, f"{path}[{place}]")
    elif isinstance(expected, float) or isinstance(actual, float):
        assert abs(expected - actual) <= 1e-3, f"{where}: {path} is {actual}, not {expected}"
    else:
        assert expected == actual, f"{where}: {path} is {actual!r}, not {expected!r}"


def environment(folder: Path) -> dict[str, str]:
    """Return the variables that keep the state of commands in a folder."""
    own = {"POSTMEAL_STATE_DIR": str(folder / "state")}
    return own | {"MPLBACKEND": os.environ.get("MPLBACKEND", "agg")}
