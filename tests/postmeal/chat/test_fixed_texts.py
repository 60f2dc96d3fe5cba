"""Fixed texts have sources, hold no doses, and stand in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from postmeal.chat.fixed_texts import fixed_texts

PAGE = Path(__file__).parents[3] / "docs/reference/chat_texts.md"
MEDICAL = (
    *("emergency", "self_harm", "eating_disorder", "dosing", "diagnosis"),
    *("low_glucose", "new_type_1", "foot", "pregnancy"),
)


@pytest.mark.parametrize("name", [name for name in fixed_texts() if name.startswith(MEDICAL)])
def test_a_medical_text_states_its_sources(name: str) -> None:
    assert fixed_texts()[name].sources


@pytest.mark.parametrize("name", fixed_texts())
def test_a_text_has_one_to_four_sentences_without_doses(name: str) -> None:
    sentences = fixed_texts()[name].sentences
    assert 1 <= len(sentences) <= 4
    assert not re.search(r"\d\s?(?:mg(?!/dL)|units?|IU|kcal)\b", " ".join(sentences))


@pytest.mark.parametrize("name", fixed_texts())
def test_the_documentation_shows_the_text_with_its_sources(name: str) -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    text = fixed_texts()[name]
    for part in (*text.sentences, *text.sources):
        assert " ".join(part.split()) in page
