"""States of glucose regulation, and the health conditions that map to them.

The training data distinguishes four states by HbA1c or diagnosis: normal regulation, prediabetes,
type 2 diabetes and type 1 diabetes. Other conditions map to the most similar state. Their band is
wider, because there is no training data for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

State = Literal["normal", "prediabetes", "type_2", "type_1"]

STATES: tuple[State, ...] = get_args(State)
"""The states, from mildest to most severe."""


class StateOfRegulation(NamedTuple):
    """State of glucose regulation for a condition, and whether there is training data for it."""

    state: State
    is_trained: bool


CONDITION_TO_STATE: dict[str, StateOfRegulation] = {
    "none": StateOfRegulation("normal", True),
    "prediabetes": StateOfRegulation("prediabetes", True),
    "type_2_diabetes": StateOfRegulation("type_2", True),
    "type_1_diabetes": StateOfRegulation("type_1", True),
    # LADA is autoimmune and eventually treated with insulin, like type 1 (Buzzetti et al. 2020,
    # doi:10.2337/dbi20-0017).
    "lada": StateOfRegulation("type_1", False),
    # After gestational diabetes, insulin secretion remains impaired and the risk of type 2 is
    # about ten times higher (Vounzoulaki et al. 2020, doi:10.1136/bmj.m1361).
    "gestational_diabetes": StateOfRegulation("prediabetes", False),
    # Insulin is deficient, but without autoimmunity (Moran et al. 2010, doi:10.2337/dc10-1768).
    "cystic_fibrosis_related_diabetes": StateOfRegulation("type_2", False),
    # About nine in ten cases of diabetes are type 2.
    "diabetes_unknown_type": StateOfRegulation("type_2", False),
    "other": StateOfRegulation("normal", False),
}
"""State of each health condition."""


def state_of(health_conditions: Iterable[str]) -> StateOfRegulation:
    """Map health conditions to the most severe state that any of them maps to."""
    states = [CONDITION_TO_STATE[condition] for condition in health_conditions]
    if not states:
        return CONDITION_TO_STATE["none"]
    if len(states) == 1:
        return states[0]
    worst = max(states, key=lambda item: STATES.index(item.state)).state
    is_trained = any(item.is_trained for item in states if item.state == worst)
    return StateOfRegulation(worst, is_trained)
