"""Every message about a missing package names the extra that contains it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PREDICT = """
from datetime import datetime
from postmeal import Catalog, Meal, Predictor, Profile, parse_meal
person = Profile(age=45, sex="female", height_cm=168, weight_kg=68)
meal = Meal(tuple(parse_meal("1 banana", Catalog.open())), datetime(2026, 5, 1, 8))
"""


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("package", "program", "extra"),
    [
        ("matplotlib", f"{PREDICT}Predictor.load().predict(person, meal).plot()", "plot"),
        ("pandas", "from postmeal.frames import predict_frame", "frames"),
        ("pandas", f"{PREDICT}Predictor.load().predict_many(person, [meal]).to_frame()", "frames"),
        ("sklearn", "from postmeal.training.fit.estimator import PostMealCurve", "train"),
        ("mlflow", "import postmeal.training.registry.mlflow_registry", "train"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(package: str, program: str, extra: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules[{package!r}] = None\n{program}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    message = f"{package} is not installed; run pip install 'postmeal[{extra}]'"
    assert done.stderr.splitlines()[-1] == f"postmeal.errors.MissingExtra: {message}"
