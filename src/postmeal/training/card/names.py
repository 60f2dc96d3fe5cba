"""Displayed names of states and models in the model card."""

from __future__ import annotations

LABELS = {
    "normal": "normal regulation",
    "prediabetes": "prediabetes",
    "type_2": "type 2 diabetes",
    "type_1": "type 1 diabetes",
}
"""Names of the states of glucose regulation."""

MODELS = {
    "challenger": "LightGBM",
    "linear": "linear model",
    "its own people": "fitted to this set",
}
"""Displayed names of the models whose names in ``metrics.json`` are different."""
