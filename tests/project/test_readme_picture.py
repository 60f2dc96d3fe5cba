"""The pictures of the README are what the released models predict, and how accurate they are."""

import json
import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).parents[2] / "docs"
METRICS = DOCS.parent / "models" / "population-4" / "metrics.json"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
PICTURES = {"readme_picture": "prediction.svg", "rungs_picture": "knowledge.svg"}


@pytest.mark.parametrize(("script", "name"), PICTURES.items())
def test_the_picture_is_up_to_date(script: str, name: str) -> None:
    redraw = f"run python docs/site/{script}.py"
    drawn = runpy.run_path(str(DOCS / "site" / f"{script}.py"))["picture"]()
    stored = (DOCS / "images" / name).read_text(encoding="utf-8")
    assert NUMBER.sub("#", drawn) == NUMBER.sub("#", stored), redraw
    numbers = [float(each) for each in NUMBER.findall(stored)]
    assert [float(each) for each in NUMBER.findall(drawn)] == pytest.approx(numbers, abs=0.11), (
        redraw
    )


@pytest.mark.parametrize("name", PICTURES.values())
def test_the_picture_loads_nothing_and_has_a_title(name: str) -> None:
    """It is shown as an image, where scripts, fonts and links do not work."""
    text = (DOCS / "images" / name).read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert "mg/dL" in (root.findtext("{http://www.w3.org/2000/svg}title") or "")
    assert not re.search(r"href|url\(|<script|@import", text)
    assert "prefers-color-scheme: dark" in text


def test_the_picture_of_knowledge_shows_each_comparison_and_marks_ties() -> None:
    text = (DOCS / "images" / "knowledge.svg").read_text(encoding="utf-8")
    metrics = json.loads(METRICS.read_text(encoding="utf-8"))["rungs"]
    shown = [
        (one["absolute_low"], one["absolute_high"])
        for rungs in metrics.values()
        for name, rung in rungs.items()
        for other, one in rung["paired"].items()
        if name != "condition" or other == "challenger"
    ]
    ties = sum(high > -0.5 and low < 0.5 for low, high in shown)
    assert 0 < ties < len(shown)
    assert len(re.findall(r'<circle class="\w+ open"', text)) == ties
    assert len(re.findall(r'<line class="\w+ line"', text)) == len(shown)
