"""Answers that testers got although the chat must not give them."""

import tomllib
from pathlib import Path

import pytest
from conversations import answer

CONVERSATIONS = tomllib.loads((Path(__file__).parent / "attacks.toml").read_text(encoding="utf-8"))[
    "conversations"
]
CASES = [(route, texts) for route, each in CONVERSATIONS.items() for texts in each]


@pytest.mark.parametrize(("route", "texts"), CASES, ids=[" / ".join(each) for _, each in CASES])
def test_a_danger_beside_a_harmless_request_gets_the_text_about_the_danger(route, texts):
    system = texts[0].removeprefix("S:") if texts[0].startswith("S:") else None
    found = answer(*texts[system is not None :], system=system)
    assert found.route in ("emergency", "selfharm"), route
    assert not found.computed
    assert not found.passages
