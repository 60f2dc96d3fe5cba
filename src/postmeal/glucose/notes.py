"""Notes: what a reader of a prediction should know."""

from __future__ import annotations

from collections.abc import Iterable

from postmeal.glucose.population.states import CONDITION_TO_STATE

__all__ = ["notes_of"]


def notes_of(
    conditions: Iterable[str],
    state: str,
    is_trained: bool,
    assumed: Iterable[str],
    is_refused: bool,
) -> tuple[str, ...]:
    """Write the notes of a prediction.

    Parameters
    ----------
    conditions : iterable of str
        The eater's health conditions.
    state : str
        State of regulation that they count as.
    is_trained : bool
        False for a condition without training data.
    assumed : iterable of str
        Nutrients that are not known for every food.
    is_refused : bool
        Whether there is a personal model that does not take part.

    Returns
    -------
    tuple of str
        One sentence for each fact, none for an ordinary prediction.
    """
    notes = []
    if is_refused:
        notes.append(
            "The personal model was no better on days left out: the population's curve is given."
        )
    if state == "type_1":
        notes.append(
            "Glucose after a meal in type 1 diabetes depends on insulin, which is not an input: "
            "the curve is a rough mean and the band is wide."
        )
    if not is_trained:
        untrained = [name for name in conditions if not CONDITION_TO_STATE[name].is_trained]
        names = ", ".join(untrained)
        notes.append(f"No training data for {names}: taken as {state}, with a wider band.")
    for key in assumed:
        amount = "a typical amount" if key == "fiber_g" else "none"
        notes.append(f"{key} is not known for every food; {amount} is assumed.")
    return tuple(notes)
