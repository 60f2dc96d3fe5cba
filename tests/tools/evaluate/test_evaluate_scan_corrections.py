"""``python -m tools.evaluate corrections`` lists what went wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.evaluate.__main__ import main


def test_the_last_line_counts_right_wrong_and_abstained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rice = [["white rice", 200]]
    rows = [
        {"scan": rice, "text": "half of the rice", "expect": [["white rice", 100]]},
        {"scan": rice, "text": "double the rice", "expect": [["white rice", 300]]},
        {"scan": rice, "text": "somehow less of it", "expect": [["white rice", 150]]},
        {"scan": rice, "text": "it was brown rice", "expect": [["Brown Rice", 200]]},
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["corrections", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "2 right, 1 wrong, 1 abstained"
    assert "wrong: double the rice" in lines
    assert "  answered white rice 400 g" in lines
    assert "abstained: somehow less of it" in lines


@pytest.mark.parametrize("option", ["--predictions", "--tracking"])
def test_options_without_effect_are_refused(
    tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["corrections", str(tmp_path / "x"), option, "file:x"]) != 0
    assert f"{option} must be omitted" in capsys.readouterr().err
