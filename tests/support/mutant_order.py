"""A pytest plugin of mutmut's runs: it orders the tests so that most mutants are soon killed."""

import functools
import gc
import json
import os
from pathlib import Path

import pytest

DURATIONS = Path("mutmut-stats.json")  # in the folder of the mutants, where mutmut runs the tests


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of the mutant's own module first, and the quick ones before the slow ones."""
    mutant = os.environ.get("MUTANT_UNDER_TEST", "")  # package.module.function__mutmut_1
    own = f"test_{mutant.rpartition('.')[0].rpartition('.')[2]}.py"
    seconds = durations()
    items.sort(
        key=lambda item: (own not in item.nodeid, seconds.get(item.nodeid, 0.0), item.nodeid)
    )


def pytest_collection_finish() -> None:
    """Freeze existing objects, so that the garbage collector of forked processes ignores them."""
    gc.collect()
    gc.freeze()


@functools.cache
def durations() -> dict[str, float]:
    """Return the seconds that each test took without mutants, as far as they are known."""
    if not DURATIONS.exists():
        return {}
    seconds: dict[str, float] = json.loads(DURATIONS.read_text(encoding="utf-8"))[
        "duration_by_test"
    ]
    return seconds
