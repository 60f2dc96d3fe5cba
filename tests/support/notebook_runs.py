"""Runs of the notebooks."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]


FOLDER = ROOT / "notebooks"


NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


a_notebook_runs = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)


def shown_by(path: Path) -> str:
    """Run a notebook and give the text that it shows; it shows no warning."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(notebook, timeout=500, kernel_name="python3", resources=resources).execute()
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", [])]
    texts = [each for each in outputs if each.output_type == "stream"]
    assert [each.text for each in texts if each.name != "stdout"] == []
    return "".join(each.text for each in texts)
