"""No text that a request may contain makes a regular expression slow.

A regular expression holds the interpreter's lock until it ends, so that no other request of the
process is answered. Each pattern of the package gets texts that repeat its own words and characters
up to the length that its texts may have.
"""

import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from slow_patterns import problem_of

import postmeal
from postmeal.chat.history import MAX_QUESTION_LETTERS
from postmeal.foods.language.phrases import phrase_parsing
from postmeal.literature.search import MAX_QUERY_LETTERS
from postmeal.scans.corrections.correction import LONGEST_CORRECTION
from postmeal_serve.resources.meal_text import LONGEST_MEAL_TEXT

SEARCH = Path(__file__).parents[1] / "support" / "slow_patterns.py"
PHRASE = phrase_parsing._LONGEST_NAME
MARKS = LONGEST_CORRECTION // 2  # one letter for each word of a correction
LENGTHS = {
    "postmeal.chat": {"": MAX_QUESTION_LETTERS},
    "postmeal.foods": {
        "": LONGEST_MEAL_TEXT,
        ".sources": PHRASE,
        ".portions": PHRASE,
        ".glycemic": PHRASE,
        ".diets": PHRASE,
        ".language.measure_weights": PHRASE,
        ".language.converted_measures": PHRASE,
        ".language.phrases.phrase_parsing": PHRASE,
    },
    "postmeal.scans": {
        "": LONGEST_CORRECTION,
        ".corrections.amount_clauses": MARKS,
        ".corrections.clauses": MARKS,
        ".corrections.naming_clauses": MARKS,
    },
    "postmeal.literature": {"": MAX_QUERY_LETTERS},
    "postmeal.cli": {"": PHRASE},
    "postmeal.training": {"": PHRASE},
}
"""Longest texts that reach the patterns of packages and, after a dot, of their modules. Texts about
one food have at most as many characters as a phrase of a meal text."""

PACKAGES = [f"postmeal.{each.name}" for each in pkgutil.iter_modules(postmeal.__path__)]
PACKAGES.remove("postmeal.__main__")


@pytest.mark.sampled
@pytest.mark.parametrize("package", ["postmeal_serve", *PACKAGES])
def test_no_pattern_of_a_package_is_slow(package):
    lengths = LENGTHS.get(package, {"": LONGEST_MEAL_TEXT})
    modules = [f"{package}{name}={length}" for name, length in lengths.items() if name]
    command = [sys.executable, str(SEARCH), package, str(lengths[""]), *modules]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert not found["slow"], "\n".join(found["slow"])
    if package in ("postmeal.chat", "postmeal.foods", "postmeal.scans"):
        assert found["patterns"] > 300


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"^(?:(?:hi|and|but|help) ?[,.!]? ?)*(?:i )?(?:\w+ )?feel sick", "search"),
        (r"(?:\w+\s?)*:", "match"),
        (r"\d+(?:\.\d+)?g", "search"),
        (r"(?:is|are)\b[^.?!]*\bfree", "search"),
        (r"(a|aa)+b", "fullmatch"),
        (r"\s*,", "sub"),
    ],
)
def test_a_slow_pattern_is_found(pattern, method):
    assert problem_of(re.compile(pattern), method, 10 * MAX_QUESTION_LETTERS)


@pytest.mark.parametrize("pattern", [r"^(?:(?:hi|and|but)\b ?[,.!]? ?)*+sick", r"\b\w+ of \w+"])
def test_a_pattern_in_linear_time_is_not_slow(pattern):
    assert problem_of(re.compile(pattern), "search", MAX_QUESTION_LETTERS) is None
