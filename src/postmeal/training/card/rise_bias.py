"""Section of the model card about systematic errors of the predicted rise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from postmeal.training.card.names import LABELS
from postmeal.training.card.tables import table
from postmeal.training.datasets import SHORT_NAMES
from postmeal.training.evaluation.rise_bias import BIAS_MIN


def rise_bias_section(metrics: dict[str, Any]) -> str:
    """Write the section about systematic errors for left-out data sets and for unseen people."""
    rows = [
        (
            name,
            "all" if state == "all" else LABELS[state],
            one["n_meals"],
            *(_cell(one, minute) for minute in _MINUTES),
            f"{one['gain']:.2f}",
        )
        for name, groups in _groups(metrics)
        for state, one in groups.items()
    ]
    head = ("meals of", "state", "meals", *(f"{minute} min" for minute in _MINUTES), "gain")
    return f"""## Mean bias by minute

Mean of predicted minus observed rise in mg/dL, with the mean observed rise in parentheses. Data
sets are predicted by models that were fitted without them. The gain is the factor by which the
predicted rise fits the observed rise best (least squares); above 1, predictions are too low.
{_bias_sentence(metrics)}

{table(head, rows)}"""


def _cell(one: dict[str, Any], minute: str) -> str:
    bias = round(one["bias_mg_dl"][minute]) + 0.0  # No negative zero.
    return f"{bias:+.0f} ({one['observed_mg_dl'][minute]:.0f})"


def _bias_sentence(metrics: dict[str, Any]) -> str:
    """Write a sentence that compares the bias for unseen people at late minutes with its limit."""
    late = [
        abs(one["bias_mg_dl"][minute])
        for part in metrics.get("frozen", {}).values()
        for state, one in part["bias"].items()
        if state != "all"
        for minute in _LATE
    ]
    if not late:
        return ""
    return (
        f"A bias of at most 3 mg/dL at {_LATE[0]} and {_LATE[1]} minutes was hoped for; for unseen "
        f"people, it is up to {max(late):.1f} mg/dL in a state."
    )


_MINUTES = tuple(str(minute) for minute in BIAS_MIN)
_LATE = ("90", "120")


def _groups(metrics: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the title and the figures by state of each group of meals.

    If a group has only one state, the figures for all meals are omitted.
    """
    for name, one in metrics["leave_one_data_set_out"].items():
        yield f"{SHORT_NAMES[name]}, left out", _without_repetition(one["bias"])
    yield f"{SHORT_NAMES['ogtt75']}, left out", metrics["standard_loads"]["glucose_drinks"]
    for sensor, one in metrics.get("frozen", {}).items():
        unseen = metrics["unseen"]
        yield f"{SHORT_NAMES.get(unseen, unseen)}, {sensor}", one["bias"]


def _without_repetition(bias: dict[str, Any]) -> dict[str, Any]:
    states = {name: one for name, one in bias.items() if name != "all"}
    return states if len(states) == 1 else bias
