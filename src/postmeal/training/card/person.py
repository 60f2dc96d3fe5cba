"""Section of the model card about the coefficients that tell a person's level and gain."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.names import LABELS
from postmeal.training.card.tables import table

_LABORATORY = {
    "hba1c": "HbA1c",
    "fasting": "fasting glucose",
    "hba1c_and_fasting": "HbA1c and fasting glucose",
}


def person_section(weights: dict[str, Any]) -> str:
    """Write the section about the coefficients, with their standard deviations."""
    person = weights["person"]
    return f"""## Level and gain of a person

The level is blood glucose at the start of the meal. The log gain is added to the log of the gain G.
Means and SDs of CGM readings are converted to blood glucose.

`level change = a · (HbA1c − usual) + b · (fasting glucose − usual)` without CGM readings. Their
mean moves it by `w` of the distance to `mean − level of the state −
{person["mean_above_level_mg_dl"]:.1f}`. `log gain change = c₀ + c₁ · log(SD / usual SD)`.

{person_tables(weights)}

The weights count from 12 usable hours, fully from 24. With CGM readings, the effects of a reading
at the start are {person["known_level"]:.0%} those of personal models."""


def person_tables(weights: dict[str, Any]) -> str:
    """Write the tables of the coefficients, with their standard deviations."""
    person, trace = weights["person"], weights["person"]["trace"]
    usual = [
        (
            LABELS[state],
            f"{person['mean_hba1c_percent'][state]:.1f}",
            f"{person['mean_fasting_mg_dl'][state]:.0f}",
            f"{spread:.1f}",
        )
        for state, spread in person["usual_sd_mg_dl"].items()
    ]
    laboratory = [
        (
            title,
            *(
                f"{one[key]:.2g} ± {one[f'{key}_sd']:.2g}" if one[f"{key}_sd"] else "–"
                for key in ("hba1c", "fasting")
            ),
            f"{one['explained']:.0%}",
        )
        for name, title in _LABORATORY.items()
        for one in [person["laboratory"][name]]
    ]
    hours = [
        (
            f"{hours:.0f}",
            *(
                f"{trace[key][row]:.2f} ± {trace[f'{key}_sd'][row]:.2f}"
                for key in ("level_weight", "log_gain", "log_gain_slope")
            ),
        )
        for row, hours in enumerate(trace["hours"])
    ]
    head = (
        "laboratory values",
        "a, mg/dL per %",
        "b, mg/dL per mg/dL",
        "share of the variance of the level that they explain",
    )
    return "\n\n".join(
        [
            table(("state", "usual HbA1c, %", "usual fasting glucose", "usual SD"), usual),
            table(head, laboratory),
            table(("usable hours", "weight w", "c₀", "c₁"), hours),
        ]
    )
