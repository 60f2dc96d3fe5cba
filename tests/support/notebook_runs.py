"""Runs of the notebooks.

``python tests/support/notebook_runs.py`` runs all notebooks and stores their outputs in the files.
"""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]


FOLDER = ROOT / "notebooks"


NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
WITH_DATA = [path for path in NOTEBOOKS if "POSTMEAL_DATA" in path.read_text(encoding="utf-8")]


a_notebook_runs = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)


def run(path: Path) -> nbformat.NotebookNode:
    """Run a notebook from top to bottom, and return it with its outputs; warnings are errors."""
    notebook = nbformat.read(path, as_version=4)
    metadata = dict(notebook.metadata)
    client = NotebookClient(
        notebook,
        timeout=500,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(FOLDER)}},
    )
    client.execute()
    notebook.metadata = nbformat.from_dict(metadata)  # without the version of Python
    streams = [each for each in outputs(notebook) if each.output_type == "stream"]
    assert [each.text for each in streams if each.name != "stdout"] == []
    return notebook


def outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return all outputs of a notebook."""
    return [each for cell in notebook.cells for each in cell.get("outputs", [])]


def printed(notebook: nbformat.NotebookNode) -> str:
    """Return the text that a notebook prints."""
    return "".join(each.text for each in outputs(notebook) if each.output_type == "stream")


def shown_by(path: Path) -> str:
    """Run a notebook and return the text that it prints."""
    return printed(run(path))


def main() -> None:
    """Run all notebooks and store their outputs."""
    for path in NOTEBOOKS:
        nbformat.write(run(path), path)
        print(f"{path.name}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
