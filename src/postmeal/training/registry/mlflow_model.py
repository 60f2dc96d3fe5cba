"""Write a population model as an MLflow model with weights and a loader, but without pickles."""

from __future__ import annotations

import os
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from postmeal.frames import INPUT_COLUMNS
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.training.registry import pyfunc

WEIGHTS_PATH = "data/release/population/weights.json"
"""Path of the weights inside the folder of the MLflow model."""

_REQUIREMENTS = ("postmeal", "numpy", "pandas")
_REQUIRED = ("carbs_g", "time")
_TYPES = {
    "time": "datetime",
    **dict.fromkeys(("health_conditions", "sex", "activity_level", "sensor"), "string"),
}
_EXCLUDED = ("person",)  # because a registered version contains no personal models


def write_mlflow_model(weights: dict[str, Any], folder: Path) -> None:
    """Write an MLflow model: ``MLmodel``, signature, input example, requirements and weights.

    ``mlflow.pyfunc`` loads the model with `postmeal.training.registry.pyfunc`. The loaded model
    predicts the same values as `postmeal.frames.predict_frame`.
    """
    os.environ.setdefault("MLFLOW_UV_AUTO_DETECT", "false")  # prevents copying of lock files
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as temporary:
        warnings.simplefilter("ignore")  # MLflow warns about its dependencies and about integers.
        from mlflow.models import ModelSignature, infer_signature
        from mlflow.pyfunc import save_model
        from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema

        from postmeal.training.fit.release import write_model

        release = Path(temporary, "release")
        sha256 = write_model(weights, release / "population", weights["version"])
        example = example_meals()
        predicted = pyfunc._load_pyfunc(str(release)).predict(example)
        columns = [
            ColSpec(_TYPES.get(column, "double"), column, required=column in _REQUIRED)
            for column in INPUT_COLUMNS
            if column not in _EXCLUDED
        ]
        minutes = ParamSpec("minutes", DataType.double, list(map(float, GRID_MIN)), shape=(-1,))
        outputs = infer_signature(predicted, predicted).outputs
        save_model(
            str(folder),
            loader_module=pyfunc.__name__,
            data_path=str(release),
            signature=ModelSignature(Schema(columns), outputs, ParamSchema([minutes])),
            input_example=example,
            pip_requirements=[f"{name}=={version(name)}" for name in _REQUIREMENTS],
            metadata={"model": f"{weights['name']}-{weights['version']}", "sha256": sha256},
        )


def example_meals() -> pd.DataFrame:
    """Return two meals without missing values as the input example of the MLflow model."""
    return pd.DataFrame(
        {
            "carbs_g": [45.0, 75.0],
            "fiber_g": [6.0, 2.0],
            "protein_g": [12.0, 20.0],
            "fat_g": [8.0, 25.0],
            "time": pd.to_datetime(["2026-05-01 08:00", "2026-05-01 19:30"]),
            "health_conditions": ["none", "type_2_diabetes"],
            "sensor": ["Dexcom G6", "Libre"],
        }
    )
