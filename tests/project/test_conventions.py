"""The rules of the house: what is public, what is imported, how long a function may be."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import postmeal

ROOT = Path(__file__).parents[2]
PREDICTION_MAY_IMPORT = {"numpy", "postmeal"}
IN_PYTHON = """
from datetime import datetime
from postmeal import Catalog, Meal, Profile, parse_meal, predict
someone = Profile(age=45.0, sex="female", height_cm=168.0, weight_kg=68.0)
predict(someone, Meal(tuple(parse_meal("1 banana", Catalog.open())), datetime(2026, 5, 1, 8)))
"""
ON_THE_COMMAND_LINE = """
from postmeal.cli import main
main("predict banana --age 45 --sex female --height 66in --weight 150lb".split())
"""
TELL = """
import json, sys
here = [name for name, module in sys.modules.items() if getattr(module, "__file__", None)]
print(json.dumps(sorted({name.partition(".")[0] for name in here} - sys.stdlib_module_names)))
"""


def test_the_public_names_are_these() -> None:
    assert postmeal.__all__ == [
        "Catalog",
        "CatalogError",
        "CgmTrace",
        "DataSetError",
        "Food",
        "InputError",
        "InputUsed",
        "Meal",
        "MealHistory",
        "ModelError",
        "Nutrients",
        "PersonalModel",
        "PictureError",
        "PostmealError",
        "Prediction",
        "PredictionWarning",
        "Predictor",
        "Profile",
        "Selection",
        "Serving",
        "TooFewDays",
        "UnknownBarcode",
        "UnknownFood",
        "UnknownServing",
        "UnusableHistory",
        "alternatives",
        "explain_days",
        "fit_personal",
        "parse_meal",
        "predict",
        "predict_frame",
        "read_export",
        "read_meal",
        "read_meals",
        "training_days",
    ]
    assert all(getattr(postmeal, name).__doc__ for name in postmeal.__all__)


@pytest.mark.parametrize("program", [IN_PYTHON, ON_THE_COMMAND_LINE])
def test_a_prediction_imports_only_numpy(program: str) -> None:
    """Row 476: no pydantic, pandas, scikit-learn, LightGBM or MLflow, and no web stack."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", program + TELL],
        env={"PYTHONPATH": ":".join(["src", *(p for p in sys.path if p.endswith("-packages"))])},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = json.loads(done.stdout.splitlines()[-1])
    assert {name for name in imported if not name.startswith("_")} <= PREDICTION_MAY_IMPORT


def test_no_function_has_more_than_60_lines_of_code() -> None:
    """Docstrings, comments and blank lines do not count; migrations list tables and are exempt."""
    long = []
    for folder in ("src", "serve", "tests", "benchmarks", "docs", "tools"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
                    code = [line for line in lines if line.strip() and line.strip()[0] != "#"]
                    documented = ast.get_docstring(node, clean=False) or ""
                    length = len(code) - sum(1 for line in documented.splitlines() if line.strip())
                    if length > 60 and "migrations" not in path.parts:
                        long.append(f"{path.relative_to(ROOT)}: {node.name} has {length}")
    assert long == []
