"""Notes that state the caveats of a prediction."""

from __future__ import annotations

from collections.abc import Iterable

from postmeal.glucose.population.carbohydrate_kind import CarbKind
from postmeal.glucose.population.states import CONDITION_TO_STATE

HOUR_UNKNOWN = (
    "The local hour of the meal is unknown: the curve is the mean over usual meal hours, and the"
    " band is wider."
)
"""Note of a prediction for a meal whose hour is unknown."""

NOT_BETTER = (
    "The personal model was not more accurate on held-out days; the population model was used."
)
"""Note of a prediction for which a personal model was given or fitted, but not used."""

OLD_HISTORY = (
    "The history of the personal model ended more than two weeks before the meal: the level is the "
    "population model's; the response to the meal is personal."
)
"""Note of a prediction by a personal model whose level is no longer used."""

PRELIMINARY = (
    "The personal model is preliminary: it was fitted to fewer than five days, and its band is "
    "wider."
)
"""Note of a prediction by a preliminary personal model."""


def personal_notes(is_preliminary: bool, is_old: bool) -> tuple[str, ...]:
    """Return the notes of a prediction by a personal model."""
    notes: tuple[str, ...] = (PRELIMINARY,) if is_preliminary else ()
    return (*notes, OLD_HISTORY) if is_old else notes


_KINDS: dict[CarbKind, str] = {
    "glucose": "pure glucose, which raises glucose more than starch",
    "sugars": "sugars of fruit, milk or sucrose, which raise glucose less than starch",
}


def notes_of(
    conditions: Iterable[str],
    state: str,
    is_trained: bool,
    assumed: Iterable[str],
    kinds: Iterable[tuple[str, CarbKind]],
    is_unused: bool,
    own_notes: Iterable[str] = (),
    lacks_hour: bool = False,
) -> tuple[str, ...]:
    """Return notes that state the caveats of a prediction."""
    notes = []
    if is_unused:
        notes.append(NOT_BETTER)
    notes += own_notes
    if lacks_hour:
        notes.append(HOUR_UNKNOWN)
    if state == "type_1":
        notes.append(
            "In type 1 diabetes, glucose after a meal depends on insulin, which the model does "
            "not take into account: the curve is a rough average, the band is wide, and the impact "
            "score is not informative."
        )
    if not is_trained:
        untrained = [name for name in conditions if not CONDITION_TO_STATE[name].is_trained]
        names = ", ".join(untrained)
        notes.append(f"No training data for {names}: treated as {state}, with a wider band.")
    for nutrient in assumed:
        amount = "a typical amount" if nutrient == "fiber_g" else "zero"
        notes.append(f"{nutrient} is unknown for at least one food; {amount} is assumed.")
    for kind, text in _KINDS.items():
        foods = [name for name, found in kinds if found == kind]
        if foods:
            notes.append(f"The carbohydrate of {', '.join(foods)} is treated as {text}.")
    return tuple(notes)
