"""The notebooks read data sets in the official formats, here made-up ones."""

import pytest
from notebook_runs import WITH_DATA, a_notebook_runs, shown_by

pytestmark = pytest.mark.reliability


@pytest.mark.parametrize("path", WITH_DATA, ids=lambda path: path.stem)
@a_notebook_runs
def test_a_notebook_runs_on_made_up_sets(path, made_up_data, monkeypatch):
    """Row 475, with ``POSTMEAL_DATA`` set to made-up sets."""
    folder, _ = made_up_data
    monkeypatch.setenv("POSTMEAL_DATA", str(folder.parent))
    assert shown_by(path)
