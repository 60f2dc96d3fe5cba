"""Which trained state of glucose regulation a person's health conditions map to.

The data sets know four states: normal regulation, prediabetes, type 2 diabetes and type 1
diabetes, told apart by HbA1c or diagnosis. The other conditions take the nearest of the four, and
a wider band where no data back the choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

__all__ = ["CONDITION_TO_STATE", "STATES", "State", "StateOfRegulation", "state_of"]

State = Literal["normal", "prediabetes", "type_2", "type_1"]

STATES: tuple[State, ...] = get_args(State)
"""The trained states, mildest first."""


class StateOfRegulation(NamedTuple):
    """A trained state, and whether people with this condition were among the training data."""

    state: State
    is_trained: bool


CONDITION_TO_STATE: dict[str, StateOfRegulation] = {
    "none": StateOfRegulation("normal", True),
    "prediabetes": StateOfRegulation("prediabetes", True),
    "type_2_diabetes": StateOfRegulation("type_2", True),
    "type_1_diabetes": StateOfRegulation("type_1", True),
    # Autoimmune and on insulin sooner or later, like type 1 (Buzzetti et al. 2020,
    # doi:10.2337/dbi20-0017).
    "lada": StateOfRegulation("type_1", False),
    # A past gestational diabetes: insulin secretion stays impaired and the risk of type 2 is
    # about tenfold (Vounzoulaki et al. 2020, doi:10.1136/bmj.m1361): between normal and type 2.
    "gestational_diabetes": StateOfRegulation("prediabetes", False),
    # Insulin deficiency without autoimmunity (Moran et al. 2010, doi:10.2337/dc10-1768).
    "cystic_fibrosis_related_diabetes": StateOfRegulation("type_2", False),
    # Nine of ten cases of diabetes are type 2.
    "diabetes_unknown_type": StateOfRegulation("type_2", False),
    "other": StateOfRegulation("normal", False),
}
"""The documented table from health condition to trained state."""


def state_of(health_conditions: Iterable[str]) -> StateOfRegulation:
    """Map health conditions to one trained state: the gravest that any of them maps to.

    Parameters
    ----------
    health_conditions : iterable of str
        Any of `postmeal.people.HEALTH_CONDITIONS`; none at all counts as ``none``.

    Returns
    -------
    StateOfRegulation
        The state, and False where a condition that decides it has no training data.

    Examples
    --------
    >>> state_of([])
    StateOfRegulation(state='normal', is_trained=True)
    >>> state_of(["prediabetes", "lada"])
    StateOfRegulation(state='type_1', is_trained=False)
    >>> state_of(["type_2_diabetes", "diabetes_unknown_type"])
    StateOfRegulation(state='type_2', is_trained=True)
    """
    found = [CONDITION_TO_STATE[condition] for condition in health_conditions]
    if not found:
        return CONDITION_TO_STATE["none"]
    if len(found) == 1:
        return found[0]
    gravest = max(found, key=lambda one: STATES.index(one.state)).state
    return StateOfRegulation(gravest, any(one.is_trained for one in found if one.state == gravest))
