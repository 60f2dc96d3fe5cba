"""The picture of the README is what the shipped model predicts."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
REDRAW = "run python docs/site/readme_picture.py"


def test_the_picture_is_up_to_date():
    drawn = runpy.run_path(str(DOCS / "site" / "readme_picture.py"))["picture"]()
    stored = (DOCS / "images" / "prediction.svg").read_text(encoding="utf-8")
    assert NUMBER.sub("#", drawn) == NUMBER.sub("#", stored), REDRAW
    numbers = [float(each) for each in NUMBER.findall(stored)]
    assert [float(each) for each in NUMBER.findall(drawn)] == pytest.approx(numbers, abs=0.11), (
        REDRAW
    )


def test_the_picture_loads_nothing_and_has_a_title():
    """It is shown as an image, where scripts, fonts and links do not work."""
    text = (DOCS / "images" / "prediction.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert "mg/dL" in (root.findtext("{http://www.w3.org/2000/svg}title") or "")
    assert not re.search(r"href|url\(|<script|@import", text)
    assert "prefers-color-scheme: dark" in text
