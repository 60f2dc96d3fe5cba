"""What several test files share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the real data: POSTMEAL_DATA, or ../shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("POSTMEAL_DATA", beside))
    if not (folder / "cgm").is_dir():
        pytest.skip(f"no real data: {folder} has no folder cgm (set POSTMEAL_DATA)")
    return folder
