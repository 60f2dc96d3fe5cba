"""Notes about the limits of a prediction."""

from __future__ import annotations

from collections.abc import Iterable

from postmeal.glucose.population.states import CONDITION_TO_STATE

__all__ = ["notes_of"]


def notes_of(
    conditions: Iterable[str],
    state: str,
    is_trained: bool,
    assumed: Iterable[str],
    is_unused: bool,
) -> tuple[str, ...]:
    """Return the notes of a prediction.

    Parameters
    ----------
    conditions : iterable of str
        Health conditions of the person.
    state : str
        State of glucose regulation that the conditions map to.
    is_trained : bool
        False for a condition without training data.
    assumed : iterable of str
        Nutrients that are unknown for at least one food.
    is_unused : bool
        Whether the person has a personal model that was not used.

    Returns
    -------
    tuple of str
        The notes; empty for an ordinary prediction.
    """
    notes = []
    if is_unused:
        notes.append(
            "The personal model was not more accurate on held-out days; "
            "the population model was used."
        )
    if state == "type_1":
        notes.append(
            "In type 1 diabetes, glucose after a meal depends on insulin, which the model does "
            "not take into account: the curve is a rough average and the band is wide."
        )
    if not is_trained:
        untrained = [name for name in conditions if not CONDITION_TO_STATE[name].is_trained]
        names = ", ".join(untrained)
        notes.append(f"No training data for {names}: treated as {state}, with a wider band.")
    for nutrient in assumed:
        amount = "a typical amount" if nutrient == "fiber_g" else "zero"
        notes.append(f"{nutrient} is unknown for at least one food; {amount} is assumed.")
    return tuple(notes)
