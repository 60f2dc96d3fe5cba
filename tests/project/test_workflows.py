"""The workflows: actions pinned by hash, no stored secret, and an audit that blocks."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_action_is_pinned_by_its_commit(file: Path) -> None:
    actions = re.findall(r"uses: *(.+)", file.read_text(encoding="utf-8"))
    assert actions
    for action in actions:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}  # v\d+(\.\d+)*", action), action


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_workflow_needs_a_stored_secret(file: Path) -> None:
    assert "secrets." not in file.read_text(encoding="utf-8")


def test_known_vulnerabilities_block_a_change_and_a_release() -> None:
    for name in ("ci", "release"):
        text = (FOLDER / f"{name}.yml").read_text(encoding="utf-8")
        assert re.search(r"run: make.* audit", text)
        assert "continue-on-error" not in text


def test_the_library_is_tested_on_every_system_and_python_that_it_names() -> None:
    text = (FOLDER / "ci.yml").read_text(encoding="utf-8")
    project = (FOLDER.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    named = re.findall(r"Programming Language :: Python :: (3\.\d+)", project)
    [tested] = re.findall(r"python: \[(.+)\]", text)
    assert re.findall(r"3\.\d+", tested) == named
    assert "system: [ubuntu-latest, macos-latest, windows-latest]" in text
