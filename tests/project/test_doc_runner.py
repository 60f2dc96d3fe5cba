"""The runner of blocks fails on blocks that are wrong."""

from pathlib import Path
from typing import Any

import pytest
from doc_blocks import blocks_of
from doc_runner import PageRun


def fenced(language: str, *lines: str) -> str:
    return "\n".join([f"```{language}", *lines, "```", ""])


ONE = fenced("python", "print(1)")
POST = "Send `POST /v1.2/glucose/predictions`:\n\n"
GOOD = [
    ONE + fenced("output", "1"),
    fenced("python", "print('a  b', 17)") + "\n" + fenced("output", "a b ..."),
    fenced("python", "number = 2") + fenced("python", "assert number == 2"),
    fenced("pycon", ">>> 1 + 1", "2"),
    fenced("console", "$ postmeal foods show 99999", "postmeal: ..."),
    fenced("console", "$ postmeal train --data x --output y", "$ make test", "$ pip install ."),
    fenced("bash", "echo one", "sleep 60 &") + fenced("output", "one"),
    fenced('csv title="own.csv"', "a")
    + fenced("python", "from pathlib import Path", "assert Path('own.csv').read_text() == 'a\\n'"),
    fenced('json title="POSTMEAL_CREDIT_COSTS"', '{"predict_glucose": 1}'),
    POST + fenced("json", "{}") + fenced('json title="Response"', '{"points": [1, "..."]}'),
    "<!-- not run: a reason -->\n" + fenced("python", "1 / 0"),
]
BAD = [
    fenced("python", "1 / 0"),
    ONE + fenced("output", "2"),
    fenced("pycon", ">>> 1 + 1", "3"),
    fenced("console", "$ postmeal foods show 99999"),
    fenced("console", "$ postmeal foods show 2159", "postmeal: nothing"),
    fenced("console", "$ postmeal train --no-such-option x"),
    fenced("console", "$ make no-such-verb"),
    fenced("console", "$ pip install 'postmeal[none]'"),
    fenced("console", "$ pip install requests"),
    fenced("console", "$ curl http://127.0.0.1"),
    fenced("bash", "false", "echo one"),
    fenced("bash", "echo one") + fenced("output", "two"),
    fenced("json", "{}"),
    POST + fenced("json", "{}") + fenced('json title="Response"', '{"points": [1]}'),
    POST + fenced("json", "{}") + fenced('json title="Response"', '{"other": 1}'),
    fenced('json title="POSTMEAL_WORKERS"', "0"),
    fenced('json title="POSTMEAL_NOTHING"', "0"),
    fenced("sh", "echo one"),
    fenced("", "echo one"),
    "- a list\n\n  ```python\n  1\n  ```\n",
    "```python\n1\n",
]


def run(markdown: str, folder: Path) -> None:
    page = folder / "page.md"
    page.write_text(markdown, encoding="utf-8")

    def send(method: str, path: str, body: Any) -> tuple[int, Any]:
        assert (method, path, body) == ("POST", "/v1.2/glucose/predictions", {})
        return 200, {"points": [1, 2]}

    PageRun(page, folder, send).run(blocks_of(page))


@pytest.mark.parametrize("markdown", GOOD)
def test_blocks_that_are_right_pass(
    markdown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(markdown, tmp_path)


@pytest.mark.parametrize("markdown", BAD)
def test_blocks_that_are_wrong_fail(
    markdown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, ValueError)):
        run(markdown, tmp_path)
