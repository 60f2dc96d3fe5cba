"""README.md is short; its links, figures and targets, and those of contributor pages, exist."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = ROOT / "docs" / "contributing"
TEMPLATES = ("myapp", "myset", "widgets")
"""Parts of the names of files that a recipe tells the reader to create."""


def test_the_readme_has_at_most_150_lines() -> None:
    assert README.count("\n") <= 150


def test_every_make_target_is_in_the_tour_and_no_other() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE))
    table = (CONTRIBUTING / "tour.md").read_text(encoding="utf-8").partition("\n## Make targets")[2]
    assert set(re.findall(r"^\| `make ([a-z-]+)", table, re.MULTILINE)) == targets
    assert set(re.findall(r"(?:\$ |`)make ([a-z-]+)", README)) <= targets


def test_the_accuracy_is_that_of_the_evaluation() -> None:
    metrics = json.loads((ROOT / "models/population/metrics.json").read_text(encoding="utf-8"))
    for sensor, result in metrics["frozen"].items():
        row = accuracy(sensor, result["models"], metrics["forward"][sensor]["models"])
        assert row in README, f"the row should be\n{row}"


def accuracy(sensor: str, frozen: dict[str, Any], forward: dict[str, Any]) -> str:
    """Return the README's row of one sensor."""
    models = (frozen[name] for name in ("population", "challenger", "linear"))
    errors = [f"{model['rise_rmse_mg_dl']:.1f}" for model in models]
    coverage = f"{frozen['population']['coverage']:.0%}"
    personal = (f"{forward[name]['absolute_rmse_mg_dl']:.1f}" for name in ("population", "served"))
    return f"| {' | '.join([sensor, *errors, coverage, ', '.join(personal)])} |"


@pytest.mark.parametrize("page", ["README.md", ".github/CONTRIBUTING.md"])
def test_links_lead_to_files(page: str) -> None:
    folder = (ROOT / page).parent
    links = re.findall(r"\]\((?!http)([^)#]+)[^)]*\)", (ROOT / page).read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (folder / link).exists()] == []


def test_the_files_that_contributors_are_sent_to_exist() -> None:
    for page in CONTRIBUTING.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        paths = set(re.findall(r"`((?:src|serve|tests|docs|data|models)/[\w./-]*\w)`", text))
        created = {path for path in paths if any(name in path for name in TEMPLATES)}
        assert [path for path in sorted(paths - created) if not (ROOT / path).exists()] == [], page
