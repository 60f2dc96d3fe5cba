"""Displayed names of data sets, states and models in the model card."""

from __future__ import annotations

__all__ = ["LABELS", "MODELS", "SETS"]

LABELS = {
    "normal": "normal regulation",
    "prediabetes": "prediabetes",
    "type_2": "type 2 diabetes",
    "type_1": "type 1 diabetes",
}
"""Names of the states of glucose regulation."""

SETS = {
    "bigideas": "BIG IDEAs",
    "hall2018": "Hall 2018",
    "ogtt75": "glucose tolerance tests",
    "shanghai": "ShanghaiT2DM",
    "t1d_uom": "T1D-UOM",
    "cgmacros": "CGMacros",
}
"""Short names of the data sets."""

MODELS = {"challenger": "LightGBM", "its own people": "fitted to this set"}
"""Displayed names of the models whose names in ``metrics.json`` are different."""
