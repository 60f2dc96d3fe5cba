"""Every notebook runs from top to bottom and is stored with its outputs."""

import re

import nbformat
import pytest
from notebook_runs import (
    FOLDER,
    NOTEBOOKS,
    ROOT,
    WITH_DATA,
    a_notebook_runs,
    outputs,
    printed,
    shown_by,
)
from synthetic_wearer import Wearer

from postmeal import Catalog, Predictor

VARIABLES = ("POSTMEAL_DATA", "POSTMEAL_EXPORT", "POSTMEAL_MEALS", "POSTMEAL_ZONE")

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
RERUN = "run python tests/support/notebook_runs.py"

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(autouse=True)
def no_files_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.notebooks
@every_notebook
@a_notebook_runs
def test_a_notebook_runs_from_top_to_bottom(path):
    """Row 475: and it prints what is stored, but for the rounding of other machines."""
    expected = printed(nbformat.read(path, as_version=4))
    shown = shown_by(path)
    assert NUMBER.sub("#", shown) == NUMBER.sub("#", expected), RERUN
    numbers = [float(each) for each in NUMBER.findall(expected)]
    assert [float(each) for each in NUMBER.findall(shown)] == pytest.approx(
        numbers, rel=0.02, abs=0.11
    ), RERUN


@pytest.mark.reliability
@pytest.mark.parametrize("path", WITH_DATA, ids=lambda path: path.stem)
@a_notebook_runs
def test_a_notebook_runs_on_the_real_sets(path, shared_data, monkeypatch):
    """Row 475, where the data is at hand."""
    monkeypatch.setenv("POSTMEAL_DATA", str(shared_data))
    assert shown_by(path)


@pytest.mark.reliability
@a_notebook_runs
def test_your_own_model_is_made_of_your_own_files(tmp_path, monkeypatch):
    """Nobody is made up then, and the model lies beside the export."""
    you = Wearer(Catalog.open(), Predictor.load(), level_mg_dl=125.0, days=9, noise_mg_dl=4)
    files = {name: tmp_path / name for name in ("clarity.csv", "meals.csv")}
    files["clarity.csv"].write_text(clarity_of(you))
    files["meals.csv"].write_text(meals_of(you))
    monkeypatch.setenv("POSTMEAL_EXPORT", str(files["clarity.csv"]))
    monkeypatch.setenv("POSTMEAL_MEALS", str(files["meals.csv"]))
    monkeypatch.setenv("POSTMEAL_ZONE", "America/New_York")
    shown = shown_by(FOLDER / "04_your_own_model.ipynb")
    assert "864 readings, 27 food log entries" in shown
    assert "27 meals of 9 days" in shown
    assert (tmp_path / "own.postmeal").stat().st_size < 2048


def clarity_of(you: Wearer) -> str:
    header = "Index,Timestamp (YYYY-MM-DDThh:mm:ss),Event Type,,,,,Glucose Value (mg/dL),,,,,,"
    rows = [
        f"{index},{at:%Y-%m-%dT%H:%M:%S},EGV,,,,,{value:.0f},,,,,,8AAA00"
        for index, (at, value) in enumerate(you.readings, start=1)
    ]
    return "\n".join([header, *rows, ""])


def meals_of(you: Wearer) -> str:
    rows = zip(you.meals, you.meal_history.macronutrients, strict=True)
    grams = [f"{meal.time:%Y-%m-%dT%H:%M},{','.join(map(str, row))}" for meal, row in rows]
    return "\n".join(["time,carbs_g,fiber_g,protein_g,fat_g", *grams, ""])


@every_notebook
def test_a_notebook_is_stored_with_the_outputs_of_one_run(path):
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)], RERUN
    assert {each.output_type for each in outputs(notebook)} <= {
        "stream",
        "display_data",
        "execute_result",
    }
    assert len(pictures(notebook)) >= 1
    assert path.stat().st_size < 700_000


@every_notebook
def test_a_notebook_has_a_title_and_sections(path):
    notebook = nbformat.read(path, as_version=4)
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    headings = [line for text in texts for line in text.splitlines() if line.startswith("#")]
    assert texts[0].startswith("# ")
    assert headings[0] == texts[0].splitlines()[0]
    assert len(headings) >= 4
    assert all(line.startswith("## ") for line in headings[1:])


@pytest.mark.parametrize("path", NOTEBOOKS[1:4], ids=lambda path: path.stem)
def test_every_figure_of_made_up_data_says_so(path):
    """`show` marks a figure unless the data are real."""
    notebook = nbformat.read(path, as_version=4)
    assert any("mark_synthetic(figure)" in cell.source for cell in notebook.cells)
    for cell in pictures(notebook):
        assert "show(" in cell.source.replace("plt.show(", "") or "mark_synthetic(" in cell.source


def pictures(notebook):
    """Return the cells that show a figure."""
    return [
        cell
        for cell in notebook.cells
        if any("image/png" in each.get("data", {}) for each in cell.get("outputs", []))
    ]


def test_the_first_tutorial_lists_every_notebook_and_no_other():
    page = (ROOT / "docs" / "tutorials" / "first_curve.md").read_text(encoding="utf-8")
    assert sorted(set(re.findall(r"notebooks/(\w+\.ipynb)", page))) == [
        path.name for path in NOTEBOOKS
    ]
