"""Value of the response header ``X-Model-Version``."""

from __future__ import annotations

from postmeal.glucose.notes import NOT_BETTER
from postmeal.glucose.prediction import Prediction

__all__ = ["MODEL_VERSION", "model_version"]

MODEL_VERSION = {
    "X-Model-Version": "Name and version of the model; contains `personal` if a personal model was"
    " used. If the personal model was not more accurate than the population model on held-out days,"
    " the population model is used, and a semicolon and the reason follow."
}
"""Response header with the model version, with its description for the documentation."""


def model_version(prediction: Prediction) -> str:
    """Return the value of the ``X-Model-Version`` header."""
    if NOT_BETTER in prediction.notes:
        reason = "personal model not used: not more accurate on held-out days"
        return f"{prediction.model_version}; {reason}"
    return prediction.model_version
