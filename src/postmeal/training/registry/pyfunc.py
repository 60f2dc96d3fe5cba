"""Load a population model as an MLflow model of the flavor ``python_function``.

MLflow imports this module when it loads or serves a registered version. The weights are read from
``weights.json``, and their hash is verified. Nothing is unpickled.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from postmeal.errors import InputError
from postmeal.frames import predict_frame
from postmeal.glucose.predictor import Predictor

__all__ = ["PopulationFunction"]


class PopulationFunction:
    """Population model with the interface that MLflow expects.

    Parameters
    ----------
    predictor : Predictor
        The model.
    """

    def __init__(self, predictor: Predictor) -> None:
        self.predictor = predictor

    def predict(
        self, model_input: pd.DataFrame, params: Mapping[str, Any] | None = None
    ) -> pd.DataFrame:
        """Predict glucose after each meal of a DataFrame; see `postmeal.frames.predict_frame`.

        Parameters
        ----------
        model_input : DataFrame
            One row per meal, with the columns of `postmeal.frames.predict_frame`.
        params : mapping, optional
            ``minutes`` can contain the minutes after the start of the meal to predict.

        Returns
        -------
        DataFrame
            One row per meal and minute.

        Raises
        ------
        MlflowException
            A row is invalid. The message is that of `predict_frame`; MLflow's server returns it
            with status 400.
        """
        minutes = (params or {}).get("minutes")
        try:
            return predict_frame(model_input, self.predictor, minutes=minutes)
        except InputError as error:
            from mlflow.exceptions import MlflowException

            raise MlflowException.invalid_parameter_value(str(error)) from error


def _load_pyfunc(path: str) -> PopulationFunction:
    """Load the model from the path of its data; MLflow calls this function."""
    return PopulationFunction(Predictor.load(Path(path) / "population"))
